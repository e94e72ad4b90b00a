/**
 * Small numbers for texts such as requester ids, stored in a table of the columns. Promise: a text keeps its number.
 */
import { type DuckDBConnection, LIST, listValue, VARCHAR } from '@duckdb/node-api';
import { Recent } from '../../../lib/cache/lru.ts';

/** Texts cached in memory; when there are more, all are dropped. An LRU would take half of a rebuild (measured). */
const KEPT_MAX = 100_000;

/** The tables, each with the numbers of one column. */
export const DICTIONARIES = [
  'requesters',
  'purposes',
  'permissions',
  'collections',
  'crawlers',
  'licenses',
  'claims',
  'wanted',
  'candidates',
  'pages',
] as const;
export type DictionaryName = (typeof DICTIONARIES)[number];

export interface Dictionary {
  /** Numbers new texts. Returns the numbers of `count` texts in order, 0 for null. */
  of(count: number, textAt: (i: number) => string | null): Promise<Int32Array>;
  /** Drops the cache after a rollback, which took back new numbers. */
  forget(): void;
}

export function dictionary(writer: DuckDBConnection, table: DictionaryName): Dictionary {
  const kept = new Map<string, number>();
  const recent = new Recent<number>();

  function findNumber(text: string): number | undefined {
    const before = recent.get(text);
    if (before !== undefined) return before;
    const number = kept.get(text);
    if (number !== undefined) recent.set(text, number);
    return number;
  }

  function forget(): void {
    kept.clear();
    recent.clear();
  }

  async function assign(unknown: readonly string[]): Promise<[text: string, number: number][]> {
    const list = listValue([...unknown]);
    await writer.run(
      `insert into ${table}
       select (select coalesce(max(number), 0) from ${table}) + row_number() over (), id
       from (select unnest($1) as id) anti join ${table} using (id)`,
      [list],
      [LIST(VARCHAR)],
    );
    const [numbers, texts] = await (
      await writer.run(`select number, id from ${table} where id in (select unnest($1))`, [list], [LIST(VARCHAR)])
    ).getColumns();
    return (numbers ?? []).map((number, i) => [texts?.[i] as string, number as number]);
  }

  return {
    async of(count, textAt) {
      const numbers = new Int32Array(count);
      const unknown = new Set<string>();
      for (let i = 0; i < count; i++) {
        const text = textAt(i);
        if (text === null) continue;
        const number = findNumber(text);
        if (number === undefined) unknown.add(text);
        else numbers[i] = number;
      }
      if (unknown.size === 0) return numbers;
      if (kept.size + unknown.size > KEPT_MAX) forget();
      const assigned = new Map(await assign([...unknown]));
      for (const [text, number] of assigned) kept.set(text, number);
      for (let i = 0; i < count; i++) {
        const text = textAt(i);
        if (text !== null && numbers[i] === 0) numbers[i] = assigned.get(text) as number;
      }
      return numbers;
    },
    forget,
  };
}
