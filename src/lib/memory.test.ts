/** The budget: its parts never exceed the setting, and a larger setting takes from none. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Budget, LEAST_MIB, PROGRAM_MIB, planBudget, SERVER_MIB, toNodeFlags, usualMiB } from './memory.ts';

const TOTALS = Array.from({ length: 2000 }, (_, i) => LEAST_MIB + i * 7);
const MIB = 1024 * 1024;

/** Every part that may be in use at once, in MiB. */
function partsOf({ main, storage, columns, impact, snapshot }: Budget): number[] {
  const bytes = snapshot.itemBytes + snapshot.requesterBytes + snapshot.policyBytes;
  const pagesKiB = 2 * storage.pagesKiB + columns.pagesKiB + impact.pagesKiB;
  const young = main.youngMiB + 2 * storage.heap.youngMiB + columns.heap.youngMiB + impact.heap.youngMiB;
  return [bytes / MIB, pagesKiB / 1024, young, columns.engineMiB, impact.heap.oldMiB];
}

test('the parts fit into the setting, and use all of it', () => {
  for (const total of TOTALS) {
    const sum = PROGRAM_MIB + SERVER_MIB + partsOf(planBudget(total)).reduce((a, b) => a + b, 0);
    assert.ok(sum <= total && sum > total - 2, `${sum} of ${total}`);
  }
});

test('every part is large enough to work, and grows with the setting', () => {
  let before = partsOf(planBudget(LEAST_MIB));
  assert.ok(before.every((part) => part >= 2));
  for (const total of TOTALS) {
    const parts = partsOf(planBudget(total));
    // Rounding may move a MiB from the records to another part.
    for (const [i, part] of parts.entries()) assert.ok(part >= (before[i] as number) - 2, `${total}: part ${i}`);
    before = parts;
  }
});

test('V8 gets whole numbers that leave room for the records', () => {
  for (const total of TOTALS) {
    const { main, snapshot } = planBudget(total);
    for (const flag of toNodeFlags(main)) assert.match(flag, /^--max-(old-space|semi-space)-size=[1-9]\d*$/);
    assert.ok(main.oldMiB > SERVER_MIB + (snapshot.itemBytes + snapshot.requesterBytes + snapshot.policyBytes) / MIB);
  }
});

test('without a setting it is half of the machine, within bounds', () => {
  assert.equal(usualMiB(512), LEAST_MIB);
  assert.equal(usualMiB(1600), 800);
  assert.equal(usualMiB(1_000_000), 2048);
});
