/**
 * Brings the columns in ClickHouse up to date with the records, a step at a time. Promise: as of columns/tail.ts, for
 * all nodes together, with no transaction in ClickHouse.
 * Why that holds. One writer at a time has the lock (state.ts). A step first says in PostgreSQL that it begins, and
 * which decisions it will write; then it writes them to ClickHouse with its number, reads back what is there, and at
 * last says in PostgreSQL that it is done. Readers see only what a completed step wrote. A step that was interrupted is
 * done again, with the same decisions under the same token, so ClickHouse stores them once; where the token was
 * forgotten, or other bytes are there, what is read back decides. The numbers of the steps on both sides show that
 * one side was restored to an earlier state, or is another one: then all is counted again.
 */
import { NumberSet } from '../../../lib/number-set.ts';
import { Diverged } from '../columns/diverged.ts';
import type { ColumnsSnapshot, DecisionSource, Head } from '../columns/source.ts';
import type { Tail } from '../columns/tail.ts';
import type { Batch } from './batch.ts';
import { assertWritten, fill, repeatBlock, TAIL_MAX, writeBlock, writeBlocks, writeTail } from './blocks.ts';
import { AnsweringServer, countShards } from './cluster.ts';
import { copyChanges, copyEverything, insertCounts } from './copy.ts';
import { follow, forget } from './forget.ts';
import { dropOwn, findLoss, isWhole, matchNewest } from './found.ts';
import type { ClickHouseNames } from './names.ts';
import { compareOlder, isCompareDue } from './older.ts';
import { type NotedPrograms, notedPrograms } from './programs.ts';
import { type ColumnsState, EMPTY, isForgetDue, type StateStore } from './state.ts';
import { begin, type ClickHouseStep, complete, mark } from './step.ts';
import type { ClickHouse } from './store.ts';
import { createTables } from './tables.ts';

const LOCKED_MS = 20;

interface Ends {
  store: ClickHouse;
  names: ClickHouseNames;
  states: StateStore;
  source: DecisionSource;
  pause(ms: number): Promise<void>;
  onRebuild(): void;
}

/** A state, and when it was known to have all that there was; see performance.now. */
export interface ShownState {
  state: ColumnsState;
  at: number;
  /** See AnsweringServer. */
  moves: number;
}

export class ClickHouseWriter implements Tail {
  readonly #ends: Ends;
  readonly #programs: NotedPrograms;
  readonly #items = new NumberSet();
  readonly #server: AnsweringServer;
  #seen: ColumnsState = EMPTY;
  /** The state that the last step of this node left. */
  #own: ColumnsState = EMPTY;
  #shown: ShownState = { state: EMPTY, at: 0, moves: 0 };
  #writing: ColumnsState = EMPTY;
  /** The newest decision was found in the records since this was opened. */
  #isMatched = false;

  constructor(ends: Ends) {
    this.#ends = ends;
    this.#server = new AnsweringServer(ends.store);
    this.#programs = notedPrograms(ends.store, () => ({ shown: this.#writing, step: this.#writing.begun }));
  }

  /** The newest state that had all that there was, and when: questions that wait for others begin with it. */
  get shown(): ShownState {
    return this.#shown;
  }

  async step(): Promise<{ caughtUp: boolean; behind: number }> {
    const { source, states, store, pause } = this.#ends;
    const startedAt = performance.now();
    const behind = await source.read(async (records) => {
      const head = await records.head();
      this.#seen = await states.read();
      await this.#server.settle(this.#seen);
      const isDone =
        this.#isMatched &&
        !isForgetDue(this.#seen, states.now()) &&
        !isCompareDue(this.#seen, states.now()) &&
        (await isAtHead(this.#seen, head, records)) &&
        (await isWhole(store, this.#seen));
      return isDone ? 0 : Math.max(1, head.decisionsSeq - this.#seen.to);
    });
    if (behind === 0) return this.#show(startedAt);
    if (!(await states.lock())) {
      await pause(LOCKED_MS);
      return { caughtUp: false, behind };
    }
    try {
      // Another snapshot: what another writer wrote meanwhile is not newer than this one.
      const caughtUp = await source.read((records) => this.#advance(records));
      // No other writer has written since: this one still has the lock.
      return caughtUp ? this.#show(performance.now()) : { caughtUp, behind };
    } catch (error) {
      this.#programs.abandon();
      this.#forget();
      throw error;
    } finally {
      await states.unlock().catch(() => undefined);
    }
  }

  isRewritten(): boolean {
    return false;
  }

  gathered(): Promise<number> {
    return this.#ends.source.read(async (records) => {
      const { decisionsSeq, changesSeq } = await records.head();
      const { to, tail, changesSeq: copied } = this.#seen;
      return decisionsSeq - to - tail.rows + (changesSeq - copied);
    });
  }

  #show(at: number): { caughtUp: true; behind: 0 } {
    this.#shown = { state: this.#seen, at, moves: this.#server.moves };
    return { caughtUp: true, behind: 0 };
  }

  #forget(): void {
    this.#ends.names.known.forget();
    this.#items.clear();
    this.#programs.again();
  }

  /** Returns whether nothing is left to write. */
  async #advance(records: ColumnsSnapshot): Promise<boolean> {
    const { store, names, states } = this.#ends;
    const head = await records.head();
    const stored = await states.read();
    await this.#server.settle(stored);
    const state = structuredClone(stored);
    // Another writer may have given texts other numbers since, and hidden items.
    if (stored.done !== this.#own.done || stored.begun !== stored.done) this.#forget();
    if (stored.built !== this.#own.built) this.#programs.abandon();
    const forgets = isForgetDue(stored, states.now());
    const work: ClickHouseStep = {
      store,
      names,
      programs: this.#programs,
      items: this.#items,
      states,
      records,
      head,
      state,
      stored,
      written: 0,
      forgets,
      server: this.#server,
    };
    this.#writing = state;
    const isLast = await (state.isNew ? this.#build(work) : this.#write(work)).catch((error: unknown) =>
      fail(work, error),
    );
    this.#seen = state;
    this.#own = state;
    return isLast;
  }

  async #build(work: ClickHouseStep): Promise<false> {
    const { head, state, store, names } = work;
    const ledgerNo = head.ledgerNo ?? '0';
    await begin(work);
    this.#ends.onRebuild();
    await dropOwn(store, { ledgerNo });
    // Some may be of requesters that were erased meanwhile.
    await names.clear();
    this.#items.clear();
    await createTables(store, ledgerNo);
    this.#isMatched = true;
    Object.assign(state, {
      ...EMPTY,
      begun: state.begun,
      built: state.begun,
      ledgerNo,
      isNew: false,
      compared: { to: 0, at: this.#ends.states.now() },
    });
    if (store.cluster !== null) state.shards = Array.from({ length: await countShards(store) }, () => 0);
    await mark(store, state.begun);
    await copyEverything(work);
    await insertCounts(work);
    await complete(work);
    return false;
  }

  async #write(work: ClickHouseStep): Promise<boolean> {
    await this.#assertWhole(work);
    const { newest, to } = work.state;
    const batch = await writeDecisions(work);
    await assertWritten(work, { newest, to });
    if (batch === null) return false;
    await begin(work);
    const areMore = await copyChanges(work);
    // Before an erasure, for what was done under the id.
    if (!areMore) await follow(work);
    await compareOlder(work);
    await writeTail(work, batch);
    await forget(work);
    await complete(work);
    return !areMore;
  }

  /** Throws Diverged where ClickHouse or the records do not have what they had. */
  async #assertWhole(work: ClickHouseStep): Promise<void> {
    const { state } = work;
    const isToMatch = !this.#isMatched && state.planned === null;
    const lost = (await findLoss(work)) ?? (isToMatch ? await matchNewest(work) : null);
    if (lost === 'unknown' || lost === null) {
      if (isToMatch) this.#isMatched = lost === null;
      return;
    }
    throw lost;
  }
}

/** Writes blocks. Returns the decisions beyond them; null: another step goes on. */
async function writeDecisions(work: ClickHouseStep): Promise<Batch | null> {
  const { state, records, store } = work;
  if (state.planned !== null) {
    await mark(store, state.begun);
    await repeatBlock(work, state.planned);
    return null;
  }
  const batch = await writeBlocks(work);
  if (batch === null) return null;
  await fill(batch, records, state.to, TAIL_MAX + 1);
  const isCut = batch.length > TAIL_MAX;
  if (await writeBlock(work, batch, isCut)) return null;
  if (isCut) throw new Error('a transaction of the database has been open for too long');
  return batch;
}

/** Where both stores do not belong together, all is counted again. Questions stop before anything is dropped. */
async function fail({ states, stored, store, state }: ClickHouseStep, error: unknown): Promise<never> {
  if (error instanceof Diverged) {
    await states.write({ ...EMPTY, begun: stored.begun }, stored);
    await dropOwn(store, state);
  }
  throw error;
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
  const { rows, sum } = await records.sumAfter(state.to, head.decisionsSeq);
  return state.tail.rows === rows && state.tail.sum === sum;
}
