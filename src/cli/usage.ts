/** `postern usage`: shows the usage report as tables and bars. */
import { type Command, Option } from 'commander';
import type { Query, Usage } from '../../client/src/types.ts';
import { CONTENT_TYPES } from '../content-types.ts';
import { GROUPS, PERIODS } from '../usage/period.ts';
import { type Context, calls, examples } from './command.ts';
import { bar, type Cell, counted, paint, print, type Terminal, table } from './terminal.ts';

type Selection = Query<'getUsage'>;

interface Options {
  period?: Selection['period'];
  from?: string;
  to?: string;
  groupBy?: Selection['groupBy'];
  timezone?: string;
  content?: string;
  requester?: string;
  type?: Selection['type'];
  limit?: string;
}

export function usageCommand(parent: Command, context: Context): void {
  const command = parent
    .command('usage')
    .description('Shows who requested which content, and what was granted.')
    .addOption(new Option('--period <period>', 'length of the period (default: 30d)').choices(Object.keys(PERIODS)))
    .option('--from <date>', 'start, included; overrides --period')
    .option('--to <date>', 'end; a day is included, a time is not')
    .addOption(new Option('--group-by <length>', 'length of a bar (default: day)').choices([...GROUPS]))
    .option('--timezone <zone>', 'IANA time zone of days and hours')
    .option('--content <id>', 'only this item')
    .option('--requester <id>', 'only this requester')
    .addOption(new Option('--type <type>', 'only items of this type').choices(CONTENT_TYPES))
    .option('--limit <n>', 'length of the top lists');
  examples(
    command,
    '$ postern usage --period 7d',
    '$ postern usage --requester gptbot --group-by hour --from 2026-11-20',
    '$ postern usage --period 90d --json | jq .summary',
  );
  calls<Options>(
    command,
    context,
    async ({ postern, terminal }, { from, to, content, requester, limit, ...options }) => {
      const { period, groupBy, timezone, type } = options;
      const report = await postern.getUsage({
        period,
        startDate: from,
        endDate: to,
        groupBy,
        timezone,
        contentId: content,
        requesterId: requester,
        type,
        // The service reports an invalid number.
        limit: limit as number | undefined,
      });
      await print(terminal, options, report, () => toText(terminal, report));
    },
  );
}

function toText(terminal: Terminal, report: Usage): string {
  const { timeSeries, topContent, topRequesters, byDenialReason, period } = report;
  const titled = (title: string, text: string): string => `\n${paint(terminal, 'bold', title)}\n${text}`;
  const top = (title: string, heads: string[], rows: Cell[][]): string =>
    rows.length === 0 ? '' : titled(title, table(terminal, heads, rows));
  const series = `By ${period.groupBy} (█ allowed, ░ denied)`;
  return [
    summaryText(report),
    timeSeries.length === 0 ? '' : titled(series, chart(terminal, timeSeries)),
    top(
      'Top items',
      ['title', 'id', 'requests'],
      topContent.map(({ title, id, requests }) => [title, id, requests]),
    ),
    top(
      'Top requesters',
      ['name', 'id', 'requests'],
      topRequesters.map(({ name, id, requests }) => [name, id, requests]),
    ),
    top(
      'Denial reasons',
      ['reason', 'denials'],
      byDenialReason.map(({ reason, count }) => [reason, count]),
    ),
  ].join('');
}

function summaryText({ summary, period }: Usage): string {
  const { totalRequests, uniqueRequesters, uniqueContent, allowed, denied } = summary;
  const outcome = (count: number, what: string): string => {
    const share = totalRequests === 0 ? '' : ` (${Math.round((count / totalRequests) * 100)} %)`;
    return `${count.toLocaleString('en')} ${what}${share}`;
  };
  return `${counted(totalRequests, 'request')} from ${counted(uniqueRequesters, 'requester')} for ${counted(uniqueContent, 'item')}
${outcome(allowed, 'allowed')}, ${outcome(denied, 'denied')}
${period.startDate.slice(0, 16)} to ${period.endDate.slice(0, 16)}, ${period.timezone}
`;
}

const LABEL = 40;
const BAR_MIN = 10;

function chart(terminal: Terminal, buckets: Usage['timeSeries']): string {
  const most = Math.max(...buckets.map(({ requests }) => requests));
  const width = Math.max(BAR_MIN, terminal.width - LABEL);
  const digits = most.toLocaleString('en').length;
  const lines = buckets.map(({ date, requests, allowed, denied }) => {
    const label = date.length > 10 ? date.slice(0, 16).replace('T', ' ') : date;
    const count = requests.toLocaleString('en').padStart(digits);
    return `${label}  ${count}  ${bar(terminal, [allowed, denied], most, width)}`.trimEnd();
  });
  return lines.concat('').join('\n');
}
