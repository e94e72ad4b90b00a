/** The look-up in ranges agrees with a search of all of them, and sizes with a count. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seeded } from '../../../kit/random.ts';
import { contains, parseAddress, parseRange } from '../../lib/ip-range.ts';
import { RangeSet } from './ranges.ts';

const random = seeded(7);
/** Few bits vary, so that ranges touch, overlap and share their beginnings. */
const four = (): string => `10.${random.int(0, 3)}.${random.int(0, 3) * 64}.${random.int(0, 255)}`;
const six = (): string =>
  `2001:db8:${random.int(0, 2)}:${random.int(0, 3)}:${random.int(0, 2)}:0:${random.int(0, 3)}:${random.int(0, 9)}`;
const cut = (address: string): string | undefined => {
  const width = address.includes(':') ? 128 : 32;
  const all = Array.from({ length: width / 2 + 1 }, (_, i) => `${address}/${width - i}`);
  return all.filter((text) => parseRange(text) !== undefined).at(-random.int(1, 3));
};

test('agrees with a search of all ranges', () => {
  for (let round = 0; round < 300; round++) {
    const texts = Array.from(
      { length: random.int(0, 40) },
      () => cut(random.chance(0.5) ? four() : six()) ?? '10.0.0.0/8',
    );
    const set = new RangeSet(texts);
    const ranges = texts.map((text) => parseRange(text)).filter((range) => range !== undefined);
    for (let i = 0; i < 200; i++) {
      const text = random.chance(0.5) ? four() : six();
      const address = parseAddress(text);
      assert.ok(address !== undefined);
      assert.equal(
        set.has(address),
        ranges.some((range) => contains(range, address)),
        `${text} in ${texts.join(' ')}`,
      );
    }
  }
});

test('the bounds of a range are in it, their neighbors are not', () => {
  const set = new RangeSet([
    '203.0.113.0/24',
    '2001:db8::/32',
    '255.255.255.255',
    'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff',
  ]);
  const has = (text: string): boolean => {
    const address = parseAddress(text);
    return address !== undefined && set.has(address);
  };
  for (const text of ['203.0.113.0', '203.0.113.255', '2001:db8::', '2001:db8:ffff:ffff:ffff:ffff:ffff:ffff']) {
    assert.ok(has(text), text);
  }
  for (const text of ['255.255.255.255', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff']) assert.ok(has(text), text);
  for (const text of [
    '203.0.112.255',
    '203.0.114.0',
    '2001:db7:ffff:ffff:ffff:ffff:ffff:ffff',
    '2001:db9::',
    '::',
    '0.0.0.0',
  ]) {
    assert.ok(!has(text), text);
  }
});

test('counts each address once', () => {
  const set = new RangeSet(['10.0.0.0/24', '10.0.0.128/25', '10.0.0.7', '2001:db8::/127', '2001:db8::1']);
  assert.deepEqual([set.sizeOf(4), set.sizeOf(6)], [256n, 2n]);
  assert.equal(new RangeSet([]).sizeOf(4), 0n);
});
