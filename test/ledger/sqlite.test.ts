/** The ledgers on SQLite: the contract. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { entry } from '../../kit/entry.ts';
import { migrate } from '../../src/db/migrate.ts';
import { openSqlite, type SqliteDb } from '../../src/db/sqlite/db.ts';
import { ledgerProcedure, openSqliteLedger, openSqliteTestLedger } from '../../src/decisions/ledger/sqlite/ledger.ts';
import { onTestTables, toTestSql } from '../../src/decisions/ledger/test-tables.ts';
import type { Clock } from '../../src/lib/clock.ts';
import { idBody } from '../../src/lib/id.ts';
import { REASONS } from '../../src/rules/reason.ts';
import { type LedgerStore, ledgerContract, type OpenedLedger } from './contract.ts';

ledgerContract('SQLite file', () =>
  emptyStore(async (db, clock) => ({ db, ledger: await openSqliteLedger(db, clock) })),
);
ledgerContract('SQLite file, tests', () =>
  emptyStore(async (db, clock) => ({ db: onTestTables(db), ledger: await openSqliteTestLedger(db, clock) })),
);

async function emptyStore(openIn: (db: SqliteDb, clock?: Clock) => Promise<OpenedLedger>): Promise<LedgerStore> {
  const folder = mkdtempSync(join(tmpdir(), 'postern-ledger-'));
  let db: SqliteDb | undefined;
  return {
    async open(clock) {
      // A restart: the previous process is gone, and may not have had the time to close its ledger.
      await db?.close();
      db = await openSqlite(join(folder, 'postern.db'), { procedures: ledgerProcedure });
      await migrate(db, 0);
      return openIn(db, clock);
    },
    async hold() {
      const holder = new DatabaseSync(join(folder, 'postern.db'));
      holder.exec('begin immediate');
      return {
        async [Symbol.asyncDispose]() {
          holder.close();
        },
      };
    },
    async [Symbol.asyncDispose]() {
      await db?.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

test('each denial of a flush is announced once, in the order of the decisions', async () => {
  await using store = await emptyStore(async (db, clock) => ({
    db,
    ledger: await openSqliteLedger(db, clock, { subscribed: () => ['access.denied'] }),
  }));
  const { db, ledger } = await store.open();
  const { code } = REASONS.policy_denied;
  for (const count of [1, 24, 25, 26, 130]) {
    const entries = Array.from({ length: count * 2 }, (_, i) => entry({ reason: i % 2 === 0 ? code : 0 }));
    const denied = (await ledger.record(entries)).filter((_, i) => i % 2 === 0);
    const rows = await db.read('select id, at, kind, object_id from events order by seq desc limit $1', [count]);
    const expected = denied.map(({ id, at }) => ({ id: idBody(id), at, kind: 'access.denied', object_id: id }));
    assert.deepEqual(rows.toReversed(), expected);
  }
  const [total] = await db.read('select count(*) as total from events');
  assert.deepEqual(total, { total: 206 });
});

test('the tables of tests have the columns of the live ones', async () => {
  await using store = await emptyStore(async (db) => ({ db, ledger: await openSqliteTestLedger(db) }));
  const { db } = await store.open();
  const columnsOf = (table: string) =>
    db.read('select name, type, pk, dflt_value, "notnull" from pragma_table_info($1) order by name', [table]);
  for (const table of ['decisions', 'deleted_decisions', 'limits', 'quota_contents']) {
    assert.deepEqual(await columnsOf(toTestSql(table)), await columnsOf(table), table);
  }
});
