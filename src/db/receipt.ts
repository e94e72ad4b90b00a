/** Answers kept for repeated requests: one row each, written in the transaction of the effect it answers for. */
import type { Db, Step } from './db.ts';

const KEPT_MS = 24 * 3_600_000;

/** A request with an `Idempotency-Key` that has no answer yet. */
export interface Idempotency {
  scope: string;
  bodyHash: string;
  /** True once the answer is stored, in the transaction of its effect. */
  stored: boolean;
  /** Encrypts an answer that holds a secret: only a client that can repeat the request can read it. */
  seal(body: string): string;
  unseal(body: string): string | undefined;
}

export interface ReceiptRow {
  scope: string;
  bodyHash: string;
  status: number;
  body: string;
}

export interface Receipt {
  body_hash: string;
  status: number;
  body: string;
}

export async function findReceipt(db: Db, scope: string, now: number): Promise<Receipt | undefined> {
  const sql = 'select body_hash, status, body from receipts where scope = $1 and created_at > $2';
  const [stored] = await db.read<Receipt & Record<string, string | number>>(sql, [scope, receiptsEnd(now)]);
  return stored;
}

/** Returns whether another node has answered the scope since it was last looked up. */
export async function isAnswered(db: Db, scope: string, now: number): Promise<boolean> {
  return (await findReceipt(db, scope, now)) !== undefined;
}

/** Changes no row when the scope was answered within 24 hours. `$6`: receipts this old are overwritten. */
export const RECEIPT_SQL = `insert into receipts (scope, body_hash, status, body, created_at) values ($1, $2, $3, $4, $5)
  on conflict (scope) do update set body_hash = excluded.body_hash, status = excluded.status, body = excluded.body,
    created_at = excluded.created_at where receipts.created_at <= $6`;

/** The time up to which receipts have expired. */
export const receiptsEnd = (now: number): number => now - KEPT_MS;

export const receiptParams = ({ scope, bodyHash, status, body }: ReceiptRow, now: number) =>
  [scope, bodyHash, status, body, now, receiptsEnd(now)] as const;

/** Stores the receipt. A Conflict when the scope was answered already. */
export const receiptStep = (receipt: ReceiptRow, now: number): Step => ({
  sql: RECEIPT_SQL,
  params: receiptParams(receipt, now),
  expect: 1,
});
