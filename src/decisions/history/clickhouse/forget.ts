/**
 * Follows what the records forgot. Answers show it from the step that follows it; values are overwritten, and decisions
 * of deleted items deleted, a while later: questions that began before then are answered.
 */
import { Diverged } from '../columns/diverged.ts';
import type { ErasedRow } from '../columns/gone.ts';
import { NOT_KEPT } from '../columns/programs.ts';
import { integer } from '../columns/sql.ts';
import { Bytes } from './bytes.ts';
import { unregister } from './copy.ts';
import { dropUnused } from './programs.ts';
import { type ColumnsState, isForgetDue, QUESTIONS_MS } from './state.ts';
import type { ClickHouseStep } from './step.ts';
import type { ClickHouse } from './store.ts';
import { TAILS, table } from './tables.ts';

/** Follows retired decisions, erased inputs and erased requesters. */
export async function follow(work: ClickHouseStep): Promise<void> {
  const { head, state, store, records } = work;
  const isNews = head.retiredTo > state.retiredTo || head.inputsErasedTo > state.inputsErasedTo;
  if (isNews) {
    state.retiredTo = head.retiredTo;
    state.inputsErasedTo = head.inputsErasedTo;
    state.forgetSince ||= Date.now();
  }
  const isErased = head.erasedNo > state.erasedNo;
  if (isErased) for (const erased of await records.erasedAfter(state.erasedNo)) await erase(work, erased);
  if (isErased) await optimize(work, 'names', 'registered');
  if (isNews || isErased) await dropUnused(store, { shown: state, step: state.begun });
}

async function optimize({ store }: ClickHouseStep, ...names: ('names' | 'registered' | 'programs')[]): Promise<void> {
  for (const name of names) await store.run(`optimize table ${table(name)} final`);
}

/** The columns of decisions that hold ids of requesters, with their dictionaries. */
const NAMED = [
  ['requester', 'requesters'],
  ['claimed', 'claims'],
] as const;

/** No id begins with it. */
const RESERVED = 'erasure ';

async function erase(work: ClickHouseStep, { no, requesterId, pseudonym, toSeq }: ErasedRow): Promise<void> {
  const { store, names, state } = work;
  if (requesterId === null) throw new Diverged('a requester was erased while the columns were not followed');
  for (const [column, dictionary] of NAMED) {
    const old = await names.find(dictionary, requesterId);
    if (old === undefined) continue;
    const decisions = table('decisions');
    const theirs = `${column} = ${integer(old)} and seq <= ${integer(toSeq)}`;
    await store.run(`alter table ${decisions} update program = ${NOT_KEPT} where ${theirs}`);
    const known = await names.find(dictionary, pseudonym);
    if (known !== undefined)
      await store.run(`alter table ${decisions} update ${column} = ${integer(known)} where ${theirs}`);
    // Decisions that were taken already may be later than the erasure: they keep the id, under a number that is kept
    // for them before it is used.
    const reserved = `${RESERVED}${no}`;
    const next = (await names.number(dictionary, new Set([reserved]))).get(reserved) as number;
    await store.run(
      `alter table ${decisions} update ${column} = ${integer(next)} where ${column} = ${integer(old)} and seq > ${integer(toSeq)}`,
    );
    const [[later] = []] = (await store.query(`select count() from ${decisions} where ${column} = ${integer(next)}`))
      .rows;
    const own = { number: old, id: known === undefined ? pseudonym : `${RESERVED}${no} ${old}` };
    await names.rename(dictionary, own, ...(later === 0 ? [] : [{ number: next, id: requesterId }]));
    if (later === 0) await names.remove(dictionary, next);
    if (dictionary === 'requesters') {
      await store.insert(table('registered'), unregister(new Bytes(), old, state).end());
    }
  }
  state.erasedNo = no;
}

/** Overwrites and deletes for good what is hidden for long enough. */
export async function forget({ store, state }: ClickHouseStep): Promise<void> {
  await dropTails(store, state);
  if (!isForgetDue(state)) return;
  const decisions = table('decisions');
  const { retiredTo, inputsErasedTo, changesSeq } = state.forgotten;
  if (state.retiredTo > retiredTo) {
    await store.run(
      `alter table ${decisions} update candidate = 0, url = null, file = null, page = 0, program = ${NOT_KEPT}
       where seq > ${integer(retiredTo)} and seq <= ${integer(state.retiredTo)}`,
    );
  }
  if (state.inputsErasedTo > inputsErasedTo) {
    const where = `seq > ${integer(inputsErasedTo)} and seq <= ${integer(state.inputsErasedTo)}`;
    await store.run(`alter table ${decisions} update program = ${NOT_KEPT} where ${where}`);
  }
  const gone = `select number from ${table('gone')} where ver > ${integer(changesSeq)} and ver <= ${integer(state.changesSeq)}`;
  await store.run(`delete from ${decisions} where content in (${gone})`);
  const { first } = state.newest;
  const sql = `select count() from ${decisions} where seq >= ${integer(first)} and seq <= ${integer(state.to)}`;
  state.newest = { first, rows: ((await store.query(sql)).rows[0]?.[0] as number) ?? 0 };
  state.forgotten = { retiredTo: state.retiredTo, inputsErasedTo: state.inputsErasedTo, changesSeq: state.changesSeq };
  state.forgetSince = 0;
}

/** Drops tails that no question reads any more. */
async function dropTails(store: ClickHouse, state: ColumnsState): Promise<void> {
  const { no, at } = state.formerTail;
  if (Date.now() - at < QUESTIONS_MS) return;
  state.formerTail = { no: state.begun, at: Date.now() };
  const first = Math.floor(no / TAILS);
  const { rows } = await store.query(
    `select distinct intDiv(tail, ${TAILS}) from ${table('tail')} where tail < ${integer(first * TAILS)}`,
  );
  for (const [partition] of rows) {
    await store.run(`alter table ${table('tail')} drop partition ${integer(partition as number)}`);
  }
}
