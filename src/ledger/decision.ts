/** A decision, in one shape for the answer, the record and the list. */
import { toIso } from '../lib/clock.ts';
import { fromBase32, ID_BODY, toBase32 } from '../lib/id.ts';
import type { Limit } from '../limits/limit.ts';
import type { VerifiedKind } from '../policies/facts.ts';
import { REASONS, type Reason } from './reason.ts';

/** The rate limit of the rule that allowed, after this check. */
export interface DecisionLimit {
  limit: number;
  /** Admissions left in the period. */
  remaining: number;
  period: Limit['period'];
  /** The first time at which more will be left. */
  resetAt: string;
  /** Whole seconds until then; only on a denial. */
  retryAfter?: number;
}

/** A change that would have turned a denial. */
export type Remedy =
  | {
      kind: 'license';
      /** Any one of these types; null: any type. */
      licenseType: string[] | null;
      licenseFeatures: string[];
      /** From the rule's condition; absent: the license may end at any time. */
      licenseExpiry?: { after?: string; before?: string };
      /** The rule that asks for it, in the stored list. */
      rule: number;
    }
  | { kind: 'permission'; permissions: string[] }
  /** Proving its name in any one of these ways. */
  | { kind: 'verification'; verified: VerifiedKind[] }
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
  /** null: no item is registered at the URL. */
  contentId: string | null;
  externalId: string | null;
  /** Host and path that were asked for; the query only if a pattern of the collection names one. */
  url: string | null;
  collectionId: string | null;
  /** null for an anonymous check. */
  requesterId: string | null;
  /** The name of the crawler that the user agent names, verified or not. */
  crawler: string | null;
  verified: VerifiedKind | null;
  /** Only if a claim failed; then `claimed` is the requester or crawler that was claimed. */
  spoofed?: true;
  claimed?: string;
  policyId: string;
  policyVersion: number;
  /** null when the default action decided, or no rule was evaluated. */
  matchedRule: { index: number; priority: number } | null;
  licenseId: string | null;
  rateLimit: DecisionLimit | null;
  /** false: the collection only observes, so let the request pass. `allowed` is what the policy says. */
  enforced: boolean;
  recorded: boolean;
  created: string;
  /** Seconds for which the caller may use it again; absent: not at all. */
  maxAge?: number;
  /** Only for checks with `explain`. */
  explanation?: unknown;
  remedies?: Remedy[];
}

/** A limit's answer to the claim of an allowed check. */
export interface Granted {
  admitted: boolean;
  remaining: number;
  resetAt: number;
}

/**
 * A decision before its number in the ledger and its limit's answer are known. Never changed: flushes may be retried.
 */
export interface Draft {
  readonly decision: Readonly<Decision>;
  /** The limit of the rule that allowed. */
  readonly limit: Limit | null;
  /** The deciding rule's own message. */
  readonly message: string | null;
}

/** Completes a decision with its id and time; denies it with `rate_limit_exceeded` when its limit refused. */
export function settle(
  { decision, limit, message }: Draft,
  { id, at, granted }: { id: string | null; at: number; granted: Granted | null },
): Decision {
  const created = toIso(at);
  if (limit === null || granted === null) return { ...decision, id, created };
  const { admitted, remaining, resetAt } = granted;
  const rateLimit = { limit: limit.requests, remaining, period: limit.period, resetAt: toIso(resetAt) };
  if (admitted) return { ...decision, id, rateLimit, created };
  return {
    ...decision,
    id,
    allowed: false,
    action: 'deny',
    reason: 'rate_limit_exceeded',
    message: message ?? REASONS.rate_limit_exceeded.message,
    permissions: [],
    rateLimit: { ...rateLimit, retryAfter: retryAfter(resetAt, at) },
    created,
    ...(decision.remedies === undefined ? {} : { remedies: [{ kind: 'wait', until: toIso(resetAt) }] }),
  };
}

/** Returns whole seconds to wait, rounded up, so that a caller who waits them is let in. */
export const retryAfter = (resetAt: number, at: number): number => Math.max(1, Math.ceil((resetAt - at) / 1000));

const PREFIX = 'dec_';
const ID = new RegExp(`^${PREFIX}${ID_BODY}$`);

/**
 * Makes a decision's id of its time (10 characters), the ledger's own number (6) and its number in the ledger (10). It
 * takes no bytes in the store, sorts by time, and two installations never make the same one.
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
// Thousands of ids share a millisecond: their common head is spelled once.
let latestAt = -1;
let latestLedger = -1;
let latestHead = '';
let latestHigh = -1;
let latestHighText = '';

/** Returns the parts of a decision's id, or undefined for other texts. */
export function parseDecisionId(id: string): { at: number; ledgerNo: number; seq: number } | undefined {
  if (!ID.test(id)) return undefined;
  const at = fromBase32(id.slice(4, 14));
  const ledgerNo = fromBase32(id.slice(14, 20));
  const seq = fromBase32(id.slice(20));
  return at === undefined || ledgerNo === undefined || seq === undefined ? undefined : { at, ledgerNo, seq };
}
