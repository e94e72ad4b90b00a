/** Answers questions in ClickHouse. Promise: all queries of a question read what was written at one time. */
import { randomUUID } from 'node:crypto';
import type { LicensedLists, SqlReader } from '../columns/reader.ts';
import { Bytes } from './bytes.ts';
import type { ClickHouseNames } from './names.ts';
import { QUESTIONS_MS } from './state.ts';
import type { ClickHouse } from './store.ts';
import { type ShownColumns, withTables } from './tables.ts';

interface Ends {
  store: ClickHouse;
  names: Pick<ClickHouseNames, 'find'>;
  /** Returns the state that a question begins with, and since when it is shown. */
  shown(): { state: ShownColumns; at: number };
  /** Returns the newest state. */
  now(): Promise<ShownColumns>;
}

export function clickHouseReader(ends: Ends): SqlReader {
  const { store, names } = ends;
  let session: string | undefined;
  let fixed: ShownColumns | undefined;
  /** Texts that were given in this session. */
  let given = 0;

  async function inSnapshot<T>(work: () => Promise<T>): Promise<T> {
    const { state: shown, at } = ends.shown();
    [session, fixed, given] = [randomUUID(), shown, 0];
    try {
      const answer = await work();
      // Tables that were dropped and filled again, and what was forgotten, were not all there throughout.
      if ((await ends.now()).built !== shown.built) throw new Error('the columns are counted again');
      if (performance.now() - at > QUESTIONS_MS) throw new Error('ClickHouse took too long');
      return answer;
    } finally {
      [session, fixed] = [undefined, undefined];
    }
  }
  const within = <T>(work: (shown: ShownColumns) => Promise<T>): Promise<T> =>
    fixed === undefined ? inSnapshot(() => work(fixed as ShownColumns)) : work(fixed);
  const query = (sql: string) => within((shown) => store.query(withTables(shown, sql), session));
  const columns: SqlReader['columns'] = async (sql) => {
    const { names: all, rows } = await query(sql);
    return all.map((_, i) => rows.map((row) => row[i]));
  };
  const give = async (value: string): Promise<string> => {
    given += 1;
    if (given === 1) await store.run('create or replace temporary table given (place Int32, value String)', session);
    const rows = new Bytes().int32(given).text(value).end();
    await store.insert('given', rows, session === undefined ? {} : { session });
    return `(select value from given where place = ${given})`;
  };
  return {
    columns,
    async rows<Row>(sql: string) {
      const { names: all, rows } = await query(sql);
      return rows.map((row) => Object.fromEntries(all.map((name, i) => [name, row[i]]))) as Row[];
    },
    keep: (name, sql) =>
      within((shown) => store.run(`create or replace temporary table ${name} as ${withTables(shown, sql)}`, session)),
    // The server drops what was kept when the session expires.
    inSnapshot,
    async findNumber(table, id) {
      if (table !== 'programs') return names.find(table, id);
      return (await columns(`select number from programs where id = ${await give(id)}`))[0]?.[0] as number | undefined;
    },
    give,
    async licensed(from, contents) {
      const lists = `select license, purpose, groupArray(seq), groupArray(decided_at)${contents ? ', groupArray(content)' : ''}
        ${from} group by license, purpose`;
      return toLists(await within((shown) => store.binary(withTables(shown, lists), session)), contents);
    },
  };
}

/** Reads rows of two numbers and two or three lists. */
function toLists(bytes: Buffer, contents: boolean): LicensedLists {
  const groups: LicensedLists['groups'] = [];
  const found: { seq: number[]; at: number[]; content: number[] } = { seq: [], at: [], content: [] };
  let at = 0;
  const readCount = (): number => {
    let [value, scale] = [0, 1];
    for (;;) {
      const byte = bytes[at++] as number;
      value += (byte % 128) * scale;
      if (byte < 128) return value;
      scale *= 128;
    }
  };
  const readList = (list: number[], size: 4 | 8): number => {
    const count = readCount();
    for (let i = 0; i < count; i++, at += size) {
      list.push(size === 4 ? bytes.readInt32LE(at) : Number(bytes.readBigInt64LE(at)));
    }
    return count;
  };
  while (at < bytes.length) {
    const [license, purpose] = [bytes.readInt32LE(at), bytes.readInt32LE(at + 4)];
    at += 8;
    const count = readList(found.seq, 8);
    readList(found.at, 8);
    if (contents) readList(found.content, 4);
    groups.push({ license, purpose, count });
  }
  return {
    groups,
    seq: Float64Array.from(found.seq),
    at: Float64Array.from(found.at),
    content: Int32Array.from(found.content),
  };
}
