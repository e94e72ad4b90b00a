/**
 * The usage report as it is answered. Promise: its parts are of one moment and add up: the buckets to the summary, the
 * reasons to the denials. Numbers come from the columns, titles from the records.
 */
import type { Db } from '../db/db.ts';
import { type Reason, reasonCode, reasonOf } from '../ledger/reason.ts';
import { toIso } from '../lib/clock.ts';
import type { Columns, ColumnsReport } from './columns.ts';
import { type Group, type PeriodQuery, type ResolvedPeriod, reachesBack, resolvePeriod } from './period.ts';

export const LIMIT_DEFAULT = 10;

export interface UsageQuery extends PeriodQuery {
  /** An id or an externalId. */
  contentId?: string | undefined;
  requesterId?: string | undefined;
  type?: string | undefined;
  /** Only denials for this reason. */
  reason?: Reason | undefined;
  limit?: number | undefined;
}

export interface UsageReport {
  object: 'usage_report';
  summary: {
    totalRequests: number;
    allowed: number;
    denied: number;
    uniqueRequesters: number;
    uniqueContent: number;
  };
  timeSeries: { date: string; requests: number; allowed: number; denied: number }[];
  topContent: { id: string; title: string; requests: number }[];
  topRequesters: { id: string; name: string; requests: number }[];
  byDenialReason: { reason: Reason; count: number }[];
  period: { startDate: string; endDate: string; groupBy: Group; timezone: string };
}

export interface ReportDeps {
  db: Db;
  columns: Columns;
  /** The ledger's clock: never before the moment of a decision already made, so that "until now" leaves none out. */
  now: () => number;
  /** Names of registered requesters by id; who is missing goes by the id. */
  requesterNames?: (ids: readonly string[]) => Promise<ReadonlyMap<string, string>>;
}

/** Throws `invalid_request` for a period that cannot be, Unavailable when it cannot be counted now. */
export async function usageReport(deps: ReportDeps, query: UsageQuery): Promise<UsageReport> {
  const period = await periodOf(deps, query);
  const contentNo = query.contentId === undefined ? undefined : await contentNoOf(deps.db, query.contentId);
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
  const titles = await titlesOf(
    deps.db,
    counted.topContent.map((content) => content.no),
  );
  const names = await deps.requesterNames?.(counted.topRequesters.map((requester) => requester.id));
  return toReport(period, counted, titles, names ?? noNames);
}

async function periodOf({ columns, now }: ReportDeps, query: PeriodQuery): Promise<ResolvedPeriod> {
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

/** Pure. Content without a title was deleted while the report was made, and is left out of the list. */
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
      .sort((a, b) => b.count - a.count || (a.reason < b.reason ? -1 : 1)),
    period: {
      startDate: toIso(period.from),
      endDate: toIso(period.to),
      groupBy: period.groupBy,
      timezone: period.timezone,
    },
  };
}

async function contentNoOf(db: Db, idOrExternalId: string): Promise<number | undefined> {
  // Two look-ups by index, where `or` may become a scan. No externalId has the form of an id.
  const [row] = await db.read<{ no: number }>(
    'select no from content where id = $1 union all select no from content where external_id = $1',
    [idOrExternalId],
  );
  return row?.no;
}

async function titlesOf(db: Db, nos: readonly number[]): Promise<Map<string, string>> {
  if (nos.length === 0) return new Map();
  const places = nos.map((_, i) => `$${i + 1}`).join(', ');
  const rows = await db.read<{ id: string; title: string }>(
    `select id, title from content where no in (${places})`,
    nos,
  );
  return new Map(rows.map((row) => [row.id, row.title]));
}
