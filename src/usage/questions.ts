/**
 * The questions that the columns answer, and their SQL. Each answer is of one snapshot: the queries of a report share a
 * transaction, so its parts add up. Answers hold numbers and ids; titles come from the records.
 */
import type { DuckDBConnection } from '@duckdb/node-api';
import { cellMs, fold, QUARTER_HOUR_MS, type Series } from './series.ts';
import { type DecisionFilter, inSnapshot, integer, readColumns, readRows, toCondition } from './sql.ts';

export interface ReportQuery {
  contentNo?: number | undefined;
  requesterId?: string | undefined;
  /** The current type of the item. */
  type?: string | undefined;
  /** A code of ledger/reason; 0 = allowed. */
  reason?: number | undefined;
  /** Epoch ms, inclusive and exclusive. */
  from: number;
  to: number;
  /** Starts of the buckets, ascending; the first may lie before `from`. */
  starts: readonly number[];
  /** Length of the top lists. */
  limit: number;
}

export interface ColumnsReport {
  series: Series;
  /** Decisions by reason code (0 = allowed), without codes that do not occur. */
  reasons: { reason: number; count: number }[];
  uniqueRequesters: number;
  uniqueContent: number;
  topContent: { no: number; id: string; requests: number }[];
  topRequesters: { id: string; requests: number }[];
}

export interface FindPage {
  /** Only sequence numbers below it; null: the newest. */
  before: number | null;
  limit: number;
}

export interface Found {
  /** Sequence numbers, newest first. */
  seqs: number[];
  /** The whole selection, not the page. */
  totalCount: number;
}

export interface Stats {
  total: number;
  allowed: number;
}

/** Times of the oldest and newest decision, epoch ms. */
export interface Bounds {
  first: number;
  last: number;
}

/** DuckDB compares a list value by value; longer lists are faster as a table. */
const IN_LIST_MAX = 4;

export async function answerStats(connection: DuckDBConnection, nos: readonly number[]): Promise<Map<number, Stats>> {
  const list = nos.map(integer).join(', ');
  const rows = await readRows<Stats & { no: number }>(
    connection,
    `select content as no, count(*)::double as total, (count(*) filter (reason = 0))::double as allowed
     from decisions where content in (${nos.length > IN_LIST_MAX ? `select unnest([${list}])` : list}) group by content`,
  );
  return new Map(rows.map(({ no, total, allowed }) => [no, { total, allowed }]));
}

export const answerBounds = (connection: DuckDBConnection): Promise<Bounds | null> => readBounds(connection, 'true');

async function readBounds(connection: DuckDBConnection, condition: string): Promise<Bounds | null> {
  const [first, last] = await readColumns(
    connection,
    `select min(decided_at)::double, max(decided_at)::double from decisions where ${condition}`,
  );
  return typeof first?.[0] === 'number' ? { first: first[0], last: last?.[0] as number } : null;
}

export async function answerFind(connection: DuckDBConnection, filter: DecisionFilter, page: FindPage): Promise<Found> {
  return inSnapshot(connection, async () => {
    const condition = await toCondition(connection, filter);
    const before = page.before === null ? '' : ` and seq < ${integer(page.before)}`;
    const [seqs] = await readColumns(
      connection,
      `select seq::double from (select seq from decisions where ${condition}${before} order by seq desc limit ${integer(page.limit)})
       order by seq desc`,
    );
    const [count] = await readColumns(connection, `select count(*)::double from decisions where ${condition}`);
    return { seqs: (seqs ?? []) as number[], totalCount: count?.[0] as number };
  });
}

export async function answerReport(connection: DuckDBConnection, query: ReportQuery): Promise<ColumnsReport> {
  return inSnapshot(connection, async () => {
    const condition = await toCondition(connection, query);
    const { limit } = query;
    const contents = await readTop(connection, { condition, column: 'content', names: 'content', limit });
    const requesters = await readTop(connection, {
      condition: `${condition} and requester <> 0`,
      column: 'requester',
      names: 'requesters',
      limit,
    });
    return {
      series: await readSeries(connection, condition, query.starts),
      reasons: await readRows(
        connection,
        `select reason, count(*)::double as count from decisions where ${condition} group by reason order by reason`,
      ),
      uniqueContent: contents.unique,
      uniqueRequesters: requesters.unique,
      topContent: contents.top.map(({ number, id, requests }) => ({ no: number, id, requests })),
      topRequesters: requesters.top.map(({ id, requests }) => ({ id, requests })),
    };
  });
}

async function readSeries(connection: DuckDBConnection, condition: string, starts: readonly number[]): Promise<Series> {
  let length = cellMs(starts);
  if (length > 0 && length < QUARTER_HOUR_MS) {
    // Some boundaries are older than quarter-hour offsets; most likely no decisions are.
    const bounds = await readBounds(connection, condition);
    if (bounds !== null) length = cellMs(starts, bounds.first, bounds.last);
  }
  const [at, requests, allowed] = await readColumns(
    connection,
    `select min(decided_at)::double, count(*)::double, (count(*) filter (reason = 0))::double from decisions
     where ${condition} group by ${length === 0 ? '()' : `decided_at // ${integer(length)}`} having count(*) > 0`,
  );
  return fold(starts, {
    at: (at ?? []) as number[],
    requests: (requests ?? []) as number[],
    allowed: (allowed ?? []) as number[],
  });
}

interface TopQuery {
  condition: string;
  column: 'content' | 'requester';
  /** The table of the ids. */
  names: 'content' | 'requesters';
  limit: number;
}

interface Top {
  unique: number;
  number: number;
  id: string;
  requests: number;
}

/** Counts distinct values and lists those with the most decisions, then by id. */
async function readTop(
  connection: DuckDBConnection,
  { condition, column, names, limit }: TopQuery,
): Promise<{ unique: number; top: Top[] }> {
  // Looks up the ids of possible top entries only: with a million requesters, that is most of the work.
  const top = await readRows<Top>(
    connection,
    `with counts as materialized (select ${column} as number, count(*) as n from decisions where ${condition} group by ${column})
     select (select count(*) from counts)::double as unique, number, id, n::double as requests
     from counts join ${names} using (number)
     where n >= (select min(n) from (select n from counts order by n desc limit ${integer(limit)}))
     order by n desc, id limit ${integer(limit)}`,
  );
  return { unique: top[0]?.unique ?? 0, top };
}
