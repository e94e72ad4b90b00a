/** Short questions that the columns answer, and their SQL. Each answer is of one snapshot. */
import type { DuckDBConnection } from '@duckdb/node-api';
import { type ColumnsFilter, inSnapshot, integer, readColumns, readRows, select } from './sql.ts';

export interface FindPage {
  /** Only sequence numbers below it; null: the newest. */
  before: number | null;
  limit: number;
}

export interface FoundDecisions {
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
     from decisions where enforced = 1 and content in (${nos.length > IN_LIST_MAX ? `select unnest([${list}])` : list}) group by content`,
  );
  return new Map(rows.map(({ no, total, allowed }) => [no, { total, allowed }]));
}

/** `from`: the decisions, as `select` returns them. */
export async function answerBounds(connection: DuckDBConnection, from = 'from decisions'): Promise<Bounds | null> {
  const [first, last] = await readColumns(
    connection,
    `select min(decided_at)::double, max(decided_at)::double ${from}`,
  );
  return typeof first?.[0] === 'number' ? { first: first[0], last: last?.[0] as number } : null;
}

export async function answerFind(
  connection: DuckDBConnection,
  filter: ColumnsFilter,
  page: FindPage,
): Promise<FoundDecisions> {
  return inSnapshot(connection, async () => {
    const from = await select(connection, filter);
    const before = page.before === null ? '' : ` and seq < ${integer(page.before)}`;
    const [seqs] = await readColumns(
      connection,
      `select seq::double from (select seq ${from}${before} order by seq desc limit ${integer(page.limit)})
       order by seq desc`,
    );
    const [count] = await readColumns(connection, `select count(*)::double ${from}`);
    return { seqs: (seqs ?? []) as number[], totalCount: count?.[0] as number };
  });
}
