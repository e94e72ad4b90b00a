/**
 * `decide` equals the second implementation for all policies of at most three rules on a small vocabulary.
 * EXHAUSTIVE=full takes the larger vocabulary (minutes); `npm run proof -- --only exhaustive` does the same.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runExhaustive } from '../proof/exhaustive.ts';

const size = process.env.EXHAUSTIVE === 'full' ? 'full' : 'small';

test(`decide equals the second implementation for every policy of the ${size} vocabulary`, (t) => {
  const figures = runExhaustive(size, (line) => t.diagnostic(line));
  t.diagnostic(JSON.stringify(figures));
  const { shapes, policies } = figures;
  assert.equal(policies, 2 * (1 + shapes + shapes ** 2 + shapes ** 3));
});
