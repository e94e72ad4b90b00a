/**
 * The published lists in memory. Read at the start, so that a restart has them; again when a change is announced and
 * twice a minute, since a list that was fetched unchanged is not announced.
 */
import type { Changes } from '../../api/changes/changes.ts';
import type { Db } from '../../db/db.ts';
import { Whole } from '../../lib/cache/whole.ts';
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

type Lists = ReadonlyMap<string, KnownList>;

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
  const known = new Whole(async (last: Lists = new Map()): Promise<Lists> => {
    const next = new Map<string, KnownList>();
    let ranges = 0;
    for (const state of await findLists(db)) {
      ranges += state.ranges;
      if (ranges > RANGES_MAX) break;
      const before = last.get(state.url);
      // The hash first: ranges that change meanwhile belong to a state that the next refresh reads.
      const set = before?.state.hash === state.hash ? before.set : new RangeSet(await findRanges(db, state.url));
      next.set(state.url, { state, set });
    }
    return next;
  });
  const refresh = async (): Promise<void> => {
    known.clear();
    await known.read();
  };
  // Until it is read, the last state is used.
  changes.known('lists', { clear: () => void refresh().catch(onProblem) });
  const timer = setInterval(() => void refresh().catch(onProblem), REFRESH_MS);
  timer.unref();
  await refresh();

  return {
    has(url, address, now) {
      const list = known.last()?.get(url);
      return list === undefined || !isFresh(list.state.fetchedAt, now) ? undefined : list.set.has(address);
    },
    states: () => [...(known.last()?.values() ?? [])].map(({ state }) => state),
    state: (url) => known.last()?.get(url)?.state,
    refresh,
    close: () => clearInterval(timer),
  };
}
