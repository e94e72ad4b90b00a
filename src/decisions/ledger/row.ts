/** The form of a flush: the columns of its rows, and the claims of its entries. */
import type { AccessKind } from '../../api/changes/kinds.ts';
import type { Value } from '../../db/db.ts';
import type { LimitState } from '../../rules/limit.ts';
import type { LedgerReceipt } from './ledger.ts';
import type { QuotaClaim } from './quota/quota.ts';

export const COLUMNS = [
  'seq',
  'at',
  'content_no',
  'requester_id',
  'policy_no',
  'policy_version',
  'reason',
  'rule_index',
  'rule_priority',
  'license_id',
  'limit_remaining',
  'limit_reset_at',
  'inputs',
  'url',
  'file',
  'collection_id',
  'crawler',
  'verified',
  'claimed',
  'permission',
  'purpose',
  'enforced',
  'candidate',
  'wanted',
  'quota',
] as const;
export const WIDTH = COLUMNS.length;
export const AT = COLUMNS.indexOf('at');
export const CONTENT_NO = COLUMNS.indexOf('content_no');
export const REASON = COLUMNS.indexOf('reason');
export const LICENSE_ID = COLUMNS.indexOf('license_id');
export const QUOTA = COLUMNS.indexOf('quota');
export const REMAINING = COLUMNS.indexOf('limit_remaining');
export const RESET_AT = COLUMNS.indexOf('limit_reset_at');

export type Announced = readonly AccessKind[] | null;

export interface FlushRows {
  readonly ledgerNo: number;
  /** COLUMNS values for each entry, as if every claim were admitted. */
  readonly rows: readonly Value[];
  /** Four values for each claim: index of its entry, key, requests, period. */
  readonly claims: readonly (string | number)[];
  /** Claims on quotas, with the index of their entry. */
  readonly quotas: readonly QuotaAsk[];
  /** `at`: when it is recorded, epoch ms. */
  readonly receipts: readonly (LedgerReceipt & { firstEntry: number; at: number })[];
  /** Kinds of decision that become events; null: there are no events, not of quotas either. */
  readonly announced: Announced;
  /** When the first of its submissions becomes stale. */
  readonly freshUntil: number;
}

export interface QuotaAsk extends QuotaClaim {
  readonly entry: number;
}

/** A limit's new state. */
export interface Touched {
  state: LimitState;
  expiresAt: number;
}
