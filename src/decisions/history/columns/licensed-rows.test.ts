/** Promise: groups come in the order of the ids, each row with all of its fields, and merge in that order. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runSeed, seeded } from '../../../../kit/random.ts';
import { inGroupOrder, inIdOrder, type LicensedRows, newRows, type RowPlaces, within } from './licensed-rows.ts';

const random = seeded(runSeed);

/** Fields that follow from the number. */
function rowsOf(seqs: readonly number[], at: (seq: number) => number, contents: boolean): LicensedRows {
  const rows = newRows(seqs.length, contents);
  for (const [i, seq] of seqs.entries()) {
    rows.seq[i] = seq;
    rows.at[i] = at(seq);
    if (!contents) continue;
    rows.content[i] = seq % 3;
    if (seq % 3 === 0) rows.urls.set(i, `url ${seq}`);
  }
  return rows;
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

/** Divides places into groups; some are empty. */
function groupsOf(count: number): RowPlaces[] {
  const ends = Array.from({ length: random.int(0, 6) }, () => random.int(0, count)).toSorted((a, b) => a - b);
  return [...ends, count].map((end, i) => ({ start: ends[i - 1] ?? 0, end }));
}

test(`groups are sorted by time and number (SEED=${runSeed})`, () => {
  for (let round = 0; round < 200; round++) {
    const count = random.int(0, 2_000);
    const seqs = round % 4 === 0 ? inRuns(count).toSorted(() => random.int(0, 2) - 1) : inRuns(count);
    const late = random.int(0, 20);
    const at = (seq: number): number => Math.floor(seq / 3) - (seq % 11 === 0 ? late : 0);
    const inOrder = (some: readonly number[]): number[] => some.toSorted((a, b) => at(a) - at(b) || a - b);
    const groups = groupsOf(count);
    const contents = random.chance(0.5);
    // The arrays may be longer than the groups.
    const sorted = inGroupOrder(rowsOf([...seqs, 9, 3, 6], at, contents), groups);
    const expected = groups.flatMap(({ start, end }) => inOrder(seqs.slice(start, end)));
    assert.deepEqual(sorted, rowsOf(expected, at, contents));

    const { places, groups: owners } = inIdOrder(sorted, groups);
    assert.deepEqual(
      Array.from(places, (place) => sorted.seq[place]),
      inOrder(seqs),
    );
    for (const [i, place] of places.entries()) {
      const { start, end } = groups[owners[i] as number] as RowPlaces;
      assert.ok(start <= place && place < end);
    }

    const [from, to] = [random.int(-5, 700), random.int(-5, 700)].toSorted((a, b) => a - b) as [number, number];
    for (const group of groups) {
      const { start, end } = within(sorted, group, from, to);
      const isWithin = (seq: number): boolean => at(seq) >= from && at(seq) < to;
      assert.deepEqual(
        [...sorted.seq.subarray(start, end)],
        inOrder(seqs.slice(group.start, group.end)).filter(isWithin),
      );
    }
  }
});
