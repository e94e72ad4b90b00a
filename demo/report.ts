/** Draws the API's usage reports as tables and small charts. */
import type { Postern } from '../client/src/client.ts';
import type { Usage } from '../client/src/types.ts';
import {
  bar,
  bold,
  type Column,
  columnChart,
  count,
  cut,
  dim,
  green,
  percent,
  red,
  say,
  seconds,
  sparkline,
  stacked,
  table,
  terminalWidth,
} from './terminal.ts';

const HOUR = 3_600_000;
/** Number of top requesters among which the most denied ones are found. */
const TOP_REQUESTERS = 40;
const ROWS = 10;

/** A narrow terminal shows only the last days. */
const daysShown = (): number => (terminalWidth() >= 108 ? 30 : terminalWidth() >= 84 ? 14 : 7);

export async function showReport(postern: Postern): Promise<void> {
  const began = performance.now();
  const month = await postern.getUsage({ period: '30d', limit: TOP_REQUESTERS });
  const hour = Math.floor(Date.now() / HOUR) * HOUR;
  const iso = (at: number): string => new Date(at).toISOString();
  const [day, types, requesters, images] = await Promise.all([
    postern.getUsage({ startDate: iso(hour - 24 * HOUR), endDate: iso(hour), groupBy: 'hour' }),
    Promise.all((['article', 'image', 'dataset'] as const).map((type) => postern.getUsage({ type, limit: 1 }))),
    Promise.all(month.topRequesters.map(({ id }) => postern.getUsage({ requesterId: id, limit: 1 }))),
    postern.getUsage({ type: 'image', limit: 5 }),
  ]);
  const ms = performance.now() - began;

  showSummary(month);
  showDays(month);
  showHours(day);
  showTypes(['Articles', 'Images', 'Data sets'], types);
  showTop('Top items', month.topContent.slice(0, ROWS), month.topContent[0]?.requests ?? 0);
  showTop('Top images', images.topContent, images.topContent[0]?.requests ?? 0);
  showRequesters(month, requesters);
  showReasons(month);
  const reports = 2 + types.length + requesters.length + 1;
  say();
  say(dim(`   ${reports} reports over ${count(month.summary.totalRequests)} decisions, fetched in ${seconds(ms)}`));
}

function heading(text: string, note = ''): void {
  say();
  say(`   ${bold(text)}${note === '' ? '' : dim(`  ${note}`)}`);
}

function showSummary({ summary, timeSeries, period }: Usage): void {
  const { totalRequests, allowed, denied, uniqueRequesters, uniqueContent } = summary;
  heading('The last 30 days', `${timeSeries[0]?.date} to ${timeSeries.at(-1)?.date}, ${period.timezone}`);
  say();
  say(
    `   ${bold(count(totalRequests))} decisions   ${green(`█ ${count(allowed)} allowed`)}   ${red(`░ ${count(denied)} denied`)}`,
  );
  say(`   ${stacked(allowed, denied, totalRequests, terminalWidth() - 6)}`);
  say(`   ${count(uniqueRequesters)} requesters with a name requested ${count(uniqueContent)} items`);
}

function showDays({ timeSeries }: Usage): void {
  heading('Day by day', '█ allowed  ░ denied');
  say();
  const max = Math.max(...timeSeries.map(({ requests }) => requests));
  const figures = Math.max(...timeSeries.map(({ requests }) => count(requests).length));
  const width = terminalWidth() - figures - 30;
  for (const { date, requests, allowed, denied } of timeSeries) {
    const day = new Date(`${date}T00:00:00Z`);
    const name = day.toLocaleDateString('en-GB', { weekday: 'short', day: '2-digit', month: 'short', timeZone: 'UTC' });
    const label = [0, 6].includes(day.getUTCDay()) ? dim(name) : name;
    const share = dim(`${percent(denied, requests).padStart(6)} denied`);
    say(`   ${label}  ${count(requests).padStart(figures)} ${share} ${stacked(allowed, denied, max, width)}`);
  }
}

function showHours({ timeSeries, summary }: Usage): void {
  heading('Hour by hour', `the 24 hours before this one, UTC: ${count(summary.totalRequests)} decisions`);
  say();
  const cell = terminalWidth() >= 3 + 24 * 4 ? 4 : 2;
  for (const line of columnChart(
    timeSeries.map(({ requests }) => requests),
    5,
    cell,
  ))
    say(`   ${green(line.trimEnd())}`);
  const deniedLine = sparkline(timeSeries.map(({ denied }) => denied));
  say(`   ${dim([...timeSeries].map(({ date }, i) => (i % 3 === 0 ? date.slice(11, 13) : '').padEnd(cell)).join(''))}`);
  say(
    `   ${red([...deniedLine].map((letter) => letter.repeat(cell - 1) + ' ').join(''))} ${dim('denied (own scale)')}`,
  );
}

function showTypes(names: readonly string[], reports: readonly Usage[]): void {
  const days = daysShown();
  heading('By type', 'with the filter type=');
  say();
  const columns: Column[] = [
    { title: '' },
    { title: 'decisions', align: 'right' },
    { title: 'denied', align: 'right' },
    { title: 'items', align: 'right' },
    { title: 'requesters', align: 'right' },
    { title: `${days} days` },
  ];
  const rows = reports.map(({ summary, timeSeries }, i) => [
    names[i] ?? '',
    count(summary.totalRequests),
    percent(summary.denied, summary.totalRequests),
    count(summary.uniqueContent),
    count(summary.uniqueRequesters),
    sparkline(timeSeries.slice(-days).map(({ requests }) => requests)),
  ]);
  for (const line of table(columns, rows)) say(line);
}

function showTop(title: string, content: Usage['topContent'], max: number): void {
  heading(title);
  say();
  const figures = Math.max(0, ...content.map(({ requests }) => count(requests).length));
  const titles = Math.min(50, Math.max(0, ...content.map((one) => one.title.length)), terminalWidth() - figures - 20);
  const width = terminalWidth() - figures - titles - 9;
  for (const { title: text, requests } of content) {
    say(`   ${cut(text, titles).padEnd(titles)}  ${count(requests).padStart(figures)}  ${bar(requests, max, width)}`);
  }
}

function showRequesters({ topRequesters }: Usage, reports: readonly Usage[]): void {
  const days = daysShown();
  const known = topRequesters.map(({ name }, i) => ({ name, report: reports[i] as Usage }));
  const columns: Column[] = [
    { title: 'requester', grows: true },
    { title: 'requests', align: 'right' },
    { title: 'denied', align: 'right' },
    { title: '', align: 'right' },
    { title: `${days} days` },
    { title: 'main reason' },
  ];
  const row = ({ name, report }: (typeof known)[number]): string[] => [
    name,
    count(report.summary.totalRequests),
    count(report.summary.denied),
    percent(report.summary.denied, report.summary.totalRequests),
    sparkline(report.timeSeries.slice(-days).map(({ requests }) => requests)),
    report.byDenialReason[0]?.reason ?? '',
  ];
  heading('Top requesters');
  say();
  for (const line of table(columns, known.slice(0, ROWS).map(row))) say(line);
  heading('Most denied requesters', `of the top ${known.length}, with the filter requesterId=`);
  say();
  const turned = known.toSorted((a, b) => b.report.summary.denied - a.report.summary.denied).slice(0, ROWS);
  for (const line of table(columns, turned.map(row))) say(line);
}

function showReasons({ byDenialReason, summary }: Usage): void {
  heading('Denial reasons', `${count(summary.denied)} denials`);
  say();
  const max = byDenialReason[0]?.count ?? 0;
  const names = Math.max(0, ...byDenialReason.map(({ reason }) => reason.length));
  const figures = Math.max(0, ...byDenialReason.map((one) => count(one.count).length));
  const width = terminalWidth() - names - figures - 17;
  for (const { reason, count: times } of byDenialReason) {
    const share = dim(percent(times, summary.denied).padStart(6));
    say(`   ${reason.padEnd(names)}  ${count(times).padStart(figures)} ${share}  ${red(bar(times, max, width))}`);
  }
}
