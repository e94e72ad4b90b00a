/** Reads the newest decision, and the newest of those before which none appears any more. */
import type { Db } from '../../db/db.ts';

/** On PostgreSQL a decision may appear below the newest one for as long as its transaction takes. */
const SETTLED_MS = 10_000;

export interface Heads {
  newest: number;
  settled: number;
}

/** Returns what reads both; call it often, since what is settled was the newest one at an earlier call. */
export function openHeads(db: Db): () => Promise<Heads> {
  const settle = settling();
  return async () => {
    const [row] = await db.read<{ seq: number }>('select coalesce(max(seq), 0) as seq from decisions');
    const newest = row?.seq ?? 0;
    return { newest, settled: db.engine === 'sqlite' ? newest : settle(newest, performance.now()) };
  };
}

/** Returns what takes the newest decision and the time it was read, and returns the newest that is settled. */
export function settling(): (newest: number, at: number) => number {
  let settled = 0;
  let waiting: { seq: number; at: number }[] = [];
  return (newest, at) => {
    waiting.push({ seq: newest, at });
    settled = waiting.findLast((one) => one.at <= at - SETTLED_MS)?.seq ?? settled;
    waiting = waiting.filter((one) => one.at > at - SETTLED_MS);
    return settled;
  };
}
