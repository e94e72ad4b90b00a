/**
 * The decision log. The columns find decisions; the database, the source of truth, says what is in them. A decision
 * about deleted content is in no answer.
 */
import { DELETED_ITEM } from '../../content/store.ts';
import type { Db, Row } from '../../db/db.ts';
import { inList, toList } from '../../db/query.ts';
import { toIso } from '../../lib/clock.ts';
import type { Looseness } from '../../lib/urls/spellings.ts';
import type { LimitPeriod } from '../../rules/limit.ts';
import { DEFAULT_GRANT } from '../../rules/policy.ts';
import { ALLOWED_MESSAGE, decodeReason, REASONS, type Reason } from '../../rules/reason.ts';
import { parseCandidate } from '../ledger/candidate.ts';
import {
  type Decision,
  type DecisionLimit,
  decisionId,
  parseDecisionId,
  retryAfter,
  toDecisionQuota,
} from '../ledger/decision.ts';
import { type Context, type Reducible, type ShownInputs, showInputs } from '../ledger/inputs.ts';
import { parseQuota } from '../ledger/quota/quota.ts';
import { toVerified } from '../ledger/verified.ts';
import type { GroundsFilter } from './grounds.ts';
import type { RuleFilter } from './rule-filter.ts';

/** Filters. `contentNo` and `policyNo` are the store's own numbers. */
export interface DecisionFilter extends GroundsFilter {
  contentNo?: number;
  requesterId?: string;
  policyNo?: number;
  allowed?: boolean;
  /** Code of a reason. */
  reason?: number;
  /** A prefix of host and path. */
  url?: string;
  rule?: RuleFilter;
  spoofed?: boolean;
  /** Requests of crawlers of the directory. */
  ofCrawlers?: boolean;
  /** Epoch ms, inclusive. */
  from?: number;
  /** Epoch ms, exclusive. */
  to?: number;
}

/** Finds decisions, newest first. Exact: includes everything recorded before the call. */
export interface DecisionFinder {
  find(
    filter: DecisionFilter,
    page: { before: number | null; limit: number },
  ): Promise<{ seqs: number[]; totalCount: number }>;
}

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

/** A decision as it is stored, with what it refers to. */
export interface StoredDecision extends Row {
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
  content_no: number;
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
  external_id: string | null;
  policy_id: string;
  rules: string;
}

interface AnyDecisionRow extends StoredDecision {
  deleted: string | null;
}

const COLUMNS = `d.seq, d.at, d.requester_id, d.policy_version, d.reason, d.rule_index, d.rule_priority, d.license_id,
  d.limit_remaining, d.limit_reset_at, d.inputs, d.content_no, d.url, d.file, d.collection_id, d.crawler, d.verified,
  d.claimed, d.permission, d.purpose, d.enforced, d.candidate, d.quota, c.id as content_id, c.external_id, v.policy_id, v.rules`;
const VERSION = 'join policy_versions as v on v.policy_no = d.policy_no and v.version = d.policy_version';
const SELECT = `select ${COLUMNS} from decisions as d left join content as c on c.no = d.content_no ${VERSION}
  where (d.content_no = 0 or c.no is not null) and`;
/** Includes decisions about deleted items that the ledger still has; `deleted` holds the item's ids. */
const SELECT_ALL = `select ${COLUMNS}, x.object as deleted from decisions as d left join content as c on c.no = d.content_no
  left join change_data as x on x.id = '${DELETED_ITEM}' || d.content_no ${VERSION} where`;

/** A decision to find; with a requester, only if it is about that one. */
export interface DecisionRef {
  id: string;
  requesterId?: string | undefined;
}

/** A decision about another requester takes as long as one that never existed. */
export async function findDecision(
  { db, ledgerNo }: { db: Db; ledgerNo: number },
  { id, requesterId }: DecisionRef,
): Promise<LoggedDecision | undefined> {
  const parsed = parseDecisionId(id);
  if (parsed === undefined || parsed.ledgerNo !== ledgerNo) return undefined;
  const [row] = await db.read<StoredDecision>(
    `${SELECT} d.seq = $1 and d.at = $2${requesterId === undefined ? '' : ' and d.requester_id = $3'}`,
    [parsed.seq, parsed.at, ...(requesterId === undefined ? [] : [requesterId])],
  );
  return row && toLogged(row, ledgerNo);
}

/** Returns the decisions that exist, in the order of `seqs`. */
export async function readDecisions(db: Db, ledgerNo: number, seqs: readonly number[]): Promise<LoggedDecision[]> {
  const bySeq = new Map<number, LoggedDecision>();
  for (const row of await readRows<StoredDecision>(db, SELECT, seqs)) bySeq.set(row.seq, toLogged(row, ledgerNo));
  return seqs.flatMap((seq) => bySeq.get(seq) ?? []);
}

async function readRows<R extends Row>(db: Db, select: string, seqs: readonly number[]): Promise<R[]> {
  const all: R[] = [];
  for (let i = 0; i < seqs.length; i += SEQS_AT_ONCE) {
    const sql = `${select} ${inList(db.engine, 'd.seq', 'bigint')}`;
    all.push(...(await db.read<R>(sql, [toList(seqs.slice(i, i + SEQS_AT_ONCE))])));
  }
  return all;
}

/**
 * Returns the decisions that exist, by id, for events: also those about deleted items, until the sweep has kept the
 * events' bodies. No other answer may show these.
 */
export async function findDecisions(
  db: Db,
  ledgerNo: number,
  ids: readonly string[],
): Promise<Map<string, LoggedDecision>> {
  const seqs = ids.flatMap((id) => parseDecisionId(id)?.seq ?? []);
  const rows = await readRows<AnyDecisionRow>(db, SELECT_ALL, seqs);
  const found = rows.flatMap((row) => withItem(row) ?? []).map((row) => toLogged(row, ledgerNo));
  return new Map(found.map((decision) => [decision.id as string, decision]));
}

/** Returns undefined when nothing is known of the item any more. */
function withItem({ deleted, ...row }: AnyDecisionRow): StoredDecision | undefined {
  if (row.content_id !== null || row.content_no === 0) return row;
  if (deleted === null) return undefined;
  const { id, externalId } = JSON.parse(deleted) as { id: string; externalId: string };
  return { ...row, content_id: id, external_id: externalId };
}

/** Returns the number up to which decisions are in files and no longer in the database; 0 when none is. */
export async function archivedTo(db: Db): Promise<number> {
  const [row] = await db.read<{ to: number }>('select coalesce(max(to_seq), 0) as "to" from archives');
  return row?.to ?? 0;
}

const SEQS_AT_ONCE = 200;

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
