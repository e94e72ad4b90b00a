/** `postern migrate-store`: moves an embedded installation to PostgreSQL. */
import type { Command } from 'commander';
import { Unavailable } from '../db/db.ts';
import { CannotMove, moveStore } from '../service/storage/move.ts';
import { type CommandContext, does, examples } from './command.ts';
import { failed, misused } from './outcome.ts';
import { json } from './terminal.ts';

export function migrateStoreCommand(parent: Command, context: CommandContext): void {
  const command = parent
    .command('migrate-store')
    .description(
      'Copies an embedded installation with its decisions to an empty PostgreSQL, and compares every row. The folder is only read. Run it again to resume an interrupted copy.',
    )
    .option('--from <folder>', 'folder of the installation (default: POSTERN_DATA_DIR, or ./data)')
    .option(
      '--to <url>',
      'postgres://… without a password, or with one from PGPASSWORD (default: POSTERN_DATABASE_URL)',
    );
  examples(command, '$ postern migrate-store --from ./data --to postgres://postern@db.example.com/postern');
  does<{ from?: string; to?: string }>(command, context, async ({ from, to, json: asJson }) => {
    const { terminal } = context;
    const url = to ?? terminal.env.POSTERN_DATABASE_URL;
    if (url === undefined) throw misused('Name the database with --to postgres://…, or set POSTERN_DATABASE_URL.');
    if (!/^postgres(ql)?:\/\//.test(url)) throw misused('--to must be a URL such as postgres://user@host/postern.');
    const dataDir = from ?? terminal.env.POSTERN_DATA_DIR ?? './data';
    try {
      const moved = await moveStore({ dataDir, url, say: (line) => terminal.err(`${line}\n`) });
      const rows = Object.values(moved.tables).reduce((sum, count) => sum + count, 0);
      const text = `${rows} rows moved and compared. Start the nodes with POSTERN_DATABASE_URL; keep the folder until you have verified the result.\n`;
      await terminal.out(asJson === true ? json(moved) : text);
    } catch (error) {
      if (error instanceof CannotMove) throw failed(error.message, error);
      if (error instanceof Unavailable) {
        throw failed(`The database did not answer (${error.message}). Run the command again; it resumes.`, error);
      }
      throw error;
    }
  });
}
