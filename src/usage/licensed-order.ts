/** Sorts licensed decisions as the columns return them, pure. */

/** The fields of decisions, each in an array. */
export interface Flat {
  seq: Float64Array;
  at: Float64Array;
  license: Int32Array;
  purpose: Int32Array;
  /** 0: a URL without an item. */
  content: Int32Array;
  /** By place, of decisions about no item. */
  urls: Map<number, string>;
}

export const newFlat = (count: number): Flat => ({
  seq: new Float64Array(count),
  at: new Float64Array(count),
  license: new Int32Array(count),
  purpose: new Int32Array(count),
  content: new Int32Array(count),
  urls: new Map(),
});

/** Places from `start` until `end`. */
interface Run {
  start: number;
  end: number;
}

/** Above it, merging would take longer than sorting. */
const RUNS_MAX = 256;

/**
 * Sorts by time and number. Threads return what they read in any order, but it consists of a few runs that are sorted:
 * merging these takes a tenth of the time of sorting.
 */
export function inOrder(flat: Flat): Flat {
  const compare = (a: number, b: number): number =>
    (flat.at[a] as number) - (flat.at[b] as number) || (flat.seq[a] as number) - (flat.seq[b] as number);
  const runs: Run[] = [];
  for (let start = 0, i = 1; i <= flat.seq.length; i++) {
    if (i < flat.seq.length && compare(i - 1, i) < 0) continue;
    runs.push({ start, end: i });
    start = i;
  }
  if (runs.length <= 1) return flat;
  return runs.length > RUNS_MAX ? sortedRows(flat, compare) : merged(flat, runs, compare);
}

function merged(flat: Flat, runs: readonly Run[], compare: (a: number, b: number) => number): Flat {
  const target = newFlat(flat.seq.length);
  let rest = runs.toSorted((a, b) => compare(a.start, b.start));
  for (let to = 0; rest[0] !== undefined; ) {
    const [first, next] = rest;
    const { start } = first;
    const end = next === undefined ? first.end : firstAfter(first, (i) => compare(i, next.start) > 0);
    for (const name of FIELDS) target[name].set(flat[name].subarray(start, end), to);
    if (flat.urls.size > 0) for (let i = start; i < end; i++) moveUrl(flat, i, target, to + i - start);
    to += end - start;
    rest = rest.slice(1);
    if (end === first.end) continue;
    const place = rest.findIndex((run) => compare(end, run.start) < 0);
    rest.splice(place === -1 ? rest.length : place, 0, { start: end, end: first.end });
  }
  return target;
}

/** Returns the first place of a sorted run that is after something; its end without one. */
function firstAfter({ start, end }: Run, isAfter: (i: number) => boolean): number {
  let [low, high] = [start, end];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (isAfter(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

function sortedRows(flat: Flat, compare: (a: number, b: number) => number): Flat {
  const target = newFlat(flat.seq.length);
  for (const [to, i] of Uint32Array.from(flat.seq.keys()).toSorted(compare).entries()) {
    for (const name of FIELDS) target[name][to] = flat[name][i] as number;
    moveUrl(flat, i, target, to);
  }
  return target;
}

const FIELDS = ['seq', 'at', 'license', 'purpose', 'content'] as const;

function moveUrl(flat: Flat, from: number, target: Flat, to: number): void {
  const url = flat.urls.get(from);
  if (url !== undefined) target.urls.set(to, url);
}
