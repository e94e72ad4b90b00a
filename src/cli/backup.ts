/** `postern backup`: copies an embedded installation while the service runs. */
import type { Command } from 'commander';
import { backUp, CannotCopy } from '../storage/backup.ts';
import { type Context, does, examples } from './command.ts';
import { failed } from './outcome.ts';
import { json } from './terminal.ts';

export function backupCommand(parent: Command, context: Context): void {
  const command = parent
    .command('backup')
    .description('Copies an embedded installation into a new folder while the service runs, and verifies the copy.')
    .requiredOption('--to <folder>', 'folder to create')
    .option('--data-dir <folder>', 'folder of the installation (default: POSTERN_DATA_DIR, or ./data)');
  examples(
    command,
    '$ postern backup --to backups/2026-11-21',
    '$ postern backup --data-dir /var/lib/postern --to /mnt/backup/monday',
  );
  does<{ to: string; dataDir?: string }>(command, context, async ({ to, dataDir, json: asJson }) => {
    const { terminal } = context;
    try {
      const copied = backUp(dataDir ?? terminal.env.POSTERN_DATA_DIR ?? './data', to);
      const text = `${to}: ${copied.decisions} decisions, ${copied.changes} changes, ${copied.bytes} bytes.\n`;
      await terminal.out(asJson === true ? json(copied) : text);
    } catch (error) {
      throw error instanceof CannotCopy ? failed(error.message, error) : error;
    }
  });
}
