import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from '../../kit/fast-check.ts';
import { NumberSet } from './number-set.ts';

test('holds what a set holds', () => {
  const number = fc.oneof(fc.nat(70), fc.nat(40_000));
  const step = fc.record({ kind: fc.constantFrom('add', 'add', 'add', 'delete', 'clear'), number });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), fc.array(number), (steps, others) => {
      const [numbers, truth] = [new NumberSet(), new Set<number>()];
      for (const { kind, number: one } of steps) {
        if (kind === 'add') {
          numbers.add(one);
          truth.add(one);
        } else if (kind === 'delete') {
          numbers.delete(one);
          truth.delete(one);
        } else if (one < 5) {
          numbers.clear();
          truth.clear();
        }
      }
      for (const one of [...steps.map(({ number: own }) => own), ...others]) {
        for (const near of [one, one + 1, one + 8]) assert.equal(numbers.has(near), truth.has(near), String(near));
      }
    }),
  );
});
