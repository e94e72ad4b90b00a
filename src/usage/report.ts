/**
 * The usage report as answered. Promise: its parts are of one snapshot and add up: the buckets to the summary, the
 * reasons to the denials. Numbers come from the columns, titles from the records.
 */
import type { Db } from '../db/db.ts';
import { inList, toList } from '../db/query.ts';
import { reasonCode, reasonOf } from '../ledger/reason.ts';
import { toIso } from '../lib/clock.ts';
import type { Columns, ColumnsReport } from './columns.ts';
import { type PeriodQuery, type ResolvedPeriod, reachesBack, resolvePeriod } from './period.ts';
import { LIMIT_DEFAULT, type UsageQuery, type UsageReport } from './schema.ts';

export interface ReportDeps {
  db: Db;
  columns: Columns;
  /** The ledger's clock, never earlier than a recorded decision, so that "until now" includes all of them. */
  now: () => number;
  /** Returns the names of registered requesters by id; others are named by their id. */
  requesterNames?: (ids: readonly string[]) => Promise<ReadonlyMap<string, string>>;
}

/** Throws `invalid_request` for an impossible period, Unavailable when the columns cannot answer. */
export async function usageReport(deps: ReportDeps, query: UsageQuery): Promise<UsageReport> {
  const period = await readPeriod(deps, query);
  const contentNo = query.contentId === undefined ? undefined : await findContentNo(deps.db, query.contentId);
  if (query.contentId !== undefined && contentNo === undefined) return toReport(period, NOTHING, noNames, noNames);
  const counted = await deps.columns.report({
    contentNo,
    requesterId: query.requesterId,
    type: query.type,
    reason: query.reason === undefined ? undefined : reasonCode(query.reason),
    from: period.from,
    to: period.to,
    starts: period.buckets.map((bucket) => bucket.start),
    limit: query.limit ?? LIMIT_DEFAULT,
  });
  const titles = await readTitles(
    deps.db,
    counted.topContent.map((content) => content.no),
  );
  const names = await deps.requesterNames?.(counted.topRequesters.map((requester) => requester.id));
  return toReport(period, counted, titles, names ?? noNames);
}

async function readPeriod({ columns, now }: ReportDeps, query: PeriodQuery): Promise<ResolvedPeriod> {
  if (!reachesBack(query)) return resolvePeriod(query, { now: now() });
  const bounds = await columns.bounds();
  return resolvePeriod(query, { now: now(), first: bounds?.first, last: bounds?.last });
}

const NOTHING: ColumnsReport = {
  series: { requests: [], allowed: [] },
  reasons: [],
  uniqueRequesters: 0,
  uniqueContent: 0,
  topContent: [],
  topRequesters: [],
};
const noNames: ReadonlyMap<string, string> = new Map();

/** Omits content without a title, which was deleted meanwhile. Pure. */
export function toReport(
  period: ResolvedPeriod,
  counted: ColumnsReport,
  titles: ReadonlyMap<string, string>,
  names: ReadonlyMap<string, string>,
): UsageReport {
  const { series, reasons } = counted;
  const allowed = reasons.find(({ reason }) => reason === 0)?.count ?? 0;
  const total = reasons.reduce((sum, { count }) => sum + count, 0);
  return {
    object: 'usage_report',
    summary: {
      totalRequests: total,
      allowed,
      denied: total - allowed,
      uniqueRequesters: counted.uniqueRequesters,
      uniqueContent: counted.uniqueContent,
    },
    timeSeries: period.buckets.map(({ date }, i) => {
      const inBucket = { requests: series.requests[i] ?? 0, allowed: series.allowed[i] ?? 0 };
      return { date, ...inBucket, denied: inBucket.requests - inBucket.allowed };
    }),
    topContent: counted.topContent.flatMap(({ id, requests }) => {
      const title = titles.get(id);
      return title === undefined ? [] : [{ id, title, requests }];
    }),
    topRequesters: counted.topRequesters.map(({ id, requests }) => ({ id, name: names.get(id) ?? id, requests })),
    byDenialReason: reasons
      .flatMap(({ reason: code, count }) => {
        const reason = reasonOf(code);
        return reason === null ? [] : [{ reason, count }];
      })
      .toSorted((a, b) => b.count - a.count || (a.reason < b.reason ? -1 : 1)),
    period: {
      startDate: toIso(period.from),
      endDate: toIso(period.to),
      groupBy: period.groupBy,
      timezone: period.timezone,
    },
  };
}

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
