/** Visitors by page and by time, as answered. */
import type { CountedVisitors } from '../../decisions/history/columns/visitors.ts';
import { type ReportDeps, readPeriod, toColumnsQuery, toPeriod } from './report.ts';
import { PAGES_DEFAULT, ROWS_DEFAULT, type VisitorsQuery, type VisitorsReport } from './visitors-schema.ts';
import { requesterIds, toWho } from './who.ts';

/** Throws invalid_request, Unavailable. */
export async function visitorsReport(deps: ReportDeps, query: VisitorsQuery): Promise<VisitorsReport> {
  const { limit = ROWS_DEFAULT, pages = PAGES_DEFAULT } = query;
  const period = await readPeriod(deps, query);
  const asked = await toColumnsQuery(deps.db, { ...query, limit }, period);
  const counted = asked === undefined ? NOTHING : await deps.columns.visitors({ ...asked, pages });
  const ids = requesterIds(counted.visitors.map(({ visitor }) => visitor));
  const names = (await deps.requesterNames?.(ids)) ?? new Map<string, string>();
  return {
    object: 'visitors_report',
    uniqueVisitors: counted.unique,
    uniquePages: counted.uniquePages,
    buckets: period.buckets.map(({ date }) => date),
    visitors: counted.visitors.map(({ visitor, trend, pages: visited, ...counts }) => ({
      who: toWho(visitor, names),
      ...withDenied(counts),
      trend,
      pages: visited.map(withDenied),
    })),
    pages: counted.pages.map(withDenied),
    period: toPeriod(period),
  };
}

const NOTHING: CountedVisitors = { unique: 0, uniquePages: 0, visitors: [], pages: [] };

const withDenied = <C extends { requests: number; allowed: number }>(counts: C): C & { denied: number } => ({
  ...counts,
  denied: counts.requests - counts.allowed,
});
