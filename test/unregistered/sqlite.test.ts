/** Counts of requests that are not registered, on SQLite: the contract. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrate } from '../../src/db/migrate.ts';
import { openSqlite } from '../../src/db/sqlite/db.ts';
import { unregisteredContract } from './contract.ts';

unregisteredContract('SQLite', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'postern-unregistered-'));
  const db = await openSqlite(join(folder, 'postern.db'));
  await migrate(db, 0);
  return {
    nodes: [db, db],
    async [Symbol.asyncDispose]() {
      await db.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
});
