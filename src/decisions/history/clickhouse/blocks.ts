/**
 * Decisions in ClickHouse: settled ones in blocks, and the others in the tail, with those that make no block yet. A
 * block is planned before it is written, and read back before it counts.
 */
import { createHash } from 'node:crypto';
import type { DecisionRow } from '../columns/decision-row.ts';
import type { ColumnsSnapshot } from '../columns/source.ts';
import { addToShard, changed, shardFor } from './cluster.ts';
import { hideMissing } from './copy.ts';
import { check, within } from './found.ts';
import { encode } from './rows.ts';
import type { Block } from './state.ts';
import { begin, type ClickHouseStep, complete } from './step.ts';
import { REQUEST_WITHIN_MS } from './store.ts';
import { PARTITION, table } from './tables.ts';

const BLOCK_MAX = 131_072;
/** Fewer decisions stay in the tail, for as long as this. */
const BLOCK_MIN = 8_192;
const TAIL_MS = 21_600_000;
/** Decisions that wait for a transaction which stays open. */
export const TAIL_MAX = 262_144;
/** Decisions that are read at once while more are to come: rows fill the memory of the thread. */
export const FAR_MAX = BLOCK_MAX / 2;
/** An insert whose answer was lost may still be running for as long. */
const FENCE_MS = 2 * REQUEST_WITHIN_MS;

type Planned = Block & { at: number };

/** A block to be written, which was planned. */
interface Ready {
  planned: Planned;
  rows: readonly DecisionRow[];
  bytes: Buffer;
}

/**
 * Writes a block of the decisions beyond the blocks, if there are enough. Returns whether there were. `isCut`: there
 * are more than these.
 */
export async function writeBlock(work: ClickHouseStep, rows: readonly DecisionRow[], isCut: boolean): Promise<boolean> {
  const settled = rows.filter(([seq]) => seq <= work.head.settledSeq);
  const oldest = settled[0]?.[1] ?? Number.POSITIVE_INFINITY;
  const isDue = settled.length >= BLOCK_MIN || work.states.now() - oldest > TAIL_MS;
  if (isDue) await insertBlock(work, await plan(work, settled, isCut));
  return isDue;
}

async function plan(work: ClickHouseStep, settled: readonly DecisionRow[], isCut: boolean): Promise<Ready> {
  const first = settled[0]?.[0] as number;
  const end = (Math.floor(first / PARTITION) + 1) * PARTITION;
  const rows = settled.slice(0, BLOCK_MAX).filter(([seq]) => seq < end);
  const isAll = !isCut && rows.length === settled.length;
  const last = isAll ? Math.min(work.head.settledSeq, end - 1) : (rows.at(-1)?.[0] as number);
  const { block, bytes } = await toBlock(work, rows);
  const shard = await shardFor(work.store, first, BLOCK_MAX);
  const planned = { ...block, first, last, shard, at: work.states.now() };
  work.state.planned = planned;
  await begin(work);
  return { planned, rows, bytes };
}

async function toBlock(
  { names, programs }: ClickHouseStep,
  rows: readonly DecisionRow[],
): Promise<{ block: Pick<Block, 'rows' | 'sums' | 'hash'>; bytes: Buffer }> {
  const { bytes, sums } = await encode(rows, { names, programOf: programs.numberOf });
  return { bytes, block: { rows: rows.length, sums, hash: createHash('sha256').update(bytes).digest('hex') } };
}

/** Writes a block whose last attempt was interrupted, or finds that it is there. */
export async function repeatBlock(work: ClickHouseStep, planned: Planned): Promise<void> {
  const { records, state, states, store } = work;
  const there = await check(store, planned);
  const isRead = (read: readonly DecisionRow[]): boolean => (read.at(-1)?.[0] ?? 0) >= planned.last;
  const rows = (await readBeyond(records, planned.first - 1, isRead)).filter(([seq]) => seq <= planned.last);
  const { bytes, block } = await toBlock(work, rows);
  if (there === 'all') return completeBlock(work, planned, rows);
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
  await insertBlock(work, { planned, rows, bytes });
}

async function insertBlock(work: ClickHouseStep, { planned, rows, bytes }: Ready): Promise<void> {
  const { store, state } = work;
  const token = `${state.ledgerNo}:${state.begun}:${planned.first}:${planned.hash}`;
  if (rows.length > 0) await store.insert(table('decisions'), bytes, { token, shard: planned.shard });
  if ((await check(store, planned)) !== 'all') throw new Error('a block of decisions was not stored as it was sent');
  await completeBlock(work, planned, rows);
}

async function completeBlock(work: ClickHouseStep, planned: Planned, rows: readonly DecisionRow[]): Promise<void> {
  const { state, programs } = work;
  await hideMissing(work, rows);
  state.hides ||= state.tail.hides;
  state.to = planned.last;
  state.newest = { first: planned.first, rows: planned.rows, shard: planned.shard, sums: planned.sums.slice(0, 2) };
  addToShard(state, planned.shard, planned.rows);
  state.tail = { no: 0, rows: 0, sum: 0, hides: false };
  await programs.name();
  programs.settle(state.to);
  await complete(work);
}

/** Writes the tail anew, under the number of the step. */
export async function writeTail(work: ClickHouseStep, rows: readonly DecisionRow[]): Promise<void> {
  const { state, store, names, programs } = work;
  // Rows of decisions that are gone by now.
  state.hides ||= state.tail.hides;
  state.tail = { no: state.begun, rows: rows.length, sum: sumOf(rows), hides: false };
  if (rows.length === 0) return;
  const { bytes } = await encode(rows, { names, programOf: programs.numberOf, tail: state.begun });
  await store.insert(table('tail'), bytes);
  const [[count] = []] = (await store.query(`select count() from ${table('tail')} where tail = ${state.begun}`)).rows;
  if (count !== rows.length) throw new Error('the newest decisions were not stored as they were sent');
  state.tail.hides = await hideMissing(work, rows);
  await programs.name();
}

export const sumOf = (rows: readonly DecisionRow[]): number => rows.reduce((sum, [seq]) => sum + seq, 0);

/** Reads decisions after a number until they are enough, a page at a time. */
export async function readBeyond(
  records: ColumnsSnapshot,
  seq: number,
  isEnough: (rows: readonly DecisionRow[]) => boolean,
): Promise<DecisionRow[]> {
  const rows: DecisionRow[] = [];
  while (!isEnough(rows)) {
    const page = await records.decisionsAfter(rows.at(-1)?.[0] ?? seq, records.page);
    for (const row of page) rows.push(row);
    if (page.length < records.page) break;
  }
  return rows;
}
