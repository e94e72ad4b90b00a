/** Two nodes that start on an empty store apply each migration once, in order, wherever they meet. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pluck } from '../../kit/pluck.ts';
import { migrate } from '../../src/db/migrate.ts';
import type { Migration } from '../../src/db/migrations/index.ts';
import type { OpenedDb } from './contract.ts';

/** In an empty store, what stands between two functions is one transaction. */
const alike = (meet: () => Promise<void>): Migration[] => [
  ['create table a (n bigint)'],
  async () => (await meet(), []),
  ['create table b (n bigint)'],
  async () => [{ sql: 'alter table b add column m bigint' }],
];

const nobody = async (): Promise<void> => {};

export function twoStartsContract(engine: string, open: () => Promise<OpenedDb>): void {
  for (const far of [2, 3, 4]) {
    test(`${engine}: another node got as far as ${far} of four meanwhile`, async () => {
      await using store = await open();
      const { db } = store;
      const meet = () => migrate(db, 2, { migrations: alike(nobody).slice(0, far), unfinished: true });
      await migrate(db, 1, { migrations: alike(once(meet)), unfinished: true });
      const rows = await db.read<{ version: number }>('select version from schema_migrations order by version');
      assert.deepEqual(pluck(rows, 'version').map(Number), [1, 2, 3, 4]);
      assert.deepEqual(await db.read('select n, m from b'), []);
    });
  }
}

function once(meet: () => Promise<void>): () => Promise<void> {
  let met: Promise<void> | undefined;
  return () => (met ??= meet());
}
