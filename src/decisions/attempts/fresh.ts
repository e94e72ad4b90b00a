/** Decides again what was not recorded in time: what is recorded was true when its recording began. */

import type { Caller } from '../../api/permissions.ts';
import { monotonicMs } from '../../lib/monotonic.ts';
import { type Grounds, Stale } from '../ledger/ledger.ts';

/** A request whose key can be looked at again. */
export interface Asker {
  caller: Caller;
  /** Before its key was looked at; see lib/monotonic. */
  readonly arrivedAt: number;
  admit(): Promise<Caller>;
}

/**
 * Returns what `decide` returns. As long as it throws Stale, starts over with the key and its permission. Rejects with
 * what else it throws, and with what `admit` throws.
 */
export const decideFresh = <T>(asker: Asker, decide: (grounds: Grounds) => Promise<T>): Promise<T> =>
  decideOn(asker, decide, { readAt: asker.arrivedAt });

function decideOn<T>(asker: Asker, decide: (grounds: Grounds) => Promise<T>, grounds: Grounds): Promise<T> {
  const retry = (error: unknown): Promise<T> => startOver(asker, decide, error);
  try {
    return decide(grounds).catch(retry);
  } catch (error) {
    // Not every way to a decision is async: each promise costs a check more than its rules do.
    return retry(error);
  }
}

async function startOver<T>(asker: Asker, decide: (grounds: Grounds) => Promise<T>, error: unknown): Promise<T> {
  if (!(error instanceof Stale)) throw error;
  // By then, edits committed together with the late flush are known.
  await new Promise(setImmediate);
  const grounds = { readAt: monotonicMs(), since: error.since };
  asker.caller = await asker.admit();
  return decideOn(asker, decide, grounds);
}
