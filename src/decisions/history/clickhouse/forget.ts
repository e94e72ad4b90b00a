/**
 * Follows what the records forgot. Answers show it from the step that follows it; values are overwritten, and decisions
 * of deleted items deleted, a while later: questions that began before then are answered. After that, the data of
 * ClickHouse has nothing of it. The text of a statement stays in its logs: statements name numbers alone.
 */
import { Diverged } from '../columns/diverged.ts';
import type { ErasedRow } from '../columns/gone.ts';
import { NOT_KEPT } from '../columns/programs.ts';
import { integer } from '../columns/sql.ts';
import { Bytes } from './bytes.ts';
import { changed, countShardsAgain, everywhere } from './cluster.ts';
import { putRequesters, unregister } from './copy.ts';
import { copyNames } from './names.ts';
import { dropUnused } from './programs.ts';
import { KEPT_MS, UNKNOWN } from './state.ts';
import type { ClickHouseStep } from './step.ts';
import { kindOf, NOON, TAILS, type TableName, table } from './tables.ts';

/** Follows retired decisions, erased inputs and erased requesters. */
export async function follow(work: ClickHouseStep): Promise<void> {
  const { head, state, records } = work;
  state.retiredTo = head.retiredTo;
  state.inputsErasedTo = head.inputsErasedTo;
  if (head.erasedNo === state.erasedNo) return;
  for (const erased of await records.erasedAfter(state.erasedNo)) await erase(work, erased);
  await copyNames(work);
  await rewrite(work, 'names', 'registered');
}

/** Leaves the newest row of each key alone: replaced ones are gone. Throws where the server did not do so. */
async function rewrite({ store }: ClickHouseStep, ...names: TableName[]): Promise<void> {
  for (const name of names) {
    await store.run(`optimize table ${table(name)} final`);
    const copies = everywhere(store, name);
    const sql = `select (select count() from ${copies}), (select count() from ${copies} final)`;
    const [[all, newest] = []] = (await store.query(sql)).rows;
    if (all !== newest) throw new Error('ClickHouse has not rewritten its texts yet');
  }
}

/** Overwrites values where they are left. An attempt that took too long goes on by itself. */
const overwrite = (work: ClickHouseStep, values: string, where: string): Promise<void> =>
  change(work, `update ${values}`, where);

/** Changes decisions on all replicas. Throws where some are left. */
async function change({ store }: ClickHouseStep, how: string, where: string): Promise<void> {
  const countLeft = async (): Promise<unknown> =>
    (await store.query(`select count() from ${everywhere(store, 'decisions')} where ${where}`)).rows[0]?.[0];
  if ((await countLeft()) === 0) return;
  await store.run(`alter table ${changed(store, 'decisions')} ${how} where ${where}`);
  if ((await countLeft()) !== 0) throw new Error('ClickHouse has not changed all decisions yet');
}

const GONE_AT_ONCE = 16_384;

/** Deletes decisions on items. Their numbers are in the statement: a subquery may be answered otherwise elsewhere. */
async function deleteGone(work: ClickHouseStep, changesSeq: number): Promise<void> {
  const { rows } = await work.store.query(
    `select distinct number from ${table('gone')} where ver <= ${integer(changesSeq)} order by number`,
  );
  const numbers = rows.map(([number]) => integer(number as number));
  for (let i = 0; i < numbers.length; i += GONE_AT_ONCE) {
    await change(work, 'delete', `content in (${numbers.slice(i, i + GONE_AT_ONCE).join(', ')})`);
  }
}

/** The columns of decisions that hold ids of requesters, with their dictionaries. */
const NAMED = [
  ['requester', 'requesters'],
  ['claimed', 'claims'],
] as const;

/** No id begins with it. */
const RESERVED = 'erasure ';

/** Repeated after an interruption: each of its steps finds what is left to do. */
async function erase(work: ClickHouseStep, { no, requesterId, pseudonym, toSeq }: ErasedRow): Promise<void> {
  const { store, names, state, records } = work;
  if (requesterId === null) throw new Diverged('a requester was erased while the columns were not followed');
  for (const [column, dictionary] of NAMED) {
    const old = await names.find(dictionary, requesterId);
    if (old === undefined) continue;
    if (dictionary === 'requesters') await store.insert(table('registered'), unregister(new Bytes(), old, state).end());
    const own = `${column} = ${integer(old)}`;
    const theirs = `${own} and seq <= ${integer(toSeq)}`;
    await overwrite(work, `program = ${NOT_KEPT}`, `${theirs} and program <> ${NOT_KEPT}`);
    const known = await names.find(dictionary, pseudonym);
    if (known !== undefined) await overwrite(work, `${column} = ${integer(known)}`, theirs);
    // Decisions that were taken already may be later than the erasure: they keep the id, under a number that is kept
    // for them before it is used.
    const reserved = `${RESERVED}${no}`;
    const next = (await names.number(dictionary, new Set([reserved]))).get(reserved) as number;
    await overwrite(work, `${column} = ${integer(next)}`, `${own} and seq > ${integer(toSeq)}`);
    const sql = `select count() from ${table('decisions')} where ${column} = ${integer(next)}`;
    const [[later] = []] = (await store.query(sql)).rows;
    const renamed = { number: old, id: known === undefined ? pseudonym : `${RESERVED}${no} ${old}` };
    await names.rename(dictionary, renamed, ...(later === 0 ? [] : [{ number: next, id: requesterId }]));
    if (later === 0) await names.remove(dictionary, next);
  }
  await putRequesters(work, await records.requestersOf([requesterId]), []);
  state.erasedNo = no;
}

/** Overwrites and deletes for good what is hidden for long enough. */
export async function forget(work: ClickHouseStep): Promise<void> {
  const { state, store } = work;
  await dropTails(work);
  const { forgetting, forgotten } = state;
  if (forgetting === null || !work.forgets) return;
  state.newest = { ...state.newest, rows: UNKNOWN };
  const between = (from: number, to: number): string => `seq > ${integer(from)} and seq <= ${integer(to)}`;
  if (forgetting.retiredTo > forgotten.retiredTo) {
    await overwrite(
      work,
      `decided_at = ${NOON.decided_at}, quarter = ${NOON.quarter}, candidate = 0, url = null, file = null, page = 0,
       program = ${NOT_KEPT}`,
      `${between(forgotten.retiredTo, forgetting.retiredTo)} and (decided_at <> ${NOON.decided_at} or candidate <> 0
       or url is not null or file is not null or page <> 0 or program <> ${NOT_KEPT})`,
    );
  }
  if (forgetting.inputsErasedTo > forgotten.inputsErasedTo) {
    const range = between(forgotten.inputsErasedTo, forgetting.inputsErasedTo);
    await overwrite(work, `program = ${NOT_KEPT}`, `${range} and program <> ${NOT_KEPT}`);
  }
  await deleteGone(work, forgetting.changesSeq);
  await store.run(`alter table ${table('tail')} delete where tail < ${integer(forgetting.tail)}`);
  await dropPages(work);
  await dropUnused(store, { shown: state, step: state.begun });
  await rewrite(work, 'names', 'content', 'programs', 'program_addresses');
  await countAgain(work);
  state.forgotten = forgetting;
  state.forgetting = null;
}

async function countAgain({ store, state }: ClickHouseStep): Promise<void> {
  const { first } = state.newest;
  const newest = `seq >= ${integer(first)} and seq <= ${integer(state.to)}`;
  const sql = `select countIf(${newest}), countIf(seq < 0) from ${table('decisions')} where seq < 0 or ${newest}`;
  const [[rows = 0, counts = 0] = []] = (await store.query(sql)).rows as number[][];
  state.newest = { ...state.newest, rows };
  state.counts = counts;
  await countShardsAgain(store, state);
}

const PAGES_AT_ONCE = 65_536;

/** Deletes the texts of pages that no decision has any more: they may say what is to be forgotten. */
async function dropPages({ store, names }: ClickHouseStep): Promise<void> {
  const kind = kindOf('pages');
  const used = (name: TableName): string => `number not in (select page from ${table(name)})`;
  const unused = `select number from ${table('names')} final where kind = ${kind} and ${used('decisions')} and ${used('tail')}`;
  for (;;) {
    const { rows } = await store.query(`${unused} order by number limit ${PAGES_AT_ONCE}`);
    const numbers = rows.map(([number]) => number as number);
    if (numbers.length === 0) return;
    await names.remove('pages', ...numbers);
    const list = numbers.map(integer).join(', ');
    await store.run(`alter table ${table('names')} delete where kind = ${kind} and number in (${list})`);
  }
}

/** Drops tails that no question reads any more. */
async function dropTails({ store, states, state }: ClickHouseStep): Promise<void> {
  const { no, at } = state.formerTail;
  if (states.now() - at < KEPT_MS) return;
  state.formerTail = { no: state.begun, at: states.now() };
  const first = Math.floor(no / TAILS);
  const { rows } = await store.query(
    `select distinct intDiv(tail, ${TAILS}) from ${table('tail')} where tail < ${integer(first * TAILS)}`,
  );
  for (const [partition] of rows) {
    await store.run(`alter table ${table('tail')} drop partition ${integer(partition as number)}`);
  }
}
