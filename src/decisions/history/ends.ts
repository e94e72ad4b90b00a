/**
 * The ends of the log: the newest decision, the newest of those before which none appears any more, and the number up
 * to which decisions have left it.
 */
import type { Db } from '../../db/db.ts';
import { findNewestMoved } from './moved/blocks.ts';
import { retiredTo } from './retention/retire.ts';

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
    const newest = (await findNewest(db))?.seq ?? 0;
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

/**
 * Returns the newest decision in the log; with `before`, the newest of those before that time (epoch ms). Where all
 * that did not move were deleted with their items, it is the last that moved.
 */
export async function findNewest(db: Db, before?: number): Promise<{ seq: number; at: number } | undefined> {
  const [where, params] = before === undefined ? ['', []] : ['where at < $1', [before]];
  const [row] = await db.read<{ seq: number; at: number }>(
    `select seq, at from decisions ${where} order by seq desc limit 1`,
    params,
  );
  return row ?? findNewestMoved(db, before);
}

/** Returns the number up to which decisions are in files and no longer in the log; 0: none is. */
export async function archivedTo(db: Db): Promise<number> {
  const [row] = await db.read<{ to: number }>('select coalesce(max(to_seq), 0) as "to" from archives');
  return row?.to ?? 0;
}

/** Returns the number up to which decisions have left the log, for the archive or the daily counts. */
export const leftTo = async (db: Db): Promise<number> =>
  Math.max(...(await Promise.all([archivedTo(db), retiredTo(db)])));

/** Returns the number of the newest decision; where the log has none, of the last that left it. `before`: as above. */
export const findLast = async (db: Db, before?: number): Promise<number> =>
  (await findNewest(db, before))?.seq ?? (await leftTo(db));
