import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from '../../kit/fast-check.ts';
import { JsonScan } from './json-scan.ts';

const KEY = 'items';

interface Counted {
  keys: number;
  containers: number;
}

/** The counts of a value, by walking it. */
function countsOf(value: unknown): Counted {
  if (typeof value !== 'object' || value === null) return { keys: 0, containers: 0 };
  const inner = Object.values(value).map(countsOf);
  return {
    keys: (Array.isArray(value) ? 0 : inner.length) + inner.reduce((sum, { keys }) => sum + keys, 0),
    containers: 1 + inner.reduce((sum, { containers }) => sum + containers, 0),
  };
}

function scanned(bytes: Buffer, step: number, entriesMax = 1000): JsonScan {
  const scan = new JsonScan(bytes, { key: KEY, entriesMax });
  while (!scan.step(step));
  return scan;
}

const hard = fc.constantFrom('"', '\\', '[', ']', '{', '}', ':', ',', 'é', '🦊', ' ', 'a', '\n');
const text = fc.oneof(fc.string({ unit: hard, maxLength: 8 }), fc.string());
const value = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    text,
    fc.integer(),
    fc.constant(null),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(fc.oneof(text, fc.constant(KEY)), tie('value'), { maxKeys: 4, noNullPrototype: true }),
  ),
})).value;
const spaces = fc.constantFrom(undefined, 1, '\t');
const steps = fc.constantFrom(1, 2, 3, 7, 1000);

test('what is counted is what a walk over the value counts, wherever the scan stops in between', () => {
  fc.assert(
    fc.property(value, spaces, steps, (whole, space, step) => {
      const scan = new JsonScan(Buffer.from(JSON.stringify(whole, null, space)), null);
      while (!scan.step(step));
      const { keys, containers, bytes } = scan.around;
      assert.deepEqual({ keys, containers }, countsOf(whole));
      assert.equal(bytes, Buffer.byteLength(JSON.stringify(whole)));
    }),
    { numRuns: 2000 },
  );
});

test('a list is cut where its entries end, and what is around it is the rest', () => {
  fc.assert(
    fc.property(fc.array(value, { maxLength: 5 }), value, spaces, steps, (items, other, space, step) => {
      const bytes = Buffer.from(JSON.stringify({ a: other, [KEY]: items, b: [other] }, null, space));
      const { lists, around } = scanned(bytes, step);
      assert.equal(lists.length, 1);
      const [list] = lists;
      const entries = (list?.entries ?? []).map(({ span }) => bytes.toString('utf8', ...span).trim());
      assert.deepEqual(
        entries.filter((one) => one !== '').map((one) => JSON.parse(one)),
        items,
      );
      assert.equal(list?.count, Math.max(1, items.length));
      const { keys, containers } = around;
      assert.deepEqual({ keys, containers }, countsOf({ a: other, [KEY]: [], b: [other] }));
      const shapes = (list?.entries ?? []).map(({ shape }) => ({ keys: shape.keys, containers: shape.containers }));
      if (items.length > 0) assert.deepEqual(shapes, items.map(countsOf));
    }),
    { numRuns: 2000 },
  );
});

test('only lists of that key, directly in the object, are cut, and no more entries are kept than asked for', () => {
  const cut = (given: unknown) => scanned(Buffer.from(JSON.stringify(given)), 5, 2).lists;
  assert.deepEqual(cut({ item: [1], itemsx: [1], x: { items: [1] }, items: { a: [1] } }), []);
  assert.deepEqual(cut([[1, 2]]), []);
  assert.deepEqual(cut(['items', [1, 2]]), []);
  assert.deepEqual(cut({ items: 'items', x: [1] }), []);
  const [list] = cut({ items: [1, 2, 3, 4] });
  assert.equal(list?.entries.length, 2);
  assert.equal(list?.count, 4);
});

test('whatever is sent is gone through once, to its end', () => {
  fc.assert(
    fc.property(fc.string({ unit: hard }), steps, (anything, step) => {
      scanned(Buffer.from(anything), step);
    }),
  );
});
