/** `postern usage`: shows the usage report as tables and bars. */
import { type Command, Option } from 'commander';
import type { Query, Usage } from '../../client/src/types.ts';
import { DIMENSIONS } from '../decisions/history/columns/dimensions.ts';
import { paint } from '../lib/terminal-text.ts';
import { GROUPS, PERIODS } from '../reports/usage/period.ts';
import { CONTENT_TYPES } from '../rules/content-types.ts';
import { type CommandContext, calls, examples } from './command.ts';
import { addGrounds, type GroundsAnswer, toGrounds } from './grounds.ts';
import { bar, counted, print, type Terminal, type TerminalCell, table } from './terminal.ts';

type Selection = Query<'getUsage'>;

interface Options extends GroundsAnswer {
  observed?: boolean;
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

export function usageCommand(parent: Command, context: CommandContext): void {
  const command = parent
    .command('usage')
    .description('Shows who requested which content, and what was granted.')
    .addOption(new Option('--period <period>', 'length of the period (default: 30d)').choices(Object.keys(PERIODS)))
    .option('--from <date>', 'start, included; overrides --period')
    .option('--to <date>', 'end; a day is included, a time is not')
    .addOption(
      new Option('--group-by <what>', 'length of a bar (default: day), or what to count by').choices([
        ...GROUPS,
        ...DIMENSIONS,
      ]),
    )
    .option('--timezone <zone>', 'IANA time zone of days and hours')
    .option('--content <id>', 'only this item')
    .option('--requester <id>', 'only this requester')
    .addOption(new Option('--type <type>', 'only items of this type').choices(CONTENT_TYPES))
    .option('--observed', 'count the decisions that were only observed instead of those that were enforced')
    .option('--limit <n>', 'length of the lists');
  addGrounds(command);
  examples(
    command,
    '$ postern usage --period 7d',
    '$ postern usage --requester gptbot --group-by hour --from 2026-11-20',
    '$ postern usage --group-by rule --collection col_…',
    '$ postern usage --group-by page --under www.example.com/news --crawler GPTBot',
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
        ...toGrounds(options),
        enforced: options.observed === true ? false : undefined,
        // The service reports an invalid number.
        limit: limit as number | undefined,
      });
      await print(terminal, options, report, () => toText(terminal, report));
    },
  );
}

function toText(terminal: Terminal, report: Usage): string {
  const { timeSeries, topContent, topPages, topRequesters, byDenialReason, byCrawler, byCollection, groups, period } =
    report;
  const titled = (title: string, text: string): string => `\n${paint(terminal, 'bold', title)}\n${text}`;
  const top = (title: string, heads: string[], rows: TerminalCell[][]): string =>
    rows.length === 0 ? '' : titled(title, table(terminal, heads, rows));
  const series = `By ${period.groupBy} (█ allowed, ░ denied)`;
  const outcomes = ['requests', 'allowed', 'denied'];
  if (groups !== undefined) {
    const rows = groups.map(({ id, name, policyVersion, ruleIndex, requests, allowed, denied }): TerminalCell[] => {
      const rule = policyVersion === undefined ? '' : ` version ${policyVersion}, ${ruleText(ruleIndex)}`;
      return [`${name ?? id ?? 'none'}${rule}`, requests, allowed, denied];
    });
    return summaryText(report) + top('Groups', ['group', ...outcomes], rows);
  }
  return [
    summaryText(report),
    timeSeries.length === 0 ? '' : titled(series, chart(terminal, timeSeries)),
    top(
      'Top items',
      ['title', 'id', 'requests'],
      topContent.map(({ title, id, requests }) => [title, id, requests]),
    ),
    top(
      'Top pages',
      ['page', 'requests'],
      topPages.map(({ page, requests }) => [page, requests]),
    ),
    top(
      'Top requesters',
      ['name', 'id', 'requests'],
      topRequesters.map(({ name, id, requests }) => [name, id, requests]),
    ),
    top(
      'Crawlers, as user agents name them',
      ['crawler', ...outcomes, 'verified', 'spoofed'],
      byCrawler.map(({ crawler, requests, allowed, denied, verified, spoofed }) => {
        return [crawler, requests, allowed, denied, verified, spoofed];
      }),
    ),
    top(
      'Collections',
      ['name', 'id', ...outcomes],
      byCollection.map(({ name, collectionId, requests, allowed, denied }) => {
        return [name, collectionId, requests, allowed, denied];
      }),
    ),
    top(
      'Denial reasons',
      ['reason', 'denials'],
      byDenialReason.map(({ reason, count }) => [reason, count]),
    ),
  ].join('');
}

const ruleText = (index: number | null | undefined): string =>
  typeof index === 'number' ? `rule ${index}` : 'the default action';

function summaryText({ summary, period }: Usage): string {
  const { observed, totalRequests, uniqueRequesters, uniqueContent, allowed, denied } = summary;
  const outcome = (count: number, what: string): string => {
    const share = totalRequests === 0 ? '' : ` (${Math.round((count / totalRequests) * 100)} %)`;
    return `${count.toLocaleString('en')} ${what}${share}`;
  };
  return `${counted(totalRequests, 'request')} from ${counted(uniqueRequesters, 'requester')} for ${counted(uniqueContent, 'item')}
${outcome(allowed, 'allowed')}, ${outcome(denied, 'denied')}
${observed.requests === 0 ? '' : `${observedText(observed)}\n`}${period.startDate.slice(0, 16)} to ${period.endDate.slice(0, 16)}, ${period.timezone}
`;
}

const observedText = ({ requests, wouldDeny }: Usage['summary']['observed']): string =>
  `${counted(requests, 'request')} only observed, ${wouldDeny.toLocaleString('en')} would have been denied`;

const LABEL = 40;
const BAR_MIN = 10;
const BAR_MAX = 60;

function chart(terminal: Terminal, buckets: Usage['timeSeries']): string {
  const most = Math.max(...buckets.map(({ requests }) => requests));
  const width = Math.min(BAR_MAX, Math.max(BAR_MIN, terminal.width - LABEL));
  const digits = most.toLocaleString('en').length;
  const lines = buckets.map(({ date, requests, allowed, denied }) => {
    const label = date.length > 10 ? date.slice(0, 16).replace('T', ' ') : date;
    const count = requests.toLocaleString('en').padStart(digits);
    return `${label}  ${count}  ${bar(terminal, [allowed, denied], most, width)}`.trimEnd();
  });
  return lines.concat('').join('\n');
}
