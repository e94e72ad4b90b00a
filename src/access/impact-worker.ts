/**
 * The thread of one impact preview. Reads the decisions newest first, in spans of places, on a connection of its own, and
 * posts the report. Where the system knows priorities of threads it takes a low one: checks go first.
 */
import { setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { Lru } from '../lib/lru.ts';
import {
  type Known,
  openReplay,
  PastStates,
  type PresentItem,
  type RecordedDecision,
  type RecordedVersion,
  type ReplayOptions,
  recordedVersion,
} from './impact.ts';
import { type ImpactReport, toReport } from './impact-report.ts';
import { type ImpactSource, openSqliteImpactSource } from './impact-source.ts';

export interface ImpactSetup extends ReplayOptions {
  recordsFile: string;
  /** Epoch ms; `to` is exclusive. */
  from: number;
  to: number;
}

export type FromImpactWorker = { ok: true; report: ImpactReport } | { ok: false; message: string };

/** Places read at once: a few ms, so that the thread is never long in one statement. */
const PLACES = 10_000;
const ITEMS_MAX = 100_000;
const REQUESTERS_MAX = 50_000;
/** As nice as it takes for checks to keep their pace under full load, and not to starve. */
const NICE = 10;

/** Of what a page names, what is remembered and what is read now. */
async function look<K, V>(
  memory: Lru<K, V>,
  keys: Iterable<K>,
  read: (missing: K[]) => Promise<ReadonlyMap<K, V>>,
): Promise<Map<K, V>> {
  const found = new Map<K, V>();
  const missing: K[] = [];
  for (const key of new Set(keys)) {
    const value = memory.get(key);
    if (value === undefined) missing.push(key);
    else found.set(key, value);
  }
  if (missing.length === 0) return found;
  for (const [key, value] of await read(missing)) {
    memory.set(key, value);
    found.set(key, value);
  }
  return found;
}

function openMemory(source: ImpactSource, { draft }: ImpactSetup): (page: RecordedDecision[]) => Promise<Known> {
  const items = new Lru<number, PresentItem>(ITEMS_MAX);
  const requesters = new Lru<string, PastStates>(REQUESTERS_MAX);
  const versions = new Map<number, RecordedVersion>();
  return async (page) => {
    for (const number of new Set(page.map(({ version }) => version))) {
      if (versions.has(number)) continue;
      const version = await source.version(draft.no, number);
      if (version !== undefined) versions.set(number, recordedVersion(version));
    }
    const nos = page.map(({ contentNo }) => contentNo);
    const ids = page.flatMap(({ requesterId }) => requesterId ?? []);
    return {
      versions,
      items: await look(items, nos, (missing) => source.items(missing, draft.id)),
      requesters: await look(requesters, ids, async (missing) => {
        const pasts = await source.pasts(missing);
        return new Map([...pasts].map(([id, past]) => [id, new PastStates(past)]));
      }),
    };
  };
}

async function preview(source: ImpactSource, setup: ImpactSetup): Promise<ImpactReport> {
  const replay = openReplay(setup);
  const known = openMemory(source, setup);
  const { after, last } = await source.places(setup.from, setup.to);
  for (let to = last; to > after; to -= PLACES) {
    const page = await source.decisions(setup.draft.no, { after: Math.max(after, to - PLACES), last: to });
    if (page.length === 0) continue;
    const all = await known(page);
    for (const decision of page.reverse()) replay.add(decision, all);
  }
  return toReport(source, setup, replay.tally());
}

const setup = workerData as ImpactSetup;
// On Linux a thread has a priority of its own; elsewhere this would be the whole process's.
if (process.platform === 'linux') setPriority(NICE);
const post = (message: FromImpactWorker): void => parentPort?.postMessage(message);
try {
  const source = openSqliteImpactSource(setup.recordsFile);
  try {
    post({ ok: true, report: await preview(source, setup) });
  } finally {
    source.close();
  }
} catch (error) {
  post({ ok: false, message: error instanceof Error ? error.message : String(error) });
}
