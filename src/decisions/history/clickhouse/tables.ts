/**
 * The tables of the columns in ClickHouse. Their names end with the version of their meaning. All but the decisions are
 * small, and keep the row with the highest `ver` of each key.
 */
import { DICTIONARIES, type DictionaryName } from '../columns/dictionary.ts';
import { FIXED_NAMES_LIST } from '../columns/programs.ts';
import { integer } from '../columns/sql.ts';
import { guardSql } from './guard.ts';
import { type Copies, distributed, ON_DISK, onCluster, REPLICAS, replicated } from './replicated.ts';
import type { ColumnsState } from './state.ts';
import type { ClickHouse } from './store.ts';

const VERSION = 1;
export const table = (name: TableName): string => `${name}_v${VERSION}`;
/** The decisions of one shard, on a cluster. */
export const SHARD = `decisions_shard_v${VERSION}`;

/** Decisions in one partition of their table. */
export const PARTITION = 16_777_216;
/** Tails in one partition of theirs. */
export const TAILS = 64;
/** The number of inserts that are remembered, so that none is stored twice. */
const REMEMBERED = 10_000;
/** On a cluster also by their age; longer than an insert may wait to be repeated. */
const REMEMBERED_S = 604_800;

/**
 * Codecs by what was measured: numbers that rise are smallest and read fastest as differences in LZ4; `T64` keeps small
 * numbers small, and without ZSTD after it takes half the time to read, for columns that most questions read.
 */
const RISING = 'codec(Delta, LZ4)';
const READ_OFTEN = 'codec(T64)';
const USUAL = 'codec(T64, ZSTD(1))';
/** The same value for most decisions. */
const ALIKE = 'codec(LZ4)';
/** For texts and hashes, which resemble none beside them. */
const LARGE = 'codec(ZSTD(1))';

/** Values of a decision; for their meaning see columns/duckdb.ts. */
const VALUES = `decided_at Int64 ${RISING}, quarter Int32 ${ALIKE}, content Int32 ${READ_OFTEN}, requester Int32 ${READ_OFTEN},
  policy Int32 ${USUAL}, reason UInt8 ${USUAL},
  ${['purpose', 'permission', 'collection', 'crawler'].map((name) => `${name} Int32 ${USUAL}`).join(', ')},
  license Int32 ${READ_OFTEN}, claimed Int32 ${USUAL}, verified UInt8 ${USUAL}, enforced UInt8 ${ALIKE}, version Int32 ${USUAL},
  rule Int32 ${USUAL}, wanted Int32 ${USUAL}, candidate Int32 ${USUAL}, url Nullable(String) ${LARGE},
  file Nullable(String) ${LARGE}, page Int32 ${USUAL}, program Int64 ${LARGE}`;

/**
 * A span of time reads its own decisions alone; a rare item or requester, the parts that may have it. Beside a
 * requester, no other index is used: see columns/sql.ts.
 */
const INDEXES = `index decided_at decided_at type minmax granularity 1,
  index content content type bloom_filter granularity 1, index requester requester type bloom_filter granularity 1`;

/** A loss of its last rows would not be noticed, as one of decisions is. */
const latest = (key: string): string => `engine = ReplacingMergeTree(ver) order by ${key} settings ${ON_DISK}`;

/**
 * `decisions`: daily counts of retired decisions have places below 0. `tail`: what is not in a block of its own yet;
 * one number each time it is written. `gone`: items whose decisions count no more. `marks`: steps of writers, of which
 * merges leave the last one, see writer.ts.
 */
const TABLES = {
  decisions: `(seq Int64 ${RISING}, ${VALUES}, ${INDEXES}) engine = MergeTree
    partition by intDiv(if(seq < 0, seq - ${PARTITION - 1}, seq), ${PARTITION}) order by seq
    settings non_replicated_deduplication_window = ${REMEMBERED}`,
  tail: `(seq Int64, ${VALUES}, tail Int64) engine = MergeTree
    partition by intDiv(tail, ${TAILS}) order by (tail, seq)`,
  names: `(kind UInt8, number Int64, id String, ver Int64) ${latest('(kind, number)')}`,
  content: `(number Int32, id String, type String, ver Int64, deleted UInt8) ${latest('number')}`,
  registered: `(number Int64, id String, name String, type Nullable(String), status String, tags String, ver Int64,
    deleted UInt8) ${latest('number')}`,
  programs: `(number Int64, id String, day Int32, ver Int64, deleted UInt8) ${latest('number')}`,
  program_addresses: `(number Int64, day Int32, life Int32, sketch String, ver Int64, deleted UInt8) ${latest('(life, number)')}`,
  gone: `(number Int32, ver Int64) engine = MergeTree order by number settings ${ON_DISK}`,
  marks: '(one UInt8 default 0, n Int64) engine = ReplacingMergeTree(n) order by one',
  owner: '(ledger String) engine = MergeTree order by ledger',
} as const;
export type TableName = keyof typeof TABLES;

const NAMES = Object.keys(TABLES) as TableName[];
/** Each server of a cluster has all of them. */
export const SMALL = NAMES.filter((name) => name !== 'decisions');

export async function dropTables(store: ClickHouse): Promise<void> {
  const names = NAMES.map(table);
  for (const name of store.cluster === null ? names : [...names, SHARD]) {
    await store.run(`drop table if exists ${name}${onCluster(store)} sync`);
  }
}

export async function createTables(store: ClickHouse, ledgerNo: string): Promise<void> {
  await defineTables(store);
  const fixed = FIXED_NAMES_LIST.map(([name, number]) => `(${number}, '${name}', -1, 0, 0)`);
  await store.run(`insert into ${table('programs')} values ${fixed.join(', ')}`);
  await store.run(`insert into ${table('owner')} values ('${integer(Number(ledgerNo))}')`);
}

/** Creates the tables where they are missing. */
export async function defineTables(store: ClickHouse): Promise<void> {
  const create = (name: string, definition: string): Promise<void> =>
    store.run(`create table if not exists ${name}${onCluster(store)} ${definition}`);
  const { cluster } = store;
  if (cluster === null) {
    for (const name of NAMES) await create(table(name), TABLES[name]);
  } else {
    for (const name of SMALL) await create(table(name), replicated(TABLES[name], table(name), SERVERS));
    await create(SHARD, replicated(TABLES.decisions, SHARD, SHARDS));
    await create(table('decisions'), distributed(cluster, SHARD));
  }
}

const SHARDS: Copies = {
  ...REPLICAS,
  settings: `replicated_deduplication_window = ${REMEMBERED}, replicated_deduplication_window_seconds = ${REMEMBERED_S}`,
};
/** The same rows may be written again after they were deleted. */
const SERVERS: Copies = {
  under: '',
  own: '{shard}_{replica}',
  settings: `replicated_deduplication_window = 0, ${ON_DISK}`,
};

/** The number of a kind of texts; never changes. */
export const kindOf = (dictionary: DictionaryName): number => DICTIONARIES.indexOf(dictionary) + 1;

/** All that was written when a question is answered: see state.ts. */
export interface ShownColumns {
  built: number;
  to: number;
  retiredTo: number;
  inputsErasedTo: number;
  erasedNo: number;
  changesSeq: number;
  tail: { no: number; hides: boolean };
  /** Rows of decisions on items that are gone may be there: one of these, or those of the tail. */
  hides: boolean;
  forgetting: object | null;
  newest: ColumnsState['newest'];
  counts: number;
  shards: ColumnsState['shards'];
}

const COLUMNS =
  'content, requester, policy, reason, purpose, permission, collection, crawler, license, claimed, verified, enforced, version, rule, wanted';
const DAY_MS = 86_400_000;
const QUARTERS = 96;

/** The times of a decision that left the log. */
export const NOON = {
  decided_at: `(intDiv(decided_at, ${DAY_MS}) * ${DAY_MS} + ${DAY_MS / 2})`,
  quarter: `toInt32(intDiv(decided_at, ${DAY_MS}) * ${QUARTERS} + ${QUARTERS / 2})`,
};

/**
 * Returns whether all decisions in blocks are to be shown as they are. Then a question need not compare the number of
 * each, if it looks afterwards whether others were there: see reader.ts.
 */
export const isUnbounded = ({ retiredTo, counts, shards }: ShownColumns): boolean =>
  retiredTo === 0 && counts === 0 && shards === null;

/**
 * The tables of the questions, as they were written at one time. Decisions up to `retiredTo` read as what is kept of
 * retired ones, whether their values were overwritten yet or not.
 */
function tableSql(state: ShownColumns, unbounded: boolean): Record<string, string> {
  const { to, retiredTo, inputsErasedTo, changesSeq, tail, shards } = state;
  const guard = guardSql(state, SHARD);
  // Of the server that is asked, for all shards.
  const gone = `content ${shards === null ? '' : 'global '}not in (select number from ${table('gone')} where ver <= ${integer(changesSeq)})`;
  // Reading `content` for it alone would cost a question as much as its own columns.
  const shown = state.hides || tail.hides || state.forgetting !== null ? gone : 'true';
  const program =
    inputsErasedTo > retiredTo ? `if(seq <= ${integer(inputsErasedTo)}, toInt64(0), program) as program` : 'program';
  const live = `select seq, decided_at, quarter, ${COLUMNS}, candidate, url, file, page, ${program}`;
  const retired = `select toInt64(0) as seq, ${NOON.decided_at} as decided_at, ${NOON.quarter} as quarter, ${COLUMNS}, toInt32(0) as candidate,
    cast(null, 'Nullable(String)') as url, cast(null, 'Nullable(String)') as file, toInt32(0) as page, toInt64(0) as program`;
  const from = (name: TableName): string => `from ${table(name)} where ${shown}`;
  const upTo = `seq <= ${integer(to)}${guard}`;
  const parts = [
    `${live} ${from('decisions')}${unbounded ? '' : ` and seq > ${integer(retiredTo)} and ${upTo}`}`,
    ...(retiredTo > 0
      ? [`${retired} ${from('decisions')} and seq <= ${integer(Math.min(retiredTo, to))}${guard}`]
      : []),
    ...(tail.no > 0 ? [`${live} ${from('tail')} and tail = ${integer(tail.no)}`] : []),
  ];
  const present = (name: TableName, columns: string): string =>
    `select ${columns} from ${table(name)} final where deleted = 0`;
  return {
    decisions: parts.join(' union all '),
    content: present('content', 'number, id, type'),
    registered: present('registered', 'id, name, type, status, tags'),
    programs: present('programs', 'number, id, day'),
    program_addresses: present('program_addresses', 'number, day, life, sketch'),
    ...Object.fromEntries(
      DICTIONARIES.map((name) => [name, `select number, id from ${table('names')} final where kind = ${kindOf(name)}`]),
    ),
  };
}

/** Puts the tables that a query reads before it, as they were written at one time. `unbounded`: see isUnbounded. */
export function withTables(shown: ShownColumns, sql: string, unbounded = false): string {
  const words = new Set(sql.match(/\b[a-z_]+\b/g));
  const read = Object.entries(tableSql(shown, unbounded)).filter(([name]) => words.has(name));
  if (read.length === 0) return sql;
  const tables = read.map(([name, own]) => `${name} as (${own})`).join(', ');
  return sql.startsWith('with ') ? `with ${tables}, ${sql.slice('with '.length)}` : `with ${tables} ${sql}`;
}
