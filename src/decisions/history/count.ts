/**
 * Counts decisions for statements from the columns, in a fraction of the time that the records take. Promise: the same
 * counts as from the records. Each window of time is read from the columns first and then, from the records and the
 * archive, what the columns no longer hold: an item that is deleted in between is in both, and counts once.
 */
import { Unavailable } from '../../db/db.ts';
import { archivedEnds, archivedGone } from './archive/counted.ts';
import type { Columns } from './columns/columns.ts';
import type { LicensedGroup, LicensedQuery, LicensedRun, LicensedWindow } from './columns/licensed.ts';
import { inIdOrder, type LicensedRows, within } from './columns/licensed-rows.ts';
import { QUARTER_HOUR_MS } from './columns/sql.ts';
import { type CountedDecision, countGone, countGoneByLicense, readGone } from './counted.ts';
import { nextTurn, readInOrder, type StoredHistory, type Takers } from './read.ts';
import { retiredTo } from './retention/retire.ts';

/** Decisions read at once, unless the caller says so. */
const WINDOW = 500_000;
/** A window is taken in so many turns of the event loop: checks wait for about ten thousand decisions. */
const TURNS = 50;

/** With the columns, decisions are counted from them where they can be. */
export interface History extends StoredHistory {
  columns?: Columns | undefined;
  /** Decisions read at once. */
  windowSize?: number;
}

type ColumnsDeps = History & { columns: Columns };

export interface CountingSpan {
  from: number;
  to: number;
}

/**
 * Calls `take` or `takeRun` with every decision that counts, for each license in the order of the ids. They may keep
 * no object.
 */
export async function countLicensed(deps: History, query: LicensedQuery, takers: Takers): Promise<void> {
  const isDone = await fromColumns(deps, query, async (columns) => {
    await countInColumns({ ...deps, columns }, query, takers);
    return true;
  });
  if (isDone === true) return;
  const { from, to, licenses } = query;
  const isWanted = isIn(licenses);
  await readInOrder(
    deps,
    { from, to, licenseIds: 'only' in licenses ? licenses.only : null },
    {
      begin: takers.begin,
      take(decision) {
        if (isWanted(decision.licenseId)) takers.take(decision);
      },
    },
  );
}

/** Returns undefined where the columns cannot answer, or `count` does not. */
export async function fromColumns<T>(
  deps: History,
  span: CountingSpan,
  count: (columns: Columns) => Promise<T>,
): Promise<T | undefined> {
  if (deps.columns === undefined || (await isRetiredArchive(deps, span))) return undefined;
  try {
    return await count(deps.columns);
  } catch (error) {
    if (error instanceof Unavailable) return undefined;
    throw error;
  }
}

/** Returns whether the columns know only daily counts of archived decisions of a time. */
async function isRetiredArchive(deps: StoredHistory, { from, to }: CountingSpan): Promise<boolean> {
  return (await retiredTo(deps.db)) > 0 && (await archivedEnds(deps, from, to)).last > 0;
}

/**
 * Returns how many decisions of each license count, where the columns can say it at once; undefined where they cannot.
 * Never less than there are.
 */
export const countByLicense = (
  deps: History,
  span: CountingSpan,
  licenseIds: readonly string[],
): Promise<Map<string, number> | undefined> =>
  fromColumns(deps, span, async (columns) => {
    const counts = await columns.licensedCounts({ ...span, licenses: { only: licenseIds } });
    // The columns first: what is deleted in between is in both, and counted again.
    for (const [id, gone] of await countGoneByLicense(deps.db, span, licenseIds))
      counts.set(id, (counts.get(id) ?? 0) + gone);
    return counts;
  });

async function countInColumns(deps: ColumnsDeps, query: LicensedQuery, takers: Takers): Promise<void> {
  takers.begin();
  const sliceSize = Math.ceil((deps.windowSize ?? WINDOW) / TURNS);
  const spans = await splitIntoSpans(deps, query);
  const ask = (span: CountingSpan | undefined) => span && quietly(deps.columns.licensedGroups({ ...query, ...span }));
  let next = ask(spans[0]);
  for (const [i, span] of spans.entries()) {
    const window = (await next) as LicensedWindow;
    // The columns read on while these are counted.
    next = ask(spans[i + 1]);
    const gone = await readAllGone(deps, query, span);
    await takeWindow(window, gone, { ...takers, sliceSize });
  }
}

/** A window that is no longer needed may fail. */
function quietly<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {});
  return promise;
}

/** Divides a time into windows with about so many decisions. */
async function splitIntoSpans(
  { columns, db, windowSize = WINDOW }: ColumnsDeps,
  query: LicensedQuery,
): Promise<CountingSpan[]> {
  const { from, to } = query;
  const counts = new Map<number, number>();
  for (const { start, count } of [
    ...(await columns.licensedCells(query)),
    ...(await countGone(db, query, QUARTER_HOUR_MS)),
  ]) {
    counts.set(Number(start), (counts.get(Number(start)) ?? 0) + Number(count));
  }
  const ends: number[] = [];
  let pending = 0;
  for (const [start, count] of [...counts].toSorted(([a], [b]) => a - b)) {
    if (pending > 0 && pending + count > windowSize) {
      ends.push(start);
      pending = 0;
    }
    pending += count;
    // Such a quarter is divided evenly.
    const parts = Math.ceil(count / windowSize);
    for (let part = 1; part < parts; part++) ends.push(start + Math.floor((QUARTER_HOUR_MS * part) / parts));
  }
  const bounds = [from, ...ends.filter((end) => end > from && end < to), to];
  return bounds.slice(1).map((end, i) => ({ from: bounds[i] as number, to: end }));
}

async function readAllGone(
  { db, parquet }: ColumnsDeps,
  { licenses }: LicensedQuery,
  span: CountingSpan,
): Promise<CountedDecision[]> {
  const only = 'only' in licenses ? licenses.only : null;
  const gone = new Map<number, CountedDecision>();
  // The records first: what is no longer there is in the files by now.
  const stored = await readGone(db, span, only);
  for (const one of [...(await archivedGone({ db, parquet }, span)), ...stored]) gone.set(one.seq, one);
  const isWanted = isIn(licenses);
  return [...gone.values()].filter(({ licenseId }) => isWanted(licenseId));
}

function isIn(licenses: LicensedQuery['licenses']): (licenseId: string) => boolean {
  const ids = new Set('only' in licenses ? licenses.only : licenses.except);
  return 'only' in licenses ? (id) => ids.has(id) : (id) => !ids.has(id);
}

/** `gone`: decisions of the same time that may be in the window too. */
async function takeWindow(
  { rows, groups }: LicensedWindow,
  gone: readonly CountedDecision[],
  { take, takeRun = runTaker(take), sliceSize }: Takers & { sliceSize: number },
): Promise<void> {
  const goneBy = Map.groupBy(gone, ({ licenseId }) => licenseId);
  let taken = 0;
  for (const [licenseId, own] of Map.groupBy(groups, (group) => group.licenseId)) {
    const run = { rows, groups: own };
    const goneDecisions = goneBy.get(licenseId);
    goneBy.delete(licenseId);
    if (goneDecisions !== undefined) for (const one of merged(licenseId, run, goneDecisions)) take(one);
    for (const slice of goneDecisions === undefined ? slices(run, sliceSize) : []) {
      takeRun(licenseId, slice);
      taken += slice.groups.reduce((sum, { start, end }) => sum + end - start, 0);
      if (taken < sliceSize) continue;
      taken = 0;
      await nextTurn();
    }
  }
  for (const own of goneBy.values()) for (const one of own.toSorted(byId)) take(one);
}

const byId = (a: CountedDecision, b: CountedDecision): number => a.at - b.at || a.seq - b.seq;

/** Divides a run by time, so that no group of a part is long. */
function* slices({ rows, groups }: LicensedRun, size: number): Generator<LicensedRun> {
  const [longest] = groups.toSorted((a, b) => b.end - b.start - (a.end - a.start));
  let from = -Infinity;
  for (let i = (longest?.start ?? 0) + size; i < (longest?.end ?? 0); i += size) {
    const to = rows.at[i] as number;
    const before = from;
    from = to;
    yield { rows, groups: groups.map((group) => within(rows, group, before, to)) };
  }
  yield from === -Infinity
    ? { rows, groups }
    : { rows, groups: groups.map((one) => within(rows, one, from, Infinity)) };
}

/** Calls `take` with one object for all decisions of a run: objects of their own take longer than counting them. */
const runTaker =
  (take: Takers['take']): NonNullable<Takers['takeRun']> =>
  (licenseId, { rows, groups }) => {
    const one: CountedDecision = { seq: 0, at: 0, licenseId, purpose: null, content: 0, deleted: false };
    const { places, groups: owners } = inIdOrder(rows, groups);
    for (let i = 0; i < places.length; i++) {
      one.purpose = (groups[owners[i] as number] as LicensedGroup).purpose;
      read(one, rows, places[i] as number);
      take(one);
    }
  };

/** Sets the number, time and content of a decision to those of a place. */
function read(one: CountedDecision, { seq, at, content, urls }: LicensedRows, place: number): void {
  const number = content[place] as number;
  one.seq = seq[place] as number;
  one.at = at[place] as number;
  one.content = number === 0 ? (urls.get(place) ?? '') : number;
}

/** Returns the decisions of one license in the order of their ids. */
function merged(licenseId: string, { rows, groups }: LicensedRun, gone: readonly CountedDecision[]): CountedDecision[] {
  const all = new Map(gone.map((one) => [one.seq, one]));
  for (const { purpose, start, end } of groups) {
    for (let place = start; place < end; place++) {
      if (all.has(rows.seq[place] as number)) continue;
      const one: CountedDecision = { seq: 0, at: 0, licenseId, purpose, content: 0, deleted: false };
      read(one, rows, place);
      all.set(one.seq, one);
    }
  }
  return [...all.values()].toSorted(byId);
}
