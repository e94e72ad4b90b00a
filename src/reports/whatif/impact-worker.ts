/**
 * The thread of one impact preview. Reads decisions newest first, in spans of numbers, on a connection of its own, and
 * posts the report. Where the system has priorities of threads, it takes a low one: checks go first.
 */

import { setTimeout as pause } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { Failure } from '../../api/errors.ts';
import type { PastPlace, RecordedDecision } from '../../decisions/history/past.ts';
import { Lru } from '../../lib/cache/lru.ts';
import type { ImpactMemory } from '../../lib/memory.ts';
import { lowerPriority } from '../../lib/priority.ts';
import { type Directory, useDirectory } from '../../rules/crawlers/directory.ts';
import type { PolicyVersion } from '../../rules/policy.ts';
import {
  type Known,
  PastStates,
  type PresentItem,
  type RecordedVersion,
  Replay,
  type ReplayOptions,
  recordedVersion,
} from './impact.ts';
import { type ImpactSource, openImpactSource } from './impact-source.ts';
import { PastUrls } from './past-urls.ts';
import { type ImpactReport, toReport } from './report.ts';

export interface ImpactSetup extends ReplayOptions {
  place: PastPlace;
  /** Epoch ms; `to` is exclusive. */
  from: number;
  to: number;
  memory: ImpactMemory;
  /** null: the one of this version. */
  directory: Directory | null;
  /** Shared with the main thread: nonzero while checks are recorded. */
  checksCome: Int32Array<SharedArrayBuffer>;
}

/** `isSaid`: the message is a sentence for the client. */
export type FromImpactWorker = { ok: true; report: ImpactReport } | { ok: false; message: string; isSaid: boolean };

/** Numbers read at once: a few ms, so that no statement runs long. */
const SPAN = 2_000;
/** Nice enough for checks to keep their pace under full load, and not to starve. */
const STEPS = 10;
/**
 * Rest per time of work while checks arrive: two threads of one core slow each other down at any priorities. Waiting
 * for a core counts as work, so where checks keep the cores busy, it rests longer.
 */
const REST = 1.5;

interface Sources {
  source: ImpactSource;
  urls: PastUrls;
  policy: PolicyVersion;
}

/** The records that decisions name, read through. */
class Memory {
  readonly #items: Lru<number, PresentItem>;
  readonly #requesters: Lru<string, PastStates>;
  readonly #versions = new Map<number, RecordedVersion>();
  readonly #source: ImpactSource;
  readonly #policy: PolicyVersion;
  readonly #urls: PastUrls;

  constructor({ source, urls, policy }: Sources, { items, requesters }: ImpactMemory) {
    this.#items = new Lru(items);
    this.#requesters = new Lru(requesters);
    this.#source = source;
    this.#urls = urls;
    this.#policy = policy;
  }

  /** Returns the records that each of the decisions names. */
  async know(page: readonly RecordedDecision[]): Promise<Known[]> {
    await this.#readVersions(page);
    const known = page.map(
      ({ contentNo, requesterId, version }): Known => ({
        item: this.#items.get(contentNo),
        requester: requesterId === null ? undefined : this.#requesters.get(requesterId),
        version: this.#versions.get(version),
      }),
    );
    const items = new Set<number>();
    const requesters = new Set<string>();
    for (const [i, { item, requester }] of known.entries()) {
      const { contentNo, requesterId } = page[i] as RecordedDecision;
      if (item === undefined && contentNo !== 0) items.add(contentNo);
      if (requester === undefined && requesterId !== null) requesters.add(requesterId);
    }
    if (items.size + requesters.size > 0) await this.#complete(page, known, [...items], [...requesters]);
    // The newest first, as what was in force is found for one time after the other.
    for (const [i, one] of known.entries().toArray().toReversed()) {
      const reading = this.#urls.complete(page[i] as RecordedDecision, one);
      if (reading !== undefined) await reading;
    }
    return known;
  }

  async #readVersions(page: readonly RecordedDecision[]): Promise<void> {
    for (const number of new Set(page.map(({ version }) => version))) {
      if (this.#versions.has(number)) continue;
      const version = await this.#source.version(this.#policy.no, number);
      if (version !== undefined) this.#versions.set(number, recordedVersion(version));
    }
  }

  async #complete(
    page: readonly RecordedDecision[],
    known: readonly Known[],
    itemNos: readonly number[],
    requesterIds: readonly string[],
  ): Promise<void> {
    const items = await this.#source.items(itemNos, this.#policy.id);
    const pasts = await this.#source.pasts(requesterIds);
    const requesters = new Map([...pasts].map(([id, past]) => [id, new PastStates(past)]));
    for (const [no, item] of items) this.#items.set(no, item);
    for (const [id, states] of requesters) this.#requesters.set(id, states);
    for (const [i, one] of known.entries()) {
      const { contentNo, requesterId } = page[i] as RecordedDecision;
      one.item ??= items.get(contentNo);
      if (requesterId !== null) one.requester ??= requesters.get(requesterId);
    }
  }
}

async function preview(source: ImpactSource, setup: ImpactSetup): Promise<ImpactReport> {
  const replay = new Replay(setup);
  const urls = await PastUrls.open(source, setup.draft);
  const memory = new Memory({ source, urls, policy: setup.draft }, setup.memory);
  const span = await source.span(setup.from, setup.to);
  for (let last = span.last; last > span.after; last -= SPAN) {
    const began = performance.now();
    const page = await source.decisions(setup.draft.no, {
      ...span,
      after: Math.max(span.after, last - SPAN),
      last,
    });
    if (page.length === 0) continue;
    const known = await memory.know(page);
    for (let i = page.length - 1; i >= 0; i--) replay.add(page[i] as RecordedDecision, known[i] as Known);
    if (Atomics.load(setup.checksCome, 0) !== 0) await pause((performance.now() - began) * REST);
  }
  return toReport(source, setup, replay.tally());
}

const setup = workerData as ImpactSetup;
if (setup.directory !== null) useDirectory(setup.directory);
lowerPriority(STEPS);
const post = (message: FromImpactWorker): void => parentPort?.postMessage(message);
try {
  const source = await openImpactSource(setup.place, setup.memory.pagesKiB);
  try {
    post({ ok: true, report: await preview(source, setup) });
  } finally {
    await source.close();
  }
} catch (error) {
  const message = error instanceof Error ? error.message : String(error);
  post({ ok: false, message, isSaid: error instanceof Failure });
}
