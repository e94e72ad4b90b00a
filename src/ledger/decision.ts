/** A decision as it is answered, recorded and listed: one shape for all three. */
import { toIso } from '../lib/clock.ts';
import { fromBase32, ID_BODY, toBase32 } from '../lib/id.ts';
import type { Limit } from '../limits/limit.ts';
import { REASONS, type Reason } from './reason.ts';

/** The rate limit of the rule that allowed, after this check. */
export interface DecisionLimit {
  limit: number;
  /** Admissions left in the period. */
  remaining: number;
  period: Limit['period'];
  /** The first moment at which more will be left. */
  resetAt: string;
  /** Whole seconds until then; only on a denial. */
  retryAfter?: number;
}

/** What would have turned a denial. */
export type Remedy =
  | {
      kind: 'license';
      /** One of these; null: any. */
      licenseType: string[] | null;
      licenseFeatures: string[];
      /** As in the rule's condition; absent: it may end at any time. */
      licenseExpiry?: { after?: string; before?: string };
      /** The rule that asks for it, in the stored list. */
      rule: number;
    }
  | { kind: 'permission'; permissions: string[] }
  | { kind: 'wait'; until: string };

export interface Decision {
  /** null when the decision was not recorded. */
  id: string | null;
  object: 'access_decision';
  allowed: boolean;
  action: 'allow' | 'deny';
  reason: Reason | null;
  message: string;
  permissions: readonly string[];
  contentId: string;
  externalId: string;
  /** null for an anonymous check. */
  requesterId: string | null;
  policyId: string;
  policyVersion: number;
  /** null when the default action decided, or no rule was asked. */
  matchedRule: { index: number; priority: number } | null;
  licenseId: string | null;
  rateLimit: DecisionLimit | null;
  recorded: boolean;
  created: string;
  /** Seconds for which the asker may use it again; absent: not at all. */
  maxAge?: number;
  /** Only when asked for. */
  explanation?: unknown;
  remedies?: Remedy[];
}

/** What a limit answered to the claim of an allowed check. */
export interface Granted {
  admitted: boolean;
  remaining: number;
  resetAt: number;
}

/** A decision before its place in the ledger and its limit's answer are known. */
export interface Draft {
  decision: Decision;
  /** Of the rule that allowed. */
  limit: Limit | null;
  /** The deciding rule's own message. */
  message: string | null;
}

/** The decision as answered: with its place, and denied with `rate_limit_exceeded` when its limit refused. */
export function settle(draft: Draft, place: { id: string | null; at: number; granted: Granted | null }): Decision {
  const { decision, limit, message } = draft;
  decision.id = place.id;
  decision.created = toIso(place.at);
  if (limit === null || place.granted === null) return decision;
  const { admitted, remaining, resetAt } = place.granted;
  decision.rateLimit = { limit: limit.requests, remaining, period: limit.period, resetAt: toIso(resetAt) };
  if (admitted) return decision;
  decision.allowed = false;
  decision.action = 'deny';
  decision.reason = 'rate_limit_exceeded';
  decision.message = message ?? REASONS.rate_limit_exceeded.message;
  decision.permissions = [];
  if (decision.remedies !== undefined) decision.remedies = [{ kind: 'wait', until: toIso(resetAt) }];
  decision.rateLimit.retryAfter = retryAfter(resetAt, place.at);
  return decision;
}

/** Whole seconds to wait: who waits them is let in. */
export const retryAfter = (resetAt: number, at: number): number => Math.max(1, Math.ceil((resetAt - at) / 1000));

const PREFIX = 'dec_';
const ID = new RegExp(`^${PREFIX}${ID_BODY}$`);

/**
 * A decision's id is its place in the ledger: time (10 characters), the ledger's own number (6), sequence (10). It costs
 * no bytes in the store, sorts by time, and two installations never make the same one.
 */
export function decisionId(ledgerNo: number, at: number, seq: number): string {
  if (at !== latestAt || ledgerNo !== latestLedger) {
    latestAt = at;
    latestLedger = ledgerNo;
    latestHead = PREFIX + toBase32(at, 10) + toBase32(ledgerNo, 6);
  }
  const high = Math.floor(seq / 1024);
  if (high !== latestHigh) {
    latestHigh = high;
    latestHighText = toBase32(high, 8);
  }
  return latestHead + latestHighText + LOW[seq % 1024];
}
const LOW = Array.from({ length: 1024 }, (_, low) => toBase32(low, 2));
// Thousands of ids share a millisecond: their common head is spelt once.
let latestAt = -1;
let latestLedger = -1;
let latestHead = '';
let latestHigh = -1;
let latestHighText = '';

/** The place an id names, or undefined when it is not of the form. */
export function placeOf(id: string): { at: number; ledgerNo: number; seq: number } | undefined {
  if (!ID.test(id)) return undefined;
  const at = fromBase32(id.slice(4, 14));
  const ledgerNo = fromBase32(id.slice(14, 20));
  const seq = fromBase32(id.slice(20));
  return at === undefined || ledgerNo === undefined || seq === undefined ? undefined : { at, ledgerNo, seq };
}
