/**
 * Counts decisions for statements from the columns, in a fraction of the time that the records take. Promise: the same
 * counts as from the records. Each window of time is read from the columns first and then, from the records and the
 * archive, what the columns no longer hold: an item that is deleted in between is in both, and counts once.
 */
import { Unavailable } from '../db/db.ts';
import { type CountedDecision, countGone, readGone } from '../ledger/counted.ts';
import { retiredTo } from '../ledger/retire.ts';
import type { Columns } from '../usage/columns.ts';
import type { LicensedQuery, LicensedWindow } from '../usage/licensed.ts';
import { QUARTER_HOUR_MS } from '../usage/series.ts';
import { archivedEnds, archivedGone } from './archived.ts';
import { type CountingDeps, countInOrder, countOutside, type Takers } from './counting.ts';

/** Decisions read at once, unless the caller says so. */
const WINDOW = 125_000;
/** Decisions between two turns of the event loop: checks do not wait longer. */
const SLICE = 10_000;

/** With the columns, decisions are counted from them where they can be. */
export interface FastDeps extends CountingDeps {
  columns?: Columns | undefined;
  /** Decisions read at once. */
  windowSize?: number;
}

type ColumnsDeps = FastDeps & { columns: Columns };

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

interface Span {
  from: number;
  to: number;
}

/** Calls `take` with every decision that counts, for each license in the order of the ids. It may keep no object. */
export async function countFast(deps: FastDeps, query: LicensedQuery, takers: Takers): Promise<void> {
  const isDone = await fromColumns(deps, query, (columns) => countInColumns({ ...deps, columns }, query, takers));
  if (isDone !== undefined) return;
  const { from, to, licenses } = query;
  const isWanted = isIn(licenses);
  await countInOrder(
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

/** Counts the allowed, enforced decisions of a time that no license allowed. */
export const countOutsideFast = async (deps: FastDeps, span: Span): Promise<number> =>
  (await fromColumns(deps, span, (columns) => columns.unlicensed({ from: span.from, to: span.to })))?.value ??
  countOutside(deps, span.from, span.to);

/** Returns undefined where the columns cannot answer. */
async function fromColumns<T>(deps: FastDeps, span: Span, count: (columns: Columns) => Promise<T>) {
  if (deps.columns === undefined || (await isRetiredArchive(deps, span))) return undefined;
  try {
    return { value: await count(deps.columns) };
  } catch (error) {
    if (error instanceof Unavailable) return undefined;
    throw error;
  }
}

/** Returns whether the columns know only daily counts of archived decisions of a time. */
export async function isRetiredArchive(deps: CountingDeps, { from, to }: Span): Promise<boolean> {
  return (await retiredTo(deps.db)) > 0 && (await archivedEnds(deps, from, to)).last > 0;
}

async function countInColumns(deps: ColumnsDeps, query: LicensedQuery, { begin, take }: Takers): Promise<void> {
  begin();
  const spans = await spansOf(deps, query);
  const ask = (span: Span | undefined) => span && quietly(deps.columns.licensed({ ...query, ...span }));
  let next = ask(spans[0]);
  for (const [i, span] of spans.entries()) {
    const window = (await next) as LicensedWindow;
    // The columns read on while these are counted.
    next = ask(spans[i + 1]);
    const gone = await readAllGone(deps, query, span);
    if (gone.length === 0) await takeWindow(window, take);
    else for (const one of merged(window, gone)) take(one);
  }
}

/** A window that is no longer needed may fail. */
function quietly<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {});
  return promise;
}

/** Divides a time into windows with about so many decisions. */
async function spansOf({ columns, db, windowSize = WINDOW }: ColumnsDeps, query: LicensedQuery): Promise<Span[]> {
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
  span: Span,
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

/** Calls `take` with one object for all decisions: objects of their own take longer than counting them. */
async function takeWindow(window: LicensedWindow, take: Takers['take']): Promise<void> {
  const read = reader(window);
  const one: CountedDecision = { seq: 0, at: 0, licenseId: '', purpose: null, content: 0, deleted: false };
  for (const [i, place] of byLicense(window.license).entries()) {
    read(one, place);
    take(one);
    if (i % SLICE === SLICE - 1) await nextTurn();
  }
}

/** Returns the places by license, in their order: what one license needs then stays in the processor's caches. */
function byLicense(licenses: Int32Array): Uint32Array {
  let most = 0;
  for (const license of licenses) if (license > most) most = license;
  // The next place of each license.
  const next = new Uint32Array(most + 2);
  for (const license of licenses) next[license + 1] = (next[license + 1] as number) + 1;
  for (let license = 1; license < next.length; license++) {
    next[license] = (next[license] as number) + (next[license - 1] as number);
  }
  const places = new Uint32Array(licenses.length);
  for (let i = 0; i < licenses.length; i++) {
    const license = licenses[i] as number;
    const place = next[license] as number;
    places[place] = i;
    next[license] = place + 1;
  }
  return places;
}

/** Returns a function that sets the fields of a decision to those of a place in the window. */
function reader({ seq, at, license, purpose, content, urls, ...names }: LicensedWindow) {
  const licenses = toArray(names.licenses);
  const purposes = toArray(names.purposes);
  return (one: CountedDecision, i: number): void => {
    const number = content[i] as number;
    one.seq = seq[i] as number;
    one.at = at[i] as number;
    one.licenseId = licenses[license[i] as number] as string;
    one.purpose = purposes[purpose[i] as number] ?? null;
    one.content = number === 0 ? (urls.get(i) as string) : number;
  };
}

function toArray(names: ReadonlyMap<number, string>): string[] {
  const array: string[] = [];
  for (const [number, name] of names) array[number] = name;
  return array;
}

function merged(window: LicensedWindow, gone: readonly CountedDecision[]): CountedDecision[] {
  const all = new Map(gone.map((one) => [one.seq, one]));
  const read = reader(window);
  for (const [i, seq] of window.seq.entries()) {
    if (all.has(seq)) continue;
    const one: CountedDecision = { seq, at: 0, licenseId: '', purpose: null, content: 0, deleted: false };
    read(one, i);
    all.set(seq, one);
  }
  return [...all.values()].toSorted((a, b) => a.at - b.at || a.seq - b.seq);
}
