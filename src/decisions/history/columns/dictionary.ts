/**
 * Small numbers for texts such as requester ids, stored in a table of the columns. Promise: a text keeps its number.
 */
import { type DuckDBConnection, INTEGER, LIST, listValue, VARCHAR } from '@duckdb/node-api';
import { Lru, Recent } from '../../../lib/cache/lru.ts';

/** Texts cached in memory. Those beyond cost a query for each chunk that has one. */
const KEPT_MAX = 200_000;

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
  const kept = new Lru<string, number>(KEPT_MAX, undefined, new Recent());

  async function find(texts: readonly string[]): Promise<[text: string, number: number][]> {
    const [numbers = [], ids] = await (
      await writer.run(
        `select number, id from ${table} where id in (select unnest($1))`,
        [listValue([...texts])],
        [LIST(VARCHAR)],
      )
    ).getColumns();
    return numbers.map((number, i) => [ids?.[i] as string, number as number]);
  }

  async function assign(fresh: readonly string[]): Promise<[text: string, number: number][]> {
    const [most] = await (await writer.run(`select coalesce(max(number), 0) from ${table}`)).getColumns();
    const numbers = fresh.map((_, i) => (most?.[0] as number) + 1 + i);
    await writer.run(
      `insert into ${table} select unnest($1), unnest($2)`,
      [listValue(numbers), listValue([...fresh])],
      [LIST(INTEGER), LIST(VARCHAR)],
    );
    return numbers.map((number, i) => [fresh[i] as string, number]);
  }

  return {
    async of(count, textAt) {
      const numbers = new Int32Array(count);
      const unknown = new Set<string>();
      for (let i = 0; i < count; i++) {
        const text = textAt(i);
        if (text === null) continue;
        const number = kept.get(text);
        if (number === undefined) unknown.add(text);
        else numbers[i] = number;
      }
      if (unknown.size === 0) return numbers;
      const found = new Map(await find([...unknown]));
      const fresh = [...unknown].filter((text) => !found.has(text));
      if (fresh.length > 0) for (const [text, number] of await assign(fresh)) found.set(text, number);
      for (const [text, number] of found) kept.set(text, number);
      for (let i = 0; i < count; i++) {
        const text = textAt(i);
        if (text !== null && numbers[i] === 0) numbers[i] = found.get(text) as number;
      }
      return numbers;
    },
    forget: () => kept.clear(),
  };
}
