/** A decision, in one shape for the answer, the record and the list. */
import { toIso } from '../../lib/clock.ts';
import { fromBase32, ID_BODY, toBase32 } from '../../lib/id.ts';
import type { Offered } from '../../requesters/offers/offer.ts';
import type { VerifiedKind } from '../../rules/facts.ts';
import type { Limit } from '../../rules/limit.ts';
import { REASONS, type Reason } from '../../rules/reason.ts';
import type { QuotaState } from '../../rules/terms/quota.ts';
import type { QuotaPeriod } from '../../rules/terms/terms.ts';
import type { QuotaGrant } from './quota/quota.ts';

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

/** The quota of the license that decided, after this check. */
export interface DecisionQuota {
  units: number;
  used: number;
  remaining: number;
  period: QuotaPeriod;
  /** When units are available again; null: never. */
  resetAt: string | null;
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
      /** Offers of such licenses; absent: none. */
      offers?: Offered[];
    }
  | { kind: 'permission'; permissions: string[] }
  /** Proving its name in any one of these ways. */
  | { kind: 'verification'; verified: VerifiedKind[] }
  | { kind: 'wait'; until: string }
  /** The license includes no more units. */
  | { kind: 'amend'; licenseId: string };

/** A remedy that follows from the rules. */
export type RuleRemedy = Exclude<Remedy, { kind: 'amend' }>;

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
  quota: DecisionQuota | null;
  /** false: the collection only observes, so let the request pass. `allowed` is what the policy says. */
  enforced: boolean;
  recorded: boolean;
  created: string;
  /** Only of a test key's check: it is recorded and counted apart. */
  mode?: 'test';
  /** Seconds for which the caller may use it again; absent: not at all. */
  maxAge?: number;
  /** Only for checks with `explain`. */
  explanation?: unknown;
  remedies?: Remedy[];
  /** Only for checks with `page`. */
  signals?: PageSignals;
}

/** Headers for the answer to the visitor of a page, and the page about licenses. */
export interface PageSignals {
  /** For the answer to an allowed or observed request. */
  headers: Readonly<Record<string, string>>;
  denialHeaders: Readonly<Record<string, string>>;
  /** A file for crawlers, which is never refused. */
  free?: boolean;
  licensingUrl: string | null;
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

/** The answers to the claims of a decision, and its place in the ledger. */
export interface Settling {
  id: string | null;
  at: number;
  granted: Granted | null;
  quota?: QuotaGrant;
}

/** Completes a decision with its id and time; denies it when its limit or its quota refused. */
export function settle(draft: Draft, settling: Settling): Decision {
  const { decision, limit } = draft;
  const { id, at, granted, quota } = settling;
  const created = toIso(at);
  if (granted === null && quota === undefined) return { ...decision, id, created };
  const rateLimit = limit === null || granted === null ? null : toRateLimit(limit, granted);
  if (rateLimit !== null && granted?.admitted === false) return denyByLimit(draft, settling, rateLimit);
  if (quota === undefined) return { ...decision, id, rateLimit, created };
  return quota.refused
    ? denyByQuota(draft, settling, quota)
    : {
        ...decision,
        id,
        licenseId: quota.licenseId,
        rateLimit,
        quota: quota.quota && toDecisionQuota(quota.quota),
        created,
      };
}

function denyByLimit(draft: Draft, settling: Settling, rateLimit: DecisionLimit): Decision {
  const { resetAt } = rateLimit;
  const seconds = retryAfter(Date.parse(resetAt), settling.at);
  const denied = deny(draft, settling, 'rate_limit_exceeded', [{ kind: 'wait', until: resetAt }]);
  return { ...denied, rateLimit: { ...rateLimit, retryAfter: seconds } };
}

function denyByQuota(draft: Draft, settling: Settling, { licenseId, quota, renewsAt }: QuotaGrant): Decision {
  const state = quota && toDecisionQuota(quota);
  const wait: Remedy[] = renewsAt === null ? [] : [{ kind: 'wait', until: toIso(renewsAt) }];
  const denied = deny(draft, settling, 'quota_exceeded', [...wait, { kind: 'amend', licenseId: licenseId ?? '' }]);
  return { ...denied, licenseId, quota: state };
}

export const toDecisionQuota = ({ resetAt, ...rest }: QuotaState): DecisionQuota => ({
  ...rest,
  resetAt: resetAt === null ? null : toIso(resetAt),
});

const toRateLimit = (limit: Limit, { remaining, resetAt }: Granted): DecisionLimit => ({
  limit: limit.requests,
  remaining,
  period: limit.period,
  resetAt: toIso(resetAt),
});

const deny = (
  { decision, message }: Draft,
  { id, at }: Settling,
  reason: 'rate_limit_exceeded' | 'quota_exceeded',
  remedies: Remedy[],
): Decision => ({
  ...decision,
  id,
  allowed: false,
  action: 'deny',
  reason,
  message: message ?? REASONS[reason].message,
  permissions: [],
  created: toIso(at),
  ...(decision.remedies === undefined ? {} : { remedies }),
});

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
  // Not `+`, whose result is in pieces: JSON.stringify then takes twice as long for the whole decision.
  return [latestHead, latestHighText, LOW[seq % 1024]].join('');
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
