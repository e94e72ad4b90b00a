/** The table of URLs: exact until it is full, also over several threads; then it says so. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { merge, VisitTally } from './tally.ts';
import { Hasher, UrlTable } from './url-table.ts';

const hashOf = (text: string): { high: number; low: number } => {
  const { high, low } = new Hasher(7).start(1).add(text, 0, text.length).end();
  return { high, low };
};

describe('the table', () => {
  test('counts each URL, also while it grows', () => {
    const table = new UrlTable();
    for (let round = 1; round <= 3; round++) {
      for (let i = 0; i < 50_000; i++) assert.equal(table.add(hashOf(`/page/${i}`), 1, 1), round);
    }
    let entries = 0;
    table.forEach((_hash, requests, mark) => {
      entries++;
      assert.deepEqual([requests, mark], [3, 1]);
    });
    assert.equal(entries, 50_000);
    assert.equal(table.get(hashOf('/page/77')), 3);
    assert.equal(table.get(hashOf('/absent')), 0);
  });

  test('a full table still counts what it knows', () => {
    const table = new UrlTable(undefined, 1 << 12);
    const added = Array.from({ length: 5_000 }, (_, i) => table.add(hashOf(`/page/${i}`), 1, 1) !== undefined);
    assert.equal(added.filter(Boolean).length, (1 << 12) * 0.75);
    assert.equal(table.add(hashOf('/page/0'), 1, 1), 2);
    assert.equal(table.add(hashOf('/page/4999'), 1, 1), undefined);
  });
});

describe('tallies of several threads', () => {
  test('are as exact as one', () => {
    const targets = Array.from({ length: 9_000 }, (_, i) => `/a/${i % 2_000}${i % 3 === 0 ? `?q=${i % 5}` : ''}`);
    const tallyOf = (some: readonly string[]) => {
      const tally = new VisitTally(7);
      const row = tally.rowOf(3, 'unknown');
      for (const target of some) {
        row.requests++;
        tally.addUrl(row, null, target);
      }
      return tally.counted();
    };
    const expected = new Set(targets).size;
    for (const parts of [1, 2, 5]) {
      const counted = Array.from({ length: parts }, (_, part) =>
        tallyOf(targets.filter((_one, i) => i % parts === part)),
      );
      const merged = merge(counted);
      assert.deepEqual([...merged.urls.values()], [expected], `${parts} parts`);
      assert.equal(merged.rows[0]?.requests, targets.length);
      assert.equal(merged.rows[0].urlsFull, false);
    }
  });

  test('find the most requested paths and their requests among many', () => {
    const targets = Array.from({ length: 100_000 }, (_, i) => (i % 10 === 0 ? `/top/${i % 40}` : `/rest/${i}`));
    const tallies = [new VisitTally(7), new VisitTally(7)];
    for (const [i, target] of targets.entries()) {
      const tally = tallies[i % 3 === 0 ? 0 : 1] as VisitTally;
      tally.addUrl(tally.rowOf(3, 'unknown'), null, target);
    }
    const [row] = merge(tallies.map((tally) => tally.counted())).rows;
    const top = [...(row?.paths ?? [])].toSorted(([, a], [, b]) => b.requests - a.requests).slice(0, 4);
    assert.deepEqual(top.map(([path, { requests }]) => [path, requests]).toSorted(), [
      ['/top/0', 2_500],
      ['/top/10', 2_500],
      ['/top/20', 2_500],
      ['/top/30', 2_500],
    ]);
  });
});
