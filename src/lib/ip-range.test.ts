/** Ranges within ranges, against counting their addresses one by one. */
import assert from 'node:assert/strict';
import { isIP } from 'node:net';
import { test } from 'node:test';
import * as fc from '../../kit/fast-check.ts';
import { contains, covers, parseAddress, parseRange, type Range } from './ip-range.ts';

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
          wanted.family === 4
            ? { family: 4 as const, value: Number(value) }
            : { family: 6 as const, value, lead: Number(value >> 80n) };
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

/** The value of an IPv6 address, worked out by the URL parser. */
function valueOf(text: string): bigint {
  const [head = '', tail = ''] = new URL(`http://[${text}]`).hostname.slice(1, -1).split('::');
  const groups = (part: string): string[] => (part === '' ? [] : part.split(':'));
  const [first, last] = [groups(head), groups(tail)];
  const all = [...first, ...Array<string>(8 - first.length - last.length).fill('0'), ...last];
  return BigInt(`0x${all.map((group) => group.padStart(4, '0')).join('')}`);
}

test('parseAddress: the texts that `isIP` accepts, except zone indexes, with the values of the URL parser', () => {
  const group = fc.constantFrom(
    '0',
    '1',
    'ffff',
    'a0',
    'F00d',
    '00001',
    '10000',
    'g',
    '',
    '1.2.3.4',
    '255.0.0.256',
    '%1',
  );
  const made = fc.array(fc.tuple(group, fc.constantFrom(':', ':', ':', '::', ':::', '')), { maxLength: 10 });
  const text = made.map((parts) => parts.flat().join(''));
  const address = fc.ipV6();
  fc.assert(
    fc.property(
      fc.oneof(
        text,
        address,
        address.map((one) => one.slice(0, -1)),
        fc.string({ unit: 'binary' }),
      ),
      (one) => {
        const family = one.includes('%') ? 0 : isIP(one);
        const found = parseAddress(one);
        if (family !== 6) return assert.equal(found?.family ?? 0, family, one);
        const value = valueOf(one);
        const isMapped = value >> 32n === 0xffffn;
        const wanted = { family: 6, value, lead: Number(value >> 80n) };
        assert.deepEqual(found, isMapped ? { family: 4, value: Number(value & 0xffffffffn) } : wanted, one);
      },
    ),
    { numRuns: 5_000 },
  );
});
