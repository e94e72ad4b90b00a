/** Ranges within ranges, against counting their addresses one by one. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from '../../kit/fast-check.ts';
import { contains, covers, parseRange, type Range } from './ip-range.ts';

const rangeOf = (text: string): Range => parseRange(text) as Range;
/** Ranges among the last 64 addresses of a family. */
const small = fc
  .tuple(fc.constantFrom('255.255.255.', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ff'), fc.nat(63), fc.nat(6))
  .map(([head, n, bits]) => {
    const start = 192 + (n & ~((1 << bits) - 1));
    return head.includes(':') ? `${head}${start.toString(16)}/${128 - bits}` : `${head}${start}/${32 - bits}`;
  });

test('covers: every address of the one is in one of the others', () => {
  fc.assert(
    fc.property(fc.array(small, { maxLength: 6 }), small, (outer, inner) => {
      const ranges = outer.map(rangeOf);
      const wanted = rangeOf(inner);
      let all = true;
      for (let value = BigInt(wanted.first); value <= BigInt(wanted.last); value++) {
        const address =
          wanted.family === 4 ? { family: 4 as const, value: Number(value) } : { family: 6 as const, value };
        all &&= ranges.some((range) => contains(range, address));
      }
      assert.equal(covers(ranges, wanted), all);
    }),
    { numRuns: 2000 },
  );
});

test('covers: everything, nothing, and the other family', () => {
  assert.equal(covers([rangeOf('0.0.0.0/0')], rangeOf('0.0.0.0/0')), true);
  assert.equal(covers([rangeOf('0.0.0.0/1'), rangeOf('128.0.0.0/1')], rangeOf('0.0.0.0/0')), true);
  assert.equal(covers([rangeOf('0.0.0.0/0')], rangeOf('::/0')), false);
  assert.equal(covers([rangeOf('::/0')], rangeOf('10.0.0.1')), false);
  assert.equal(covers([rangeOf('10.0.0.0/8')], rangeOf('::ffff:10.0.0.0/112')), true);
  assert.equal(covers([], rangeOf('10.0.0.1')), false);
});
