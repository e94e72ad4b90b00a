/** Counts visitors by page and by time. Promise: all of one snapshot, so that it adds up. */
import type { DuckDBConnection } from '@duckdb/node-api';
import { type ReportQuery, readTrends, selectCounted, toCells } from './counts.ts';
import { readMost } from './groups.ts';
import { inSnapshot, integer, readRows } from './sql.ts';
import { type CountedWho, EACH_WHO, foldWho, toVisitor } from './who.ts';

export interface VisitorsQuestion extends ReportQuery {
  /** Number of pages. */
  pages: number;
}

const COUNTS = {
  requests: 'count(*)',
  allowed: 'count(*) filter (reason = 0)',
  verified: 'count(*) filter (verified <> 0)',
  spoofed: 'count(*) filter (claimed <> 0)',
};
type VisitCounts = Record<keyof typeof COUNTS, number>;

export interface VisitorRow extends VisitCounts {
  visitor: CountedWho;
  /** Requests by bucket. */
  trend: number[];
  /** Its counts for the pages of the answer; those without a request are left out. */
  pages: (VisitCounts & { page: string })[];
}

export interface CountedVisitors {
  /** The number of all, beyond those that are listed. */
  unique: number;
  uniquePages: number;
  visitors: VisitorRow[];
  pages: (VisitCounts & { page: string })[];
}

export function answerVisitors(connection: DuckDBConnection, query: VisitorsQuestion): Promise<CountedVisitors> {
  return inSnapshot(connection, async () => {
    const selected = await selectCounted(connection, query);
    const cells = await toCells(connection, selected.ofAnyType, query.starts);
    const { from } = selected;
    const who = await readMost(connection, { from, by: ['who'], counts: COUNTS }, query.limit);
    const ofPages = { from: `${from} and page <> 0`, by: ['page'], counts: { requests: COUNTS.requests } } as const;
    const pages = await readMost(connection, ofPages, query.pages);
    const shown = { who: who.groups.map(toNumber), pages: pages.groups.map(toNumber) };
    const trends = await readTrends({ connection, ...selected, cells, query }, 'who', shown.who);
    const visits = await readVisits(connection, from, shown);
    const ofAll = new Map(visits.get(null)?.map(({ who: _, page, ...counts }) => [page, counts]));
    const names = new Map(pages.groups.map(({ ids: [page], numbers: [number] }) => [number, page as string]));
    return {
      unique: who.unique,
      uniquePages: pages.unique,
      visitors: who.groups.map(({ ids: [id = null], numbers: [number], ...counts }, i) => ({
        visitor: toVisitor(id),
        ...counts,
        trend: trends[i] as number[],
        pages: (visits.get(number as number) ?? []).map(({ who: _, page, ...own }) => {
          return { page: names.get(page) as string, ...own };
        }),
      })),
      pages: pages.groups.map(({ ids: [page], numbers: [number] }) => {
        return { page: page as string, ...(ofAll.get(number as number) as VisitCounts) };
      }),
    };
  });
}

const toNumber = ({ numbers: [number = 0] }: { numbers: number[] }): number => number;

/** Without a visitor: of all of them. */
type Visit = VisitCounts & { who: number | null; page: number };

/** Counts the pages that are listed: those of each listed visitor, the most first, and those of all. */
async function readVisits(
  connection: DuckDBConnection,
  from: string,
  { who, pages }: { who: readonly number[]; pages: readonly number[] },
): Promise<Map<number | null, Visit[]>> {
  if (pages.length === 0) return new Map();
  const list = (numbers: readonly number[]): string => numbers.map((number) => `(${integer(number)})`).join(', ');
  const counts = Object.entries(COUNTS).map(([name, sql]) => `(${sql})::double as "${name}"`);
  const sums = Object.keys(COUNTS).map((name) => `sum("${name}") as "${name}"`);
  const rows = await readRows<Visit>(
    connection,
    `with visits as materialized
       (select ${EACH_WHO} as each, page, ${counts.join(', ')}
        from (select requester, crawler, claimed, verified, program, page, reason ${from} and page <> 0)
        join (values ${list(pages)}) as pages_shown(shown) on shown = page
        group by 1, 2)
     select who::double as who, page, ${sums.join(', ')} from
       (select null as who, page, columns(visits.* exclude (each, page)) from visits
        union all
        select one, page, columns(visits.* exclude (each, page)) from visits
        join (values ${list(who)}) as who_shown(one) on one = ${foldWho('each')})
     group by 1, 2 order by requests desc, page`,
  );
  return Map.groupBy(rows, (row) => row.who);
}
