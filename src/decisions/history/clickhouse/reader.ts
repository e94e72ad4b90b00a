/** Answers questions in ClickHouse. Promise: all queries of a question read what was written at one time. */
import { randomUUID } from 'node:crypto';
import type { LicensedLists, SqlReader } from '../columns/reader.ts';
import { Bytes } from './bytes.ts';
import type { ClickHouseNames } from './names.ts';
import { QUESTIONS_MS } from './state.ts';
import type { ClickHouse } from './store.ts';
import { type ShownColumns, withTables } from './tables.ts';

/** Decisions of a selection that are kept in memory for a question. */
const NARROW_MAX = 262_144;
const NARROWED = 'narrowed';

interface Ends {
  store: ClickHouse;
  names: Pick<ClickHouseNames, 'find'>;
  /** Returns the state that a question begins with, since when it is shown, and the server that has it. */
  shown(): { state: ShownColumns; at: number; moves: number };
  /** Returns the newest state. */
  now(): Promise<ShownColumns & { erasing: boolean }>;
}

export function clickHouseReader(ends: Ends): SqlReader {
  const { store, names } = ends;
  let session: string | undefined;
  let fixed: ShownColumns | undefined;
  /** Texts that were given in this session, and tables that it made. */
  let [given, made] = [0, new Set<string>()];

  async function inSnapshot<T>(work: () => Promise<T>): Promise<T> {
    const begun = ends.shown();
    [session, fixed, given, made] = [randomUUID(), begun.state, 0, new Set()];
    try {
      const answer = await work();
      await assertThroughout(ends, begun);
      return answer;
    } finally {
      for (const name of made) drop(store, name, session);
      [session, fixed] = [undefined, undefined];
    }
  }
  const make = async (name: string, definition: string): Promise<void> => {
    made.add(name);
    await store.run(`create or replace temporary table ${name} ${definition}`, session);
  };
  const within = <T>(work: (shown: ShownColumns) => Promise<T>): Promise<T> =>
    fixed === undefined ? inSnapshot(() => work(fixed as ShownColumns)) : work(fixed);
  const query = (sql: string) => within((shown) => store.query(withTables(shown, sql), session));
  const columns: SqlReader['columns'] = async (sql) => {
    const { names: all, rows } = await query(sql);
    return all.map((_, i) => rows.map((row) => row[i]));
  };
  const give = async (value: string): Promise<string> => {
    given += 1;
    if (given === 1) await make('given', '(place Int32, value String)');
    const rows = new Bytes().int32(given).text(value).end();
    await store.insert('given', rows, session === undefined ? {} : { session });
    return `(select value from given where place = ${given})`;
  };
  const keep: SqlReader['keep'] = (name, sql) => within((shown) => make(name, `as ${withTables(shown, sql)}`));
  return {
    columns,
    async rows<Row>(sql: string) {
      const { names: all, rows } = await query(sql);
      return rows.map((row) => Object.fromEntries(all.map((name, i) => [name, row[i]]))) as Row[];
    },
    keep,
    narrow: (from) => narrow({ keep, columns }, from),
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

async function narrow({ keep, columns }: Pick<SqlReader, 'keep' | 'columns'>, from: string): Promise<string | null> {
  await keep(NARROWED, `select * ${from} limit ${NARROW_MAX + 1}`);
  const [count] = await columns(`select count(*) from ${NARROWED}`);
  return (count?.[0] as number) > NARROW_MAX ? null : NARROWED;
}

/** Throws where not all was there throughout a question: tables were filled again, or something was forgotten. */
async function assertThroughout(
  { store, now }: Ends,
  { state: shown, at, moves }: ReturnType<Ends['shown']>,
): Promise<void> {
  const { built, erasing, erasedNo } = await now();
  if (built !== shown.built) throw new Error('the columns are counted again');
  if (erasing || erasedNo !== shown.erasedNo) throw new Error('a requester is being erased');
  if (store.server().moves !== moves) throw new Error('another server of the cluster of ClickHouse answers');
  if (performance.now() - at > QUESTIONS_MS) throw new Error('ClickHouse took too long');
}

/** The server would keep it for a minute. Where this fails, it does. */
const drop = (store: ClickHouse, name: string, session: string | undefined): void =>
  void store.run(`drop temporary table if exists ${name}`, session).catch(() => undefined);

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
