/**
 * Measures the usage report over millions of decisions through HTTP: everything with unique counts, one item, and every
 * question of the console's overview. The same numbers from SQL on the records are the comparison. Also measures how
 * long a rebuild of the columns takes, and the processor time of a decision in it.
 */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../kit/launch.ts';
import { replaceCandidate } from '../src/policies/candidate-store.ts';
import type { Figure, Part, PartOptions } from './figure.ts';
import { monthUntil, openStore } from './history.ts';
import { itemAt, TEN_RULES } from './inputs.ts';
import { ALL, askRecords, type Report, startToReport, timed } from './reports.ts';
import { startPostern } from './service.ts';

const ITEMS = 100_000;
const MIDDLING = 500;

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
    const policyId = await store.addPolicy('Ten rules', TEN_RULES);
    await store.addItems(ITEMS, policyId);
    const candidate = { policyId, rules: TEN_RULES, defaultAction: 'deny', keyId: null, createdAt: from } as const;
    await store.db.atomic(replaceCandidate(undefined, { ...candidate, rules: [...TEN_RULES] }));
    await store.close();
    let there = 0;
    for (const total of options.quick ? [100_000, 1_000_000] : [1_000_000, 10_000_000]) {
      await write(dataDir, { count: total - there, from: from + ((end - from) * there) / 10_000_000 }, end, options);
      const added = total - there;
      there = total;
      figures.push(...(await reportsOf(dataDir, { total, added, policyId }, options)));
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
  await store.addDecisions({ count, items: ITEMS, from, to, candidateNo: 1 });
  const seconds = (performance.now() - began) / 1000;
  await store.close();
  say(`${count} decisions written in ${seconds.toFixed(1)} s, ${Math.round(count / seconds)}/s`);
}

async function reportsOf(
  dataDir: string,
  { total, added, policyId }: { total: number; added: number; policyId: string },
  { quick, say }: PartOptions,
): Promise<Figure[]> {
  const size = `${total / 1_000_000} million decisions`;
  const caughtUp = await startToReport(dataDir, total);
  rmSync(join(dataDir, 'columns.duckdb'), { force: true });
  rmSync(join(dataDir, 'columns.duckdb.wal'), { force: true });
  const rebuilt = await startToReport(dataDir, total);
  await using postern = await startPostern({ dataDir });
  const { summary } = await postern.get<Report>(ALL);
  say(`${size}: ${JSON.stringify(summary)}`);
  const figures: Figure[] = [];
  const rounds = quick ? 5 : 15;
  for (const { what, path, sql, params, mostMs } of QUESTIONS) {
    const { value, cpuMs } = await timed(postern, path, rounds);
    const sqlMs = askRecords(dataDir, sql, params);
    figures.push({
      what: `${size}: ${what} (${cpuMs.toFixed(0)} ms of processor time)`,
      value,
      unit: 'ms',
      against: { what: 'SQL on the records', value: sqlMs, ratio: value / sqlMs },
      target: { text: `≤ ${mostMs} ms`, met: value <= mostMs },
    });
  }
  for (const [what, path] of [...OVERVIEW, ['the counts of a candidate', `/v1/policies/${policyId}/candidate`]]) {
    const { value, cpuMs } = await timed(postern, path, rounds);
    figures.push({
      what: `${size}: ${what} (${cpuMs.toFixed(0)} ms of processor time)`,
      value,
      unit: 'ms',
      target: { text: `≤ ${OVERVIEW_MS} ms`, met: value <= OVERVIEW_MS },
    });
  }
  say(`resident after the reports: ${postern.residentMiB().toFixed(0)} MiB`);
  return [
    ...figures,
    { what: `${size}: catching up with ${added / 1_000_000} million new ones`, value: caughtUp.ms / 1000, unit: 's' },
    { what: `${size}: rebuild of deleted columns`, value: rebuilt.ms / 1000, unit: 's' },
    {
      what: `${size}: rebuild, processor time of a decision, the start of the service included`,
      value: (rebuilt.cpuMs / total) * 1000,
      unit: 'µs',
    },
  ];
}

const oneItem = (index: number): string => `${ALL}&contentId=${itemAt(index).externalId}`;
const SQL_ALL =
  'select count(*), sum(reason = 0), count(distinct requester_id), count(distinct content_no) from decisions';
const SQL_ONE = 'select count(*), sum(reason = 0), count(distinct requester_id) from decisions where content_no = $1';

const QUESTIONS = [
  { what: 'all, unique counts', path: ALL, sql: SQL_ALL, params: [], mostMs: 1000 },
  { what: 'one item', path: oneItem(MIDDLING), sql: SQL_ONE, params: [MIDDLING + 1], mostMs: 100 },
  { what: 'the item asked for most', path: oneItem(0), sql: SQL_ONE, params: [1], mostMs: 100 },
];

/** The questions of the console's overview, without a filter and with several. */
const OVERVIEW_MS = 250;
const REPORT = '/v1/analytics/usage?period=30d&limit=8&expand=trends&compare=previous&timezone=Europe/Berlin';
const OVERVIEW = [
  ['the overview, the report', REPORT],
  ['the overview, the report of articles', `${REPORT}&type=article`],
  ['the overview, the report of a requester', `${REPORT}&requesterId=partner_0001`],
  ['the overview, the report of the item asked for most', `${REPORT}&contentId=${itemAt(0).externalId}`],
  ['the overview, demand', '/v1/analytics/demand?reason=no_license&limit=6'],
  ['the overview, the latest decisions', '/v1/access/decisions?limit=10&expand=names'],
] as const;
