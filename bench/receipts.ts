/**
 * Measures receipts: how fast the log is built from decisions that are there, the time of a proof, and the processor
 * time that sealing adds to checks and batches. Two services, with receipts and without, take turns; each window has
 * the time after it in which its decisions are sealed.
 */
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import { temporaryFolder } from '../kit/launch.ts';
import { seeded, skewed } from '../kit/random.ts';
import { until } from '../kit/until.ts';
import { type Figure, median, medianRatio, type Part, type PartOptions } from './figure.ts';
import { monthUntil, openStore } from './history.ts';
import { checksOf, itemAt, TEN_RULES } from './inputs.ts';
import { type Loader, openLoader } from './load.ts';
import { createPolicy, HEADERS, type Postern, startPostern, upsertItems } from './service.ts';

const LOG = { POSTERN_RECEIPTS: 'private', POSTERN_PUBLIC_URL: 'https://access.example.com' };
/** POSTERN_BENCH_DECISIONS says another number, such as 30000000. */
const DECISIONS = 1_000_000;
const ITEMS = 1_000;
const BATCH = 100;
const PROOFS = 100;
const CONNECTIONS = 8;
const BUILT_WITHIN_MS = 3_600_000;
const PROVEN_WITHIN_MS = 120_000;
const SEALED_AFTER_MS = 3_000;
const LEAST_A_SECOND = 200_000;
const MOST_MS = 20;
const MOST = { check: 1.05, batch: 1.08 };

export const receiptsPart: Part = {
  name: 'receipts',
  about: 'The log of receipts: building it, proofs, and processor time of checks and batches',
  async run(options) {
    using dir = temporaryFolder();
    const decisions = Number(process.env.POSTERN_BENCH_DECISIONS ?? (options.quick ? DECISIONS / 20 : DECISIONS));
    const built = await build(join(dir.path, 'filled'), decisions);
    const figures = [...built, ...(await beside(join(dir.path, 'beside'), options))];
    return {
      figures,
      notes: [
        'Seconds of processor time are those of all threads of the service. Sealing rests for twice the time of each piece.',
      ],
    };
  },
};

async function build(dataDir: string, decisions: number): Promise<Figure[]> {
  const store = await openStore(dataDir);
  await store.addItems(ITEMS, await store.addPolicy('Ten rules', TEN_RULES));
  await store.addDecisions({ count: decisions, items: ITEMS, ...monthUntil(Date.now()) });
  await store.close();
  // The columns are built, too: their part is measured without receipts.
  const other = `${dataDir}-without`;
  cpSync(dataDir, other, { recursive: true });
  const columnsMs = await columnsClock(other);
  await using postern = await startPostern({ dataDir, env: LOG });
  const began = performance.now();
  const records = join(dataDir, 'postern.db');
  const isSealed = (): boolean => readSetting(records, 'log_sealed_to') === String(decisions);
  await until('the log is built', isSealed, BUILT_WITHIN_MS);
  const seconds = (performance.now() - began) / 1000;
  await postern.get('/v1/analytics/usage?period=all');
  const cpuSeconds = (postern.cpuMs() - columnsMs) / 1000;
  const memory = postern.residentMiB();
  const proofMs = await timeProofs(postern, records);
  const perCpuSecond = decisions / cpuSeconds;
  const what = `of ${decisions.toLocaleString('en')} decisions`;
  return [
    {
      what: `leaves built ${what}, a second of processor time`,
      value: perCpuSecond,
      unit: '/s',
      target: { text: `≥ ${LEAST_A_SECOND}`, met: perCpuSecond >= LEAST_A_SECOND },
    },
    { what: `leaves built ${what}, a second`, value: decisions / seconds, unit: '/s' },
    {
      what: `a proof in a log ${what}`,
      value: proofMs,
      unit: 'ms',
      target: { text: `≤ ${MOST_MS}`, met: proofMs <= MOST_MS },
    },
    { what: 'resident memory after that', value: memory, unit: 'MiB' },
  ];
}

/** Returns the processor time of a service without receipts, once it has counted its decisions. */
async function columnsClock(dataDir: string): Promise<number> {
  await using postern = await startPostern({ dataDir });
  await postern.get('/v1/analytics/usage?period=all');
  return postern.cpuMs();
}

function readSetting(file: string, name: string): string | undefined {
  using database = new DatabaseSync(file, { readOnly: true });
  const row = database.prepare('select value from settings where name = ?').get(name);
  return row?.value as string | undefined;
}

/** Returns the median time of a proof, once a checkpoint covers all. */
async function timeProofs({ port, get }: Postern, records: string): Promise<number> {
  const isCovered = (): boolean => {
    using database = new DatabaseSync(records, { readOnly: true });
    return database.prepare('select 1 from log_trees where no <> 0 and size > published').get() === undefined;
  };
  await until('a checkpoint covers all', isCovered, PROVEN_WITHIN_MS);
  const { data } = await get<{ data: { id: string }[] }>(`/v1/access/decisions?limit=${PROOFS}`);
  const times: number[] = [];
  for (const { id } of data) {
    const began = performance.now();
    const answer = await fetch(`http://127.0.0.1:${port}/v1/access/decisions/${id}/proof`, { headers: HEADERS });
    await answer.text();
    if (answer.status !== 200) throw new Error(`a proof was answered with ${answer.status}`);
    times.push(performance.now() - began);
  }
  return median(times);
}

interface Side {
  postern: Postern;
  check: number[];
  batch: number[];
}

async function beside(folder: string, { quick, say }: PartOptions): Promise<Figure[]> {
  await using stack = new AsyncDisposableStack();
  const start = async (name: string, env: Record<string, string>): Promise<Side> => {
    const postern = stack.use(await startPostern({ dataDir: join(folder, name), env }));
    const items = Array.from({ length: ITEMS }, (_, i) => itemAt(i));
    await upsertItems(postern, items, await createPolicy(postern, 'Ten rules', TEN_RULES));
    return { postern, check: [], batch: [] };
  };
  const [without, receipts] = [await start('without', {}), await start('with', LOG)];
  const next = skewed(ITEMS, seeded(3));
  const checks = checksOf(20_000, () => itemAt(next()).externalId);
  const bodies = {
    check: checks.map((one) => JSON.stringify(one)),
    batch: Array.from({ length: checks.length / BATCH }, (_, i) =>
      JSON.stringify({ checks: checks.slice(i * BATCH, (i + 1) * BATCH) }),
    ),
  };
  const loader = stack.use(openLoader());
  const rounds = quick ? 2 : 8;
  for (let round = 0; round < rounds; round++) {
    for (const side of round % 2 === 0 ? [without, receipts] : [receipts, without]) {
      for (const kind of ['check', 'batch'] as const) side[kind].push(await measure(side, loader, { kind, bodies }));
    }
    say(`round ${round + 1} of ${rounds}`);
  }
  return (['check', 'batch'] as const).map((kind): Figure => {
    const ratio = medianRatio(receipts[kind].slice(1), without[kind].slice(1));
    return {
      what: `processor time of a ${kind === 'check' ? 'check' : 'decision in a batch'}, with receipts`,
      value: median(receipts[kind].slice(1)),
      unit: 'µs',
      against: { what: 'without', value: median(without[kind].slice(1)), ratio },
      target: { text: `≤ ${MOST[kind]}`, met: ratio <= MOST[kind] },
    };
  });
}

interface Window {
  kind: 'check' | 'batch';
  bodies: Record<'check' | 'batch', readonly string[]>;
}

/** Returns the processor time of a decision, with that of sealing it. */
async function measure({ postern }: Side, loader: Loader, { kind, bodies }: Window): Promise<number> {
  const before = postern.cpuMs();
  const { answered } = await loader.run({
    port: postern.port,
    path: kind === 'check' ? '/v1/access/check' : '/v1/access/check/batch',
    headers: HEADERS,
    bodies: bodies[kind],
    connections: CONNECTIONS,
    warmupMs: 0,
    measureMs: 2_000,
  });
  await pause(SEALED_AFTER_MS);
  return ((postern.cpuMs() - before) * 1000) / (answered * (kind === 'check' ? 1 : BATCH));
}
