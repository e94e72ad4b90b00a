/**
 * Pages of the lists: requesters, programs, denied demand. Promise: a walk through the pages counts the same decisions
 * on each page, however many are made meanwhile: the first page fixes the last decision that counts.
 */
import type { SqlReader } from './reader.ts';
import { integer } from './sql.ts';

/** A page starts after the row with this value and id. */
export interface After {
  /** The last decision that counts. */
  upTo: number;
  value: number;
  id: string;
}

export interface RowPage<R> {
  rows: R[];
  /** The whole selection, not the page. */
  totalCount: number;
  upTo: number;
}

/** A first page counts all of its snapshot. */
export const upToTerm = (after: After | null): string => (after === null ? '' : ` and seq <= ${integer(after.upTo)}`);

/** Returns the last decision that counts. */
export async function readUpTo(reader: SqlReader, after: After | null): Promise<number> {
  if (after !== null) return after.upTo;
  const [newest] = await reader.columns('select coalesce(max(seq), 0)::double from decisions');
  return newest?.[0] as number;
}

export async function searchTerm(reader: SqlReader, q: string | undefined, id = 'id'): Promise<string> {
  if (q === undefined) return 'true';
  const sought = withoutCase(await reader.give(q));
  return `(position(${sought} in ${withoutCase(id)}) > 0 or position(${sought} in ${withoutCase(`coalesce(name, '')`)}) > 0)`;
}

/** Engines differ on two letters: a sigma may be another one at the end of a word, and an İ may keep its dot. */
const withoutCase = (sql: string): string => `replace(replace(lowerUTF8(${sql}), 'ς', 'σ'), 'i\u0307', 'i')`;

/** Reads a page of the rows that `sql` selects, by value (descending unless `ascending`) and id, and counts all. */
export async function readPage<Row extends { id: string }>(
  reader: SqlReader,
  sql: string,
  { after, limit, ascending = false }: { after: After | null; limit: number; ascending?: boolean },
): Promise<{ totalCount: number; rows: Row[] }> {
  const [beyond, order] = ascending ? ['>', 'value'] : ['<', 'value desc'];
  const rest =
    after === null
      ? 'true'
      : `value ${beyond} ${integer(after.value)} or value = ${integer(after.value)} and id > ${await reader.give(after.id)}`;
  await reader.keep('picked', sql);
  const [count] = await reader.columns('select count(*)::double from picked');
  const rows = await reader.rows<Row>(
    `select * from picked where ${rest} order by ${order}, id limit ${integer(limit)}`,
  );
  return { totalCount: count?.[0] as number, rows };
}
