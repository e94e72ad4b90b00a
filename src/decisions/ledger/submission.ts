/** The entries of a request on their way into the ledger. */
import { Unavailable } from '../../db/db.ts';
import { monotonicMs } from '../../lib/monotonic.ts';
import type { Entry, LedgerReceipt, Recorded } from './ledger.ts';

/** Entries of one flush, unless a single submission has more. */
export const FLUSH_MAX = 4_000;
const HELD_WITHIN_MS = 5_000;

/** The entries of one request. Never changed: a flush returns what it works out. */
export interface Submission {
  /** Time of arrival, epoch ms. */
  readonly at: number;
  /** The latest time to begin recording it as it is; see lib/monotonic. */
  readonly freshUntil: number;
  readonly entries: readonly Entry[];
  readonly receipt: LedgerReceipt | undefined;
}

/** The outcome of a submission: recorded, begun too late, or one of its limits, by its key, is held elsewhere. */
export type Flushed = readonly Recorded[] | 'stale' | { readonly heldBy: string };

/**
 * Commits submissions in one transaction and returns the outcome of each; where it rejects, nothing of them was
 * written. With `heldBy` it waits a while for that limit; without, for none.
 */
export type Flush = (submissions: readonly Submission[], heldBy?: string) => Promise<readonly Flushed[]>;

export interface Waiting extends Submission {
  /** When it was first submitted; see lib/monotonic. */
  since: number;
  /** Flushed by itself: together with others it met a receipt that already existed. */
  alone: boolean;
  resolve: (recorded: readonly Recorded[]) => void;
  reject: (error: unknown) => void;
}

export const isStale = (submission: Submission, now: number): boolean => submission.freshUntil < now;

/** Refuses the submissions that have waited too long for a held limit, and returns the others. */
export function refuseOverdue(group: readonly Waiting[]): Waiting[] {
  const now = monotonicMs();
  return group.filter((one) => {
    const inTime = now - one.since <= HELD_WITHIN_MS;
    if (!inTime) one.reject(new Unavailable('a limit of this check has been locked for too long', { busy: true }));
    return inTime;
  });
}

/** Returns how many submissions from the front fit into one flush; one that must be alone is. */
export function countHeld(queue: readonly Waiting[]): number {
  let entries = 0;
  let count = 0;
  for (const one of queue) {
    entries += one.entries.length;
    if (count > 0 && (entries > FLUSH_MAX || one.alone || queue[0]?.alone === true)) break;
    count++;
  }
  return count;
}
