/** Adds up decisions of the log, to compare them with copies. */
import type { ReadAll } from '../moved/blocks.ts';
import type { DecisionRow } from './decision-row.ts';

export interface Sums {
  /** Counts decisions after a number up to the last one, and adds up their numbers. */
  sumAfter(seq: number, last: number): Promise<{ rows: number; sum: number }>;
  /**
   * Counts decisions after a number that did not move, on items that exist; adds up their numbers, times, items and
   * reasons.
   */
  sumsBetween(after: number, to: number): Promise<number[]>;
}

/** Does so by reading them: some are not in the log. */
export async function sumRows(
  { page, decisionsAfter }: { page: number; decisionsAfter(seq: number, limit: number): Promise<DecisionRow[]> },
  seq: number,
): ReturnType<Sums['sumAfter']> {
  let [rows, sum] = [0, 0];
  for (let after = seq; ; ) {
    const read = await decisionsAfter(after, page);
    rows += read.length;
    for (const [own] of read) sum += own;
    if (read.length < page) return { rows, sum };
    after = read.at(-1)?.[0] as number;
  }
}

/** Sums over the log alone. */
export const sumQueries = (all: ReadAll): Sums => ({
  async sumAfter(seq, last) {
    // Both ends: with one alone, PostgreSQL expects a third of all decisions, and reads all.
    const sql = `select count(*) as rows, cast(coalesce(sum(seq), 0) as bigint) as sum from decisions
      where seq > $1 and seq <= $2`;
    return (await all<{ rows: number; sum: number }>(sql, [seq, last]))[0] ?? { rows: 0, sum: 0 };
  },
  async sumsBetween(after, to) {
    const sums = ['seq % 1048573', 'at % 1048573', 'content_no', 'reason'].map((one, i) => {
      return `cast(coalesce(sum(${one}), 0) as bigint) as s${i}`;
    });
    const [row = {}] = await all<Record<string, number>>(
      `select count(*) as n, ${sums.join(', ')} from decisions where seq > $1 and seq <= $2
           and (content_no = 0 or exists (select 1 from content where no = content_no))`,
      [after, to],
    );
    return Object.values(row);
  },
});
