/**
 * Measures the checks beside retention and beside an erasure of many recorded decisions. Rounds with and without the
 * work alternate on one machine: two services with the same decisions, of which one has the work to do. The other one
 * stands still meanwhile: what it still has to do for its last round, such as counting it, would take processor time.
 */
import { execFileSync } from 'node:child_process';
import { constants, cpSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { temporaryFolder } from '../kit/launch.ts';
import { seeded, skewed } from '../kit/random.ts';
import { type Figure, median, medianRatio, type Part, type PartOptions } from './figure.ts';
import { monthUntil, openStore } from './history.ts';
import { checksOf, itemAt, TEN_RULES } from './inputs.ts';
import { type LoadResult, openLoader } from './load.ts';
import { splitCores } from './machine.ts';
import { HEADERS, type Postern, startPostern } from './service.ts';

const ITEMS = 10_000;
/**
 * POSTERN_BENCH_DECISIONS says another number, such as 10000000. Filling takes long then: POSTERN_BENCH_FILLED names a
 * folder to fill once and keep, with its key in POSTERN_BENCH_KEY. POSTERN_BENCH_WORK is one of the works alone.
 */
const DECISIONS = 1_000_000;
const CONNECTIONS = 16;
const MOST = 1.2;
const DAY_MS = 86_400_000;
const ROUNDS = 5;
/** Rounds before those that count: a new service is slower until its code is compiled. */
const ROUNDS_WARM = 2;
const NOTHING = 'nothing';

interface Side {
  name: string;
  postern: Postern;
  /** Returns whether the work still goes on. */
  isBusy(): Promise<boolean>;
}

interface Rounds {
  idle: LoadResult[];
  busy: LoadResult[];
}

interface Status {
  privacy: { retiring: boolean; erasures: { running: number } };
}

export const privacyPart: Part = {
  name: 'privacy',
  about: 'The checks beside retention and beside an erasure',
  async run(options) {
    const decisions = Number(process.env.POSTERN_BENCH_DECISIONS ?? (options.quick ? DECISIONS / 4 : DECISIONS));
    using dir = temporaryFolder();
    const cores = splitCores();
    const kept = process.env.POSTERN_BENCH_FILLED;
    const filled = kept ?? join(dir.path, 'filled');
    if (kept === undefined || !existsSync(kept)) await fill(filled, decisions);
    options.say(`filled with ${decisions.toLocaleString('en')} decisions`);
    const copyOf = (name: string): string => {
      const copy = join(dir.path, name);
      cpSync(filled, copy, { recursive: true, mode: constants.COPYFILE_FICLONE });
      return copy;
    };
    const chosen = process.env.POSTERN_BENCH_WORK;
    const works = Object.entries(WORKS).filter(([name]) => chosen === undefined || name === chosen);
    const places = works.map(([name, work]) => ({ place: copyOf(name), work }));
    const idlePlace = kept === undefined ? filled : copyOf('idle');
    // What the copies left to be written would be written beside the first rounds.
    execFileSync('sync');
    const figures: Figure[] = [];
    for (const { place, work } of places) {
      const side = await work(place);
      await using busy = side.postern;
      // As new as the other one.
      await using idle = await startPostern({ dataDir: idlePlace });
      const rounds = await measure({ idle, side, core: cores.load }, options);
      options.say(`${side.name}: ${rounds.busy.length} rounds, pid ${busy.pid}`);
      figures.push(toFigure(side, decisions, rounds));
    }
    return {
      figures,
      notes: [
        `${CONNECTIONS} connections, each a closed loop; the load generator is pinned to a core, the services have all of them.`,
        'Rounds with and without the work alternate; the ratio is the median of those of neighboring rounds. During each, the other service stands still.',
        `A round counts only if the work went on at its end. ${ROUNDS_WARM} rounds before do not count: both services start anew for each work. Beside nothing is the control: two services without work.`,
      ],
    };
  },
};

/** A month of decisions that ends two months ago. The columns have them too: counting them is not what is measured. */
async function fill(dataDir: string, count: number): Promise<void> {
  const to = Date.now() - 60 * DAY_MS;
  const store = await openStore(dataDir);
  const policyId = await store.addPolicy('Ten rules', TEN_RULES);
  await store.addItems(ITEMS, policyId);
  await store.addDecisions({ count, items: ITEMS, from: monthUntil(to).from, to, rules: TEN_RULES });
  await store.close();
  await using postern = await startPostern({ dataDir });
  await answered(() => postern.get('/v1/access/decisions?limit=1'));
}

async function besideRetention(dataDir: string): Promise<Side> {
  const postern = await startPostern({ dataDir, env: { POSTERN_INPUT_DAYS: '31', POSTERN_DECISION_DAYS: '31' } });
  const isBusy = async () => (await postern.get<Status>('/v1/status')).privacy.retiring;
  // It looks for work every ten seconds.
  const began = performance.now();
  while (!(await isBusy())) {
    if (performance.now() - began > 60_000) throw new Error('retention did not begin');
    await pause(100);
  }
  return { name: 'retention', postern, isBusy };
}

async function besideErasure(dataDir: string): Promise<Side> {
  const postern = await startPostern({ dataDir });
  const { data } = await answered(() =>
    postern.get<{ data: { requesterId: string | null }[] }>('/v1/access/decisions?limit=100'),
  );
  const id = data.find(({ requesterId }) => requesterId !== null)?.requesterId;
  if (id === undefined || id === null) throw new Error('no requester was recorded');
  await postern.post(`/v1/requesters/${encodeURIComponent(id)}/erase`, {});
  const isBusy = async () => (await postern.get<Status>('/v1/status')).privacy.erasures.running > 0;
  return { name: 'an erasure', postern, isBusy };
}

/** The control: what two services differ by without any work. */
async function besideNothing(dataDir: string): Promise<Side> {
  return { name: NOTHING, postern: await startPostern({ dataDir }), isBusy: async () => true };
}

const WORKS = { nothing: besideNothing, retention: besideRetention, erasure: besideErasure } as const;

/** Asks until there is an answer: the columns of a new installation are still counted. */
async function answered<T>(ask: () => Promise<T>): Promise<T> {
  for (const began = performance.now(); ; await pause(1000)) {
    try {
      return await ask();
    } catch (error) {
      if (performance.now() - began > 300_000) throw error;
    }
  }
}

async function measure(
  { idle, side, core }: { idle: Postern; side: Side; core: number | null },
  { quick, say }: PartOptions,
): Promise<Rounds> {
  const next = skewed(ITEMS, seeded(5));
  const bodies = checksOf(20_000, () => itemAt(next()).externalId).map((check) => JSON.stringify(check));
  const plan = { path: '/v1/access/check', headers: HEADERS, bodies, connections: CONNECTIONS };
  await using loader = openLoader(core);
  const run = ({ port }: Postern, other: Postern): Promise<LoadResult> =>
    without(other, () => loader.run({ ...plan, port, warmupMs: quick ? 300 : 800, measureMs: quick ? 1000 : 3500 }));
  const rounds: Rounds = { idle: [], busy: [] };
  for (let round = -ROUNDS_WARM; round < ROUNDS; round++) {
    const isFirst = round % 2 === 0;
    const before = isFirst ? undefined : await run(idle, side.postern);
    const busy = await run(side.postern, idle);
    if (!(await side.isBusy())) break;
    const beside = before ?? (await run(idle, side.postern));
    if (round < 0) continue;
    rounds.busy.push(busy);
    rounds.idle.push(beside);
    say(`beside ${side.name}: p99 ${busy.p99Ms.toFixed(1)} ms, without ${beside.p99Ms.toFixed(1)} ms`);
  }
  if (rounds.busy.length === 0) throw new Error(`${side.name} ended before a round did: take more decisions`);
  return rounds;
}

/** Measures while the other service stands still. */
async function without<T>({ pid }: Postern, work: () => Promise<T>): Promise<T> {
  process.kill(pid, 'SIGSTOP');
  try {
    return await work();
  } finally {
    process.kill(pid, 'SIGCONT');
  }
}

function toFigure({ name }: Side, decisions: number, { idle, busy }: Rounds): Figure {
  const p99 = (results: readonly LoadResult[]): number[] => results.map(({ p99Ms }) => p99Ms);
  const ratio = medianRatio(p99(busy), p99(idle));
  return {
    what: `p99 of checks beside ${name} of ${decisions.toLocaleString('en')} decisions`,
    value: median(p99(busy)),
    unit: 'ms',
    against: { what: 'without', value: median(p99(idle)), ratio },
    ...(name === NOTHING ? {} : { target: { text: `≤ ${MOST}`, met: ratio <= MOST } }),
  };
}
