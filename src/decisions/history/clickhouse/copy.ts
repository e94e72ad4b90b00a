/** Copies of records and of texts in ClickHouse. */
import { type DecisionRow, NO_INPUTS } from '../columns/decision-row.ts';
import type { ContentRow, RecordChange, RequesterRow } from '../columns/source.ts';
import type { Batch } from './batch.ts';
import { Bytes } from './bytes.ts';
import { addToShard } from './cluster.ts';
import { encode } from './rows.ts';
import { type ColumnsState, UNKNOWN } from './state.ts';
import { type ClickHouseStep, newBatch } from './step.ts';
import { table } from './tables.ts';

const CHANGES_A_STEP = 4_096;
const PAGE = 8_192;
const COUNTS_A_BLOCK = 131_072;
/** The field of a decision row. */
const CONTENT = 2;

/** Copies all items and requesters that there are. */
export async function copyEverything(work: ClickHouseStep): Promise<void> {
  const { records, head, state } = work;
  state.changesSeq = head.changesSeq;
  state.changesAt = (await records.changedAt(head.changesSeq)) ?? 0;
  state.retiredTo = head.retiredTo;
  state.inputsErasedTo = head.inputsErasedTo;
  state.erasedNo = head.erasedNo;
  const { retiredTo, inputsErasedTo, changesSeq, erasedNo } = state;
  state.forgotten = { retiredTo, inputsErasedTo, changesSeq, erasedNo };
  for (let after = 0; ; ) {
    const rows = await records.contentAfter(after, PAGE);
    await putContent(work, rows, []);
    if (rows.length < PAGE) break;
    after = rows.at(-1)?.no ?? after;
  }
  for (let after = ''; ; ) {
    const rows = await records.requestersAfter(after, PAGE);
    await putRequesters(work, rows, []);
    if (rows.length < PAGE) break;
    after = rows.at(-1)?.id ?? after;
  }
}

/** Copies changed records. Returns true if changes are left for another step. */
export async function copyChanges(work: ClickHouseStep): Promise<boolean> {
  const { records, head, state } = work;
  const isTrimmed = head.changesFromSeq > state.changesSeq + 1 || (head.changesSeq === 0 && state.changesSeq > 0);
  if (isTrimmed) {
    await copyAgain(work);
    return false;
  }
  const changes = await records.changesAfter(state.changesSeq, CHANGES_A_STEP);
  const last = changes.at(-1);
  const areMore = last !== undefined && changes.length === CHANGES_A_STEP;
  if (!areMore && head.changesSeq === state.changesSeq) return false;
  state.changesSeq = areMore ? last.seq : head.changesSeq;
  state.changesAt = areMore ? last.at : ((await records.changedAt(head.changesSeq)) ?? 0);
  await copyChanged(work, changes);
  return areMore;
}

async function copyChanged(work: ClickHouseStep, changes: readonly RecordChange[]): Promise<void> {
  const { records } = work;
  const nos = [...new Set(changes.flatMap(({ contentNo }) => contentNo ?? []))];
  if (nos.length > 0) {
    const present = await records.contentOf(nos);
    const existing = new Set(present.map(({ no }) => no));
    const gone = nos.filter((no) => !existing.has(no));
    await putContent(work, present, gone);
    await hide(work, gone);
  }
  const ids = [...new Set(changes.flatMap(({ contentNo, objectId }) => (contentNo === null ? objectId : [])))];
  if (ids.length > 0) {
    const present = await records.requestersOf(ids);
    const existing = new Set(present.map(({ id }) => id));
    const gone = ids.filter((id) => !existing.has(id));
    await putRequesters(work, present, gone);
  }
}

/** The log of changes does not go back far enough: copies all, and drops what is no longer there. */
async function copyAgain(work: ClickHouseStep): Promise<void> {
  const { store, state, items } = work;
  // Some of them may be gone.
  items.clear();
  const { forgotten, erasedNo, retiredTo, inputsErasedTo } = state;
  await copyEverything(work);
  Object.assign(state, { forgotten, erasedNo, retiredTo, inputsErasedTo });
  const ver = state.begun;
  await store.run(
    `insert into ${table('gone')} select number, ${state.changesSeq} from ${table('content')} final where deleted = 0 and ver < ${ver}`,
  );
  await store.run(
    `insert into ${table('content')} select number, '', '', ${ver}, 1 from ${table('content')} final where deleted = 0 and ver < ${ver}`,
  );
  await store.run(
    `insert into ${table('registered')} select number, '', '', null, '', '', ${ver}, 1 from ${table('registered')} final
     where deleted = 0 and ver < ${ver}`,
  );
  Object.assign(state, { hides: true, gone: UNKNOWN });
}

async function putContent(
  { store, state }: ClickHouseStep,
  rows: readonly ContentRow[],
  gone: readonly number[],
): Promise<void> {
  const bytes = new Bytes(rows.length * 64);
  for (const { no, id, type } of rows) bytes.int32(no).text(id).text(type).int64(state.begun).uint8(0);
  for (const no of gone) bytes.int32(no).text('').text('').int64(state.begun).uint8(1);
  if (rows.length + gone.length > 0) await store.insert(table('content'), bytes.end());
}

export async function putRequesters(
  { store, names, state }: ClickHouseStep,
  rows: readonly RequesterRow[],
  gone: readonly string[],
): Promise<void> {
  const numbers = await names.number('requesters', new Set(rows.map(({ id }) => id)));
  const bytes = new Bytes(rows.length * 128);
  for (const { id, name, type, status, tags } of rows) {
    bytes
      .int64(numbers.get(id) as number)
      .text(id)
      .text(name)
      .textOrNull(type)
      .text(status)
      .text(tags);
    bytes.int64(state.begun).uint8(0);
  }
  for (const id of gone) {
    // An id that was erased gets no new number.
    const number = await names.find('requesters', id);
    if (number !== undefined) unregister(bytes, number, state);
  }
  if (bytes.length > 0) await store.insert(table('registered'), bytes.end());
}

export const unregister = (bytes: Bytes, number: number, { begun }: ColumnsState): Bytes =>
  bytes.int64(number).text('').text('').textOrNull(null).text('').text('').int64(begun).uint8(1);

/** Decisions on these items count no more. */
async function hide({ store, state, items }: ClickHouseStep, gone: readonly number[]): Promise<void> {
  if (gone.length === 0) return;
  for (const no of gone) items.delete(no);
  const bytes = new Bytes(gone.length * 12);
  for (const no of gone) bytes.int32(no).int64(state.changesSeq);
  await store.insert(table('gone'), bytes.end());
  Object.assign(state, { hides: true, gone: UNKNOWN });
}

/** Finds the items of the first decisions of a batch that do not exist. */
export const findMissing = (work: ClickHouseStep, batch: Batch, rows: number): Promise<number[]> =>
  findMissingOf(work, (batch.fields[CONTENT] as Int32Array).subarray(0, rows));

/** Finds those of some items that do not exist. 0: none. */
export async function findMissingOf({ items, records }: ClickHouseStep, nos: Iterable<number>): Promise<number[]> {
  const unknown = new Set<number>();
  for (const no of nos) if (no !== 0 && !items.has(no)) unknown.add(no);
  if (unknown.size === 0) return [];
  for (const { no } of await records.contentOf([...unknown])) {
    items.add(no);
    unknown.delete(no);
  }
  return [...unknown];
}

/** Hides decisions on items that were deleted before the columns knew of them. Returns whether there are any. */
export async function hideMissing(work: ClickHouseStep, missing: readonly number[]): Promise<boolean> {
  if (missing.length === 0) return false;
  const list = missing.join(', ');
  const { rows: known } = await work.store.query(`select number from ${table('gone')} where number in (${list})`);
  const isKnown = new Set(known.map(([number]) => number as number));
  await hide(
    work,
    missing.filter((no) => !isKnown.has(no)),
  );
  work.state.hides = true;
  return true;
}

/** Writes as many decisions for each daily count as it counts, at places below 0. */
export async function insertCounts(work: ClickHouseStep): Promise<void> {
  const { store, names, records, state } = work;
  let [total, batch] = [0, newBatch(work)];
  const write = async (): Promise<void> => {
    // None is kept of them.
    const { bytes } = await encode(batch, { names: names.known, programs: new Float64Array(batch.length) });
    const token = `${state.ledgerNo}:${state.begun}:counts:${total}`;
    await store.insert(table('decisions'), bytes, { token, shard: state.shards === null ? 0 : 1, format: 'Native' });
    await hideMissing(work, await findMissing(work, batch, batch.length));
    batch = newBatch(work);
  };
  for (let after = 0; ; ) {
    const counts = await records.countsAfter(after, PAGE);
    for (const { requests, row } of counts) {
      for (let n = 0; n < requests; n++) {
        total += 1;
        const placed = [...row] as DecisionRow;
        placed.splice(0, 1, -total);
        placed.splice(-1, 1, NO_INPUTS);
        batch.add(placed);
        if (batch.length >= COUNTS_A_BLOCK) await write();
      }
    }
    if (counts.length < PAGE) break;
    after = counts.at(-1)?.no ?? after;
  }
  if (batch.length > 0) await write();
  const [[stored] = []] = (await store.query(`select count() from ${table('decisions')} where seq < 0`)).rows;
  if (stored !== total) throw new Error('the counts of retired decisions were not stored as they were sent');
  state.counts = total;
  addToShard(state, 1, total);
}
