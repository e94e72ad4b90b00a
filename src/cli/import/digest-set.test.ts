import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seeded } from '../../../kit/random.ts';
import { DigestSet } from './digest-set.ts';

test('has what was added, and nothing else, also where slots collide and after it grew', () => {
  const random = seeded(5);
  const digests = new DigestSet();
  const known = new Set<number>();
  for (let i = 0; i < 10_000; i++) {
    // Every other one falls on few slots.
    const digest = 1 + (i % 2 === 0 ? random.int(0, 2 ** 47) : random.int(0, 100) * 2 ** 20);
    assert.equal(digests.has(digest), known.has(digest));
    digests.add(digest);
    known.add(digest);
  }
  assert.equal(digests.size, known.size);
  for (const digest of known) assert.ok(digests.has(digest));
});
