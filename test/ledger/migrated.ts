import { after } from 'node:test';
import { testPostgres } from '../../kit/postgres.ts';
import { migrate } from '../../src/db/migrate.ts';
import { openPostgres, type PostgresDb } from '../../src/db/postgres/db.ts';

/** Opens a new database on PostgreSQL with all tables. It goes when the tests of the file have ended. */
export async function openMigrated(): Promise<PostgresDb> {
  const database = await (await testPostgres()).newDatabase();
  const db = await openPostgres(database.url);
  after(async () => {
    await db.close();
    await database[Symbol.asyncDispose]();
  });
  await migrate(db, 0);
  return db;
}
