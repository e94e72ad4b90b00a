/** Counts visitors by page and by time. Promise: all of one snapshot, so that it adds up. */
import { type ReportQuery, readTrends, selectCounted, toCells } from './counts.ts';
import { readMost } from './groups.ts';
import type { SqlReader } from './reader.ts';
import { listSql } from './sql.ts';
import { type CountedWho, EACH_WHO, foldWho, toVisitor } from './who.ts';

export interface VisitorsQuestion extends ReportQuery {
  /** Number of pages. */
  pages: number;
}

const COUNTS = {
  requests: 'count(*)',
  allowed: 'count(*) filter (where reason = 0)',
  verified: 'count(*) filter (where verified <> 0)',
  spoofed: 'count(*) filter (where claimed <> 0)',
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

export function answerVisitors(reader: SqlReader, query: VisitorsQuestion): Promise<CountedVisitors> {
  return reader.inSnapshot(async () => {
    const selected = await selectCounted(reader, query, ['program']);
    const cells = await toCells(reader, selected.ofAnyType, query.starts);
    const { from } = selected;
    const who = await readMost(reader, { from, by: ['who'], counts: COUNTS }, query.limit);
    const ofPages = { from: `${from} and page <> 0`, by: ['page'], counts: { requests: COUNTS.requests } } as const;
    const pages = await readMost(reader, ofPages, query.pages);
    const shown = { who: who.groups.map(toNumber), pages: pages.groups.map(toNumber) };
    const trends = await readTrends({ reader, ...selected, cells, query }, 'who', shown.who);
    const visits = await readVisits(reader, from, shown);
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
  reader: SqlReader,
  from: string,
  { who, pages }: { who: readonly number[]; pages: readonly number[] },
): Promise<Map<number | null, Visit[]>> {
  if (pages.length === 0) return new Map();
  const counts = Object.entries(COUNTS).map(([name, sql]) => `(${sql})::double as "${name}"`);
  const sums = Object.keys(COUNTS).map((name) => `sum("${name}") as "${name}"`);
  await reader.keep('pages_shown', `${listSql(pages)} as owner`);
  await reader.keep('who_shown', `${listSql(who)} as owner`);
  await reader.keep(
    'visits',
    `select ${EACH_WHO} as visitor, page, ${counts.join(', ')}
     from (select requester, crawler, claimed, verified, program, page, reason ${from} and page <> 0) as each
     join pages_shown on pages_shown.owner = each.page
     group by 1, 2`,
  );
  const read = (by: string, of: string): Promise<Visit[]> =>
    reader.rows<Visit>(`select ${by} page::double as page, ${sums.join(', ')} ${of} order by sum(requests) desc, page`);
  const ofAll = await read('', 'from visits group by page');
  const own = await read(
    'owner::double as who,',
    `from visits join who_shown on who_shown.owner = ${foldWho('visitor')} group by owner, page`,
  );
  return new Map<number | null, Visit[]>([[null, ofAll], ...Map.groupBy(own, (row) => row.who)]);
}
