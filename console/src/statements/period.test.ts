/** Periods are named as the API names them, and follow each other without a gap. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { periodAt, periodOf, periodWords, shifted } from './period.ts';

test('periods follow each other over the ends of years', () => {
  assert.deepEqual(
    ['2026-12', '2026-Q4', '2026'].map((period) => shifted(period, 1)),
    ['2027-01', '2027-Q1', '2027'],
  );
  for (const period of ['2024-02', '2026-Q1', '0999']) assert.equal(shifted(shifted(period, -7), 7), period);
});

test('a period of another kind contains the beginning of the one before', () => {
  assert.equal(periodOf('quarter', '2026-11'), '2026-Q4');
  assert.equal(periodOf('month', '2026-Q4'), '2026-10');
  assert.equal(periodOf('year', '2026-Q4'), '2026');
  assert.equal(periodOf('month', '2026'), '2026-01');
  assert.equal(periodAt('quarter', new Date(2026, 6, 1).getTime()), '2026-Q3');
});

test('periods are told in words', () => {
  assert.deepEqual(['2026-10', '2026-Q4', '2026'].map(periodWords), ['October 2026', 'Q4 2026', '2026']);
});
