/** `postern backup`: copies an embedded installation while the service runs, and keeps as many copies as asked. */
import type { Command } from 'commander';
import { CannotCopy } from '../service/storage/backup.ts';
import { backUpInto } from '../service/storage/backups.ts';
import { type CommandContext, does, examples, toWholeNumber } from './command.ts';
import { failed, misused } from './outcome.ts';
import { counted, json } from './terminal.ts';

interface Options {
  to: string;
  dataDir?: string;
  keep?: string;
}

export function backupCommand(parent: Command, context: CommandContext): void {
  const command = parent
    .command('backup')
    .description(
      'Copies an embedded installation while the service runs, and verifies the copy. Each run makes a folder of its own, named by the time.',
    )
    .requiredOption('--to <folder>', 'folder of the backups; it is made if need be')
    .option(
      '--keep <n>',
      'after the new backup is complete, remove all but this many of the newest (default: all stay)',
    )
    .option('--data-dir <folder>', 'folder of the installation (default: POSTERN_DATA_DIR, or ./data)');
  examples(
    command,
    '$ postern backup --to backups',
    '$ postern backup --data-dir /var/lib/postern --to /mnt/backups --keep 7',
  );
  does<Options>(command, context, async ({ to, dataDir, keep, json: asJson }) => {
    const { terminal } = context;
    const { POSTERN_DATA_DIR, POSTERN_DATABASE_URL } = terminal.env;
    if (dataDir === undefined && POSTERN_DATABASE_URL !== undefined) {
      throw misused('The records are on PostgreSQL. Back them up with pg_dump or base backups: see docs/cluster.md.');
    }
    const most = keep === undefined ? undefined : toWholeNumber('--keep', keep);
    try {
      const made = backUpInto({
        dataDir: dataDir ?? POSTERN_DATA_DIR ?? './data',
        home: to,
        keep: most,
        now: terminal.now(),
      });
      const removed = made.removed.length === 0 ? '' : ` Removed ${counted(made.removed.length, 'older backup')}.`;
      const text = `${made.folder}: ${made.decisions} decisions, ${made.changes} changes, ${made.bytes} bytes.${removed}\n`;
      await terminal.out(asJson === true ? json(made) : text);
    } catch (error) {
      throw error instanceof CannotCopy ? failed(error.message, error) : error;
    }
  });
}
