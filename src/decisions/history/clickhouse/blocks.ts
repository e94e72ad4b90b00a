/**
 * Decisions in ClickHouse: settled ones in blocks, and the others in the tail, with those that make no block yet. A
 * block is planned before it is written, and read back before it counts.
 */
import { createHash } from 'node:crypto';
import { Diverged } from '../columns/diverged.ts';
import type { ColumnsSnapshot } from '../columns/source.ts';
import type { Batch } from './batch.ts';
import { addToShard, changed, lookTwice, shardFor } from './cluster.ts';
import { findMissing, findMissingOf, hideMissing } from './copy.ts';
import { check, within } from './found.ts';
import { encode } from './rows.ts';
import { type Block, type ColumnsState, UNKNOWN } from './state.ts';
import { begin, type ClickHouseStep, complete, newBatch } from './step.ts';
import { type ClickHouse, REQUEST_WITHIN_MS } from './store.ts';
import { PARTITION, table } from './tables.ts';

export const BLOCK_MAX = 131_072;
/** Fewer decisions stay in the tail, for as long as this. */
const BLOCK_MIN = 8_192;
const TAIL_MS = 21_600_000;
/** Decisions that wait for a transaction which stays open. */
export const TAIL_MAX = 262_144;
/** An insert whose answer was lost may still be running for as long. */
const FENCE_MS = 2 * REQUEST_WITHIN_MS;

type Planned = Block & { at: number };

/** A block to be written, which was planned: the first rows of a batch. */
interface Ready {
  planned: Planned;
  batch: Batch;
  bytes: Buffer;
}

/** Reads decisions after a number, at most so many, together with those that the batch has. */
export async function fill(batch: Batch, records: ColumnsSnapshot, seq: number, most: number): Promise<void> {
  while (batch.length < most) {
    // For more at once, PostgreSQL may sort the whole log where its statistics are missing.
    const [before, limit] = [batch.length, Math.min(most - batch.length, records.page)];
    const after = batch.lastSeq ?? seq;
    const isRead = await records.binaryAfter(after, limit, (bytes, at) => batch.take(bytes, at));
    if (!isRead) for (const row of await records.decisionsAfter(after, limit)) batch.add(row);
    if (batch.length - before < limit) return;
  }
}

/** Its snapshot keeps PostgreSQL from cleaning up, and progress is reported after each step. */
const BLOCKS_A_STEP = 8;
/** Room for decisions in memory. */
const ROWS_MIN = 1_024;

interface Read {
  batch: Batch;
  /** Decisions of its block; 0: there are not enough for a whole one. */
  rows: number;
  missing: readonly number[];
}

/** Reads the decisions of the block after a number. */
async function readBlock(work: ClickHouseStep, seq: number, spare?: Batch): Promise<Read> {
  const left = work.head.decisionsSeq - seq;
  const batch = newBatch(work, { rows: Math.max(ROWS_MIN, Math.min(BLOCK_MAX, left)), spare });
  await fill(batch, work.records, seq, BLOCK_MAX);
  if (batch.length < BLOCK_MAX || batch.seqAt(BLOCK_MAX - 1) > work.head.settledSeq)
    return { batch, rows: 0, missing: [] };
  const rows = rowsWithin(batch, BLOCK_MAX);
  return { batch, rows, missing: await findMissing(work, batch, rows) };
}

/**
 * Writes blocks while there are enough settled decisions for whole ones, and reads the next one meanwhile. Returns what
 * was read of those that make no whole one; null: another step goes on.
 */
export async function writeBlocks(work: ClickHouseStep): Promise<Batch | null> {
  const { state } = work;
  let read = await readBlock(work, state.to);
  let spare: Batch | undefined;
  for (let left = BLOCKS_A_STEP; read.rows > 0; left--) {
    if (left === 0) return null;
    const { batch, rows, missing } = read;
    const next = readBlock(work, batch.seqAt(rows - 1), spare);
    const written = plan(work, { batch, rows, isAll: false }).then((ready) => insertBlock(work, ready, missing));
    // Neither is left alone when the other fails.
    await Promise.allSettled([next, written]);
    await written;
    read = await next;
    spare = batch;
  }
  return read.batch;
}

/**
 * Writes a block of the decisions beyond the blocks, if there are enough. Returns whether there were. `isCut`: there
 * are more than these.
 */
export async function writeBlock(work: ClickHouseStep, batch: Batch, isCut: boolean): Promise<boolean> {
  const settled = batch.countTo(work.head.settledSeq);
  const oldest = settled === 0 ? Number.POSITIVE_INFINITY : (batch.times[0] as number);
  const isDue = settled >= BLOCK_MIN || work.states.now() - oldest > TAIL_MS;
  if (!isDue) return false;
  const rows = rowsWithin(batch, settled);
  await insertBlock(work, await plan(work, { batch, rows, isAll: !isCut && rows === settled }));
  return true;
}

/** Returns the number in whose partition a decision is, that the next one begins with. */
const endOfPartition = (seq: number): number => (Math.floor(seq / PARTITION) + 1) * PARTITION;

/** Returns how many of the first rows make a block. */
const rowsWithin = (batch: Batch, rows: number): number =>
  Math.min(rows, BLOCK_MAX, batch.countTo(endOfPartition(batch.seqAt(0)) - 1));

/** `isAll`: there are no others up to the settled number. */
async function plan(
  work: ClickHouseStep,
  { batch, rows, isAll }: { batch: Batch; rows: number; isAll: boolean },
): Promise<Ready> {
  const first = batch.seqAt(0);
  const last = isAll ? Math.min(work.head.settledSeq, endOfPartition(first) - 1) : batch.seqAt(rows - 1);
  const { block, bytes } = await toBlock(work, batch, rows);
  const shard = await shardFor(work.store, first, BLOCK_MAX);
  const planned = { ...block, first, last, shard, at: work.states.now() };
  work.state.planned = planned;
  await begin(work);
  return { planned, batch, bytes };
}

async function toBlock(
  { names, programs }: ClickHouseStep,
  batch: Batch,
  rows: number,
): Promise<{ block: Pick<Block, 'rows' | 'sums' | 'hash'>; bytes: Buffer }> {
  const { bytes, sums } = await encode(batch, { names: names.known, programs: programs.numbersOf(batch, rows) });
  return { bytes, block: { rows, sums, hash: createHash('sha256').update(bytes).digest('hex') } };
}

/** Writes a block whose last attempt was interrupted, or finds that it is there. */
export async function repeatBlock(work: ClickHouseStep, planned: Planned): Promise<void> {
  const { records, state, states, store } = work;
  const there = await check(store, planned);
  const batch = newBatch(work);
  // Numbers that are not used are between them.
  for (let most = BLOCK_MAX; ; most += BLOCK_MAX) {
    await fill(batch, records, planned.first - 1, most);
    if (batch.length < most || (batch.lastSeq as number) >= planned.last) break;
  }
  const { bytes, block } = await toBlock(work, batch, batch.countTo(planned.last));
  if (there === 'all') return completeBlock(work, planned, await findMissingOf(work, await itemsOf(store, planned)));
  const isOver = states.now() - planned.at >= FENCE_MS;
  // With its token, a block that a server has lost would be taken for one that is there.
  if (isOver || there === 'other' || block.hash !== planned.hash) {
    // The first attempt may still be running, and would store what it has beside this.
    if (!isOver) throw new Error('an earlier insert may still be running');
    Object.assign(planned, block, { at: states.now() });
    state.planned = planned;
    await begin(work);
    await store.run(`delete from ${changed(store, 'decisions')} where ${within(planned)}`);
  }
  await insertBlock(work, { planned, batch, bytes });
}

/** Returns the items of a block that is there: the records may have fewer of its decisions since it was planned. */
async function itemsOf(store: ClickHouse, planned: Block): Promise<number[]> {
  const { rows } = await store.query(`select distinct content from ${table('decisions')} where ${within(planned)}`);
  return rows.map(([no]) => no as number);
}

async function insertBlock(
  work: ClickHouseStep,
  { planned, batch, bytes }: Ready,
  missing?: readonly number[],
): Promise<void> {
  const { store, state } = work;
  const token = `${state.ledgerNo}:${state.begun}:${planned.first}:${planned.hash}`;
  if (planned.rows > 0)
    await store.insert(table('decisions'), bytes, { token, shard: planned.shard, format: 'Native' });
  if ((await check(store, planned)) !== 'all') throw new Error('a block of decisions was not stored as it was sent');
  await completeBlock(work, planned, missing ?? (await findMissing(work, batch, planned.rows)));
}

async function completeBlock(work: ClickHouseStep, planned: Planned, missing: readonly number[]): Promise<void> {
  const { state, programs } = work;
  await hideMissing(work, missing);
  state.hides ||= state.tail.hides;
  state.to = planned.last;
  state.newest = { first: planned.first, rows: planned.rows, shard: planned.shard, sums: planned.sums.slice(0, 2) };
  addToShard(state, planned.shard, planned.rows);
  work.written += planned.rows;
  state.tail = { no: 0, rows: 0, sum: 0, hides: false };
  await programs.name();
  programs.again();
  await complete(work);
}

/**
 * Throws where blocks that this step wrote, or the newest one `before` it, are no longer there: later steps look for
 * the newest one alone.
 */
export async function assertWritten(
  { store, state, written }: ClickHouseStep,
  before: Pick<ColumnsState, 'newest' | 'to'>,
): Promise<void> {
  if (state.to === before.to) return;
  const { first, rows } = before.newest;
  const [from, expected] = rows === UNKNOWN ? [before.to + 1, written] : [first, rows + written];
  const sql = `select count() from ${table('decisions')} where ${within({ first: from, last: state.to })}`;
  const count = async (): Promise<unknown> => (await store.query(sql)).rows[0]?.[0];
  if ((await lookTwice(store, count, (found) => found === expected)) === expected) return;
  throw new Diverged('blocks of decisions were lost while others were written');
}

/** Writes the tail anew, under the number of the step. */
export async function writeTail(work: ClickHouseStep, batch: Batch): Promise<void> {
  const { state, store, names, programs } = work;
  // Rows of decisions that are gone by now.
  state.hides ||= state.tail.hides;
  state.tail = { no: state.begun, rows: batch.length, sum: batch.sumSeqs(), hides: false };
  if (batch.length === 0) return;
  const numbers = programs.numbersOf(batch, batch.length, true);
  const { bytes } = await encode(batch, { names: names.known, programs: numbers, tail: state.begun });
  await store.insert(table('tail'), bytes, { format: 'Native' });
  const [[count] = []] = (await store.query(`select count() from ${table('tail')} where tail = ${state.begun}`)).rows;
  if (count !== batch.length) throw new Error('the newest decisions were not stored as they were sent');
  state.tail.hides = await hideMissing(work, await findMissing(work, batch, batch.length));
  await programs.name();
}
