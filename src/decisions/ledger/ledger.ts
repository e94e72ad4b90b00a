/**
 * The seam to the ledger of decisions. When `record` has answered, the decisions, their use of limits and their
 * receipt are on disk, in one transaction. A crash before that leaves none of them; a crash after it leaves all, once.
 * One implementation per engine, because every check takes this path.
 */

import type { Claim } from '../../rules/claim.ts';
import type { LimitPeriod } from '../../rules/limit.ts';
import type { Draft, Granted } from './decision.ts';
import type { QuotaClaim, QuotaGrant } from './quota/quota.ts';

/** The record of one check. `contentNo` and `policyNo` are the store's own numbers; `contentNo` 0: no item. */
export interface Entry {
  readonly contentNo: number;
  /** Host and path; null when the check named an item. */
  readonly url: string | null;
  /** The URL that stands for all spellings of its file; null where that is `url`, and of an item. */
  readonly file: string | null;
  readonly collectionId: string | null;
  readonly requesterId: string | null;
  readonly policyNo: number;
  readonly policyVersion: number;
  /** 0 = allowed, else the code of the reason. An allowed entry with a claim may be recorded as a denial. */
  readonly reason: number;
  readonly ruleIndex: number | null;
  readonly rulePriority: number | null;
  readonly licenseId: string | null;
  readonly permission: string | null;
  readonly purpose: string | null;
  /** The check's context and license as JSON; null without any. */
  readonly inputs: string | null;
  /** The crawler that the user agent names. */
  readonly crawler: string | null;
  /** Code of how the requester was verified; see decisions/ledger/codes. */
  readonly verified: number | null;
  /** The name that was claimed falsely. */
  readonly claimed: string | null;
  /** The license that would have turned a denial; see decisions/ledger/codes. null: none, or not known. */
  readonly wanted: string | null;
  /** 0: only observed, 1: enforced. */
  readonly enforced: number;
  /** The candidate's decision as JSON; null without a candidate. */
  readonly candidate: string | null;
  readonly claim: Claim | null;
  /** null: no license with a quota would serve. An entry with both uses both or neither. */
  readonly quota: QuotaClaim | null;
}

/** A claim that is about to be recorded `uses` its grant: claims after it see that. */
export type PeekedClaim = Claim & { uses?: boolean };

/** The claims of one check, as they are peeked at together. */
export type PeekedEntry = Pick<Entry, 'claim' | 'quota'> & { uses: boolean };

/** The answer kept for an `Idempotency-Key`, written together with the effect. */
export interface LedgerReceipt {
  readonly scope: string;
  readonly bodyHash: string;
  readonly status: number;
  /** The text of the body; a draft stands for the decision of its entry. */
  readonly parts: readonly (string | ReceiptDraft)[];
}

export interface ReceiptDraft extends Draft {
  /** The index of its entry among those recorded with the receipt. */
  readonly entry: number;
}

/** An entry's number in the ledger, with the answer to its claim; null without one. */
export interface Recorded {
  readonly id: string;
  readonly seq: number;
  readonly at: number;
  readonly granted: Granted | null;
  /** Absent without a quota. */
  readonly quota?: QuotaGrant;
}

/** The age of what entries were decided on: the key, the policy, the requester, the item. */
export interface Grounds {
  /** When the first of these was read; see monotonicMs. */
  readAt: number;
  /** When the check was first submitted, if it is decided again. */
  since?: number;
}

/** The grounds were too old when the recording began. Nothing was recorded; the check must be decided again. */
export class Stale extends Error {
  /** For the grounds of the next attempt. */
  readonly since: number;
  constructor(since: number) {
    super('the check must be decided again');
    this.since = since;
  }
}

export interface Ledger {
  /**
   * Records the entries in their order, all or none. Without grounds they are never stale. Throws Stale, Unavailable,
   * and Conflict when a receipt of that scope exists.
   */
  record(entries: readonly Entry[], receipt?: LedgerReceipt, grounds?: Grounds): Promise<readonly Recorded[]>;
  /** Answers claims in their order as of now, without using anything. */
  peek(claims: readonly PeekedClaim[]): Promise<Granted[]>;
  /** Answers claims of limits and quotas, as `peek` does. Throws Stale. */
  peekAll(entries: readonly PeekedEntry[]): Promise<Pick<Recorded, 'granted' | 'quota'>[]>;
  /** The clock that decisions and limits go by, epoch ms. */
  now: () => number;
  /** Returns the newest number acknowledged on this node; 0 when there is none. */
  head(): number;
  /** Returns the entries waiting now, and the flushes and entries committed since the process started. */
  figures(): { waiting: number; flushes: number; entries: number } & TalliedDecisions;
  /** Returns the names in the decisions that this node recorded since the last call, or since it started. */
  takeNames(): NamedInDecisions;
  /** Part of every decision's id, different for each ledger. */
  readonly ledgerNo: number;
  close(): Promise<void>;
}

/** The names in the decisions of this node with numbers above `from`, up to `to`. */
export interface NamedInDecisions {
  from: number;
  to: number;
  /** Crawlers, except where the name was claimed falsely. */
  crawlers: ReadonlySet<string>;
  /** A decision is under a false name. */
  claims: boolean;
}

export interface TalliedDecisions {
  /** Decisions by the code of their reason; 0 = allowed. */
  reasons: readonly number[];
  /** Allowed checks whose rule has a limit, by its period. */
  limits: Readonly<Record<LimitPeriod, { admitted: number; refused: number }>>;
  /** Decisions under a false name, by the crawler of the user agent. */
  spoofed: ReadonlyMap<string | null, number>;
}
