/** The table `erasures`; rows never leave this file. */

import type { Db, Step } from '../../db/db.ts';
import { columns } from '../../db/record.ts';
import { isRetiring } from '../../decisions/history/retention/retire.ts';

/** `columns`: the records are done, and the columns of all nodes follow. */
export type ErasureStatus = 'decisions' | 'records' | 'columns' | 'done';

export interface Erasure {
  id: string;
  pseudonym: string;
  /** null once it is done. */
  requesterId: string | null;
  status: ErasureStatus;
  /** The decision up to which the walk has come. */
  walkedSeq: number;
  /** The newest decision when it began. */
  lastSeq: number;
  decisions: number;
  keyId: string | null;
  createdAt: number;
  updatedAt: number;
}

const ERASURE = columns<Erasure>({
  id: 'fixed',
  pseudonym: 'fixed',
  requesterId: 'plain',
  status: 'plain',
  walkedSeq: 'plain',
  lastSeq: 'fixed',
  decisions: 'plain',
  keyId: 'fixed',
  createdAt: 'fixed',
  updatedAt: 'plain',
});
const SELECT = `select ${ERASURE.list} from erasures`;

/** Finds the erasure of a requester that is not done. */
export async function findRunning(db: Db, requesterId: string): Promise<Erasure | undefined> {
  const [row] = await db.read(`${SELECT} where requester_id = $1`, [requesterId]);
  return row && ERASURE.toRecord(row);
}

/** Finds the oldest erasure that is not done. */
async function findOldest(db: Db): Promise<Erasure | undefined> {
  const [row] = await db.read(`${SELECT} where status <> 'done' order by no limit 1`);
  return row && ERASURE.toRecord(row);
}

/** Finds the oldest erasure that has work left in the records. */
export async function findNext(db: Db): Promise<Erasure | undefined> {
  const [row] = await db.read(`${SELECT} where status in ('decisions', 'records') order by no limit 1`);
  return row && ERASURE.toRecord(row);
}

/** Finds erasures that wait for the columns alone, oldest first. */
export async function findWaiting(db: Db, limit: number): Promise<Erasure[]> {
  const rows = await db.read(`${SELECT} where status = 'columns' order by no limit $1`, [limit]);
  return rows.map((row) => ERASURE.toRecord(row));
}

export async function countRunning(db: Db): Promise<number> {
  const [row] = await db.read<{ n: number }>(`select count(*) as n from erasures where status <> 'done'`);
  return Number(row?.n ?? 0);
}

/** A Conflict where the requester is registered meanwhile. */
export const insertErasure: (one: Erasure) => Step = ERASURE.step(
  `insert into erasures ({columns}) select {values}
   where not exists (select 1 from erasures where requester_id = :requesterId)
     and not exists (select 1 from requesters where id = :requesterId)`,
  1,
);

const updateRow = ERASURE.step(
  'update erasures set {changes} where id = :id and status = :beforeStatus and walked_seq = :beforeSeq',
  1,
);

/** A Conflict where another node has continued it. */
export const updateErasure = (one: Erasure, before: Erasure): Step =>
  updateRow(one, { beforeStatus: before.status, beforeSeq: before.walkedSeq });

export interface PrivacyProgress {
  retiring: boolean;
  erasures: { running: number; walked: number; of: number };
}

/** Returns how far the oldest erasure has come, and how many are not done. */
export async function readProgress(db: Db): Promise<PrivacyProgress> {
  const [retiring, running, oldest] = await Promise.all([isRetiring(db), countRunning(db), findOldest(db)]);
  const of = oldest?.lastSeq ?? 0;
  const walked = oldest?.status === 'decisions' ? Math.min(oldest.walkedSeq, of) : of;
  return { retiring, erasures: { running, walked, of } };
}
