/**
 * Licensed decisions in arrays, in groups that are in the order of the ids each: sorting, and merging several groups.
 * Pure. Loops over many decisions use no iterators: they take longer.
 */

/** The fields of decisions, each in an array. */
export interface LicensedRows {
  seq: Float64Array;
  at: Float64Array;
  /** 0: a URL without an item. Empty where contents were not asked for. */
  content: Int32Array;
  /** The URL of the file, by place, of decisions about no item. */
  urls: Map<number, string>;
}

/** Places from `start` until `end`. */
export interface RowPlaces {
  start: number;
  end: number;
}

export const newRows = (count: number, contents: boolean): LicensedRows => ({
  seq: new Float64Array(count),
  at: new Float64Array(count),
  content: new Int32Array(contents ? count : 0),
  urls: new Map(),
});

/** Returns whether one place comes before another in the order of the ids. */
function isBefore({ at, seq }: LicensedRows, a: number, b: number): boolean {
  const one = at[a] as number;
  const other = at[b] as number;
  return one < other || (one === other && (seq[a] as number) < (seq[b] as number));
}

/** Above it, comparing their first places would take longer than merging by pairs. */
const RUNS_MAX = 64;

/**
 * Copies the rows of adjacent groups, each group sorted by time and number. Threads return what they read in any order,
 * but it consists of a few runs that are sorted: merging these takes a fraction of the time of sorting. Nothing is
 * allocated for a group: garbage of many would take longer than the work.
 */
export function inGroupOrder(rows: LicensedRows, groups: readonly RowPlaces[]): LicensedRows {
  const hasContents = rows.content.length > 0;
  const target = newRows(groups.at(-1)?.end ?? 0, hasContents);
  const copy = (i: number, to: number): void => {
    target.seq[to] = rows.seq[i] as number;
    target.at[to] = rows.at[i] as number;
    if (!hasContents) return;
    target.content[to] = rows.content[i] as number;
    const url = rows.urls.size > 0 ? rows.urls.get(i) : undefined;
    if (url !== undefined) target.urls.set(to, url);
  };
  const [heads, ends] = [new Uint32Array(RUNS_MAX), new Uint32Array(RUNS_MAX)];
  for (const group of groups) {
    const count = findRuns(rows, group, heads, ends);
    if (count <= RUNS_MAX) {
      for (let to = group.start; to < group.end; ) to = copyBlock(rows, { heads, ends, count }, to, copy);
    } else {
      const { places } = inIdOrder(rows, toRuns(rows, group));
      for (let i = 0; i < places.length; i++) copy(places[i] as number, group.start + i);
    }
  }
  return target;
}

/** Finds the parts of a group that are sorted, and returns their number; those beyond the arrays are only counted. */
function findRuns(rows: LicensedRows, { start, end }: RowPlaces, heads: Uint32Array, ends: Uint32Array): number {
  let count = 0;
  for (let from = start, i = start + 1; i <= end; i++) {
    if (i < end && isBefore(rows, i - 1, i)) continue;
    heads[count] = from;
    ends[count] = i;
    count += 1;
    from = i;
  }
  return count;
}

interface Runs {
  /** The first place of each run that is not copied yet. */
  heads: Uint32Array;
  ends: Uint32Array;
  count: number;
}

/** Copies from the run that comes first until another does. Returns the place after the last copy. */
function copyBlock(
  rows: LicensedRows,
  { heads, ends, count }: Runs,
  to: number,
  copy: (i: number, to: number) => void,
): number {
  let [first, next] = [-1, -1];
  for (let run = 0; run < count; run++) {
    const head = heads[run] as number;
    if (head === ends[run]) continue;
    if (first === -1 || isBefore(rows, head, heads[first] as number)) [first, next] = [run, first];
    else if (next === -1 || isBefore(rows, head, heads[next] as number)) next = run;
  }
  const end = ends[first] as number;
  let i = heads[first] as number;
  let place = to;
  do copy(i++, place++);
  while (i < end && (next === -1 || isBefore(rows, i, heads[next] as number)));
  heads[first] = i;
  return place;
}

function toRuns(rows: LicensedRows, { start, end }: RowPlaces): RowPlaces[] {
  const [heads, ends] = [new Uint32Array(end - start), new Uint32Array(end - start)];
  const count = findRuns(rows, { start, end }, heads, ends);
  return Array.from({ length: count }, (_, i) => ({ start: heads[i] as number, end: ends[i] as number }));
}

/** Places of several groups, with the number of the group of each. */
export interface Merged {
  places: Uint32Array;
  groups: Uint32Array;
}

/** Merges groups that are in the order of the ids each. */
export function inIdOrder(rows: LicensedRows, groups: readonly RowPlaces[]): Merged {
  let merged: Merged[] = groups.map(({ start, end }, number) => {
    const places = new Uint32Array(end - start);
    for (let i = start; i < end; i++) places[i - start] = i;
    return { places, groups: new Uint32Array(end - start).fill(number) };
  });
  while (merged.length > 1) {
    const pairs: Merged[] = [];
    for (let i = 0; i < merged.length; i += 2) {
      const [one, other] = [merged[i] as Merged, merged[i + 1]];
      pairs.push(other === undefined ? one : mergeTwo(rows, one, other));
    }
    merged = pairs;
  }
  return merged[0] ?? { places: new Uint32Array(), groups: new Uint32Array() };
}

function mergeTwo(rows: LicensedRows, one: Merged, other: Merged): Merged {
  const length = one.places.length + other.places.length;
  const target: Merged = { places: new Uint32Array(length), groups: new Uint32Array(length) };
  for (let i = 0, a = 0, b = 0; i < length; i++) {
    const isOne =
      b === other.places.length ||
      (a < one.places.length && isBefore(rows, one.places[a] as number, other.places[b] as number));
    const from = isOne ? one : other;
    const next = isOne ? a++ : b++;
    target.places[i] = from.places[next] as number;
    target.groups[i] = from.groups[next] as number;
  }
  return target;
}

/** Returns the places of a group that were made from one time until another. */
export function within<P extends RowPlaces>({ at }: LicensedRows, places: P, from: number, to: number): P {
  const { start, end } = places;
  if (start === end || ((at[start] as number) >= from && (at[end - 1] as number) < to)) return places;
  return { ...places, start: firstFrom(at, places, from), end: firstFrom(at, places, to) };
}

function firstFrom(at: Float64Array, { start, end }: RowPlaces, time: number): number {
  let [low, high] = [start, end];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if ((at[middle] as number) < time) low = middle + 1;
    else high = middle;
  }
  return low;
}
