/**
 * The published lists in memory. Read at the start, so that a restart has them; again when a change is announced and
 * twice a minute, since a list that was fetched unchanged is not announced.
 */
import type { Changes } from '../../api/changes/changes.ts';
import type { Db } from '../../db/db.ts';
import type { IpAddress } from '../../lib/ip-range.ts';
import { isFresh, type ListState } from './list.ts';
import { RangeSet } from './ranges.ts';
import { findLists, findRanges } from './store.ts';

const REFRESH_MS = 30_000;
/** Ranges of all lists together; further lists are not used. */
const RANGES_MAX = 1_000_000;

interface KnownList {
  state: ListState;
  set: RangeSet;
}

export interface KnownLists {
  /** Returns whether a list has an address; undefined for one that is not fresh. */
  has(url: string, address: IpAddress, now: number): boolean | undefined;
  states(): readonly ListState[];
  state(url: string): ListState | undefined;
  /** Reads what has changed. Throws Unavailable. */
  refresh(): Promise<void>;
  close(): void;
}

export async function openKnownLists(
  db: Db,
  changes: Changes,
  onProblem: (error: unknown) => void,
): Promise<KnownLists> {
  let known = new Map<string, KnownList>();
  let reading: Promise<void> | undefined;
  let isStale = false;

  async function read(): Promise<void> {
    const next = new Map<string, KnownList>();
    let ranges = 0;
    for (const state of await findLists(db)) {
      ranges += state.ranges;
      if (ranges > RANGES_MAX) break;
      const before = known.get(state.url);
      // The hash first: ranges that change meanwhile belong to a state that the next refresh reads.
      const set = before?.state.hash === state.hash ? before.set : new RangeSet(await findRanges(db, state.url));
      next.set(state.url, { state, set });
    }
    known = next;
  }

  const refresh = (): Promise<void> => {
    isStale = true;
    reading ??= (async () => {
      while (isStale) {
        isStale = false;
        await read();
      }
    })().finally(() => {
      reading = undefined;
    });
    return reading;
  };

  changes.subscribe(({ kind }) => {
    if (kind.startsWith('identity.')) refresh().catch(onProblem);
  });
  const timer = setInterval(() => void refresh().catch(onProblem), REFRESH_MS);
  timer.unref();
  await refresh();

  return {
    has(url, address, now) {
      const list = known.get(url);
      return list === undefined || !isFresh(list.state.fetchedAt, now) ? undefined : list.set.has(address);
    },
    states: () => [...known.values()].map(({ state }) => state),
    state: (url) => known.get(url)?.state,
    refresh,
    close: () => clearInterval(timer),
  };
}
