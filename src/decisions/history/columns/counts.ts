/**
 * The numbers of a usage report, and their SQL. Promise: all are of one snapshot, so they add up. Only numbers and ids;
 * titles come from the records.
 */
import { type BreakdownGroup, type Counted, type CountedCrawler, readBreakdown, readGroups } from './breakdown.ts';
import type { Dimension } from './dimensions.ts';
import { type Grouping, groupColumn, groupsSql, readMost } from './groups.ts';
import type { TimeSpan } from './licensed.ts';
import { answerBounds } from './questions.ts';
import type { SqlReader } from './reader.ts';
import { cellMs, fold, type SeriesCell } from './series.ts';
import { integer, listSql, QUARTER_HOUR_MS, type Selection, select, selectFrom, text } from './sql.ts';
import { EACH_WHO, OTHER_WHO } from './who.ts';

type Filters = Omit<Selection, 'from' | 'to' | 'after' | 'enforced'>;

export interface ReportQuery extends Filters {
  /** false: counts the decisions that were only observed. */
  enforced: boolean;

  /** Epoch ms, inclusive and exclusive. */
  from: number;
  to: number;
  /** Starts of the buckets, ascending; the first may lie before `from`. */
  starts: readonly number[];
  /** Length of the top lists. */
  limit: number;
  /** Counts the entries of the top lists by bucket, too. */
  trends?: boolean | undefined;
  /** Another span to count. */
  previous?: TimeSpan | undefined;
  /** Also counts by this. */
  groupBy?: Dimension | undefined;
  /** The groups also have the decisions that `enforced` excludes. */
  groupsOfBoth?: boolean;
  /** Length of the groups, if not that of the top lists. */
  groupsMax?: number | undefined;
}

export interface Totals {
  requests: number;
  allowed: number;
  uniqueRequesters: number;
  uniqueContent: number;
  uniquePages: number;
  /** Decisions that were only observed. */
  observed: { requests: number; allowed: number };
}

export interface TopEntry {
  id: string;
  requests: number;
  /** Requests by bucket. */
  trend?: number[];
}

export interface ColumnsReport extends Totals {
  /** Counts by bucket. */
  series: { requests: number[]; allowed: number[] };
  /** Decisions by reason code (0 = allowed), without codes that do not occur. */
  reasons: { reason: number; count: number }[];
  topContent: (TopEntry & { no: number })[];
  topPages: TopEntry[];
  topRequesters: TopEntry[];
  byCrawler: CountedCrawler[];
  byCollection: Counted[];
  groups?: BreakdownGroup[];
  previous?: Totals;
}

export function answerReport(reader: SqlReader, query: ReportQuery): Promise<ColumnsReport> {
  return reader.inSnapshot(async () => {
    const selected = await selectCounted(reader, query);
    const cells = await toCells(reader, selected.ofAnyType, query.starts);
    const counts = { reader, ...selected, cells, query };
    const all = await readSeries(counts);
    const { reasons, requests, series } = all;
    const content = await readTop(counts, 'content', all);
    const requesters = await readTop(counts, 'requester', all);
    const pages = await readTop(counts, 'page', all);
    const breakdown = await readBreakdown(reader, { ...query, from: selected.enforcedOrNot });
    const report = {
      ...breakdown,
      series,
      reasons,
      requests,
      allowed: reasons.find(({ reason }) => reason === 0)?.count ?? 0,
      uniqueContent: content.unique,
      uniqueRequesters: requesters.unique,
      uniquePages: pages.unique,
      topContent: content.top.map(({ number, ...entry }) => ({ no: number, ...entry })),
      topPages: pages.top.map(({ number: _, ...entry }) => entry),
      topRequesters: requesters.top.map(({ number: _, ...entry }) => entry),
    };
    const { groupBy: by, groupsOfBoth = false, groupsMax: limit = query.limit, previous } = query;
    const from = groupsOfBoth ? selected.enforcedOrNot : selected.from;
    return {
      ...report,
      ...(by === undefined ? {} : { groups: await readGroups(reader, { from, by, limit, isSmall: selected.isSmall }) }),
      ...(previous === undefined ? {} : { previous: await readTotals(counts, previous) }),
    };
  });
}

/** Decisions as `select` returns them. */
interface Selected {
  from: string;
  /** The same without regard to the type of the item. */
  ofAnyType: string;
  /** The same without regard to whether they were enforced. */
  enforcedOrNot: string;
  isSmall: boolean;
}

export interface ReportCounts extends Selected {
  reader: SqlReader;
  cells: CellSql;
  query: ReportQuery;
}

/** The columns of decisions that a report reads, beside those of `groupBy`. */
const COUNTED =
  'quarter, decided_at, content, requester, reason, crawler, collection, claimed, verified, enforced, page'.split(', ');
const columnsOf = (by: Dimension | undefined): string[] => {
  if (by === undefined) return [];
  return by === 'rule' ? ['policy', 'version', 'rule'] : [by];
};

/** Filters that most likely leave few decisions. */
const NARROW = ['contentNo', 'requesterId', 'licenseId', 'page', 'url'] as const;

/** `others`: columns that are read beside those of a report. */
export async function selectCounted(
  reader: SqlReader,
  query: ReportQuery,
  others: readonly string[] = columnsOf(query.groupBy),
): Promise<Selected> {
  const isNarrow = query.pagePrefix === undefined && NARROW.some((key) => query[key] !== undefined);
  const all = { ...query, type: undefined, enforced: undefined };
  const table = isNarrow ? await reader.narrow(await select(reader, all), [...new Set([...COUNTED, ...others])]) : null;
  const { type, enforced } = query;
  const of = (one: Selection): Promise<string> =>
    table === null ? select(reader, { ...query, ...one }) : selectFrom(reader, table, one);
  return {
    from: await of({ type, enforced }),
    ofAnyType: await of({ type: undefined, enforced }),
    enforcedOrNot: await of({ type, enforced: undefined }),
    isSmall: table !== null,
  };
}

/** SQL that counts decisions by time: the groups and a time in each; and the length of the cells, ms. */
interface CellSql {
  key: string;
  since: string;
  length: string;
}

export async function toCells(reader: SqlReader, from: string, starts: readonly number[]): Promise<CellSql> {
  const length = cellMs(starts);
  if (length % QUARTER_HOUR_MS === 0 && length > 0) {
    return { key: 'quarter', since: `quarter::bigint * ${QUARTER_HOUR_MS}`, length: integer(length) };
  }
  // Some boundaries are older than quarter-hour offsets; most likely no decisions are.
  const bounds = length === 0 ? null : await answerBounds(reader, from);
  const within = bounds === null ? length : cellMs(starts, bounds.first, bounds.last);
  const known = integer(within === 0 ? Number.MAX_SAFE_INTEGER : within);
  return { key: `intDiv(decided_at, ${known})`, since: 'min(decided_at)', length: known };
}

type SeriesRow = { since: number; reason: number | null; requests: number; allowed: number | null };

type All = Pick<ColumnsReport, 'series' | 'reasons' | 'requests'>;

/** Counts by bucket and by reason in one scan. */
async function readSeries(counts: ReportCounts): Promise<All> {
  const { reader, cells, query } = counts;
  const { from, n } = summed(counts);
  const rows =
    await reader.rows<SeriesRow>(`select min(since)::double as since, reason, sum(n)::double as requests, (sum(n) filter (where reason = 0))::double as allowed
     from (select ${cells.since} as since, reason, ${n} as n ${from} group by ${cells.key}, reason having n > 0)
     group by grouping sets ((intDiv(since, ${cells.length})), (reason)) order by reason`);
  const inCells = rows.filter(({ reason }) => reason === null);
  const toSeries = (count: (row: SeriesRow) => number): number[] =>
    fold(
      query.starts,
      inCells.map((row) => [row.since, count(row)]),
    );
  return {
    series: { requests: toSeries((row) => row.requests), allowed: toSeries((row) => row.allowed ?? 0) },
    reasons: rows.flatMap(({ reason, requests }) => (reason === null ? [] : [{ reason, count: requests }])),
    requests: inCells.reduce((sum, row) => sum + row.requests, 0),
  };
}

/**
 * The decisions and how they are counted. With a type, all are joined and those of other types count zero: two thirds
 * of the time of picking the others out.
 */
function summed({ from, ofAnyType, query: { type } }: Pick<ReportCounts, 'from' | 'ofAnyType' | 'query'>) {
  if (type === undefined) return { from, n: 'count(*)' };
  return {
    from: `from (select quarter, decided_at, reason, requester, content, page ${ofAnyType}) as counted
      join (select number, toUInt8(type = ${text(type)}) as typed from content) as items on items.number = counted.content
      where true`,
    n: 'sum(typed)',
  };
}

type Column = 'content' | 'requester' | 'page' | 'who';

interface Top {
  unique: number;
  top: (TopEntry & { number: number })[];
}

/** Counts distinct values and lists those with the most decisions, then by id. `all`: of all that are selected. */
async function readTop(counts: ReportCounts, column: Column, { requests, series }: All): Promise<Top> {
  const { reader, query } = counts;
  const { unique, groups } = await readMost(reader, toGrouping(counts, column), query.limit);
  const top = groups.map(({ ids: [id], numbers: [number = 0], n }) => ({ id: id as string, number, requests: n }));
  if (query.trends !== true || top.length === 0) return { unique, top };
  if (top[0]?.requests === requests) return { unique, top: top.map((one) => ({ ...one, trend: series.requests })) };
  const numbers = top.map(({ number }) => number);
  const trends = await readTrends(counts, column, numbers);
  return { unique, top: top.map((entry, i) => ({ ...entry, trend: trends[i] as number[] })) };
}

/** An item's type is compared after counting: a third of the time. */
function toGrouping(
  selected: Pick<ReportCounts, 'from' | 'ofAnyType' | 'query' | 'isSmall'>,
  column: Column,
): Grouping<'n'> {
  const { type } = selected.query;
  const { from, n } = column === 'content' ? { from: selected.ofAnyType, n: 'count(*)' } : summed(selected);
  const ofType = `n0 in (select number from content where type = ${text(type ?? '')})`;
  return {
    from: `${from} and ${column} <> 0`,
    by: [column],
    counts: { n },
    isSmall: selected.isSmall,
    where: column === 'content' && type !== undefined ? ofType : 'n > 0',
  };
}

/** Returns the requests of each number by bucket. */
export async function readTrends(
  { reader, from, ofAnyType, cells, query }: ReportCounts,
  column: Column,
  numbers: readonly number[],
): Promise<number[][]> {
  if (numbers.length === 0) return [];
  // A join with a table: every value of a list would be compared with every decision.
  await reader.keep('owners', `${listSql(numbers)} as owner`);
  const [owners = [], since = [], requests = []] =
    await reader.columns(`select owner::double, min(since)::double, sum(n)::double from
       (select owner, ${cells.since} as since, count(*) as n
        from (select ${keySql(column, numbers)} as key, quarter, decided_at ${column === 'content' ? ofAnyType : from}) as each
        join owners on owners.owner = each.key
        group by owner, ${cells.key})
     group by owner, intDiv(since, ${cells.length})`);
  const own = Map.groupBy(owners.keys(), (i) => owners[i] as number);
  const toCell = (i: number): SeriesCell => [since[i] as number, requests[i] as number];
  return numbers.map((number) => fold(query.starts, (own.get(number) ?? []).map(toCell)));
}

/** Each program without a name needs to be looked up only where these are listed. */
const keySql = (column: Column, numbers: readonly number[]): string =>
  column === 'who' && !numbers.includes(OTHER_WHO) ? EACH_WHO : groupColumn(column).sql;

/** Counts the decisions of another span. */
async function readTotals({ reader, query }: Pick<ReportCounts, 'reader' | 'query'>, span: TimeSpan): Promise<Totals> {
  const selected = await selectCounted(reader, { ...query, ...span });
  const count = async (sql: string): Promise<number[]> => (await reader.columns(sql)).map(([value]) => value as number);
  const ours = `enforced = ${query.enforced ? 1 : 0}`;
  const [requests = 0, allowed = 0, observed = 0, wouldAllow = 0] = await count(
    `select ${[ours, `${ours} and reason = 0`, 'enforced = 0', 'enforced = 0 and reason = 0']
      .map((condition) => `(count(*) filter (where ${condition}))::double`)
      .join(', ')} ${selected.enforcedOrNot}`,
  );
  const unique = (column: Column): Promise<number[]> =>
    count(`select count(*)::double from (${groupsSql(toGrouping({ ...selected, query }, column))})`);
  const [uniqueRequesters = 0] = await unique('requester');
  const [uniqueContent = 0] = await unique('content');
  const [uniquePages = 0] = await unique('page');
  return {
    requests,
    allowed,
    uniqueRequesters,
    uniqueContent,
    uniquePages,
    observed: { requests: observed, allowed: wouldAllow },
  };
}
