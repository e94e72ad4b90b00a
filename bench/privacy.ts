/**
 * Measures the checks beside retention and beside an erasure of many recorded decisions. One service has the work to do
 * all the time; the work is held and goes on in turn (see held-pace), so that windows with and without it are of the
 * same process and the same file. Each round has a window with the work and two without, of which one is the control.
 */
import { execFileSync } from 'node:child_process';
import { constants, cpSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { temporaryFolder } from '../kit/launch.ts';
import { seeded, skewed } from '../kit/random.ts';
import { type Figure, medianRatio, type Part, type PartOptions } from './figure.ts';
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
const ROUNDS = 22;
/** Before those that count: a new service is slower until its code is compiled. */
const ROUNDS_WARM = 2;
const PRELOAD = join(import.meta.dirname, 'held-pace.ts');

interface Side {
  name: string;
  postern: Postern;
  /** Returns whether the work still goes on. */
  isBusy(): Promise<boolean>;
}

/** The windows of a round; each takes each place in turn. */
const WINDOWS = ['with', 'without', 'again'] as const;
type Rounds = Record<(typeof WINDOWS)[number], Float32Array[]>;

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
    const chosen = process.env.POSTERN_BENCH_WORK;
    const works = Object.entries(WORKS).filter(([name]) => chosen === undefined || name === chosen);
    const places = works.map(([name, work]) => {
      const place = join(dir.path, name);
      cpSync(filled, place, { recursive: true, mode: constants.COPYFILE_FICLONE });
      return { place, work };
    });
    // What the copies left to be written would be written beside the first rounds.
    execFileSync('sync');
    const figures: Figure[] = [];
    for (const { place, work } of places) {
      const side = await work(place);
      const rounds = await measure(side, cores.load, options).finally(side.postern.stop);
      options.say(`${side.name}: ${rounds.with.length} rounds`);
      figures.push(...toFigures(side, decisions, rounds));
    }
    return {
      figures,
      notes: [
        `${CONNECTIONS} connections, each a closed loop; the load generator is pinned to a core, the service has all of them.`,
        'The work is held and goes on within one service. Each round has a window with it and two without, in turn first, second and third; p99 is that of all windows together.',
        'The control compares the windows without the work with each other.',
        `A round counts only if the work was not done at its end. The first ${ROUNDS_WARM} do not: a new service is slower.`,
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
  const env = { POSTERN_INPUT_DAYS: '31', POSTERN_DECISION_DAYS: '31' };
  const postern = await startPostern({ dataDir, env, preload: PRELOAD });
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
  const postern = await startPostern({ dataDir, preload: PRELOAD });
  const { data } = await answered(() =>
    postern.get<{ data: { requesterId: string | null }[] }>('/v1/access/decisions?limit=100'),
  );
  const id = data.find(({ requesterId }) => requesterId !== null)?.requesterId;
  if (id === undefined || id === null) throw new Error('no requester was recorded');
  await postern.post(`/v1/requesters/${encodeURIComponent(id)}/erase`, {});
  const isBusy = async () => (await postern.get<Status>('/v1/status')).privacy.erasures.running > 0;
  return { name: 'an erasure', postern, isBusy };
}

const WORKS = { retention: besideRetention, erasure: besideErasure } as const;

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
  { name, postern, isBusy }: Side,
  core: number | null,
  { quick, say }: PartOptions,
): Promise<Rounds> {
  const next = skewed(ITEMS, seeded(5));
  const bodies = checksOf(20_000, () => itemAt(next()).externalId).map((check) => JSON.stringify(check));
  const { port } = postern;
  const plan = { path: '/v1/access/check', headers: HEADERS, bodies, connections: CONNECTIONS, port };
  await using loader = openLoader(core);
  const timesOf = async (): Promise<Float32Array> => {
    const result = await loader.run({
      ...plan,
      // Short, as what else slows the disk comes and goes within seconds.
      warmupMs: 150,
      measureMs: quick ? 300 : 600,
      withTimes: true,
    });
    return (result as Required<LoadResult>).times.tookMs;
  };
  const rounds: Rounds = { with: [], without: [], again: [] };
  let isHeld = false;
  for (let round = 0; round < ROUNDS_WARM + ROUNDS; round++) {
    const times = {} as Record<keyof Rounds, Float32Array>;
    for (const i of WINDOWS.keys()) {
      const window = WINDOWS[(i + round) % WINDOWS.length] as keyof Rounds;
      if (isHeld === (window === 'with')) {
        process.kill(postern.pid, 'SIGUSR2');
        isHeld = !isHeld;
      }
      times[window] = await timesOf();
    }
    if (!(await isBusy())) break;
    if (round < ROUNDS_WARM) continue;
    for (const window of WINDOWS) rounds[window].push(times[window]);
    const [beside, ...others] = WINDOWS.map((window) => `${p99Of([times[window]]).toFixed(2)} ms`);
    say(`beside ${name}: p99 ${beside}, without ${others.join(' and ')}`);
  }
  if (rounds.with.length === 0) throw new Error(`${name} ended before a round did: take more decisions`);
  return rounds;
}

function p99Of(windows: readonly Float32Array[]): number {
  const all = new Float32Array(windows.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const window of windows) {
    all.set(window, at);
    at += window.length;
  }
  return all.toSorted()[Math.floor(all.length * 0.99)] ?? Number.NaN;
}

/** The p99 of all windows together, and the median ratio of windows of a round: both are to be within the target. */
function toFigures({ name }: Side, decisions: number, rounds: Rounds): Figure[] {
  const each = (windows: readonly Float32Array[]): number[] => windows.map((window) => p99Of([window]));
  const aim = (ratio: number) => ({ target: { text: `≤ ${MOST}`, met: ratio <= MOST } });
  const pooled = (what: string, value: number, without: number): Figure & { against: { ratio: number } } => ({
    what,
    value,
    unit: 'ms',
    against: { what: 'without', value: without, ratio: value / without },
  });
  const middle = (what: string, value: number): Figure => ({
    what: `${what}, median ratio of windows`,
    value,
    unit: '×',
  });
  const what = `p99 of checks beside ${name} of ${decisions.toLocaleString('en')} decisions`;
  const all = pooled(what, p99Of(rounds.with), p99Of([...rounds.without, ...rounds.again]));
  const [besides, without, again] = [each(rounds.with), each(rounds.without), each(rounds.again)];
  const ratio = medianRatio([...besides, ...besides], [...without, ...again]);
  const control = `control: the windows without ${name}`;
  return [
    { ...all, ...aim(all.against.ratio) },
    { ...middle(what, ratio), ...aim(ratio) },
    pooled(control, p99Of(rounds.again), p99Of(rounds.without)),
    middle(control, medianRatio(again, without)),
  ];
}
