/** Two nodes that start on an empty store apply each migration once, in order, wherever they meet. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pluck } from '../../kit/pluck.ts';
import type { Migration, Tables } from '../../src/db/db.ts';
import { migrate } from '../../src/db/migrate.ts';
import { FIRST_VERSION } from '../../src/db/migrations/index.ts';
import type { OpenedDb } from './contract.ts';

const MIGRATIONS: readonly Migration[] = [
  ['create table a (n bigint)'],
  ['create table b (n bigint)'],
  ['alter table b add column m bigint'],
];

/** Each: the migrations that this node has applied when they meet, and those that the other has. */
const MEETINGS: readonly [number, number][] = [
  [-1, 1],
  [0, 1],
  [0, 2],
  [0, 3],
  [1, 2],
  [1, 3],
  [2, 3],
];

export function twoStartsContract(engine: string, open: () => Promise<OpenedDb>): void {
  for (const [ours, theirs] of MEETINGS) {
    test(`${engine}: after ${ours} of three, another node has got as far as ${theirs}`, async () => {
      await using store = await open();
      const { db } = store;
      const other = () => migrate(db, 2, { migrations: MIGRATIONS.slice(0, theirs), unfinished: true });
      await migrate(meeting(db, ours, other), 1, { migrations: MIGRATIONS, unfinished: true });
      const rows = await db.read<{ version: number }>('select version from schema_migrations order by version');
      assert.deepEqual(
        pluck(rows, 'version').map((version) => Number(version) - FIRST_VERSION),
        [0, 1, 2],
      );
      assert.deepEqual(await db.read('select n, m from b'), []);
    });
  }
}

/** Does what `other` does once, after so many migrations; -1: before the table of versions is there. */
function meeting(db: Tables, after: number, other: () => Promise<void>): Tables {
  let writes = -1;
  return {
    engine: db.engine,
    read: (sql, params) => db.read(sql, params),
    atomic: async (steps) => {
      if (writes++ === after) await other();
      return db.atomic(steps);
    },
  };
}
