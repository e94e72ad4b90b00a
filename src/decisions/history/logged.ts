/** Decisions as they were answered, made of what is stored of them. */
import type { Row } from '../../db/db.ts';
import { toIso } from '../../lib/clock.ts';
import type { Looseness } from '../../lib/urls/spellings.ts';
import type { LimitPeriod } from '../../rules/limit.ts';
import { DEFAULT_GRANT } from '../../rules/policy.ts';
import { ALLOWED_MESSAGE, decodeReason, REASONS, type Reason } from '../../rules/reason.ts';
import { parseCandidate, toVerified } from '../ledger/codes.ts';
import { type Decision, type DecisionLimit, decisionId, retryAfter, toDecisionQuota } from '../ledger/decision.ts';
import { type Context, type Reducible, type ShownInputs, showInputs } from '../ledger/inputs.ts';
import { parseQuota } from '../ledger/quota/quota.ts';

/** `within_24h`: a copy of robots.txt that the crawler may have kept for 24 hours (RFC 9309) allowed the access. */
export const ROBOTS_BREAKS = ['broken', 'within_24h'] as const;
export type RobotsBreak = (typeof ROBOTS_BREAKS)[number];

/** Compares accesses with robots.txt as it was then. */
export interface RobotsJudge {
  /** Returns null for an access that broke nothing. */
  judge(decisions: readonly LoggedDecision[]): Promise<(RobotsBreak | null)[]>;
}

/** A decision with the inputs of its check. */
export interface LoggedDecision extends Decision {
  /** The id as partners and visitors see it; only in answers. */
  publicId?: string;
  /** The URL that stands for all spellings of its file; absent where that is `url`, and of an item. */
  file?: string;
  permission: string | null;
  purpose: string | null;
  context: Context | null;
  license: Record<string, unknown> | null;
  /** The differences of paths that the router of the caller ignores, if the check said so. */
  urls?: Looseness;
  /** The inputs that were shortened or removed. */
  reduced?: Reducible[];
  /** The inputs that could not be read. */
  unreadable?: NonNullable<ShownInputs['unreadable']>;
  /** The decision of the policy's candidate, before limits. */
  candidate?: { allowed: boolean; reason: Reason | null; rule: number | null };
  /** Only where the log is filtered by it. */
  robots?: RobotsBreak;
}

/** A decision as it is stored, with the ids of its item and its policy. */
export interface DecisionColumns {
  seq: number;
  at: number;
  requester_id: string | null;
  policy_version: number;
  reason: number;
  rule_index: number | null;
  rule_priority: number | null;
  license_id: string | null;
  limit_remaining: number | null;
  limit_reset_at: number | null;
  inputs: string | null;
  url: string | null;
  file: string | null;
  collection_id: string | null;
  crawler: string | null;
  verified: number | null;
  claimed: string | null;
  permission: string | null;
  purpose: string | null;
  enforced: number;
  candidate: string | null;
  quota: string | null;
  content_id: string | null;
  policy_id: string;
}

/** The same with the rules that decided. */
export interface StoredDecision extends DecisionColumns, Row {
  content_no: number;
  external_id: string | null;
  rules: string;
}

interface StoredRule {
  permissions?: string[];
  message?: string;
  rateLimit?: { requests: number; period: LimitPeriod };
}

/** Makes a decision as it was answered; the rule's part is read from the version that decided. */
export function toLogged(row: StoredDecision, ledgerNo: number): LoggedDecision {
  const reason = decodeReason(row.reason);
  const rule = row.rule_index === null ? undefined : (JSON.parse(row.rules) as StoredRule[])[row.rule_index];
  return {
    id: decisionId(ledgerNo, row.at, row.seq),
    object: 'access_decision',
    allowed: reason === null,
    action: reason === null ? 'allow' : 'deny',
    reason,
    message: rule?.message ?? (reason === null ? ALLOWED_MESSAGE : REASONS[reason].message),
    permissions: reason === null ? (rule?.permissions ?? DEFAULT_GRANT) : [],
    contentId: row.content_id,
    externalId: row.external_id,
    url: row.url,
    collectionId: row.collection_id,
    requesterId: row.requester_id,
    crawler: row.crawler,
    verified: toVerified(row.verified),
    ...toOptional(row),
    policyId: row.policy_id,
    policyVersion: row.policy_version,
    matchedRule: toMatchedRule(row),
    licenseId: row.license_id,
    rateLimit: toRateLimit(row, rule?.rateLimit),
    quota: toQuota(row),
    enforced: row.enforced === 1,
    recorded: true,
    created: toIso(row.at),
    ...parseInputs(row),
  };
}

const toOptional = ({
  file,
  claimed,
  candidate,
}: StoredDecision): Pick<LoggedDecision, 'file' | 'spoofed' | 'claimed' | 'candidate'> => ({
  ...(file === null ? {} : { file }),
  ...(claimed === null ? {} : { spoofed: true, claimed }),
  ...(candidate === null ? {} : { candidate: toCandidate(candidate) }),
});

function toCandidate(text: string): NonNullable<LoggedDecision['candidate']> {
  const { reason, ruleIndex } = parseCandidate(text);
  return { allowed: reason === null, reason, rule: ruleIndex };
}

type Inputs = Pick<
  LoggedDecision,
  'permission' | 'purpose' | 'context' | 'license' | 'urls' | 'reduced' | 'unreadable'
>;

function parseInputs({ permission, purpose, inputs }: StoredDecision): Inputs {
  const own: Inputs = { permission, purpose, context: null, license: null };
  // Older decisions have permission and purpose among the inputs.
  return inputs === null ? own : { ...own, ...showInputs<Inputs>(inputs) };
}

const toQuota = ({ quota }: StoredDecision): LoggedDecision['quota'] =>
  quota === null ? null : toDecisionQuota(parseQuota(quota));

const toMatchedRule = ({
  rule_index: index,
  rule_priority: priority,
}: StoredDecision): LoggedDecision['matchedRule'] => (index === null || priority === null ? null : { index, priority });

function toRateLimit(row: StoredDecision, limit: StoredRule['rateLimit']): DecisionLimit | null {
  const { limit_remaining: remaining, limit_reset_at: resetAt } = row;
  if (limit === undefined || remaining === null || resetAt === null) return null;
  const refused = row.reason === REASONS.rate_limit_exceeded.code;
  return {
    limit: limit.requests,
    remaining,
    period: limit.period,
    resetAt: toIso(resetAt),
    ...(refused ? { retryAfter: retryAfter(resetAt, row.at) } : {}),
  };
}
