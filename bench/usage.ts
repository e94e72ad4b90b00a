/**
 * Measures the usage report over millions of decisions through HTTP: everything with unique counts, and one item. The
 * same numbers from SQL on the records are the comparison. Also measures how long a rebuild of the columns takes.
 */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../kit/launch.ts';
import { openConnection } from '../src/db/sqlite/connection.ts';
import { type Figure, median, type Part, type PartOptions } from './figure.ts';
import { monthUntil, openStore } from './history.ts';
import { itemAt, TEN_RULES } from './inputs.ts';
import { type Postern, startPostern } from './service.ts';

const ITEMS = 100_000;
const MIDDLING = 500;

interface Report {
  summary: { totalRequests: number; uniqueRequesters: number; uniqueContent: number };
}

export const usagePart: Part = {
  name: 'usage',
  about: `The usage report over millions of decisions on ${ITEMS.toLocaleString('en')} items, through HTTP`,
  async run(options) {
    using dir = temporaryFolder();
    const dataDir = join(dir.path, 'data');
    const figures: Figure[] = [];
    const end = Date.now() - 60_000;
    const { from } = monthUntil(end);
    const store = await openStore(dataDir);
    await store.addItems(ITEMS, await store.addPolicy('Ten rules', TEN_RULES));
    await store.close();
    let there = 0;
    for (const total of options.quick ? [100_000, 1_000_000] : [1_000_000, 10_000_000]) {
      await write(dataDir, { count: total - there, from: from + ((end - from) * there) / 10_000_000 }, end, options);
      const added = total - there;
      there = total;
      figures.push(...(await reportsOf(dataDir, { total, added }, options)));
    }
    return {
      figures,
      notes: ['Decisions of 30 days by 2,000 requesters; each report asks anew, nothing is kept of the last.'],
    };
  },
};

async function write(
  dataDir: string,
  { count, from }: { count: number; from: number },
  to: number,
  { say }: PartOptions,
): Promise<void> {
  const store = await openStore(dataDir);
  const began = performance.now();
  await store.addDecisions({ count, items: ITEMS, from, to });
  const seconds = (performance.now() - began) / 1000;
  await store.close();
  say(`${count} decisions written in ${seconds.toFixed(1)} s, ${Math.round(count / seconds)}/s`);
}

async function reportsOf(
  dataDir: string,
  { total, added }: { total: number; added: number },
  { quick, say }: PartOptions,
): Promise<Figure[]> {
  const size = `${total / 1_000_000} million decisions`;
  const caughtUpMs = await startToReport(dataDir, total);
  rmSync(join(dataDir, 'columns.duckdb'), { force: true });
  rmSync(join(dataDir, 'columns.duckdb.wal'), { force: true });
  const rebuiltMs = await startToReport(dataDir, total);
  await using postern = await startPostern({ dataDir });
  const { summary } = await postern.get<Report>(ALL);
  say(`${size}: ${JSON.stringify(summary)}`);
  const figures: Figure[] = [];
  for (const { what, path, sql, params, mostMs } of QUESTIONS) {
    const value = await timed(postern, path, quick ? 5 : 15);
    const sqlMs = askRecords(dataDir, sql, params);
    figures.push({
      what: `${size}: ${what}`,
      value,
      unit: 'ms',
      against: { what: 'SQL on the records', value: sqlMs, ratio: value / sqlMs },
      target: { text: `≤ ${mostMs} ms`, met: value <= mostMs },
    });
  }
  say(`resident after the reports: ${postern.residentMiB().toFixed(0)} MiB`);
  return [
    ...figures,
    { what: `${size}: catching up with ${added / 1_000_000} million new ones`, value: caughtUpMs / 1000, unit: 's' },
    { what: `${size}: rebuild of deleted columns`, value: rebuiltMs / 1000, unit: 's' },
  ];
}

const ALL = '/v1/analytics/usage?period=all';
const oneItem = (index: number): string => `${ALL}&contentId=${itemAt(index).externalId}`;
const SQL_ALL =
  'select count(*), sum(reason = 0), count(distinct requester_id), count(distinct content_no) from decisions';
const SQL_ONE = 'select count(*), sum(reason = 0), count(distinct requester_id) from decisions where content_no = $1';

const QUESTIONS = [
  { what: 'all, unique counts', path: ALL, sql: SQL_ALL, params: [], mostMs: 1000 },
  { what: 'one item', path: oneItem(MIDDLING), sql: SQL_ONE, params: [MIDDLING + 1], mostMs: 100 },
  { what: 'the item asked for most', path: oneItem(0), sql: SQL_ONE, params: [1], mostMs: 100 },
];

/** Stops a service that has caught up; what it takes is from its start to the first report. */
async function startToReport(dataDir: string, total: number): Promise<number> {
  const began = performance.now();
  await using postern = await startPostern({ dataDir });
  for (;;) {
    // While it is still counting, a report is refused after ten seconds.
    const report = await postern.get<Report>(ALL).catch(() => undefined);
    if (report === undefined) continue;
    if (report.summary.totalRequests !== total) throw new Error(`${report.summary.totalRequests} instead of ${total}`);
    return performance.now() - began;
  }
}

async function timed(postern: Postern, path: string, rounds: number): Promise<number> {
  const took: number[] = [];
  for (let i = 0; i < rounds; i++) {
    const began = performance.now();
    await postern.get(path);
    took.push(performance.now() - began);
  }
  return median(took);
}

function askRecords(dataDir: string, sql: string, params: readonly number[]): number {
  const connection = openConnection(join(dataDir, 'postern.db'), { readOnly: true });
  const began = performance.now();
  connection.all(sql, params);
  const tookMs = performance.now() - began;
  connection.close();
  return tookMs;
}
