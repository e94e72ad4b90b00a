/** `postern serve`: runs the service until SIGTERM or SIGINT. Settings come from the environment only. */
import type { Command } from 'commander';
import { SETTINGS } from '../service/config.ts';
import { type CommandContext, does, examples } from './command.ts';

export function serveCommand(parent: Command, context: CommandContext): void {
  const names = Object.entries(SETTINGS).map(([name, { doc, default: preset }]) => {
    const without = preset === null || preset === '' ? '' : ` (default: ${preset})`;
    return `  ${name.padEnd(30)}  ${doc}${without}`;
  });
  const command = parent
    .command('serve')
    .description('Runs the service until SIGTERM or Ctrl-C. The first start prints a key, once.')
    .addHelpText(
      'after',
      `\nSettings, from the environment or --env-file, each also as …_FILE, the name of a file with the value:\n${names.join('\n')}`,
    );
  examples(command, '$ postern serve', '$ POSTERN_PORT=8081 POSTERN_DATA_DIR=/var/lib/postern postern serve');
  does(command, context, async () => {
    await context.serve();
  });
}
