/**
 * Measures what an edit of a collection over a million items holds up: the edit itself, the next check, checks beside
 * it and while the items are sorted again, and the lists of its items. Spans with an edit and spans without take turns
 * on one server; each edit moves every item. A list is asked for beside checks while items are sorted, and then again
 * without.
 */
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import { temporaryFolder } from '../kit/launch.ts';
import { seeded } from '../kit/random.ts';
import { type Figure, median, medianRatio, type Part, type PartOptions } from './figure.ts';
import { openStore } from './history.ts';
import { checksOf, itemAt, TEN_RULES } from './inputs.ts';
import { type Loader, type LoadResult, openLoader } from './load.ts';
import { splitCores } from './machine.ts';
import { HEADERS, type Postern, startPostern } from './service.ts';

const CONNECTIONS = 4;
const ASKED = 1_000;
const EDIT_MS = 100;
const LIST_MS = 300;
/** p99 of checks beside the sorting, as a multiple of that without. */
const P99_RATIO = 1.2;
const HOST = 'publisher.example';
/** The beginning of every item's path; each edit takes one more letter of it. */
const PATH = '/article/';

interface Round {
  editMs: number;
  /** From the edit's answer to that of a check that is decided by it. */
  nextMs: number;
  /** The first page, while the items are sorted and afterwards. */
  soonMs: number;
  laterMs: number;
  policyMs: number;
  sortedMs: number;
  without: LoadResult;
  /** Beside the edit and the sorting, and then beside the first list too. */
  beside: LoadResult;
  besideList: LoadResult;
}

export const sortingPart: Part = {
  name: 'sorting',
  about: 'An edit of a collection with a million items, beside checks',
  async run(options) {
    using dir = temporaryFolder();
    const cores = splitCores();
    const items = options.quick ? 50_000 : 1_000_000;
    const dataDir = join(dir.path, 'data');
    const policyId = await fill(dataDir, items);
    options.say(`${items} items written`);
    await using postern = await startPostern({ dataDir, core: cores.server });
    await using loader = openLoader(cores.load);
    const rounds: Round[] = [];
    const ids = await Promise.all([HOST, 'other.example'].map((host) => create(postern, host)));
    for (let round = 0; round < (options.quick ? 2 : 5); round++) {
      rounds.push(await edit({ postern, loader, options, items, policyId, dataDir }, ids, round));
      const { editMs, soonMs, sortedMs, beside, without } = rounds[round] as Round;
      options.say(
        `round ${round + 1}: edit ${editMs.toFixed(0)} ms, list ${soonMs.toFixed(0)} ms, sorted after ${(sortedMs / 1000).toFixed(1)} s, p99 ${beside.p99Ms.toFixed(1)} ms beside ${without.p99Ms.toFixed(1)} ms`,
      );
    }
    return { figures: figuresOf(rounds, items), notes: [cores.note, NOTE] };
  },
};

const NOTE = `Checks of items in memory, ${CONNECTIONS} connections that never rest. Sorting rests longest beside such checks, and is measured to its end without them.`;

async function fill(dataDir: string, items: number): Promise<string> {
  const store = await openStore(dataDir);
  const policyId = await store.addPolicy('Ten rules', TEN_RULES);
  await store.addItems(items, policyId);
  await store.close();
  return policyId;
}

const create = async (postern: Postern, host: string): Promise<string> =>
  (await postern.post<{ id: string }>('/v1/collections', { name: host, hosts: [host], paths: ['/'] })).id;

interface Setting {
  postern: Postern;
  loader: Loader;
  options: PartOptions;
  items: number;
  policyId: string;
  dataDir: string;
}

async function timed<T>(work: () => Promise<T>): Promise<{ ms: number; value: T }> {
  const began = performance.now();
  const value = await work();
  return { ms: performance.now() - began, value };
}

/** Gives one of the collections a longer pattern than the other has, so that it takes all its items. */
async function edit(
  { postern, loader, options, items, policyId, dataDir }: Setting,
  ids: readonly string[],
  round: number,
): Promise<Round> {
  const to = ids[(round + 1) % 2] as string;
  const next = seeded(round);
  const bodies = checksOf(20_000, () => itemAt(next.int(0, ASKED)).externalId).map((check) => JSON.stringify(check));
  const plan = { port: postern.port, path: '/v1/access/check', headers: HEADERS, bodies, connections: CONNECTIONS };
  const measureMs = options.quick ? 1_000 : 8_000;
  await waitUntilSorted(dataDir);
  const without = await loader.run({ ...plan, warmupMs: 1_000, measureMs });
  const running = loader.run({ ...plan, warmupMs: 0, measureMs });
  const selectors = { hosts: [HOST], paths: [PATH.slice(0, round + 2)] };
  const { ms: editMs } = await timed(() => postern.patch(`/v1/collections/${to}`, selectors));
  const began = performance.now();
  const { ms: nextMs, value: decision } = await timed(() =>
    postern.post<{ collectionId: string }>('/v1/access/check', { contentId: itemAt(1).externalId, dryRun: true }),
  );
  if (decision.collectionId !== to) throw new Error('the next check did not see the edit');
  const beside = await running;
  const list = (query: string) => timed(() => postern.get<{ totalCount: number }>(`/v1/content?${query}`));
  const runningOn = loader.run({ ...plan, warmupMs: 0, measureMs: measureMs / 2 });
  const soon = await list(`collectionId=${to}`);
  if (soon.value.totalCount !== items) throw new Error(`${soon.value.totalCount} of ${items} items are listed`);
  const besideList = await runningOn;
  await waitUntilSorted(dataDir);
  const sortedMs = performance.now() - began;
  // A change of any item drops the counts.
  await postern.post('/v1/content/upsert', { ...itemAt(0), title: `Edited in round ${round}` });
  const later = await list(`collectionId=${to}`);
  const policy = await list(`policyId=${policyId}`);
  return {
    editMs,
    nextMs,
    soonMs: soon.ms,
    laterMs: later.ms,
    policyMs: policy.ms,
    sortedMs,
    without,
    beside,
    besideList,
  };
}

async function waitUntilSorted(dataDir: string): Promise<void> {
  using records = new DatabaseSync(join(dataDir, 'postern.db'), { readOnly: true, timeout: 5_000 });
  const read = records.prepare("select value from settings where name = 'items_placed_to'");
  while ((read.get() as { value: string }).value !== 'all') await pause(100);
}

function figuresOf(rounds: readonly Round[], items: number): Figure[] {
  const of = (pick: (round: Round) => number): number => median(rounds.map(pick));
  const atMost = (ms: number, most: number) => ({ target: { text: `≤ ${most} ms`, met: ms <= most } });
  const editMs = of((round) => round.editMs);
  const laterMs = of((round) => round.laterMs);
  const policyMs = of((round) => round.policyMs);
  const p99 = (side: 'without' | 'beside' | 'besideList') => rounds.map((round) => round[side].p99Ms);
  const count = items.toLocaleString('en');
  const ratioOf = (side: 'beside' | 'besideList') => medianRatio(p99(side), p99('without'));
  const besideWithout = (side: 'beside' | 'besideList', what: string): Figure => ({
    what,
    value: median(p99(side)),
    unit: 'ms',
    against: { what: 'without', value: median(p99('without')), ratio: ratioOf(side) },
  });
  return [
    { what: `edit of a collection with ${count} items`, value: editMs, unit: 'ms', ...atMost(editMs, EDIT_MS) },
    { what: 'the next check, decided by it', value: of((round) => round.nextMs), unit: 'ms' },
    {
      ...besideWithout('beside', 'p99 of checks beside the edit and the sorting'),
      target: { text: `≤ ${P99_RATIO} ×`, met: ratioOf('beside') <= P99_RATIO },
    },
    besideWithout('besideList', 'p99 of checks beside the sorting and a list'),
    { what: 'all items sorted again', value: of((round) => round.sortedMs) / 1_000, unit: 's' },
    { what: 'list of the collection at once', value: of((round) => round.soonMs), unit: 'ms' },
    { what: 'list of the collection, sorted', value: laterMs, unit: 'ms', ...atMost(laterMs, LIST_MS) },
    { what: 'list of the policy', value: policyMs, unit: 'ms', ...atMost(policyMs, LIST_MS) },
  ];
}
