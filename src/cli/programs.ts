/** `postern programs`: shows the programs that the crawler directory does not name. */
import { type Command, Option } from 'commander';
import type { Query } from '../../client/src/types.ts';
import { PROGRAM_SORTS } from '../decisions/history/columns/dimensions.ts';
import { type CommandContext, calls, examples } from './command.ts';
import { counted, print, table } from './terminal.ts';

interface Options {
  from?: string;
  to?: string;
  search?: string;
  sort?: Query<'listPrograms'>['sort'];
  observed?: boolean;
  limit: string;
}

export function programsCommand(parent: Command, context: CommandContext): void {
  const command = parent
    .command('programs')
    .description('Shows the programs that the crawler directory does not name, by what they requested.')
    .option('--from <time>', 'from this day or time on')
    .option('--to <time>', 'end; a day is included, a time is not')
    .option('--search <text>', 'only programs with this text in their name')
    .addOption(new Option('--sort <order>', 'greatest or latest first').choices(PROGRAM_SORTS))
    .option('--observed', 'count the decisions that were only observed instead of those that were enforced')
    .option('--limit <n>', 'rows, at most 100', '20');
  examples(command, '$ postern programs --from 2026-11-01', '$ postern programs --sort pages --limit 100 --json');
  calls<Options>(command, context, async ({ postern, terminal }, { from, to, search: q, sort, limit, ...options }) => {
    const enforced = options.observed === true ? false : undefined;
    // The service reports an invalid number.
    const query = { from, to, q, sort, enforced, limit: limit as unknown as number };
    const { data, totalCount } = await postern.listPrograms(query);
    await print(terminal, options, data, () => {
      const rows = data.map(({ program, requests, denied, pages, addresses, robotsRead, firstSeen, lastSeen }) => [
        program,
        requests,
        denied,
        pages,
        addresses,
        robotsRead ? 'read' : null,
        firstSeen.slice(0, 10),
        lastSeen.slice(0, 10),
      ]);
      const heads = ['program', 'requests', 'denied', 'pages', '≈ addresses', 'robots.txt', 'first seen', 'last seen'];
      const rest = totalCount - rows.length;
      return `${table(terminal, heads, rows)}${rest > 0 ? `${counted(rest, 'more program')}\n` : ''}`;
    });
  });
}
