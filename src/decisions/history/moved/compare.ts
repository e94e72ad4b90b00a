/**
 * Reads blocks that are to move, in both stores. Promise: what is said to be the same has each value the same, the
 * inputs too.
 */
import type { Db, Row } from '../../../db/db.ts';
import { inList, toList } from '../../../db/query.ts';
import { integer } from '../columns/sql.ts';
import { inputsErasedTo } from '../retention/retire.ts';
import { findNumbers } from './names.ts';
import { inBlock } from './place.ts';
import { PIECE } from './read.ts';
import {
  type BlockDigest,
  type ErasedInputs,
  MOVED_COLUMNS,
  type MovedRow,
  openDigest,
  RECORDS,
  SELECT_OWN,
  toMoved,
  withoutErased,
  XOR_SQL,
} from './row.ts';
import type { MovedStore } from './store.ts';

/** A block that did not move yet. */
export interface UnmovedBlock extends Row {
  block: number;
  first: number;
  last: number;
  rows: number;
  sha256: string;
  inputs_sha256: string;
  /** The sum of its values in ClickHouse, once it was verified. */
  xor: string;
  state: string;
  state_at: number;
}

/** Returns the ids of requesters in some rows. */
export const numbersOf = (rows: readonly Row[]): Set<string> =>
  new Set(rows.flatMap(({ requester_id, claimed }) => [requester_id, claimed].filter((id) => typeof id === 'string')));

/** Yields the decisions of a span of numbers, a piece at a time. */
export async function* readOwn(db: Db, first: number, last: number): AsyncGenerator<Row[]> {
  for (let after = first - 1; ; ) {
    const sql = `${SELECT_OWN} where seq > $1 and seq <= $2 order by seq limit ${PIECE}`;
    const rows = await db.read(sql, [after, last]);
    if (rows.length > 0) yield rows;
    if (rows.length < PIECE) return;
    after = rows.at(-1)?.seq as number;
  }
}

/** Deletions and erasures since a block was written. */
interface Changes extends ErasedInputs {
  /** Items whose decisions have left it. */
  purged: readonly number[];
}

const NO_CHANGES: Changes = { purged: [], requesters: new Set(), upTo: 0 };

/** Reads a block back, in order, as answers would read it after such changes. */
async function digestStored(store: MovedStore, block: number, changes = NO_CHANGES): Promise<BlockDigest> {
  const digest = openDigest();
  const where = inBlock({ block, retiredTo: 0, purged: JSON.stringify(changes.purged) });
  for (let after = 0; ; ) {
    const sql = `select ${MOVED_COLUMNS} from ${RECORDS} where ${where} and seq > ${integer(after)} order by seq limit ${PIECE}`;
    const rows = (await store.query(sql)) as MovedRow[];
    for (const row of rows) digest.add(withoutErased(row, changes));
    if (rows.length < PIECE) return digest.end();
    after = rows.at(-1)?.[0] as number;
  }
}

async function digestOwn(db: Db, { first, last }: UnmovedBlock): Promise<BlockDigest> {
  const digest = openDigest();
  for await (const rows of readOwn(db, first, last)) {
    const numbers = await findNumbers(db, numbersOf(rows));
    for (const row of rows) digest.add(toMoved(row, numbers));
  }
  return digest.end();
}

const isSame = (one: BlockDigest, other: BlockDigest): boolean =>
  one.rows === other.rows && one.sha256 === other.sha256 && one.inputsSha256 === other.inputsSha256;

const isPlanned = ({ rows, sha256, inputs_sha256: inputsSha256 }: UnmovedBlock, found: BlockDigest): boolean =>
  isSame({ rows, sha256, inputsSha256 }, found);

/** Inputs may be erased at any time. */
const isPlannedButInputs = ({ rows, sha256 }: UnmovedBlock, found: BlockDigest): boolean =>
  rows === found.rows && sha256 === found.sha256;

/**
 * Returns what a block adds up to in ClickHouse; undefined: it is not there as it was planned, on replicas that have
 * all that was written.
 */
export async function sumStored(store: MovedStore, one: UnmovedBlock): Promise<string | undefined> {
  if (!isPlanned(one, await digestStored(store, one.block))) {
    if (!(await store.sync()) || !isPlanned(one, await digestStored(store, one.block))) return undefined;
  }
  return sumOf(store, one.block);
}

async function sumOf(store: MovedStore, block: number, purged: readonly number[] = []): Promise<string> {
  const where = inBlock({ block, retiredTo: 0, purged: JSON.stringify(purged) });
  const [[sum] = []] = await store.query(`select ${XOR_SQL} from ${RECORDS} where ${where}`);
  return sum as string;
}

/** A block as it moves. */
interface Left extends BlockDigest {
  xor: string;
  /** Deleted items whose decisions have left it. */
  purged: readonly number[];
}

/**
 * Reads a block again, in both stores. Decisions on deleted items that PostgreSQL lacks leave it, and inputs that were
 * erased there are erased here. Returns undefined where anything else differs.
 */
export async function readLeft(db: Db, store: MovedStore, one: UnmovedBlock): Promise<Left | undefined> {
  const own = await digestOwn(db, one);
  const stored = await digestStored(store, one.block);
  if (!isPlannedButInputs(one, stored) || (await sumOf(store, one.block)) !== one.xor) return undefined;
  if (isSame(own, stored)) return { ...own, xor: one.xor, purged: [] };
  const changes = await findChanges(db, store, one.block);
  if (own.rows === 0 || !isSame(own, await digestStored(store, one.block, changes))) return undefined;
  return { ...own, xor: await sumOf(store, one.block, changes.purged), purged: changes.purged };
}

async function findChanges(db: Db, store: MovedStore, block: number): Promise<Changes> {
  const where = `from ${RECORDS} where block = ${integer(block)}`;
  const numbersIn = async (sql: string): Promise<number[]> => (await store.query(sql)).map(([no]) => no as number);
  const items = await numbersIn(`select distinct content_no ${where} and content_no > 0`);
  const requesters = await numbersIn(`select distinct arrayJoin([requester, claimed]) ${where}`);
  const isAmong = (name: string): string => inList(db.engine, name, 'bigint');
  const there = await db.read<{ no: number }>(`select no from content where ${isAmong('no')}`, [toList(items)]);
  const erased = await db.read<{ number: number }>(
    `select number from record_names where ${isAmong('number')} and erased = 1`,
    [toList(requesters)],
  );
  const existing = new Set(there.map(({ no }) => no));
  return {
    purged: items.filter((no) => !existing.has(no)),
    requesters: new Set(erased.map(({ number }) => number)),
    upTo: await inputsErasedTo(db),
  };
}
