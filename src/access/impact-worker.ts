/**
 * The thread of one impact preview. Reads the decisions newest first, in spans of places, on a connection of its own, and
 * posts the report. Where the system knows priorities of threads it takes a low one: checks go first.
 */
import { setPriority } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { Lru } from '../lib/lru.ts';
import type { PolicyVersion } from '../policies/policy.ts';
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

/** Places read at once: some ms, so that the thread is never long in one statement. */
const PLACES = 5_000;
const ITEMS_MAX = 100_000;
const REQUESTERS_MAX = 50_000;
/** As nice as it takes for checks to keep their pace under full load, and not to starve. */
const NICE = 10;
/** Time of rest for time of work: two threads of one core slow each other down, whatever their priorities. */
const REST = 0.75;

/** What pages name, read when it is not remembered. */
class Memory implements Known {
  readonly items = new Lru<number, PresentItem>(ITEMS_MAX);
  readonly requesters = new Lru<string, PastStates>(REQUESTERS_MAX);
  readonly versions = new Map<number, RecordedVersion>();
  readonly #source: ImpactSource;
  readonly #policy: PolicyVersion;

  constructor(source: ImpactSource, policy: PolicyVersion) {
    this.#source = source;
    this.#policy = policy;
  }

  /** Afterwards all that these decisions name is at hand; a page names fewer than half of what is remembered. */
  async prepare(page: readonly RecordedDecision[]): Promise<void> {
    const versions = new Set<number>();
    const items = new Set<number>();
    const requesters = new Set<string>();
    for (const { version, contentNo, requesterId } of page) {
      if (!this.versions.has(version)) versions.add(version);
      if (this.items.get(contentNo) === undefined) items.add(contentNo);
      if (requesterId !== null && this.requesters.get(requesterId) === undefined) requesters.add(requesterId);
    }
    for (const number of versions) {
      const version = await this.#source.version(this.#policy.no, number);
      if (version !== undefined) this.versions.set(number, recordedVersion(version));
    }
    if (items.size > 0) {
      for (const [no, item] of await this.#source.items([...items], this.#policy.id)) this.items.set(no, item);
    }
    if (requesters.size > 0) {
      for (const [id, past] of await this.#source.pasts([...requesters])) this.requesters.set(id, new PastStates(past));
    }
  }
}

async function preview(source: ImpactSource, setup: ImpactSetup): Promise<ImpactReport> {
  const replay = openReplay(setup);
  const memory = new Memory(source, setup.draft);
  const { after, last } = await source.places(setup.from, setup.to);
  for (let to = last; to > after; to -= PLACES) {
    const begun = process.threadCpuUsage();
    const page = await source.decisions(setup.draft.no, { after: Math.max(after, to - PLACES), last: to });
    if (page.length === 0) continue;
    await memory.prepare(page);
    for (const decision of page.reverse()) replay.add(decision, memory);
    const { user, system } = process.threadCpuUsage(begun);
    await pause(((user + system) / 1000) * REST);
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
