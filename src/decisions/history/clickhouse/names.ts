/**
 * Numbers of texts. PostgreSQL gives them, for good, before a decision with one of them is written: so a block that is
 * written again has the same bytes, and an erasure is one row here. `no` rises with each text and each change of one:
 * ClickHouse has copies of all up to a number.
 */
import type { PostgresReader } from '../../../db/postgres/reader.ts';
import { toList } from '../../../db/query.ts';
import type { DictionaryName } from '../columns/dictionary.ts';
import { Bytes } from './bytes.ts';
import { KnownNumbers } from './known-numbers.ts';
import type { ColumnsState } from './state.ts';
import type { ClickHouse } from './store.ts';
import { kindOf, table } from './tables.ts';

/** Texts that are asked for at once. */
const ASKED_MAX = 16_384;

export interface NamedText {
  no: number;
  kind: number;
  number: number;
  id: string;
}

export interface ClickHouseNames {
  find(dictionary: DictionaryName, id: string): Promise<number | undefined>;
  /** Numbers new texts, and returns the numbers of all. The caller holds the lock of the writers. */
  number(dictionary: DictionaryName, ids: ReadonlySet<string>): Promise<ReadonlyMap<string, number>>;
  /** Names in memory. */
  known: KnownNumbers;
  /** Returns texts that were added or changed after a number, in order. */
  after(no: number, limit: number): Promise<NamedText[]>;
  /** Gives numbers other texts, in this order, at once. */
  rename(dictionary: DictionaryName, ...renamed: { number: number; id: string }[]): Promise<void>;
  /** Forgets texts. */
  remove(dictionary: DictionaryName, ...numbers: number[]): Promise<void>;
  /** Forgets all. */
  clear(): Promise<void>;
}

export function openNames(reader: PostgresReader): ClickHouseNames {
  async function number(dictionary: DictionaryName, ids: ReadonlySet<string>): Promise<ReadonlyMap<string, number>> {
    const kind = kindOf(dictionary);
    const all = [...ids];
    const numbers = new Map<string, number>();
    for (let from = 0; from < all.length; from += ASKED_MAX) {
      const some = all.slice(from, from + ASKED_MAX);
      for (const [id, known] of await findAll(reader, kind, some)) numbers.set(id, known);
      const fresh = some.filter((id) => !numbers.has(id));
      if (fresh.length === 0) continue;
      const first = await nextNumber(reader, kind);
      const sql = `insert into column_names (kind, number, id)
        select $1::bigint, $2::bigint + place - 1, id
        from json_array_elements_text($3::json) with ordinality as fresh(id, place)`;
      await reader.all([{ sql, params: [kind, first, toList(fresh)] }]);
      for (const [i, id] of fresh.entries()) numbers.set(id, first + i);
    }
    return numbers;
  }
  const known = new KnownNumbers(number);
  return {
    async find(dictionary, id) {
      return (await findAll(reader, kindOf(dictionary), [id]))[0]?.[1];
    },
    number,
    known,
    async after(no, limit) {
      const sql = 'select no, kind, number, id from column_names where no > $1 order by no limit $2';
      const [rows = []] = await reader.all([{ sql, params: [no, limit] }]);
      return rows as unknown as NamedText[];
    },
    async rename(dictionary, ...renamed) {
      const sql = `update column_names set id = $3, no = nextval('column_names_no_seq') where kind = $1 and number = $2`;
      await reader.all(renamed.map((one) => ({ sql, params: [kindOf(dictionary), one.number, one.id] })));
      known.forget();
    },
    async remove(dictionary, ...numbers) {
      const sql = `delete from column_names where kind = $1
        and number = any(array(select value::bigint from json_array_elements_text($2::json)))`;
      await reader.all([{ sql, params: [kindOf(dictionary), toList(numbers)] }]);
      known.forget();
    },
    async clear() {
      await reader.all([{ sql: 'delete from column_names' }]);
      known.forget();
    },
  };
}

async function findAll(
  reader: PostgresReader,
  kind: number,
  ids: readonly string[],
): Promise<[id: string, number: number][]> {
  const sql = `select id, number from column_names
    where kind = $1 and md5(id) = any(array(select md5(value) from json_array_elements_text($2::json)))`;
  const [rows = []] = await reader.all([{ sql, params: [kind, toList(ids)] }]);
  return rows.map(({ id, number }) => [id as string, number as number]);
}

async function nextNumber(reader: PostgresReader, kind: number): Promise<number> {
  const sql = 'select coalesce(max(number), 0) + 1 as next from column_names where kind = $1';
  const [[row] = []] = await reader.all([{ sql, params: [kind] }]);
  return row?.next as number;
}

const PAGE = 65_536;

/** Copies texts that are new or were replaced. */
export async function copyNames({
  store,
  names,
  state,
}: {
  store: ClickHouse;
  names: ClickHouseNames;
  state: ColumnsState;
}): Promise<void> {
  for (;;) {
    const rows = await names.after(state.namesNo, PAGE);
    if (rows.length === 0) return;
    const bytes = new Bytes(rows.length * 64);
    for (const { no, kind, number, id } of rows) bytes.uint8(kind).int64(number).text(id).int64(no);
    await store.insert(table('names'), bytes.end());
    state.namesNo = rows.at(-1)?.no ?? state.namesNo;
  }
}
