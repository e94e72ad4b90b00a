/** The table `erasures`; rows never leave this file. */

import type { Db, Row, Step } from '../../db/db.ts';
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

interface ErasureRow extends Row {
  id: string;
  pseudonym: string;
  requester_id: string | null;
  status: string;
  walked_seq: number;
  last_seq: number;
  decisions: number;
  key_id: string | null;
  created_at: number;
  updated_at: number;
}

const SELECT = `select id, pseudonym, requester_id, status, walked_seq, last_seq, decisions, key_id, created_at, updated_at
  from erasures`;

const toErasure = (row: ErasureRow): Erasure => ({
  id: row.id,
  pseudonym: row.pseudonym,
  requesterId: row.requester_id,
  status: row.status as ErasureStatus,
  walkedSeq: row.walked_seq,
  lastSeq: row.last_seq,
  decisions: row.decisions,
  keyId: row.key_id,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});

/** Finds the erasure of a requester that is not done. */
export async function findRunning(db: Db, requesterId: string): Promise<Erasure | undefined> {
  const [row] = await db.read<ErasureRow>(`${SELECT} where requester_id = $1`, [requesterId]);
  return row && toErasure(row);
}

/** Finds the oldest erasure that is not done. */
export async function findNext(db: Db): Promise<Erasure | undefined> {
  const [row] = await db.read<ErasureRow>(`${SELECT} where status <> 'done' order by no limit 1`);
  return row && toErasure(row);
}

export async function countRunning(db: Db): Promise<number> {
  const [row] = await db.read<{ n: number }>(`select count(*) as n from erasures where status <> 'done'`);
  return Number(row?.n ?? 0);
}

/** A Conflict where the requester is registered meanwhile. */
export const insertErasure = (one: Erasure): Step => ({
  sql: `insert into erasures (id, pseudonym, requester_id, status, walked_seq, last_seq, decisions, key_id, created_at, updated_at)
        select $1, $2, $3, $4, $5, $6, $7, $8, $9, $10 where not exists (select 1 from erasures where requester_id = $3)
          and not exists (select 1 from requesters where id = $3)`,
  params: [
    one.id,
    one.pseudonym,
    one.requesterId,
    one.status,
    one.walkedSeq,
    one.lastSeq,
    one.decisions,
    one.keyId,
    one.createdAt,
    one.updatedAt,
  ],
  expect: 1,
});

/** A Conflict where another node has continued it. */
export const updateErasure = (one: Erasure, before: Erasure): Step => ({
  sql: `update erasures set status = $2, walked_seq = $3, decisions = $4, requester_id = $5, updated_at = $6
        where id = $1 and status = $7 and walked_seq = $8`,
  params: [
    one.id,
    one.status,
    one.walkedSeq,
    one.decisions,
    one.requesterId,
    one.updatedAt,
    before.status,
    before.walkedSeq,
  ],
  expect: 1,
});

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
