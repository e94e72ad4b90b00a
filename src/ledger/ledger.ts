/**
 * The seam to the ledger of decisions. Promise: when `record` has answered, the decisions, what they used of limits and
 * their receipt are on disk, in one transaction; a crash before that leaves none of them, a crash after it all, once.
 * One implementation per engine, because this is the path every check takes.
 */
import type { Limit } from '../limits/limit.ts';
import type { Draft, Granted } from './decision.ts';

/** What is written of one check. Numbers are the store's own (`no`). */
export interface Entry {
  contentNo: number;
  requesterId: string | null;
  policyNo: number;
  policyVersion: number;
  /** 0 = allowed, else the code of the reason. An allowed entry with a claim may turn into a denial. */
  reason: number;
  ruleIndex: number | null;
  rulePriority: number | null;
  licenseId: string | null;
  /** JSON of what the check knew beyond its ids: permission, purpose, context, licence; null when nothing. */
  inputs: string | null;
  claim: Claim | null;
}

/** A wish for one admission under a limit. `key` says whose: checks with equal keys share it. */
export interface Claim {
  key: string;
  limit: Limit;
}

/** One that is about to be recorded `uses` what it is granted: those asked after it see that. */
export type PeekedClaim = Claim & { uses?: boolean };

/** The answer kept for an `Idempotency-Key`, written together with the effect. */
export interface Receipt {
  scope: string;
  bodyHash: string;
  status: number;
  /** The body's text; a draft stands for the decision of the entry with its index. */
  parts: readonly (string | ReceiptDraft)[];
}

export interface ReceiptDraft extends Draft {
  /** Index of its entry among those recorded with the receipt. */
  entry: number;
}

/** Where an entry stands, and what its claim was answered (null without one). */
export interface Recorded {
  id: string;
  seq: number;
  at: number;
  granted: Granted | null;
}

export interface Ledger {
  /**
   * Records the entries in their order, all or none. Throws Unavailable when it cannot, Conflict when a receipt of that
   * scope is there already.
   */
  record(entries: readonly Entry[], receipt?: Receipt): Promise<Recorded[]>;
  /** What each claim would be answered now, in their order, without using anything. */
  peek(claims: readonly PeekedClaim[]): Promise<Granted[]>;
  /** The clock that decisions and limits go by, epoch ms. */
  now(): number;
  /** The newest place acknowledged on this node; 0 when there is none. */
  head(): number;
  /** Since the start of this process: entries waiting now, flushes and entries committed. */
  figures(): { waiting: number; flushes: number; entries: number };
  /** Part of every decision's id: which ledger it is of. */
  readonly ledgerNo: number;
  close(): Promise<void>;
}
