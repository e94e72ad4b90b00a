/** `postern crawlers lists` and `accept-list`: the published lists of addresses that verify visitors. */
import type { Command } from 'commander';
import { type CommandContext, calls, examples } from './command.ts';
import { printList, report } from './terminal.ts';
import { toDay } from './time.ts';

export function listsCommands(parent: Command, context: CommandContext): void {
  const lists = parent
    .command('lists')
    .description('Lists the published lists of addresses, with their age and what is wrong with them.');
  examples(lists, '$ postern crawlers lists');
  calls(lists, context, async ({ postern, terminal }, options) => {
    const found = await Array.fromAsync(postern.listIdentityLists({ limit: 100 }));
    await printList(terminal, options, found, {
      list: ({ url }) => url,
      ranges: ({ ranges }) => String(ranges),
      fetched: ({ fetched }) => toDay(fetched),
      state: ({ fresh, held, error }) => {
        if (held !== null) return `held back: ${held.ranges} ranges`;
        return error ?? (fresh ? 'fresh' : 'too old');
      },
    });
  });

  const accept = parent
    .command('accept-list')
    .argument('<url>', 'the list')
    .description('Accepts a list that is held back because it shrank by more than half.');
  examples(accept, '$ postern crawlers accept-list https://openai.com/gptbot.json');
  calls(accept, context, async ({ postern, terminal }, options, url = '') => {
    const accepted = await postern.acceptIdentityList({ url });
    await report(terminal, options, accepted, `${accepted.ranges} ranges of ${url} count from now on.\n`);
  });
}
