/** `postern collections unregistered`: shows requests that no item or collection answers. */
import { type Command, Option } from 'commander';
import type { Query } from '../../../client/src/types.ts';
import { type CommandContext, calls, examples } from '../command.ts';
import { print, table } from '../terminal.ts';

interface Options {
  from?: string;
  to?: string;
  host?: string;
  sort?: Query<'listUnregistered'>['sort'];
  limit: string;
}

export function unregisteredCommand(parent: Command, context: CommandContext): void {
  const command = parent
    .command('unregistered')
    .description('Shows requests for URLs that are neither an item nor in a collection, by host and first segment.')
    .option('--from <time>', 'from this day or hour on')
    .option('--to <time>', 'up to this day, included, or this hour')
    .option('--host <host>', 'only this host')
    .addOption(new Option('--sort <order>', 'greatest or latest first').choices(['requests', 'lastSeen']))
    .option('--limit <n>', 'rows, at most 100', '20');
  examples(command, '$ postern collections unregistered --host www.example.com --from 2026-11-01');
  calls<Options>(command, context, async ({ postern, terminal }, { from, to, host, sort, limit, ...options }) => {
    // The service reports an invalid number.
    const query = { from, to, host, sort, limit: limit as unknown as number };
    const { data } = await postern.listUnregistered(query);
    await print(terminal, options, data, () =>
      table(
        terminal,
        ['host', 'path', 'crawler or requester', 'requests', 'last seen'],
        data.map(({ path, crawler, requesterId, requests, lastSeen, ...row }) => [
          row.host ?? 'other hosts',
          path ?? 'other paths',
          crawler ?? requesterId,
          requests,
          lastSeen,
        ]),
      ),
    );
  });
}
