/** Jumps of denials are announced once a day for each requester, whichever nodes look, on each engine. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { testPostgres } from '../../kit/postgres.ts';
import { testClock } from '../../kit/service.ts';
import { openChanges } from '../../src/api/changes/changes.ts';
import { type Db, Unavailable } from '../../src/db/db.ts';
import { migrate } from '../../src/db/migrate.ts';
import { openPostgres } from '../../src/db/postgres/db.ts';
import { openSqlite } from '../../src/db/sqlite/db.ts';
import type { CountedWho } from '../../src/decisions/history/columns/who.ts';
import { watchJumps } from '../../src/reports/attention/jumps.ts';

const DAY_MS = 86_400_000;
const LOOK_MS = 300_000;
const NODES = 4;

async function onSqlite(stack: AsyncDisposableStack): Promise<Db[]> {
  const folder = mkdtempSync(join(tmpdir(), 'postern-jumps-'));
  stack.defer(() => rmSync(folder, { recursive: true, force: true }));
  const db = await openSqlite(join(folder, 'postern.db'));
  stack.defer(() => db.close());
  return Array.from({ length: NODES }, () => db);
}

async function onPostgres(stack: AsyncDisposableStack): Promise<Db[]> {
  const database = stack.use(await (await testPostgres()).newDatabase());
  return Promise.all(
    Array.from({ length: NODES }, async () => {
      const db = await openPostgres(database.url);
      stack.defer(() => db.close());
      return db;
    }),
  );
}

const never = new AbortController().signal;

for (const [engine, open] of [
  ['SQLite', onSqlite],
  ['PostgreSQL', onPostgres],
] as const) {
  test(`of ${NODES} nodes that look at once, one announces, ${engine}`, async () => {
    await using stack = new AsyncDisposableStack();
    const dbs = await open(stack);
    const [first] = dbs as [Db];
    await migrate(first, 0);
    const clock = testClock();
    let denials: { visitor: CountedWho; denied: number; usual: number }[] = [];
    let isBusy = false;
    const columns = {
      async alarms() {
        if (isBusy) throw new Unavailable('the columns are being built');
        return { spoofed: [], denials };
      },
    };
    const deps = { clock, columns, hasDecisions: () => true, ending: never };
    const nodes = dbs.map((db) => watchJumps({ db, changes: openChanges(db, clock), ...deps }));
    const look = async () => {
      clock.advance(LOOK_MS);
      await Promise.all(nodes.map((node) => node()));
    };
    const announced = async () =>
      (await first.read<{ id: string }>(`select object_id as id from events where kind = 'denials.jumped' order by id`))
        .map(({ id }) => id)
        .toSorted();

    await look();
    assert.deepEqual(await announced(), []);
    const jumpOf = (id: string | null) => {
      const visitor = id === null ? ({ kind: 'browsers', id } as const) : ({ kind: 'requester', id } as const);
      return { visitor, denied: 30, usual: 1 };
    };
    denials = ['a', 'b', null].map(jumpOf);
    isBusy = true;
    await look();
    assert.deepEqual(await announced(), [], 'columns that cannot answer are no failure');
    isBusy = false;
    await Promise.all(nodes.map((node) => node()));
    assert.deepEqual(await announced(), [], 'they are not asked again at once');
    await look();
    assert.deepEqual(await announced(), ['a', 'all browsers', 'b']);
    denials = ['a', 'c', null].map(jumpOf);
    await look();
    assert.deepEqual(await announced(), ['a', 'all browsers', 'b', 'c']);
    clock.advance(DAY_MS);
    denials = [jumpOf('a')];
    await look();
    assert.deepEqual(await announced(), ['a', 'a', 'all browsers', 'b', 'c'], 'again after a day');
    const kept = await first.read<{ name: string }>(`select name from sightings where kind = 'denials'`);
    assert.deepEqual(
      kept.map(({ name }) => name),
      ['a'],
      'what ended is forgotten',
    );
  });
}

test('a round ends with the work, though a long report keeps its question waiting', async () => {
  await using stack = new AsyncDisposableStack();
  const [db] = (await onSqlite(stack)) as [Db];
  await migrate(db, 0);
  const clock = testClock();
  const ending = new AbortController();
  const asked = Promise.withResolvers<void>();
  const columns = {
    alarms() {
      asked.resolve();
      return new Promise<never>(() => {});
    },
  };
  const deps = { db, changes: openChanges(db, clock), clock, columns, hasDecisions: () => true };
  const round = watchJumps({ ...deps, ending: ending.signal })();
  await asked.promise;
  ending.abort();
  await round;
});
