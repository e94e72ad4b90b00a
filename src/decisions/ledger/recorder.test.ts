import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Submission } from './flush.ts';
import type { Entry } from './ledger.ts';
import { Recorder } from './recorder.ts';

const BATCH = 100;

/** Submissions of BATCH entries, recorded by a store that needs a turn of the event loop for each flush. */
function openRecorder() {
  const flushes: (readonly Submission[])[] = [];
  let seq = 0;
  const recorder = new Recorder({
    now: () => 0,
    head: 0,
    async flush(submissions) {
      flushes.push(submissions);
      await new Promise(setImmediate);
      return submissions.map(({ entries }) => entries.map(() => ({ id: '', seq: ++seq, at: 0, granted: null })));
    },
  });
  const record = (entries = BATCH) =>
    recorder.record(Array.from({ length: entries }, () => ({ reason: 0, claim: null, claimed: null }) as Entry));
  return { recorder, flushes, record };
}

/** Runs what promises wait for, without a turn of the event loop. */
const ticks = (): Promise<void> => new Promise((resolve) => process.nextTick(resolve));

const sizesOf = (flushes: readonly (readonly Submission[])[]): number[] =>
  flushes.map((submissions) => submissions.reduce((sum, { entries }) => sum + entries.length, 0));

test('of many batches, half are written while the others can be decided and answered', async () => {
  const { flushes, record } = openRecorder();
  const recorded = await Promise.all(Array.from({ length: 16 }, () => record()));
  assert.deepEqual(sizesOf(flushes), [800, 800]);
  assert.deepEqual(
    recorded.flat().map(({ seq }) => seq),
    Array.from({ length: 1_600 }, (_, i) => i + 1),
  );
});

test('enough entries are flushed at once, before the event loop turns', async () => {
  const { flushes, record } = openRecorder();
  const recorded = Promise.all([record(), record(), record(), record()]);
  await ticks();
  assert.deepEqual(sizesOf(flushes), [400]);
  await recorded;
});

test('few entries wait for the turn of the event loop, and share a flush', async () => {
  const { flushes, record } = openRecorder();
  const first = record(1);
  await ticks();
  assert.deepEqual(sizesOf(flushes), []);
  await Promise.all([first, record(1), record(1)]);
  assert.deepEqual(sizesOf(flushes), [3]);
});

test('no flush has more entries than its bound, unless one request has', async () => {
  const { flushes, record } = openRecorder();
  await Promise.all(Array.from({ length: 120 }, () => record()));
  assert.equal(Math.max(...sizesOf(flushes)), 4_000);
  flushes.length = 0;
  await Promise.all([record(5_000), record(1)]);
  assert.deepEqual(sizesOf(flushes), [5_000, 1]);
});
