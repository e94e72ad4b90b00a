/**
 * The usage report as answered. Promise: its parts are of one snapshot and add up: the buckets to the summary, the
 * reasons to the denials. Numbers come from the columns, titles from the records.
 */

import { fail } from '../../api/errors.ts';
import { findCollectionNames } from '../../content/collections/store.ts';
import type { Db } from '../../db/db.ts';
import { inList, toList } from '../../db/query.ts';
import type { BreakdownGroup, Counted } from '../../decisions/history/columns/breakdown.ts';
import type { Columns, ColumnsReport } from '../../decisions/history/columns/columns.ts';
import type { ReportQuery, Totals } from '../../decisions/history/columns/counts.ts';
import { type Dimension, isDimension } from '../../decisions/history/columns/dimensions.ts';
import { toVerified } from '../../decisions/ledger/codes.ts';
import { toGroundsFilter } from '../../decisions/log/grounds.ts';
import { toPageFilter } from '../../decisions/log/page-filter.ts';
import { findRule } from '../../decisions/log/rule-filter.ts';
import { toIso } from '../../lib/clock.ts';
import { findPolicyIds } from '../../policies/store.ts';
import { decodeReason, reasonCode } from '../../rules/reason.ts';
import {
  type PeriodQuery,
  precedingSpan,
  type ResolvedPeriod,
  reachesBack,
  resolvePeriod,
  type Span,
} from './period.ts';
import { LIMIT_DEFAULT, type UsageQuery, type UsageReport } from './schema.ts';

export interface ReportDeps {
  db: Db;
  columns: Columns;
  /** The ledger's clock, never earlier than a recorded decision, so that "until now" includes all of them. */
  now: () => number;
  /** Returns the names of registered requesters by id; others are named by their id. */
  requesterNames?: (ids: readonly string[]) => Promise<Texts>;
}

type Texts = ReadonlyMap<string, string>;

/**
 * Throws `invalid_request` for an impossible period, Unavailable when the columns cannot answer. `isFile`: all groups,
 * unless the query has a limit of its own.
 */
export async function usageReport(deps: ReportDeps, query: UsageQuery, isFile = false): Promise<UsageReport> {
  const groupBy = isDimension(query.groupBy) ? query.groupBy : undefined;
  const spans = await readSpans(deps, { ...query, groupBy: isDimension(query.groupBy) ? undefined : query.groupBy });
  const asked = await toColumnsQuery(deps.db, query, spans.period);
  if (asked === undefined)
    return toReport(spans, groupBy === undefined ? NOTHING : { ...NOTHING, groups: [] }, NO_NAMES);
  const trends = query.expand === 'trends';
  // By whether it was enforced: both, unless the query is for one of them.
  const groupsOfBoth = groupBy === 'enforced' && query.enforced === undefined;
  const previous = spans.previous ?? undefined;
  const groupsMax = isFile && query.limit === undefined ? FILE_GROUPS_MAX + 1 : undefined;
  const counted = await deps.columns.report({ ...asked, trends, previous, groupBy, groupsOfBoth, groupsMax });
  requireFewGroups(counted);
  return toReport(spans, counted, await readNames(deps, counted, groupBy));
}

/** A file is made at once, and must not be cut without saying so. */
const FILE_GROUPS_MAX = 10_000;

/** Throws invalid_request. */
function requireFewGroups({ groups = [] }: ColumnsReport): void {
  if (groups.length <= FILE_GROUPS_MAX) return;
  const message =
    'The file would have more than 10,000 groups: choose a shorter period or a filter, or set `limit` for the first ones.';
  throw fail('invalid_request', message, { param: 'groupBy' });
}

/** Returns undefined for an item or a policy that never existed. Throws invalid_request. */
export async function toColumnsQuery(
  db: Db,
  query: Omit<UsageQuery, 'groupBy'>,
  period: ResolvedPeriod,
): Promise<ReportQuery | undefined> {
  const numbers = await toNumbers(db, query);
  return (
    numbers && {
      ...numbers,
      requesterId: query.requesterId,
      type: query.type,
      ...toGroundsFilter(query),
      ...(await toPageFilter(db, query)),
      spoofed: query.spoofed,
      enforced: query.enforced ?? true,
      reason: query.reason === undefined ? undefined : reasonCode(query.reason),
      from: period.from,
      to: period.to,
      starts: period.buckets.map((bucket) => bucket.start),
      limit: query.limit ?? LIMIT_DEFAULT,
    }
  );
}

async function toNumbers(db: Db, { contentId, rule }: Pick<UsageQuery, 'contentId' | 'rule'>) {
  const contentNo = contentId === undefined ? undefined : await findContentNo(db, contentId);
  const filter = rule === undefined ? undefined : await findRule(db, rule);
  const isUnknown =
    (contentId !== undefined && contentNo === undefined) || (rule !== undefined && filter === undefined);
  return isUnknown ? undefined : { contentNo, rule: filter };
}

/** Names of what is counted, from the records. */
interface Names {
  titles: Texts;
  requesters: Texts;
  collections: Texts;
  /** The ids of policies by their numbers. */
  policies: ReadonlyMap<number, string>;
  groupBy?: Dimension | undefined;
}

async function readNames(
  { db, requesterNames }: ReportDeps,
  { topContent, topRequesters, byCollection, groups = [] }: ColumnsReport,
  groupBy: Dimension | undefined,
): Promise<Names> {
  const inGroups = groupBy === 'collection' ? groups : [];
  const collectionIds = [...byCollection, ...inGroups].flatMap(({ id }) => id ?? []);
  const [titles, requesters, collections, policies] = await Promise.all([
    readTitles(
      db,
      topContent.map(({ no }) => no),
    ),
    requesterNames?.(topRequesters.map(({ id }) => id)) ?? new Map(),
    findCollectionNames(db, [...new Set(collectionIds)]),
    findPolicyIds(db, [...new Set(groups.flatMap(({ rule }) => rule?.policyNo ?? []))]),
  ]);
  return { titles, requesters, collections, policies, groupBy };
}

interface Spans {
  period: ResolvedPeriod;
  /** null: nothing precedes the period. undefined: not asked for. */
  previous: Span | null | undefined;
}

type SpanQuery = PeriodQuery & Pick<UsageQuery, 'expand' | 'limit' | 'compare'>;

async function readSpans(deps: ReportDeps, query: SpanQuery): Promise<Spans> {
  const period = await readPeriod(deps, query);
  if (query.expand === 'trends' && (query.limit ?? LIMIT_DEFAULT) * period.buckets.length > TRENDS_MAX) {
    const message = 'The trends would have more than 100,000 numbers: choose a smaller `limit` or a coarser `groupBy`.';
    throw fail('invalid_request', message, { param: 'expand' });
  }
  if (query.compare === undefined) return { period, previous: undefined };
  return { period, previous: reachesBack(query) ? null : precedingSpan(period) };
}

export async function readPeriod({ columns, now }: ReportDeps, query: PeriodQuery): Promise<ResolvedPeriod> {
  if (!reachesBack(query)) return resolvePeriod(query, { now: now() });
  const bounds = await columns.bounds();
  return resolvePeriod(query, { now: now(), first: bounds?.first, last: bounds?.last });
}

/** The numbers of all trends together. */
const TRENDS_MAX = 100_000;

const NONE: Totals = {
  requests: 0,
  allowed: 0,
  uniqueRequesters: 0,
  uniqueContent: 0,
  uniquePages: 0,
  observed: { requests: 0, allowed: 0 },
};
const NOTHING: ColumnsReport = {
  ...NONE,
  series: { requests: [], allowed: [] },
  reasons: [],
  topContent: [],
  topPages: [],
  topRequesters: [],
  byCrawler: [],
  byCollection: [],
};
const NO_NAMES: Names = { titles: new Map(), requesters: new Map(), collections: new Map(), policies: new Map() };

/** Omits content without a title, which was deleted meanwhile. Pure. */
function toReport({ period, previous }: Spans, counted: ColumnsReport, names: Names): UsageReport {
  const { series, reasons, byCrawler, byCollection, groups } = counted;
  return {
    object: 'usage_report',
    summary: toSummary(counted),
    ...(previous === undefined ? {} : { previous: previous && toPrevious(previous, counted.previous ?? NONE) }),
    timeSeries: period.buckets.map(({ date }, i) => {
      const inBucket = { requests: series.requests[i] ?? 0, allowed: series.allowed[i] ?? 0 };
      return { date, ...inBucket, denied: inBucket.requests - inBucket.allowed };
    }),
    topContent: counted.topContent.flatMap(({ no: _, id, ...counts }) => {
      const title = names.titles.get(id);
      return title === undefined ? [] : [{ id, title, ...counts }];
    }),
    topPages: counted.topPages.map(({ id: page, ...counts }) => ({ page, ...counts })),
    topRequesters: counted.topRequesters.map(({ id, ...counts }) => ({
      id,
      name: names.requesters.get(id) ?? id,
      ...counts,
    })),
    byDenialReason: reasons
      .flatMap(({ reason: code, count }) => {
        const reason = decodeReason(code);
        return reason === null ? [] : [{ reason, count }];
      })
      .toSorted((a, b) => b.count - a.count || (a.reason < b.reason ? -1 : 1)),
    byCrawler: byCrawler.map(({ id, verified, spoofed, ...counts }) => {
      return { crawler: id as string, ...toOutcomes(counts), verified, spoofed };
    }),
    byCollection: byCollection.map(({ id, ...counts }) => {
      return { collectionId: id as string, name: names.collections.get(id as string) ?? null, ...toOutcomes(counts) };
    }),
    ...(groups === undefined ? {} : { groups: groups.map((group) => toGroup(group, names)) }),
    period: toPeriod(period),
  };
}

export const toPeriod = ({ from, to, groupBy, timezone }: ResolvedPeriod): UsageReport['period'] => ({
  startDate: toIso(from),
  endDate: toIso(to),
  groupBy,
  timezone,
});

const toOutcomes = ({ requests, allowed }: Pick<Counted, 'requests' | 'allowed'>) => ({
  requests,
  allowed,
  denied: requests - allowed,
});

function toGroup({ id, rule, ...counts }: BreakdownGroup, names: Names): NonNullable<UsageReport['groups']>[number] {
  const outcomes = toOutcomes(counts);
  if (rule !== undefined) {
    const { policyNo, version, index } = rule;
    return { id: names.policies.get(policyNo) ?? null, policyVersion: version, ruleIndex: index, ...outcomes };
  }
  if (names.groupBy === 'collection') return { id, name: names.collections.get(id ?? '') ?? null, ...outcomes };
  if (names.groupBy === 'verified') return { id: toVerified(Number(id)), ...outcomes };
  if (names.groupBy === 'enforced') return { id: String(id === '1'), ...outcomes };
  return { id, ...outcomes };
}

const toSummary = ({
  requests,
  allowed,
  uniqueRequesters,
  uniqueContent,
  uniquePages,
  observed,
}: Totals): UsageReport['summary'] => ({
  totalRequests: requests,
  allowed,
  denied: requests - allowed,
  uniqueRequesters,
  uniqueContent,
  uniquePages,
  observed: {
    requests: observed.requests,
    wouldAllow: observed.allowed,
    wouldDeny: observed.requests - observed.allowed,
  },
});

const toPrevious = ({ from, to }: Span, counted: Totals): NonNullable<UsageReport['previous']> => ({
  startDate: toIso(from),
  endDate: toIso(to),
  summary: toSummary(counted),
});

export async function findContentNo(db: Db, idOrExternalId: string): Promise<number | undefined> {
  // Two index lookups; `or` may become a scan. No externalId looks like an id.
  const [row] = await db.read<{ no: number }>(
    'select no from content where id = $1 union all select no from content where external_id = $1',
    [idOrExternalId],
  );
  return row?.no;
}

export async function readTitles(db: Db, nos: readonly number[]): Promise<Map<string, string>> {
  if (nos.length === 0) return new Map();
  const rows = await db.read<{ id: string; title: string }>(
    `select id, title from content where ${inList(db.engine, 'no', 'bigint')}`,
    [toList(nos)],
  );
  return new Map(rows.map((row) => [row.id, row.title]));
}
