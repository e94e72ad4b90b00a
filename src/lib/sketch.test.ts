/** Promise: a sketch counts distinct texts, within a few percent, and says nothing about them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { estimate, joinSketches, Sketch, toMark } from './sketch.ts';

const SALT = 'salt';

test('counts distinct texts once', () => {
  for (const [count, off] of [
    [0, 0],
    [1, 0],
    [10, 0],
    [50, 2],
    [1_000, 120],
    [50_000, 6_000],
  ] as const) {
    const sketch = new Sketch();
    for (let round = 0; round < 2; round++) for (let n = 0; n < count; n++) sketch.add(toMark(`192.0.2.${n}`, SALT));
    const counted = estimate(sketch.toText());
    assert.ok(Math.abs(counted - count) <= off, `${counted} of ${count}`);
    assert.ok(sketch.toText().length <= 2_732);
  }
});

test('another salt marks the same text otherwise', () => {
  const marks = Array.from({ length: 50 }, (_, n) => toMark('192.0.2.1', String.fromCharCode(n)));
  assert.ok(new Set(marks).size > 40);
});

test('two sketches joined are one of the texts of both', () => {
  const [one, other, both] = [new Sketch(), new Sketch(), new Sketch()];
  for (let n = 0; n < 900; n++) {
    const mark = toMark(`192.0.2.${n}`, SALT);
    if (n < 600) one.add(mark);
    if (n >= 300) other.add(mark);
    both.add(mark);
  }
  assert.equal(joinSketches(one.toText(), other.toText()), both.toText());
});
