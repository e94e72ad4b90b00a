/**
 * `postern backup` copies an embedded installation while the service runs, and keeps as many copies as asked; `postern
 * restore` turns a backup into an installation.
 */
import type { Command } from 'commander';
import { CannotCopy, restore } from '../service/storage/backup.ts';
import { backUpInto, newestBackup } from '../service/storage/backups.ts';
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

export function restoreCommand(parent: Command, context: CommandContext): void {
  const command = parent
    .command('restore')
    .description('Copies a backup into a folder without an installation. The service must not be running on it.')
    .requiredOption('--from <folder>', 'a backup, or the folder of backups; then the newest is taken')
    .option('--data-dir <folder>', 'folder to restore to (default: POSTERN_DATA_DIR, or ./data)');
  examples(command, '$ postern restore --from backups', '$ postern restore --from backups/postern-20261121T093000Z');
  does<{ from: string; dataDir?: string }>(command, context, async ({ from, dataDir, json: asJson }) => {
    const { terminal } = context;
    const folder = dataDir ?? terminal.env.POSTERN_DATA_DIR ?? './data';
    try {
      const backup = newestBackup(from);
      const copied = restore(backup, folder, terminal.now());
      const text = `${folder}, from ${backup}: ${copied.decisions} decisions, ${copied.changes} changes. Start the service; reports are ready once it has copied the decisions.\n`;
      await terminal.out(asJson === true ? json({ ...copied, from: backup }) : text);
    } catch (error) {
      throw error instanceof CannotCopy ? failed(error.message, error) : error;
    }
  });
}
