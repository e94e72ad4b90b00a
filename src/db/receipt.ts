/** The answer kept for a repeated request: one row, written in the transaction of the effect it answers for. */
import type { Step } from './db.ts';

const KEPT_MS = 24 * 3_600_000;

/** Changes no row when the scope was answered within 24 hours. $6: receipts this old are as good as gone. */
export const RECEIPT_SQL = `insert into receipts (scope, body_hash, status, body, created_at) values ($1, $2, $3, $4, $5)
  on conflict (scope) do update set body_hash = excluded.body_hash, status = excluded.status, body = excluded.body,
    created_at = excluded.created_at where receipts.created_at <= $6`;

export interface ReceiptRow {
  scope: string;
  bodyHash: string;
  status: number;
  body: string;
}

/** Receipts from this moment and before are no longer answered with. */
export const receiptsEnd = (now: number): number => now - KEPT_MS;

export const receiptParams = ({ scope, bodyHash, status, body }: ReceiptRow, now: number) =>
  [scope, bodyHash, status, body, now, receiptsEnd(now)] as const;

/** The receipt as a step; a Conflict when the scope was answered already. */
export const receiptStep = (receipt: ReceiptRow, now: number): Step => ({
  sql: RECEIPT_SQL,
  params: receiptParams(receipt, now),
  expect: 1,
});
