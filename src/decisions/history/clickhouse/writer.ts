/**
 * Brings the columns in ClickHouse up to date with the records, a step at a time. Promise: as of columns/tail.ts, for
 * all nodes together, with no transaction in ClickHouse.
 * Why that holds. One writer at a time has the lock (state.ts). A step first says in PostgreSQL that it begins, and
 * which decisions it will write; then it writes them to ClickHouse with its number, reads back what is there, and at
 * last says in PostgreSQL that it is done. Readers see only what a completed step wrote. A step that was interrupted is
 * done again, with the same decisions under the same token, so ClickHouse stores them once; where the token was
 * forgotten, or other bytes are there, what is read back decides. The numbers of the steps on both sides show that
 * one side was restored to an earlier state, or is another one: then all is counted again.
 * Decisions in blocks are settled; the others, and those that make no block yet, are in the tail, which each step
 * writes anew under another number.
 */
import { createHash } from 'node:crypto';
import type { DecisionRow } from '../columns/decision-row.ts';
import { openPrograms } from '../columns/programs.ts';
import type { ColumnsSnapshot, DecisionSource, Head } from '../columns/source.ts';
import { integer } from '../columns/sql.ts';
import type { Tail } from '../columns/tail.ts';
import { copyChanges, copyEverything, copyNames, hideMissing, insertCounts } from './copy.ts';
import { follow, forget, isForgetDue, UNKNOWN } from './forget.ts';
import { check, dropOwn, findLoss, isWhole, matchNewest, within } from './found.ts';
import type { ClickHouseNames } from './names.ts';
import { clickHousePrograms } from './programs.ts';
import { encode } from './rows.ts';
import { type Block, type ColumnsState, EMPTY, type StateStore } from './state.ts';
import type { ClickHouseStep } from './step.ts';
import { type ClickHouse, REQUEST_WITHIN_MS } from './store.ts';
import { createTables, PARTITION, table } from './tables.ts';

const BLOCK_MAX = 131_072;
/** Fewer decisions stay in the tail, for as long as this. */
const BLOCK_MIN = 8_192;
const TAIL_MS = 21_600_000;
/** Decisions that wait for a transaction which stays open. */
const TAIL_MAX = 262_144;
/** An insert whose answer was lost may still be running for as long. */
const FENCE_MS = 2 * REQUEST_WITHIN_MS;
const LOCKED_MS = 20;

export interface Writer extends Tail {
  /** All that was written by the last step that this node saw. */
  state(): ColumnsState;
}

type Planned = Block & { at: number };

/** A block to be written, which was planned. */
interface Ready {
  planned: Planned;
  rows: readonly DecisionRow[];
  bytes: Buffer;
}

interface Ends {
  store: ClickHouse;
  names: ClickHouseNames;
  states: StateStore;
  source: DecisionSource;
  pause(ms: number): Promise<void>;
  onRebuild(): void;
}

export function openWriter({ store, names, states, source, pause, onRebuild }: Ends): Writer {
  let seen: ColumnsState = EMPTY;
  let writing: ColumnsState = EMPTY;
  const programs = openPrograms(clickHousePrograms(store, () => ({ shown: writing, step: writing.begun })));
  /** Decisions of the tail whose programs were noted. */
  let noted = new Set<number>();
  /** The newest decision was found in the records since this was opened. */
  let isMatched = false;

  async function step(): Promise<{ caughtUp: boolean; behind: number }> {
    const behind = await source.read(async (records) => {
      const head = await records.head();
      seen = await states.read();
      const isDone = isMatched && (await isAtHead(seen, head, records)) && (await isWhole(store, seen));
      return isDone ? 0 : Math.max(1, head.decisionsSeq - seen.to);
    });
    if (behind === 0) return { caughtUp: true, behind };
    if (!(await states.lock())) {
      await pause(LOCKED_MS);
      return { caughtUp: false, behind };
    }
    try {
      // Another snapshot: what another writer wrote meanwhile is not newer than this one.
      const caughtUp = await source.read((records) => advance(records));
      return { caughtUp, behind: caughtUp ? 0 : behind };
    } catch (error) {
      programs.abandon();
      names.forget();
      noted = new Set();
      throw error;
    } finally {
      await states.unlock().catch(() => undefined);
    }
  }

  /** Returns whether nothing is left to write. */
  async function advance(records: ColumnsSnapshot): Promise<boolean> {
    const head = await records.head();
    const state = structuredClone(await states.read());
    const work: ClickHouseStep = { store, names, records, head, state };
    writing = state;
    if (state.isNew) {
      await begin(state);
      await build(work);
      await complete(work);
      return false;
    }
    const lost = (await findLoss(work)) ?? (isMatched || state.planned !== null ? null : await matchNewest(work));
    if (lost === 'unknown') isMatched = false;
    else if (lost === null) isMatched ||= state.planned === null;
    else {
      await dropOwn(store, state);
      await states.write({ ...EMPTY, begun: state.begun });
      throw lost;
    }
    if (state.planned !== null) {
      await mark(store, state.begun);
      await repeatBlock(work, state.planned);
      return false;
    }
    const rows = await readBeyond(records, state.to);
    const settled = rows.filter(([seq]) => seq <= head.settledSeq);
    const oldest = settled[0]?.[1] ?? Number.POSITIVE_INFINITY;
    const isDue =
      settled.length >= BLOCK_MIN || (rows.length > 0 && Date.now() - oldest > TAIL_MS && settled.length > 0);
    if (isDue) {
      await insertBlock(work, await plan(work, settled));
      return false;
    }
    if (rows.length > TAIL_MAX) throw new Error('a transaction of the database has been open for too long');
    await begin(state);
    const areMore = await copyChanges(work);
    await follow(work);
    await writeTail(work, rows);
    await forget(work);
    await complete(work);
    return !areMore;
  }

  async function begin(state: ColumnsState): Promise<void> {
    state.begun += 1;
    // Not what the step changed so far: the state before it, until it is done.
    const before = await states.read();
    const newest = isForgetDue(state) ? { ...before.newest, rows: UNKNOWN } : before.newest;
    await states.write({ ...before, begun: state.begun, planned: state.planned, newest });
    if (!state.isNew) await mark(store, state.begun);
  }

  async function complete({ state }: ClickHouseStep): Promise<void> {
    await copyNames({ store, names, state });
    state.done = state.begun;
    state.planned = null;
    await states.write(state);
    seen = state;
  }

  async function build(work: ClickHouseStep): Promise<void> {
    const { head, state } = work;
    onRebuild();
    await dropOwn(store, { ledgerNo: head.ledgerNo ?? '0' });
    await createTables(store, head.ledgerNo ?? '0');
    isMatched = true;
    const numbered = { ...EMPTY, begun: state.begun, ledgerNo: head.ledgerNo ?? '0', isNew: false };
    Object.assign(state, numbered);
    await mark(store, state.begun);
    await copyEverything(work);
    await insertCounts(work);
  }

  const programOf = (row: DecisionRow): number => {
    const isNoted = noted.has(row[0]);
    if (row[0] > 0) noted.add(row[0]);
    return programs.numberOf(row, isNoted);
  };

  async function plan({ state, head }: ClickHouseStep, settled: readonly DecisionRow[]): Promise<Ready> {
    const first = settled[0]?.[0] as number;
    const end = (Math.floor(first / PARTITION) + 1) * PARTITION;
    const rows = settled.slice(0, BLOCK_MAX).filter(([seq]) => seq < end);
    const last = rows.length === settled.length ? Math.min(head.settledSeq, end - 1) : (rows.at(-1)?.[0] as number);
    const { block, bytes } = await toBlock(rows);
    const planned = { ...block, first, last, at: Date.now() };
    state.planned = planned;
    await begin(state);
    return { planned, rows, bytes };
  }

  async function toBlock(
    rows: readonly DecisionRow[],
  ): Promise<{ block: Pick<Block, 'rows' | 'sums' | 'hash'>; bytes: Buffer }> {
    const { bytes, sums } = await encode(rows, { names, programOf });
    return { bytes, block: { rows: rows.length, sums, hash: createHash('sha256').update(bytes).digest('hex') } };
  }

  /** Writes a block whose last attempt was interrupted, or finds that it is there. */
  async function repeatBlock(work: ClickHouseStep, planned: Planned): Promise<void> {
    const { records, state } = work;
    const there = await check(store, planned);
    const rows = (await readBeyond(records, planned.first - 1)).filter(([seq]) => seq <= planned.last);
    const { bytes, block } = await toBlock(rows);
    if (there === 'all') return completeBlock(work, planned, rows);
    if (there === 'other' || block.hash !== planned.hash) {
      // The first attempt may still be running, and would store what it has beside this.
      if (Date.now() - planned.at < FENCE_MS) throw new Error('an earlier insert may still be running');
      await store.run(`delete from ${table('decisions')} where ${within(planned)}`);
      Object.assign(planned, block, { at: Date.now() });
      state.planned = planned;
      await begin(state);
    }
    await insertBlock(work, { planned, rows, bytes });
  }

  async function insertBlock(work: ClickHouseStep, { planned, rows, bytes }: Ready): Promise<void> {
    const { ledgerNo, begun } = work.state;
    const token = `${ledgerNo}:${begun}:${planned.first}:${planned.hash}`;
    if (rows.length > 0) await store.insert(table('decisions'), bytes, token);
    if ((await check(store, planned)) !== 'all') throw new Error('a block of decisions was not stored as it was sent');
    await completeBlock(work, planned, rows);
  }

  async function completeBlock(work: ClickHouseStep, planned: Planned, rows: readonly DecisionRow[]): Promise<void> {
    const { state } = work;
    await hideMissing(work, rows);
    state.to = planned.last;
    state.newest = { first: planned.first, rows: planned.rows };
    state.tail = { no: 0, rows: 0, sum: 0 };
    await programs.name();
    noted = new Set([...noted].filter((seq) => seq > state.to));
    await complete(work);
  }

  async function writeTail(work: ClickHouseStep, rows: readonly DecisionRow[]): Promise<void> {
    const { state } = work;
    state.tail = { no: state.begun, rows: rows.length, sum: sumOf(rows) };
    if (rows.length === 0) return;
    const { bytes } = await encode(rows, { names, programOf, tail: state.begun });
    await store.insert(table('tail'), bytes);
    const [[count] = []] = (await store.query(`select count() from ${table('tail')} where tail = ${state.begun}`)).rows;
    if (count !== rows.length) throw new Error('the newest decisions were not stored as they were sent');
    await hideMissing(work, rows);
    await programs.name();
  }

  return {
    step,
    state: () => seen,
    isRewritten: () => false,
    gathered: () =>
      source.read(async (records) => {
        const { decisionsSeq, changesSeq } = await records.head();
        return decisionsSeq - seen.to - seen.tail.rows + (changesSeq - seen.changesSeq);
      }),
  };
}

const mark = (store: ClickHouse, step: number): Promise<void> =>
  store.run(`insert into ${table('marks')} values (${integer(step)})`);

const sumOf = (rows: readonly DecisionRow[]): number => rows.reduce((sum, [seq]) => sum + seq, 0);

async function readBeyond(records: ColumnsSnapshot, seq: number): Promise<DecisionRow[]> {
  const rows: DecisionRow[] = [];
  while (rows.length <= TAIL_MAX) {
    const page = await records.decisionsAfter(rows.at(-1)?.[0] ?? seq, records.page);
    for (const row of page) rows.push(row);
    if (page.length < records.page) break;
  }
  return rows;
}

/** Returns whether all that a snapshot shows was written. The state may be newer than the snapshot. */
async function isAtHead(state: ColumnsState, head: Head, records: ColumnsSnapshot): Promise<boolean> {
  const covers =
    !state.isNew &&
    state.planned === null &&
    state.begun === state.done &&
    state.ledgerNo === (head.ledgerNo ?? '0') &&
    state.changesSeq >= head.changesSeq &&
    state.retiredTo >= head.retiredTo &&
    state.erasedNo >= head.erasedNo &&
    state.inputsErasedTo >= head.inputsErasedTo &&
    head.decisionsSeq - state.to <= TAIL_MAX;
  if (!covers) return false;
  const rows = await readBeyond(records, state.to);
  return state.tail.rows === rows.length && state.tail.sum === sumOf(rows);
}
