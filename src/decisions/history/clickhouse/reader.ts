/**
 * Answers questions in ClickHouse. Promise: all queries of a question read what was written at one time. To compare the
 * number of each decision with the last one that counts takes as long as to count them. So a question first reads all
 * that there are, and looks at its end whether others came meanwhile: then it is asked once more, with the comparison.
 */
import { randomUUID } from 'node:crypto';
import type { SqlReader } from '../columns/reader.ts';
import { Bytes } from './bytes.ts';
import { readLists } from './lists.ts';
import type { ClickHouseNames } from './names.ts';
import { QUESTIONS_MS } from './state.ts';
import type { ClickHouse } from './store.ts';
import { isUnbounded, type ShownColumns, table, withTables } from './tables.ts';

/** Decisions of a selection that are kept in memory for a question. */
const NARROW_MAX = 262_144;
const NARROWED = 'narrowed';

interface Ends {
  store: ClickHouse;
  names: Pick<ClickHouseNames, 'find'>;
  /** Returns the state that a question begins with, since when it is shown, and the server that has it. */
  shown(): { state: ShownColumns; at: number; moves: number };
  /** Returns the newest state. */
  now(): Promise<ShownColumns & { erasing: boolean; planned: object | null }>;
}
type Begun = ReturnType<Ends['shown']>;

export function clickHouseReader(ends: Ends): SqlReader {
  const { store, names } = ends;
  let session: string | undefined;
  let fixed: ShownColumns | undefined;
  let unbounded = false;
  /** Texts that were given in this session, and tables that it made. */
  let [given, made] = [0, new Set<string>()];

  async function inSnapshot<T>(work: () => Promise<T>): Promise<T> {
    const begun = ends.shown();
    try {
      return await attempt(work, begun, isUnbounded(begun.state));
    } catch (error) {
      if (!(error instanceof Wrote)) throw error;
      return attempt(work, begun, false);
    }
  }
  async function attempt<T>(work: () => Promise<T>, begun: Begun, isAll: boolean): Promise<T> {
    [session, fixed, given, made, unbounded] = [randomUUID(), begun.state, 0, new Set(), isAll];
    try {
      const answer = await work();
      await assertThroughout(ends, begun, isAll);
      return answer;
    } finally {
      void drop(store, made, session);
      [session, fixed] = [undefined, undefined];
    }
  }
  const make = async (name: string, definition: string): Promise<void> => {
    made.add(name);
    await store.run(`create or replace temporary table ${name} ${definition}`, session);
  };
  const within = <T>(work: (shown: ShownColumns) => Promise<T>): Promise<T> =>
    fixed === undefined ? inSnapshot(() => work(fixed as ShownColumns)) : work(fixed);
  const query = (sql: string) => within((shown) => store.query(withTables(shown, sql, unbounded), session));
  const binary = (sql: string) => within((shown) => store.binary(withTables(shown, sql, unbounded), session));
  const columns: SqlReader['columns'] = async (sql) => toColumns(await query(sql));
  const give = async (value: string): Promise<string> => {
    given += 1;
    if (given === 1) await make('given', '(place Int32, value String)');
    await store.insert('given', new Bytes().int32(given).text(value).end(), session === undefined ? {} : { session });
    return `(select value from given where place = ${given})`;
  };
  const keep: SqlReader['keep'] = (name, sql) =>
    within((shown) => make(name, `as ${withTables(shown, sql, unbounded)}`));
  return {
    columns,
    rows: async <Row>(sql: string) => toObjects(await query(sql)) as Row[],
    keep,
    narrow: (from, read) => narrow({ keep, columns }, from, read),
    inSnapshot,
    async findNumber(dictionary, id) {
      if (dictionary !== 'programs') return names.find(dictionary, id);
      return (await columns(`select number from programs where id = ${await give(id)}`))[0]?.[0] as number | undefined;
    },
    give,
    async licensed(from, contents) {
      return readLists(await binary(listsSql(from, contents)), contents);
    },
  };
}

interface Result {
  names: string[];
  rows: unknown[][];
}
const toColumns = ({ names, rows }: Result): unknown[][] => names.map((_, i) => rows.map((row) => row[i]));
const toObjects = ({ names, rows }: Result): object[] =>
  rows.map((row) => Object.fromEntries(names.map((name, i) => [name, row[i]])));

const listsSql = (from: string, contents: boolean): string =>
  `select license, purpose, groupArray(seq), groupArray(decided_at)${contents ? ', groupArray(content)' : ''}
   ${from} group by license, purpose`;

async function narrow(
  { keep, columns }: Pick<SqlReader, 'keep' | 'columns'>,
  from: string,
  read: readonly string[],
): Promise<string | null> {
  await keep(NARROWED, `select ${read.join(', ')} ${from} limit ${NARROW_MAX + 1}`);
  const [count] = await columns(`select count(*) from ${NARROWED}`);
  return (count?.[0] as number) > NARROW_MAX ? null : NARROWED;
}

/** Decisions were written while a question read all that there were. */
class Wrote extends Error {}

/** Throws where not all was there throughout a question: tables were filled again, or something was forgotten. */
async function assertThroughout(
  { store, now }: Ends,
  { state: shown, at, moves }: Begun,
  isAll: boolean,
): Promise<void> {
  const beyond = isAll ? await store.query(`select count() from ${table('decisions')} where seq > ${shown.to}`) : null;
  const { built, erasing, erasedNo, to, planned } = await now();
  if (built !== shown.built) throw new Error('the columns are counted again');
  if (erasing || erasedNo !== shown.erasedNo) throw new Error('a requester is being erased');
  if (store.server().moves !== moves) throw new Error('another server of the cluster of ClickHouse answers');
  if (performance.now() - at > QUESTIONS_MS) throw new Error('ClickHouse took too long');
  // A block that was deleted meanwhile, to be written anew, is still planned.
  if (beyond !== null && (beyond.rows[0]?.[0] !== 0 || to !== shown.to || planned !== null)) throw new Wrote();
}

/** The server would keep them for a minute. Where this fails, it does. A session has one query at a time. */
async function drop(store: ClickHouse, names: Iterable<string>, session: string | undefined): Promise<void> {
  for (const name of names) await store.run(`drop temporary table if exists ${name}`, session).catch(() => undefined);
}
