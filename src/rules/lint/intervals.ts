/** Sets of points on a line as half-open intervals: sorted, not empty, not touching. */
export type Intervals<P extends number | bigint> = readonly (readonly [from: P, to: P])[];

/** Unites intervals, which may be unsorted and overlap. */
export function union<P extends number | bigint>(intervals: Intervals<P>): Intervals<P> {
  const sorted = intervals.filter(([from, to]) => from < to).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const result: [P, P][] = [];
  for (const [from, to] of sorted) {
    const last = result.at(-1);
    if (last === undefined || last[1] < from) result.push([from, to]);
    else if (last[1] < to) last[1] = to;
  }
  return result;
}

export function intersection<P extends number | bigint>(a: Intervals<P>, b: Intervals<P>): Intervals<P> {
  const result: [P, P][] = [];
  let i = 0;
  let j = 0;
  for (let one = a[i], other = b[j]; one !== undefined && other !== undefined; one = a[i], other = b[j]) {
    const from = one[0] > other[0] ? one[0] : other[0];
    const to = one[1] < other[1] ? one[1] : other[1];
    if (from < to) result.push([from, to]);
    if (one[1] < other[1]) i++;
    else j++;
  }
  return result;
}

/** Returns the points of `a` that are not in `b`. */
export function difference<P extends number | bigint>(a: Intervals<P>, b: Intervals<P>): Intervals<P> {
  const result: [P, P][] = [];
  let j = 0;
  for (const [from, to] of a) {
    let start = from;
    for (; ; j++) {
      const hole = b[j];
      if (hole === undefined || hole[0] >= to) break;
      if (hole[0] > start) result.push([start, hole[0]]);
      if (hole[1] > start) start = hole[1];
      // A hole that extends beyond this interval may cut the next one too.
      if (hole[1] >= to) break;
    }
    if (start < to) result.push([start, to]);
  }
  return result;
}
