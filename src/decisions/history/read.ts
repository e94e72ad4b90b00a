/**
 * Reads licensed decisions from the records and from the files of the archive. Promise: each that counts is read once,
 * also while items are deleted or decisions are archived. Memory does not grow with the number of decisions, unless the
 * database's clock was set back.
 */
import type { Db } from '../../db/db.ts';
import { archivedEnds, archivedWithin } from './archive/counted.ts';
import type { Parquet } from './archive/parquet.ts';
import type { LicensedRun } from './columns/licensed.ts';
import { type CountedDecision, type CountedSpan, countedSpan, readCounted } from './counted.ts';
import { atOneTime } from './moved/blocks.ts';

/** Numbers read at once. */
export const WINDOW = 50_000;
/** Decisions taken in one turn of the event loop: checks wait for them. */
const TURN = 10_000;
/** Decisions are recorded out of order by less than this. */
const DISORDER_MS = 60_000;

export interface StoredHistory {
  db: Db;
  parquet: Parquet;
}

export interface CountingQuery {
  /** Epoch ms, inclusive. */
  from: number;
  /** Epoch ms, exclusive. */
  to: number;
  /** null: all licenses. */
  licenseIds: readonly string[] | null;
}

export const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

class Disordered extends Error {}

const byId = (a: CountedDecision, b: CountedDecision): number => a.at - b.at || a.seq - b.seq;

/** `begin` starts the count, or restarts it. */
export interface Takers {
  begin(): void;
  take(decision: CountedDecision): void;
  /** Takes many of one license, instead of one by one. */
  takeRun?(licenseId: string, run: LicensedRun): void;
}

/** Calls `take` with every decision that counts, in the order of the ids. */
export async function readInOrder(deps: StoredHistory, query: CountingQuery, { begin, take }: Takers): Promise<void> {
  begin();
  try {
    await inOrder(deps, query, take);
  } catch (error) {
    if (!(error instanceof Disordered)) throw error;
    begin();
    const all: CountedDecision[] = [];
    for await (const found of read(deps, query)) all.push(...found);
    for (const one of all.toSorted(byId)) take(one);
  }
}

async function inOrder(
  deps: StoredHistory,
  query: CountingQuery,
  take: (decision: CountedDecision) => void,
): Promise<void> {
  let waiting: CountedDecision[] = [];
  let last: CountedDecision | undefined;
  const release = async (some: readonly CountedDecision[]): Promise<void> => {
    for (const [i, one] of some.entries()) {
      if (i % TURN === TURN - 1) await nextTurn();
      if (last !== undefined && byId(last, one) > 0) throw new Disordered();
      last = one;
      take(one);
    }
  };
  for await (const found of read(deps, query)) {
    waiting = [...waiting, ...found].toSorted(byId);
    const newest = waiting.at(-1)?.at ?? 0;
    const ready = waiting.findIndex(({ at }) => at > newest - DISORDER_MS);
    await release(waiting.splice(0, Math.max(0, ready)));
  }
  await release(waiting);
}

/** Yields the decisions of one span of numbers after another, in no order within it. */
export async function* read({ db, parquet }: StoredHistory, { from, to, licenseIds }: CountingQuery) {
  const span = await wholeSpan({ db, parquet }, from, to);
  const wanted = licenseIds === null ? null : new Set(licenseIds);
  for (let { after } = span; after < span.last; after += WINDOW) {
    const window = { ...span, after, last: Math.min(after + WINDOW, span.last) };
    const found = new Map<number, CountedDecision>();
    // The records first: what is no longer there is in the files by now.
    const stored = await atOneTime(db, () => readCounted(db, window, licenseIds));
    for (const one of await archivedWithin({ db, parquet }, window)) {
      if (wanted?.has(one.licenseId) ?? true) found.set(one.seq, one);
    }
    // Numbers in the records are there once.
    if (found.size === 0) yield stored;
    else {
      for (const one of stored) found.set(one.seq, one);
      yield [...found.values()];
    }
  }
}

async function wholeSpan(deps: StoredHistory, from: number, to: number): Promise<CountedSpan> {
  const span = await countedSpan(deps.db, from, to);
  const archived = await archivedEnds(deps, from, to);
  return { ...span, after: Math.min(span.after, archived.after), last: Math.max(span.last, archived.last) };
}
