/** `postern usage`: the usage report as tables and bars. */
import { type Command, Option } from 'commander';
import { CONTENT_TYPES } from '../content/content.ts';
import { GROUPS, PERIODS } from '../usage/period.ts';
import { type Context, does, examples } from './command.ts';
import { type Answer, connect } from './connection.ts';
import { EXIT } from './outcome.ts';
import { bar, counted, json, paint, type Terminal, table } from './terminal.ts';

interface Options {
  period?: string;
  from?: string;
  to?: string;
  groupBy?: string;
  timezone?: string;
  content?: string;
  requester?: string;
  type?: string;
  limit?: string;
}

export function usageCommand(parent: Command, context: Context): void {
  const command = parent
    .command('usage')
    .description('Shows who asked for what, and what they got.')
    .addOption(new Option('--period <period>', 'how far back (default: 30d)').choices(Object.keys(PERIODS)))
    .option('--from <date>', 'start, inclusive; wins over --period')
    .option('--to <date>', 'end; a day is included, a moment is not')
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
  does<Options>(command, context, async (options) => {
    const { terminal } = context;
    const connection = await connect(terminal, options);
    const { period, from, to, groupBy, timezone, content, requester, type, limit } = options;
    const query = {
      period,
      startDate: from,
      endDate: to,
      groupBy,
      timezone,
      contentId: content,
      requesterId: requester,
      type,
      limit,
    };
    const report = await connection.ask('GET', '/v1/analytics/usage', { query });
    await terminal.out(options.json === true ? json(report) : readable(terminal, report));
    return EXIT.ok;
  });
}

function readable(terminal: Terminal, report: Answer): string {
  const { summary, timeSeries, topContent, topRequesters, byDenialReason, period } = report;
  const share = (part: number): string =>
    summary.totalRequests === 0 ? '' : ` (${Math.round((part / summary.totalRequests) * 100)} %)`;
  const n = (count: number): string => count.toLocaleString('en');
  const head = `${counted(summary.totalRequests, 'request')} from ${counted(summary.uniqueRequesters, 'requester')} for ${counted(summary.uniqueContent, 'item')}
${n(summary.allowed)} allowed${share(summary.allowed)}, ${n(summary.denied)} denied${share(summary.denied)}
${period.startDate.slice(0, 16)} to ${period.endDate.slice(0, 16)}, ${period.timezone}
`;
  const titled = (title: string, rows: unknown[], text: string): string =>
    rows.length === 0 ? '' : `\n${paint(terminal, 'bold', title)}\n${text}`;
  return [
    head,
    titled(`By ${period.groupBy} (█ allowed, ░ denied)`, timeSeries, chart(terminal, timeSeries)),
    titled(
      'Items asked for most',
      topContent,
      table(
        terminal,
        ['title', 'id', 'requests'],
        topContent.map((one: Answer) => [one.title, one.id, one.requests]),
      ),
    ),
    titled(
      'Requesters that asked most',
      topRequesters,
      table(
        terminal,
        ['name', 'id', 'requests'],
        topRequesters.map((one: Answer) => [one.name, one.id, one.requests]),
      ),
    ),
    titled(
      'Why denied',
      byDenialReason,
      table(
        terminal,
        ['reason', 'denials'],
        byDenialReason.map((one: Answer) => [one.reason, one.count]),
      ),
    ),
  ].join('');
}

const LABEL = 40;
const BAR_MIN = 10;

function chart(terminal: Terminal, buckets: Answer[]): string {
  const most = Math.max(...buckets.map(({ requests }) => requests));
  const width = Math.max(BAR_MIN, terminal.width - LABEL);
  const digits = most.toLocaleString('en').length;
  return buckets
    .map(({ date, requests, allowed, denied }) => {
      const label = date.length > 10 ? date.slice(0, 16).replace('T', ' ') : date;
      return `${label}  ${requests.toLocaleString('en').padStart(digits)}  ${bar(terminal, [allowed, denied], most, width)}`.trimEnd();
    })
    .concat('')
    .join('\n');
}
