/** The work of this installation that erases: what is left of it. */
import type { Db } from '../../db/db.ts';
import { isRetiring } from '../../decisions/history/retention/retire.ts';
import { countRunning, findNext } from './store.ts';

export interface PrivacyProgress {
  retiring: boolean;
  erasures: { running: number; walked: number; of: number };
}

/** Returns how far the oldest erasure has come, and how many are not done. */
export async function readProgress(db: Db): Promise<PrivacyProgress> {
  const [retiring, running, next] = await Promise.all([isRetiring(db), countRunning(db), findNext(db)]);
  const of = next?.lastSeq ?? 0;
  const walked = next?.status === 'decisions' ? Math.min(next.walkedSeq, of) : of;
  return { retiring, erasures: { running, walked, of } };
}
