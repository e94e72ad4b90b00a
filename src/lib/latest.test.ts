import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from '../../kit/fast-check.ts';
import { Latest } from './latest.ts';
import { Lru } from './lru.ts';

interface Together {
  left: number;
  right: number;
  ground: number;
}

test('never gives what its maps would no longer give, and gives what was just put together', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 4, max: 8 }),
      fc.array(fc.tuple(fc.nat(9), fc.nat(6)), { minLength: 60, maxLength: 200 }),
      (max, steps) => {
        const left = new Lru<string, number>(max);
        const right = new Lru<string, number>(max, { max: 2 * max, of: (value) => value % 3 });
        const latest = new Latest<Together, number>([left, right]);
        let ground = 0;
        const find = (key: string): Together | undefined => {
          const [one, other] = [left.get(key), right.get(key)];
          return one === undefined || other === undefined ? undefined : { left: one, right: other, ground };
        };
        for (const [i, [number, what]] of steps.entries()) {
          const key = `item-${number}`;
          // Seldom one that is there already: that alone would let everything be forgotten.
          if (what < 2 && (what === 0 ? left : right).get(key) !== undefined && i % 8 !== 0) continue;
          if (what === 0) left.set(key, i);
          else if (what === 1) right.set(key, i);
          else if (what === 2 && number < 2) (number % 2 === 0 ? left : right).delete(key);
          else if (what === 3 && number === 0) ground++;
          else {
            const given = latest.get(key, ground);
            // Some are only looked up here, so that the maps do not see them used.
            if (given !== undefined && what === 4) continue;
            const found = find(key);
            if (given !== undefined) assert.deepEqual(given, found);
            if (found !== undefined) {
              latest.set(key, found);
              assert.equal(latest.get(key, ground), found);
            }
          }
        }
      },
    ),
  );
});
