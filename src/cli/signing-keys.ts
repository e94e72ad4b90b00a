/** `postern signing-keys`: the keys that sign License tokens. */
import type { Command } from 'commander';
import { type CommandContext, calls, examples } from './command.ts';
import { printList } from './terminal.ts';

export function signingKeysCommand(parent: Command, context: CommandContext): void {
  const group = parent.command('signing-keys').description('The keys that sign License tokens: rotate.');
  const command = group
    .command('rotate')
    .description('Publishes a new key, which signs ten minutes later, and lists the keys that verify.')
    .option('--now', 'replace all keys at once, which ends every License token; for a key that may have leaked');
  examples(command, '$ postern signing-keys rotate', '$ postern signing-keys rotate --now');
  calls<{ now?: true }>(command, context, async ({ postern, terminal }, options) => {
    const { keys } = await postern.rotateSigningKeys({ atOnce: options.now === true });
    await printList(terminal, options, keys, {
      id: ({ kid }) => kid,
      created: ({ created }) => created,
      'signs from': ({ signsFrom }) => signsFrom,
    });
  });
}
