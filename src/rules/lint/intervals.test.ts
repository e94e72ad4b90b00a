/** Sets of intervals behave as sets of the points in them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from '../../../kit/fast-check.ts';
import { difference, type Intervals, intersection, union } from './intervals.ts';

const SIZE = 16;
const raw = fc.array(fc.tuple(fc.nat(SIZE), fc.nat(SIZE)), { maxLength: 6 });
const points = (intervals: Intervals<number>): number[] =>
  Array.from({ length: SIZE }, (_, point) => point).filter((point) =>
    intervals.some(([from, to]) => from <= point && point < to),
  );

function assertTidy(intervals: Intervals<number>): void {
  for (const [i, [from, to]] of intervals.entries()) {
    assert.ok(from < to);
    assert.ok(i === 0 || (intervals[i - 1]?.[1] ?? Infinity) < from);
  }
}

test('union, intersection and difference', () => {
  fc.assert(
    fc.property(raw, raw, (one, other) => {
      const a = union(one);
      const b = union(other);
      assert.deepEqual(points(a), points(one));
      assert.deepEqual(
        points(intersection(a, b)),
        points(a).filter((point) => points(b).includes(point)),
      );
      assert.deepEqual(
        points(difference(a, b)),
        points(a).filter((point) => !points(b).includes(point)),
      );
      for (const made of [a, intersection(a, b), difference(a, b)]) assertTidy(made);
    }),
    { numRuns: 2000 },
  );
});
