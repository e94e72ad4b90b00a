/** The ledger on SQLite: the contract. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrate } from '../../src/db/migrate.ts';
import { openSqlite, type SqliteDb } from '../../src/db/sqlite.ts';
import { ledgerProcedure, openSqliteLedger } from '../../src/ledger/sqlite.ts';
import { ledgerContract } from './contract.ts';

ledgerContract('SQLite file', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'postern-ledger-'));
  let db: SqliteDb | undefined;
  return {
    async open(clock) {
      // As a restart does: whoever was there before is gone, and may not have had the time to close its ledger.
      await db?.close();
      db = await openSqlite(join(folder, 'postern.db'), ledgerProcedure);
      await migrate(db, 0);
      return { db, ledger: await openSqliteLedger(db, clock) };
    },
    async [Symbol.asyncDispose]() {
      await db?.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
});
