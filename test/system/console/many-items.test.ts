/** The pages that the proof `console` times on a million items, with few items and without limits of time. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runMillion } from '../../../proof/million.ts';

test('each page of a catalog can be used', async (t) => {
  const items = 2_000;
  const figures = await runMillion({ items, withinMs: Number.POSITIVE_INFINITY, tell: (line) => t.diagnostic(line) });
  assert.equal(figures.items, items);
});
