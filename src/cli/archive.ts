/** `postern archive`: moves old decisions into Parquet files, which reports still count. */
import type { Command } from 'commander';
import { Unavailable } from '../db/db.ts';
import { archive, CannotArchive } from '../decisions/history/archive/archive.ts';
import { type CommandContext, does, examples } from './command.ts';
import { failed, misused } from './outcome.ts';
import { json } from './terminal.ts';

export function archiveCommand(parent: Command, context: CommandContext): void {
  const command = parent
    .command('archive')
    .description(
      'Moves decisions made before a day from the records into Parquet files while the service runs. Reports still count them; the decision log no longer lists them.',
    )
    .requiredOption('--before <day>', 'a day such as 2026-01-01, UTC, more than 31 days ago')
    .option('--to <folder>', 'folder of the archive (default: POSTERN_ARCHIVE_DIR)')
    .option(
      '--data-dir <folder>',
      'folder of the installation (default: POSTERN_DATA_DIR, or ./data); overrides POSTERN_DATABASE_URL',
    );
  examples(command, '$ postern archive --before 2026-01-01 --to /srv/postern-archive');
  does<{ before: string; to?: string; dataDir?: string }>(command, context, async (options) => {
    const { terminal } = context;
    const before = parseDay(options.before);
    const to = options.to ?? terminal.env.POSTERN_ARCHIVE_DIR;
    if (to === undefined) throw misused('Name the archive folder with --to, or set POSTERN_ARCHIVE_DIR.');
    const folder = options.dataDir ?? terminal.env.POSTERN_DATA_DIR ?? './data';
    const records = options.dataDir === undefined ? (terminal.env.POSTERN_DATABASE_URL ?? folder) : folder;
    try {
      const say = (line: string): void => terminal.err(`${line}\n`);
      const archived = await archive({ records, before, to, now: Date.now(), say });
      const text = `${archived.decisions} decisions in ${archived.files.length} files.\n`;
      await terminal.out(options.json === true ? json(archived) : text);
    } catch (error) {
      if (error instanceof CannotArchive) throw failed(error.message, error);
      if (error instanceof Unavailable) {
        throw failed(`The records did not answer (${error.message}). Run the command again; it resumes.`, error);
      }
      throw error;
    }
  });
}

function parseDay(text: string): number {
  const at = Date.parse(`${text}T00:00:00Z`);
  if (/^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(at)) return at;
  throw misused('--before must be a day such as 2026-01-01.');
}
