/** The sweep removes only what no answer can show any longer, and never a millisecond early. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { entry } from '../../kit/entry.ts';
import { migrate } from '../../src/db/migrate.ts';
import { openSqlite } from '../../src/db/sqlite/db.ts';
import { sweep } from '../../src/decisions/history/retention/sweep.ts';
import { sweepTests } from '../../src/decisions/history/retention/test-sweep.ts';
import { ledgerProcedure, openSqliteLedger, openSqliteTestLedger } from '../../src/decisions/ledger/sqlite/ledger.ts';

const START = Date.parse('2026-11-21T09:30:00Z');
const DAY_MS = 24 * 3_600_000;
const ENTRY = entry();

async function store() {
  const folder = mkdtempSync(join(tmpdir(), 'postern-sweep-'));
  const db = await openSqlite(join(folder, 'postern.db'), { procedures: ledgerProcedure });
  await migrate(db, START);
  const ledger = await openSqliteLedger(db, { now: () => START });
  return {
    db,
    ledger,
    async left(table: 'limits' | 'receipts', at: number): Promise<number> {
      await sweep(db, at);
      return (await db.read(`select 1 from ${table}`)).length;
    },
    async [Symbol.asyncDispose]() {
      await ledger.close();
      await db.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

test('a limit outlives its period by a minute: a clock that is set back a little finds its use again', async () => {
  await using one = await store();
  await one.ledger.record([{ ...ENTRY, claim: { key: 'k', limit: { requests: 1, period: 'day' } } }]);
  const end = Date.parse('2026-11-22T00:00:00Z');
  assert.equal(await one.left('limits', end), 1);
  assert.equal(await one.left('limits', end + 59_999), 1);
  assert.equal(await one.left('limits', end + 60_000), 0);
});

test('a receipt is kept for 24 hours, also one whose text has no decision in it', async () => {
  await using one = await store();
  await one.ledger.record([ENTRY], { scope: 's', bodyHash: 'h', status: 200, parts: ['{}'] });
  assert.equal(await one.left('receipts', START + DAY_MS - 1), 1);
  assert.equal(await one.left('receipts', START + DAY_MS), 0);
});

test('decisions of tests leave their log by age and by number, and live ones stay', async () => {
  await using one = await store();
  const { db } = one;
  const clock = { at: START, now: () => clock.at };
  const tests = await openSqliteTestLedger(db, clock);
  await one.ledger.record([ENTRY, ENTRY]);
  const seqs: number[] = [];
  for (let i = 0; i < 5; i++) {
    seqs.push(
      (await tests.record([{ ...ENTRY, claim: { key: 'k', limit: { requests: 9, period: 'day' } } }]))[0]?.seq ?? 0,
    );
    clock.at += DAY_MS;
  }
  const left = async (before: number, most?: number) => {
    await sweepTests(db, START, before, most);
    return (await db.read('select seq from test_decisions order by seq')).map(({ seq }) => seq);
  };
  assert.deepEqual(await left(START), seqs);
  assert.deepEqual(await left(START + 1), seqs.slice(1));
  assert.deepEqual(await left(0, 4), seqs.slice(1));
  assert.deepEqual(await left(0, 2), seqs.slice(3));
  await sweepTests(db, START, START + 10 * DAY_MS);
  for (const [table, rows] of [
    ['test_decisions', 0],
    ['test_limits', 1],
    ['decisions', 2],
  ] as const) {
    assert.equal((await db.read(`select 1 from ${table}`)).length, rows, table);
  }
  await sweepTests(db, clock.at + DAY_MS, 0);
  assert.equal((await db.read('select 1 from test_limits')).length, 0);
  await tests.close();
});
