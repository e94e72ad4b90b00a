/** `postern restore`: turns a backup into an installation. */
import type { Command } from 'commander';
import { CannotCopy, restore } from '../service/storage/backup.ts';
import { newestBackup } from '../service/storage/backups.ts';
import { type CommandContext, does, examples } from './command.ts';
import { failed } from './outcome.ts';
import { json } from './terminal.ts';

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
      const copied = restore(backup, folder);
      const text = `${folder}, from ${backup}: ${copied.decisions} decisions, ${copied.changes} changes. Start the service; reports are ready once it has copied the decisions.\n`;
      await terminal.out(asJson === true ? json({ ...copied, from: backup }) : text);
    } catch (error) {
      throw error instanceof CannotCopy ? failed(error.message, error) : error;
    }
  });
}
