/** The report of an audit for a terminal. Text of the log reaches it through `plain` and `table` only. */

import { counted, type Terminal, type TerminalCell, table } from '../../src/cli/terminal.ts';
import { paint, plain } from '../../src/lib/terminal-text.ts';
import { REASONS, type Reason } from '../../src/rules/reason.ts';
import type { ProgramTraffic } from './programs.ts';
import type { AuditReport, CrawlerTraffic, Traffic } from './report.ts';

export interface TextOptions {
  /** Rows in the tables of crawlers and of programs. */
  top: number;
}

const CRAWLERS_WITH_PATHS = 5;
const PATHS = 5;

export function auditText(terminal: Terminal, report: AuditReport, { top }: TextOptions): string {
  const parts = [
    headText(report),
    crawlersText(terminal, report, top),
    programsText(terminal, report, top),
    operatorsText(terminal, report),
    pathsText(terminal, report),
    policyText(report),
    listsText(report),
    unreadableText(terminal, report),
    ...report.notes.map((note) => `Note: ${note}\n`),
  ];
  return parts.filter((part) => part !== '').join('\n');
}

function headText({ requests, bytes, from, to, crawlers, lines }: AuditReport): string {
  if (from === null || to === null) return `${counted(lines, 'line')}, no requests\n`;
  const crawled = crawlers.reduce((sum, one) => sum + one.requests, 0);
  return [
    `${counted(requests, 'request')} (${sizeText(bytes)}) from ${timeText(from)} to ${timeText(to)}`,
    `${counted(crawled, 'request')} of crawlers (${percent(crawled, requests)}), by ${counted(new Set(crawlers.map(({ name }) => name)).size, 'name')}`,
    '',
  ].join('\n');
}

function crawlersText(terminal: Terminal, { crawlers, others, policy }: AuditReport, top: number): string {
  if (crawlers.length === 0) return '';
  const heads = ['crawler', 'operator', 'purpose', 'identity', 'requests', 'URLs', 'bytes', '2xx', '3xx', '4xx', '5xx'];
  const shown = crawlers.slice(0, top);
  const rows: TerminalCell[][] = shown.map((one) => [
    one.name,
    one.operator,
    one.purpose,
    one.outcome,
    ...numberCells(one),
    ...answerCells(one),
    one.robotsTxt,
    one.lastSeen.slice(0, 10),
  ]);
  if (others !== null) {
    const cells = [...numberCells(others), ...answerCells(others), null, others.lastSeen.slice(0, 10)];
    rows.push(['(no crawler)', null, null, null, ...cells]);
  }
  const rest = crawlers.length - shown.length;
  const more = rest > 0 ? `${counted(rest, 'more row')}; see --top, --json or --html\n` : '';
  const answers = policy === null ? [] : policy.notCovered === undefined ? ['denied'] : ['denied', 'not covered'];
  const all = [...heads, ...answers, 'robots.txt', 'last seen'];
  return `${table(terminal, all, rows)}${more}`;
}

const answerCells = ({ policy }: Traffic): TerminalCell[] =>
  policy === null ? [] : policy.notCovered === undefined ? [policy.denied] : [policy.denied, policy.notCovered];

function numberCells(one: CrawlerTraffic | NonNullable<AuditReport['others']>): TerminalCell[] {
  const urls = 'urls' in one ? urlsText(one) : null;
  const { statuses } = one;
  return [one.requests, urls, sizeText(one.bytes), statuses['2xx'], statuses['3xx'], statuses['4xx'], statuses['5xx']];
}

export const urlsText = ({ urls, urlsAtLeast }: Pick<CrawlerTraffic, 'urls' | 'urlsAtLeast'>): string =>
  `${urlsAtLeast ? '≥ ' : ''}${urls.toLocaleString('en')}`;

function programsText(terminal: Terminal, { programs, programRequests, requests }: AuditReport, top: number): string {
  if (programs.length === 0) return '';
  const rows = programs
    .slice(0, top)
    .map((one): TerminalCell[] => [
      one.program,
      programRequestsText(one),
      one.pages,
      one.addresses,
      one.robotsTxt,
      one.firstSeen.slice(0, 10),
      one.lastSeen.slice(0, 10),
    ]);
  const heads = ['program', 'requests', '≈ pages', '≈ addresses', 'robots.txt', 'first seen', 'last seen'];
  const rest = programs.length - rows.length;
  const more = rest > 0 ? `${counted(rest, 'more program')}; see --top, --json or --html\n` : '';
  const title = `${counted(programRequests, 'request')} of programs that the crawler directory does not name (${percent(programRequests, requests)})`;
  return `${paint(terminal, 'bold', title)}\n${table(terminal, heads, rows)}${more}`;
}

export const programRequestsText = ({
  requests,
  requestsAtLeast,
}: Pick<ProgramTraffic, 'requests' | 'requestsAtLeast'>): string =>
  `${requestsAtLeast ? '≥ ' : ''}${requests.toLocaleString('en')}`;

function operatorsText(terminal: Terminal, { operators }: AuditReport): string {
  const shown = operators.filter(({ crawls }) => crawls > 0).slice(0, 10);
  if (shown.length === 0) return '';
  const rows = shown.map(({ operator, crawls, referrals, ratio }) => [operator, crawls, referrals, ratioText(ratio)]);
  return table(terminal, ['operator', 'crawls', 'visits sent', 'crawls per visit'], rows);
}

export const ratioText = (ratio: number | null): string =>
  ratio === null ? 'none sent' : `${ratio.toLocaleString('en', { maximumFractionDigits: ratio < 10 ? 1 : 0 })} : 1`;

function pathsText(terminal: Terminal, { crawlers }: AuditReport): string {
  const lines = crawlers
    .slice(0, CRAWLERS_WITH_PATHS)
    .flatMap(({ name, outcome, topPaths }) => [
      paint(terminal, 'bold', `${plain(name)} (${outcome}), most requested paths`),
      ...topPaths
        .slice(0, PATHS)
        .map(({ path, requests }) => `  ${requests.toLocaleString('en').padStart(9)}  ${plain(path)}`),
    ]);
  return lines.length === 0 ? '' : `${lines.join('\n')}\n`;
}

function policyText({ policy }: AuditReport): string {
  if (policy === null) return '';
  const reasons = Object.entries(policy.reasons).map(
    ([reason, count]) => `${count.toLocaleString('en')} ${REASONS[reason as Reason].message.replace(/\.$/, '')}`,
  );
  const head = `The policy "${plain(policy.name)}" would have allowed ${policy.allowed.toLocaleString('en')} and denied ${policy.denied.toLocaleString('en')}`;
  const rest =
    policy.notCovered === undefined
      ? ''
      : `Not covered: ${policy.notCovered.toLocaleString('en')}, in no collection of the file\n`;
  const free =
    policy.free === 0
      ? ''
      : `Never decided: ${policy.free.toLocaleString('en')}, of files for crawlers such as robots.txt\n`;
  return `${head}${reasons.length === 0 ? '' : `: ${reasons.join('; ')}`}\n${rest}${free}`;
}

function listsText({ lists }: AuditReport): string {
  const named = lists.map(({ source, ranges }) => `${plain(source)} (${counted(ranges, 'range')})`);
  return named.length === 0 ? '' : `Verified with the addresses of ${named.join(', ')}\n`;
}

function unreadableText(terminal: Terminal, { unreadable, faults }: AuditReport): string {
  const lines = faults.map(({ file, fault }) => `${plain(file)} ended early: ${plain(fault)}`);
  if (unreadable.count > 0) {
    lines.push(paint(terminal, 'yellow', `${counted(unreadable.count, 'line')} could not be read. The first:`));
    for (const { file, line, text } of unreadable.first) lines.push(`  ${plain(file)}:${line}  ${plain(text)}`);
  }
  return lines.length === 0 ? '' : `${lines.join('\n')}\n`;
}

const timeText = (iso: string): string => `${iso.slice(0, 16).replace('T', ' ')} UTC`;

export const percent = (part: number, of: number): string =>
  of === 0 ? '0 %' : `${((part / of) * 100).toLocaleString('en', { maximumFractionDigits: 1 })} %`;

export function sizeText(bytes: number): string {
  let value = bytes;
  for (const unit of ['B', 'KB', 'MB', 'GB']) {
    if (value < 1000) return `${value.toLocaleString('en', { maximumFractionDigits: value < 10 ? 1 : 0 })} ${unit}`;
    value /= 1000;
  }
  return `${value.toLocaleString('en', { maximumFractionDigits: 1 })} TB`;
}
