/** `postern visitors`: shows who reads which pages. */
import { type Command, Option } from 'commander';
import type { Query } from '../../client/src/types.ts';
import { paint } from '../lib/terminal-text.ts';
import { PERIODS } from '../reports/usage/period.ts';
import { whoText } from '../reports/usage/who.ts';
import { type CommandContext, calls, examples } from './command.ts';
import { addGrounds, type GroundsAnswer, toGrounds } from './grounds.ts';
import { counted, print, table } from './terminal.ts';

interface Options extends GroundsAnswer {
  observed?: boolean;
  period?: Query<'getVisitors'>['period'];
  from?: string;
  to?: string;
  limit?: string;
  pages?: string;
}

export function visitorsCommand(parent: Command, context: CommandContext): void {
  const command = parent
    .command('visitors')
    .description('Shows who requested the most, and the pages that were requested most.')
    .addOption(new Option('--period <period>', 'length of the period (default: 30d)').choices(Object.keys(PERIODS)))
    .option('--from <date>', 'start, included; overrides --period')
    .option('--to <date>', 'end; a day is included, a time is not')
    .option('--observed', 'count the decisions that were only observed instead of those that were enforced')
    .option('--limit <n>', 'number of visitors')
    .option('--pages <n>', 'number of pages');
  addGrounds(command);
  examples(
    command,
    '$ postern visitors --period 7d',
    '$ postern visitors --under www.example.com/news --limit 50',
    '$ postern visitors --json | jq ".visitors[].who"',
  );
  calls<Options>(command, context, async ({ postern, terminal }, { from, to, limit, pages, ...options }) => {
    const report = await postern.getVisitors({
      period: options.period,
      startDate: from,
      endDate: to,
      ...toGrounds(options),
      enforced: options.observed === true ? false : undefined,
      // The service reports an invalid number.
      limit: limit as number | undefined,
      pages: pages as number | undefined,
    });
    await print(terminal, options, report, () => {
      const counts = ['requests', 'allowed', 'denied', 'verified', 'spoofed'] as const;
      const visitors = report.visitors.map((one) => [
        whoText(one.who),
        ...counts.map((count) => one[count]),
        one.pages[0]?.page,
      ]);
      const read = report.pages.map((one) => [one.page, ...counts.map((count) => one[count])]);
      const rest = (all: number, shown: number, what: string): string =>
        all > shown ? `${counted(all - shown, what)}\n` : '';
      return [
        table(terminal, ['visitor', ...counts, 'most of all'], visitors),
        rest(report.uniqueVisitors, visitors.length, 'more visitor'),
        `\n${paint(terminal, 'bold', 'Pages')}\n`,
        table(terminal, ['page', ...counts], read),
        rest(report.uniquePages, read.length, 'more page'),
      ].join('');
    });
  });
}
