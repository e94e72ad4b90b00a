/**
 * The decisions about a partner, without what belongs to others: the publisher's rules, states of limits that several
 * requesters share, and the visitor of a request that was not verified.
 */
import type { Static } from 'typebox';
import { fail } from '../../api/errors.ts';
import type { Mode } from '../../api/permissions.ts';
import { findContent, findContents } from '../../content/store.ts';
import type { Db } from '../../db/db.ts';
import { cutPage, PAGE_DEFAULT, type Page } from '../../db/page.ts';
import type { DecisionFilter } from '../../decisions/history/filter.ts';
import { type DecisionLog, findDecision, readDecisions } from '../../decisions/history/find.ts';
import type { LoggedDecision } from '../../decisions/history/logged.ts';
import { asTest } from '../../decisions/history/test-log.ts';
import { type Decision, parseDecisionId } from '../../decisions/ledger/decision.ts';
import type { PublicIds } from '../../decisions/ledger/public-ids.ts';
import { toGroundsFilter, toUrlPrefix } from '../../decisions/log/grounds.ts';
import { findPolicyNo, findVersion } from '../../policies/store.ts';
import { reasonCode } from '../../rules/reason.ts';
import type { Cursors } from './cursor.ts';
import type { ListOwnDecisionsQuery, PartnerDecision } from './schema.ts';

export interface DecisionDeps extends DecisionLog {
  ids: PublicIds;
  cursors: Cursors;
  tests: DecisionLog;
}

export type DecisionView = Static<typeof PartnerDecision>;

/** Epoch ms: `from` inclusive, `to` exclusive. */
type Span = Pick<DecisionFilter, 'from' | 'to'>;

/** Throws invalid_cursor. */
export async function listOwnDecisions(
  deps: DecisionDeps,
  requesterId: string,
  query: ListOwnDecisionsQuery,
  span: Span,
): Promise<Page<DecisionView>> {
  const { limit = PAGE_DEFAULT, cursor, mode = 'live' } = query;
  const { db, finder, ledgerNo } = mode === 'test' ? deps.tests : deps;
  const before = cursor === undefined ? null : toSeq(await deps.cursors.open(requesterId, cursor, POSITIONS[mode]));
  const filter = await toFilter(db, requesterId, query, span);
  const found = filter === undefined ? NOTHING : await finder.find(filter, { before, limit: limit + 1 });
  const page = cutPage(found.seqs, limit, found.totalCount, String);
  const last = page.hasMore ? page.data.at(-1) : undefined;
  const nextCursor = last === undefined ? null : await deps.cursors.seal(requesterId, toPosition(mode, last));
  const decisions = await readDecisions(db, ledgerNo, page.data);
  const data = await viewDecisions({ db, ids: deps.ids }, mode === 'test' ? decisions.map(asTest) : decisions);
  return { ...page, data, nextCursor };
}

const NOTHING = { seqs: [], totalCount: 0 };

/** Pads it: the length of a sealed cursor says nothing of the number. */
const toPosition = (mode: Mode, seq: number): string => mode + String(seq).padStart(15, '0');
const toSeq = (position: string): number => Number(position.slice(-15));
/** The numbers of one log say nothing in the other. */
const POSITIONS: Record<Mode, RegExp> = { live: /^live\d{15}$/, test: /^test\d{15}$/ };

/** Returns undefined when the query names an item that is not registered. */
async function toFilter(
  db: Db,
  requesterId: string,
  query: ListOwnDecisionsQuery,
  span: Span,
): Promise<DecisionFilter | undefined> {
  const filter: DecisionFilter = { ...span, ...toGroundsFilter(query), requesterId };
  if (query.url !== undefined) filter.url = toUrlPrefix(query.url);
  if (query.allowed !== undefined) filter.allowed = query.allowed;
  if (query.reason !== undefined) filter.reason = reasonCode(query.reason);
  if (query.contentId === undefined) return filter;
  const content = await findContent(db, query.contentId);
  return content && { ...filter, contentNo: content.no };
}

/** Throws decision_not_found, also for a decision about another requester. */
export async function getOwnDecision(deps: DecisionDeps, requesterId: string, id: string): Promise<DecisionView> {
  const ref = { id: deps.ids.toPlain(id), requesterId };
  const isTest = parseDecisionId(ref.id)?.ledgerNo === deps.tests.ledgerNo;
  const log = isTest ? deps.tests : deps;
  const decision = await findDecision(log, ref);
  if (decision === undefined) throw fail('decision_not_found', `There is no decision ${id.slice(0, 100)}.`);
  const [view] = await viewDecisions({ db: log.db, ids: deps.ids }, [isTest ? asTest(decision) : decision]);
  return view as DecisionView;
}

async function viewDecisions(
  { db, ids }: Pick<DecisionDeps, 'db' | 'ids'>,
  decisions: readonly LoggedDecision[],
): Promise<DecisionView[]> {
  const [contents, scopes] = await Promise.all([
    findContents(
      db,
      decisions.flatMap(({ allowed, contentId }) => (allowed && contentId !== null ? [contentId] : [])),
    ),
    openScopes(db).ofAll(decisions),
  ]);
  const publicIds = ids.toPublicAll(decisions.map(({ id }) => id as string));
  return decisions.map((decision, i) => ({
    ...viewDecision(decision, scopes),
    id: publicIds[i] as string,
    ...(decision.file === undefined ? {} : { file: decision.file }),
    source: contents.get(decision.contentId ?? '')?.source ?? null,
    permission: decision.permission,
    purpose: decision.purpose,
    context: decision.verified === null ? null : decision.context,
    license: decision.license as DecisionView['license'],
  }));
}

/** The parts of a decision that its requester may see. `shared`: decisions under a limit that others share. */
export const viewDecision = (decision: Decision, shared: ReadonlySet<Decision>) => ({
  object: decision.object,
  allowed: decision.allowed,
  action: decision.action,
  reason: decision.reason,
  message: decision.message,
  permissions: [...decision.permissions],
  contentId: decision.contentId,
  externalId: decision.externalId,
  url: decision.url,
  collectionId: decision.collectionId,
  crawler: decision.crawler,
  verified: decision.verified,
  licenseId: decision.licenseId,
  rateLimit: shared.has(decision) ? null : decision.rateLimit,
  quota: decision.quota,
  enforced: decision.enforced,
  recorded: decision.recorded,
  created: decision.created,
  ...(decision.mode === undefined ? {} : { mode: decision.mode }),
});

interface LimitedRule {
  rateLimit?: { scope?: string };
}

/** Finds the decisions under limits whose state depends on others' requests; reads each policy version once. */
export function openScopes(db: Db) {
  const versions = new Map<string, Promise<readonly LimitedRule[]>>();

  function findRules({ policyId, policyVersion }: Decision) {
    const name = `${policyId} ${policyVersion}`;
    const known = versions.get(name) ?? readRules(db, policyId, policyVersion);
    versions.set(name, known);
    return known;
  }

  return {
    async ofAll(decisions: readonly Decision[]): Promise<Set<Decision>> {
      const shared = new Set<Decision>();
      for (const decision of decisions) {
        const { rateLimit, matchedRule } = decision;
        if (rateLimit === null || matchedRule === null) continue;
        const rule = (await findRules(decision))[matchedRule.index];
        if ((rule?.rateLimit?.scope ?? 'requester') !== 'requester') shared.add(decision);
      }
      return shared;
    },
  };
}

async function readRules(db: Db, policyId: string, version: number): Promise<readonly LimitedRule[]> {
  const no = await findPolicyNo(db, policyId);
  const found = no === undefined ? undefined : await findVersion(db, no, version);
  return found?.rules ?? [];
}

/** The latest decision under each of the partner's own limits, among its newest decisions. */
export async function ownLimits({ db, finder, ledgerNo, ids }: DecisionDeps, requesterId: string) {
  const { seqs } = await finder.find({ requesterId }, { before: null, limit: LATEST });
  const decisions = await readDecisions(db, ledgerNo, seqs);
  const shared = await openScopes(db).ofAll(decisions);
  const latest = new Map<string, LoggedDecision>();
  for (const decision of decisions) {
    if (decision.rateLimit === null || shared.has(decision)) continue;
    const place = `${decision.policyId} ${decision.matchedRule?.index}`;
    if (!latest.has(place)) latest.set(place, decision);
  }
  return [...latest.values()].map(({ id, rateLimit, created }) => ({
    rateLimit,
    decisionId: ids.toPublic(id as string),
    at: created,
  }));
}

const LATEST = 100;
