/**
 * The decision log: which decisions is asked of the columns, what they say is read from the truth. A decision of content
 * that was deleted is in no answer.
 */
import type { Db, Row } from '../db/db.ts';
import { toIso } from '../lib/clock.ts';
import type { Period } from '../limits/limit.ts';
import { type Decision, decisionId, placeOf, retryAfter } from './decision.ts';
import { ALLOWED_MESSAGE, REASONS, reasonOf } from './reason.ts';

/** Filters; numbers are the store's own. */
export interface DecisionFilter {
  contentNo?: number;
  requesterId?: string;
  policyNo?: number;
  allowed?: boolean;
  /** Code of a reason. */
  reason?: number;
  /** Epoch ms, inclusive. */
  from?: number;
  /** Epoch ms, exclusive. */
  to?: number;
}

/** Finds decisions, newest first. Exact: counts everything recorded before it was asked. */
export interface DecisionFinder {
  find(
    filter: DecisionFilter,
    page: { before: number | null; limit: number },
  ): Promise<{ seqs: number[]; totalCount: number }>;
}

/** A decision with what it was made on. */
export interface LoggedDecision extends Decision {
  permission: string | null;
  purpose: string | null;
  context: Record<string, string> | null;
  license: Record<string, unknown> | null;
}

interface DecisionRow extends Row {
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
  content_id: string;
  external_id: string;
  policy_id: string;
  rules: string;
}

const SELECT = `select d.seq, d.at, d.requester_id, d.policy_version, d.reason, d.rule_index, d.rule_priority, d.license_id,
  d.limit_remaining, d.limit_reset_at, d.inputs, c.id as content_id, c.external_id, v.policy_id, v.rules
  from decisions as d join content as c on c.no = d.content_no
  join policy_versions as v on v.policy_no = d.policy_no and v.version = d.policy_version`;

export async function findDecision(db: Db, ledgerNo: number, id: string): Promise<LoggedDecision | undefined> {
  const place = placeOf(id);
  if (place === undefined || place.ledgerNo !== ledgerNo) return undefined;
  const [row] = await db.read<DecisionRow>(`${SELECT} where d.seq = $1 and d.at = $2`, [place.seq, place.at]);
  return row && toDecision(row, ledgerNo);
}

/** Those there are, in the order asked for. */
export async function readDecisions(db: Db, ledgerNo: number, seqs: readonly number[]): Promise<LoggedDecision[]> {
  const bySeq = new Map<number, LoggedDecision>();
  for (let i = 0; i < seqs.length; i += SEQS_AT_ONCE) {
    const some = seqs.slice(i, i + SEQS_AT_ONCE);
    const padded = Array.from({ length: SEQS_AT_ONCE }, (_, n) => some[n] ?? (some[0] as number));
    const places = padded.map((_, n) => `$${n + 1}`).join(', ');
    const rows = await db.read<DecisionRow>(`${SELECT} where d.seq in (${places})`, padded);
    for (const row of rows) bySeq.set(row.seq, toDecision(row, ledgerNo));
  }
  return seqs.flatMap((seq) => bySeq.get(seq) ?? []);
}

/** Those there are, by id. */
export async function findDecisions(
  db: Db,
  ledgerNo: number,
  ids: readonly string[],
): Promise<Map<string, LoggedDecision>> {
  const seqs = ids.flatMap((id) => placeOf(id)?.seq ?? []);
  const found = seqs.length === 0 ? [] : await readDecisions(db, ledgerNo, seqs);
  return new Map(found.map((decision) => [decision.id as string, decision]));
}

/** The place up to which decisions are in files and no longer in the records; 0 when none is. */
export async function archivedTo(db: Db): Promise<number> {
  const [row] = await db.read<{ to: number }>('select coalesce(max(to_seq), 0) as "to" from archives');
  return row?.to ?? 0;
}

const SEQS_AT_ONCE = 200;

interface StoredRule {
  permissions?: string[];
  message?: string;
  rateLimit?: { requests: number; period: Period };
}

/** As it was answered: what the rule said is read from the version that decided. */
function toDecision(row: DecisionRow, ledgerNo: number): LoggedDecision {
  const reason = reasonOf(row.reason);
  const rule = row.rule_index === null ? undefined : (JSON.parse(row.rules) as StoredRule[])[row.rule_index];
  const inputs = row.inputs === null ? {} : (JSON.parse(row.inputs) as Partial<LoggedDecision>);
  const limit = rule?.rateLimit;
  const decision: LoggedDecision = {
    id: decisionId(ledgerNo, row.at, row.seq),
    object: 'access_decision',
    allowed: reason === null,
    action: reason === null ? 'allow' : 'deny',
    reason,
    message: rule?.message ?? (reason === null ? ALLOWED_MESSAGE : REASONS[reason].message),
    permissions: reason === null ? (rule?.permissions ?? ['full_access']) : [],
    contentId: row.content_id,
    externalId: row.external_id,
    requesterId: row.requester_id,
    policyId: row.policy_id,
    policyVersion: row.policy_version,
    matchedRule:
      row.rule_index === null || row.rule_priority === null
        ? null
        : { index: row.rule_index, priority: row.rule_priority },
    licenseId: row.license_id,
    rateLimit: null,
    recorded: true,
    created: toIso(row.at),
    permission: inputs.permission ?? null,
    purpose: inputs.purpose ?? null,
    context: inputs.context ?? null,
    license: inputs.license ?? null,
  };
  if (limit !== undefined && row.limit_remaining !== null && row.limit_reset_at !== null) {
    decision.rateLimit = {
      limit: limit.requests,
      remaining: row.limit_remaining,
      period: limit.period,
      resetAt: toIso(row.limit_reset_at),
      ...(reason === 'rate_limit_exceeded' ? { retryAfter: retryAfter(row.limit_reset_at, row.at) } : {}),
    };
  }
  return decision;
}
