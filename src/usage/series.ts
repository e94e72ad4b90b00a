/**
 * Folding fine counts into buckets; pure. Promise: exact for any boundaries. Decisions are counted in cells of equal
 * length, counted from the epoch; the length divides every boundary, so no cell lies on both sides of one.
 */

/** Zones are offset by multiples of this since 1972, so boundaries of any calendar are multiples of it. */
export const QUARTER_HOUR_MS = 900_000;

/** Buckets: `starts` ascending, each ends where the next one starts. */
export interface Series {
  requests: number[];
  allowed: number[];
}

/** Decisions of one cell. `at` is the moment of one of them. */
export interface Cells {
  at: readonly number[];
  requests: readonly number[];
  allowed: readonly number[];
}

/**
 * The greatest length that divides all boundaries after `first` and up to `last`, the moments between which there are
 * decisions. Other boundaries cut nothing that is counted. 0 when none is left: all is in one bucket.
 */
export function cellMs(starts: readonly number[], first = -Infinity, last = Infinity): number {
  let length = 0;
  for (const start of starts) {
    if (start > first && start <= last) length = greatestDivisor(length, Math.abs(start));
  }
  return length;
}

function greatestDivisor(a: number, b: number): number {
  let [more, less] = [a, b];
  while (less !== 0) [more, less] = [less, more % less];
  return more;
}

export function fold(starts: readonly number[], cells: Cells): Series {
  const requests = new Array<number>(starts.length).fill(0);
  const allowed = new Array<number>(starts.length).fill(0);
  for (let i = 0; i < cells.at.length; i++) {
    const bucket = bucketOf(starts, cells.at[i] as number);
    requests[bucket] = (requests[bucket] as number) + (cells.requests[i] as number);
    allowed[bucket] = (allowed[bucket] as number) + (cells.allowed[i] as number);
  }
  return { requests, allowed };
}

/** The last bucket that starts at or before `at`; moments before all of them belong to the first. */
export function bucketOf(starts: readonly number[], at: number): number {
  let low = 0;
  let high = starts.length;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((starts[middle] as number) <= at) low = middle;
    else high = middle;
  }
  return low;
}
