/**
 * Folds fine counts into buckets. Pure. Promise: exact for any boundaries. Decisions are counted in cells of equal
 * length since the epoch. The length divides every boundary, so no cell crosses one.
 */

/** A time in a cell, and how many of its decisions are counted there. */
export type SeriesCell = readonly [at: number, count: number];

/**
 * Returns the greatest length that divides all boundaries after `first` and up to `last`, the times of the oldest and
 * newest decision. Other boundaries separate nothing. 0: all decisions are in one bucket.
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

/** Returns the counts by bucket. `starts` ascend; each bucket ends where the next one starts. */
export function fold(starts: readonly number[], cells: Iterable<SeriesCell>): number[] {
  const counts = starts.map(() => 0);
  for (const [at, count] of cells) {
    const bucket = findBucket(starts, at);
    counts[bucket] = (counts[bucket] as number) + count;
  }
  return counts;
}

/** Returns the last bucket that starts at or before `at`; earlier times belong to the first. */
export function findBucket(starts: readonly number[], at: number): number {
  let low = 0;
  let high = starts.length;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((starts[middle] as number) <= at) low = middle;
    else high = middle;
  }
  return low;
}
