/** Counts of requests that are not registered, on PostgreSQL: the contract, on two nodes. */
import { testPostgres } from '../../kit/postgres.ts';
import { migrate } from '../../src/db/migrate.ts';
import { openPostgres } from '../../src/db/postgres/db.ts';
import { unregisteredContract } from './contract.ts';

const server = await testPostgres();

unregisteredContract('PostgreSQL', async () => {
  const database = await server.newDatabase();
  const nodes = [await openPostgres(database.url), await openPostgres(database.url)] as const;
  await migrate(nodes[0], 0);
  return {
    nodes,
    async [Symbol.asyncDispose]() {
      for (const db of nodes) await db.close();
      await database[Symbol.asyncDispose]();
    },
  };
});
