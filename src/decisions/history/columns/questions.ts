/** Short questions that the columns answer, and their SQL. Each answer is of one snapshot. */
import type { SqlReader } from './reader.ts';
import { type ColumnsFilter, integer, listSql, select } from './sql.ts';

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

export async function answerStats(reader: SqlReader, nos: readonly number[]): Promise<Map<number, Stats>> {
  const rows = await reader.rows<
    Stats & { no: number }
  >(`select content as no, count(*)::double as total, (count(*) filter (where reason = 0))::double as allowed
     from decisions where enforced = 1 and content in (${nos.length > IN_LIST_MAX ? listSql(nos) : nos.map(integer).join(', ')}) group by content`);
  return new Map(rows.map(({ no, total, allowed }) => [no, { total, allowed }]));
}

/** `from`: the decisions, as `select` returns them. */
export async function answerBounds(reader: SqlReader, from = 'from decisions'): Promise<Bounds | null> {
  const [count, first, last] = await reader.columns(
    `select count(*)::double, min(decided_at)::double, max(decided_at)::double ${from}`,
  );
  return count?.[0] === 0 ? null : { first: first?.[0] as number, last: last?.[0] as number };
}

export async function answerFind(reader: SqlReader, filter: ColumnsFilter, page: FindPage): Promise<FoundDecisions> {
  return reader.inSnapshot(async () => {
    const from = await select(reader, filter);
    const before = page.before === null ? '' : ` and seq < ${integer(page.before)}`;
    // Both in one: a query over a network takes as long as to read a million decisions.
    const [are = [], numbers = []] = await reader.columns(`select 1 as is_page, seq::double as number
         from (select seq ${from}${before} order by seq desc limit ${integer(page.limit)}) as page
       union all select 0 as is_page, count(*)::double as number ${from}`);
    const pick = (isPage: number): number[] => (numbers as number[]).filter((_, i) => are[i] === isPage);
    return { seqs: pick(1).toSorted((a, b) => b - a), totalCount: pick(0)[0] as number };
  });
}
