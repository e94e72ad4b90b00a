/** The ledger on SQLite: the contract. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { migrate } from '../../src/db/migrate.ts';
import { openSqlite, type SqliteDb } from '../../src/db/sqlite/db.ts';
import { ledgerProcedure, openSqliteLedger } from '../../src/ledger/sqlite.ts';
import { ledgerContract } from './contract.ts';

ledgerContract('SQLite file', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'postern-ledger-'));
  let db: SqliteDb | undefined;
  return {
    async open(clock) {
      // A restart: the previous process is gone, and may not have had the time to close its ledger.
      await db?.close();
      db = await openSqlite(join(folder, 'postern.db'), ledgerProcedure);
      await migrate(db, 0);
      return { db, ledger: await openSqliteLedger(db, clock) };
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
});
