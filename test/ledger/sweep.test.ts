/** The sweep removes only what no answer can show any longer, and never a millisecond early. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { entry } from '../../kit/entry.ts';
import { migrate } from '../../src/db/migrate.ts';
import { openSqlite } from '../../src/db/sqlite/db.ts';
import { ledgerProcedure, openSqliteLedger } from '../../src/ledger/sqlite.ts';
import { sweep } from '../../src/ledger/sweep.ts';

const START = Date.parse('2026-11-21T09:30:00Z');
const DAY_MS = 24 * 3_600_000;
const ENTRY = entry();

async function store() {
  const folder = mkdtempSync(join(tmpdir(), 'postern-sweep-'));
  const db = await openSqlite(join(folder, 'postern.db'), ledgerProcedure);
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
