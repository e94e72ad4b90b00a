/** `postern log-keys`: the keys that sign the log of receipts. */
import type { Command } from 'commander';
import type { Answered } from '../../client/src/types.ts';
import { type CommandContext, calls, examples } from './command.ts';
import { printList } from './terminal.ts';

export function logKeysCommand(parent: Command, context: CommandContext): void {
  const group = parent.command('log-keys').description('The keys that sign the log of receipts: list, rotate.');
  const print = (options: object, { keys }: Answered<'listLogKeys'>): Promise<void> =>
    printList(context.terminal, options, keys, {
      key: ({ key }) => key,
      since: ({ since }) => since ?? 'the beginning',
      until: ({ until }) => until ?? 'signs now',
    });
  const list = group.command('list').description('Lists the keys, the newest first.');
  examples(list, '$ postern log-keys list');
  calls(list, context, async ({ postern }, options) => print(options, await postern.listLogKeys()));

  const rotate = group
    .command('rotate')
    .description('Replaces the key at once, for one that may have leaked. Guide: docs/receipts.md');
  examples(rotate, '$ postern log-keys rotate');
  calls(rotate, context, async ({ postern }, options) => print(options, await postern.rotateLogKey()));
}
