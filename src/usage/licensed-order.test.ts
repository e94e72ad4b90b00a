/** Promise: any decisions come in the order of their ids, each with all of its fields. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runSeed, seeded } from '../../kit/random.ts';
import { type Flat, inOrder, newFlat } from './licensed-order.ts';

const random = seeded(runSeed);

/** Fields that follow from the number. */
function flatOf(seqs: readonly number[], at: (seq: number) => number): Flat {
  const flat = newFlat(seqs.length);
  for (const [i, seq] of seqs.entries()) {
    flat.seq[i] = seq;
    flat.at[i] = at(seq);
    flat.license[i] = seq % 7;
    flat.purpose[i] = seq % 5;
    flat.content[i] = seq % 3;
    if (seq % 3 === 0) flat.urls.set(i, `url ${seq}`);
  }
  return flat;
}

/** Numbers in runs: two threads take turns. */
function inRuns(count: number): number[] {
  const threads: number[][] = [[], []];
  for (let seq = 1; seq <= count; ) {
    const thread = random.pick(threads);
    for (let left = random.int(1, 40); left > 0 && seq <= count; left--, seq++) thread.push(seq);
  }
  const chunks = threads.flatMap((seqs) =>
    Array.from({ length: Math.ceil(seqs.length / 16) }, (_, i) => seqs.slice(i * 16, i * 16 + 16)),
  );
  return chunks.toSorted(() => random.int(0, 2) - 1).flat();
}

test(`windows are sorted by time and number (SEED=${runSeed})`, () => {
  for (let round = 0; round < 200; round++) {
    const count = random.int(0, 2_000);
    const seqs = round % 4 === 0 ? inRuns(count).toSorted(() => random.int(0, 2) - 1) : inRuns(count);
    const late = random.int(0, 20);
    const at = (seq: number): number => Math.floor(seq / 3) - (seq % 11 === 0 ? late : 0);
    const expected = flatOf(
      seqs.toSorted((a, b) => at(a) - at(b) || a - b),
      at,
    );
    assert.deepEqual(inOrder(flatOf(seqs, at)), expected);
  }
});
