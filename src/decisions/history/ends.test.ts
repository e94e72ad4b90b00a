/** A decision is settled once it was the newest one for as long as a transaction may take. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { settling } from './ends.ts';

test('after ten seconds, also where it is read each second', () => {
  const settle = settling();
  const found = Array.from({ length: 14 }, (_, second) => settle(100 + second, second * 1000));
  assert.deepEqual(found, [...Array(10).fill(0), 100, 101, 102, 103]);
  assert.equal(settle(200, 60_000), 113);
  assert.equal(settle(200, 69_999), 113);
  assert.equal(settle(200, 70_000), 200);
});
