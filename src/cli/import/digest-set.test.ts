import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seeded } from '../../../kit/random.ts';
import { DigestSet } from './digest-set.ts';

test('has what was added with its first place, and nothing else, also where slots collide and after it grew', () => {
  const random = seeded(5);
  const digests = new DigestSet();
  const known = new Map<number, number>();
  for (let i = 0; i < 10_000; i++) {
    // Every other one falls on few slots.
    const digest = 1 + (i % 2 === 0 ? random.int(0, 2 ** 47) : random.int(0, 100) * 2 ** 20);
    assert.equal(digests.has(digest), known.has(digest));
    assert.equal(digests.add(digest, i), known.get(digest));
    if (!known.has(digest)) known.set(digest, i);
  }
  assert.equal(digests.size, known.size);
  for (const [digest, place] of known) assert.equal(digests.add(digest, 7), place);
});
