/** A step of a writer: its ends, its beginning and its completion. */

import type { NumberSet } from '../../../lib/number-set.ts';
import type { ColumnsSnapshot, Head } from '../columns/source.ts';
import { integer } from '../columns/sql.ts';
import { Batch } from './batch.ts';
import type { AnsweringServer } from './cluster.ts';
import { type ClickHouseNames, copyNames } from './names.ts';
import type { NotedPrograms } from './programs.ts';
import { type ColumnsState, type StateStore, UNKNOWN } from './state.ts';
import type { ClickHouse } from './store.ts';
import { table } from './tables.ts';

/** The ends of a step, and its state. */
export interface ClickHouseStep {
  store: ClickHouse;
  names: ClickHouseNames;
  programs: NotedPrograms;
  /** Items that exist as of the changes that were copied. */
  items: NumberSet;
  states: StateStore;
  records: ColumnsSnapshot;
  head: Head;
  /** Changed by the step, and kept when it is done. */
  state: ColumnsState;
  /** The state in PostgreSQL. */
  stored: ColumnsState;
  /** Decisions in the blocks that it completed. */
  written: number;
  /** Data that is hidden for long enough is overwritten and deleted in this step. */
  forgets: boolean;
  server: AnsweringServer;
}

/** `rows`: about as many as it will have. `spare`: one that is no longer used. */
export function newBatch(
  { names, programs }: Pick<ClickHouseStep, 'names' | 'programs'>,
  { rows, spare }: { rows?: number; spare?: Batch | undefined } = {},
): Batch {
  const texts = { named: names.known.texts(), agents: programs.agents() };
  if (spare === undefined) return new Batch(texts, rows);
  spare.renew(texts);
  return spare;
}

/** Says in both stores that a step begins, and which block it writes. */
export async function begin(work: ClickHouseStep): Promise<void> {
  const { store, states, state, stored, head } = work;
  state.begun += 1;
  // Not what the step changed so far: the state before it, until it is done.
  const erasing = stored.erasing || head.erasedNo > stored.erasedNo;
  const next = { ...stored, begun: state.begun, planned: state.planned, erasing };
  if (work.forgets) Object.assign(next, { newest: { ...stored.newest, rows: UNKNOWN }, counts: UNKNOWN });
  await states.write(next, stored);
  work.stored = next;
  if (!state.isNew) await mark(store, state.begun);
}

/** Leaves the number of a step in ClickHouse. */
export const mark = (store: ClickHouse, step: number): Promise<void> =>
  store.run(`insert into ${table('marks')} (n) values (${integer(step)})`);

/** From now on, questions read what the step wrote. */
export async function complete(work: ClickHouseStep): Promise<void> {
  const { store, names, states, state, stored, head, server } = work;
  await copyNames({ store, names, state });
  if (state.gone === UNKNOWN) state.gone = await countGone(store);
  state.server = server.assertSame();
  state.done = state.begun;
  state.planned = null;
  state.erasing = state.erasedNo < head.erasedNo;
  planToForget(state, states.now());
  await states.write(state, stored);
  work.stored = structuredClone(state);
}

async function countGone(store: ClickHouse): Promise<number> {
  const [[count = 0] = []] = (await store.query(`select count() from ${table('gone')}`)).rows as number[][];
  return count;
}

/** Questions of now still read what a later step forgets. */
function planToForget(state: ColumnsState, now: number): void {
  const { retiredTo, inputsErasedTo, changesSeq, erasedNo, forgotten } = state;
  const isNews =
    state.hides ||
    retiredTo > forgotten.retiredTo ||
    inputsErasedTo > forgotten.inputsErasedTo ||
    erasedNo > forgotten.erasedNo;
  if (state.forgetting !== null || !isNews) return;
  state.forgetting = { retiredTo, inputsErasedTo, changesSeq, erasedNo, at: now, tail: state.begun };
  state.hides = false;
}
