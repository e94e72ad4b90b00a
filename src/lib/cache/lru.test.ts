import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from '../../../kit/fast-check.ts';
import { Lru, Recent } from './lru.ts';

/** With texts in front of the Maps too; see Recent. */
const KINDS = [
  { open: (max: number) => new Lru<string, number>(max), of: String },
  { open: (max: number) => new Lru<string, number>(max, undefined, new Recent()), of: (key: number) => `item-${key}` },
  // All texts share one place.
  {
    open: (max: number) => new Lru<string, number>(max, undefined, new Recent()),
    of: (key: number) => `${'x'.repeat(10_001)}${String(key).padStart(3, '0')}${'x'.repeat(1_000)}`,
  },
];

test('never gives what was not set last, never holds more than its bound, keeps what is in use', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...KINDS),
      fc.integer({ min: 2, max: 20 }),
      fc.array(fc.tuple(fc.nat(30), fc.nat(3))),
      ({ open, of }, max, steps) => {
        const lru = open(max);
        const truth = new Map<string, number>();
        for (const [i, [number, what]] of steps.entries()) {
          const key = of(number);
          if (what === 0) {
            lru.delete(key);
            truth.delete(key);
          } else if (what === 1) {
            lru.set(key, i);
            truth.set(key, i);
            if (max > 2) assert.equal(lru.get(key), i, 'what was just set is there');
          } else {
            const value = lru.get(key);
            assert.ok(value === undefined || value === truth.get(key));
          }
          let held = 0;
          for (let k = 0; k <= 30; k++) if (lru.get(of(k)) !== undefined) held++;
          assert.ok(held <= max + 1);
        }
      },
    ),
  );
});

test('an entry that is used all the time survives any number of others', () => {
  const lru = new Lru<number, string>(100);
  lru.set(-1, 'kept');
  for (let i = 0; i < 10_000; i++) {
    lru.set(i, 'other');
    assert.equal(lru.get(-1), 'kept');
  }
  assert.equal(lru.get(0), undefined);
});

test('what fits is never dropped, however it is used', () => {
  const lru = new Lru<number, number>(100);
  const heavy = new Lru<number, number>(1_000, { max: 500, of: (weight) => weight });
  for (let i = 0; i < 100; i++) lru.set(i, i);
  for (let i = 0; i < 100; i++) heavy.set(i, 5);
  for (let round = 0; round < 20; round++) {
    for (let i = 0; i < 100; i++) {
      const key = (i * 37 + round) % 100;
      assert.equal(lru.get(key), key);
      assert.equal(heavy.get(key), 5);
      if (i % 3 === 0) heavy.set(key, 5);
    }
  }
});

test('entries never weigh more than the bound, and one that is too heavy takes no room from the next', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat(30), fc.nat(40))), (steps) => {
      const lru = new Lru<number, number>(1_000, { max: 50, of: (weight) => weight });
      for (const [key, weight] of steps) {
        lru.set(key, weight);
        let held = 0;
        for (let k = 0; k <= 30; k++) held += lru.get(k) ?? 0;
        assert.ok(held <= 50 + 2 * 40, `${held}`);
      }
    }),
  );
  const lru = new Lru<string, number>(1_000, { max: 50, of: (weight) => weight });
  for (let i = 0; i < 100; i++) lru.set(String(i), 1);
  assert.equal(Array.from({ length: 100 }, (_, i) => lru.get(String(i))).filter(Boolean).length <= 50, true);
});

test('turns where an entry is replaced, deleted or must be used again, and only there', () => {
  const lru = new Lru<string, number>(4);
  const steps: [what: string, work: () => void, turns: boolean][] = [
    ['a new entry', () => lru.set('a', 1), false],
    ['no entry is deleted', () => lru.delete('absent'), false],
    ['an entry is replaced', () => lru.set('a', 2), true],
    ['the young generation becomes the old one', () => lru.set('b', 1), true],
    ['an old entry is deleted', () => lru.delete('a'), true],
    ['an entry is used', () => lru.get('b'), false],
    ['a young entry is deleted', () => lru.delete('b'), true],
    ['all are deleted', () => lru.clear(), true],
  ];
  for (const [what, work, turns] of steps) {
    const before = lru.turn;
    work();
    assert.equal(lru.turn !== before, turns, what);
  }
});
