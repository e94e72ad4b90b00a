/** The records on PostgreSQL: the contract, and what is this engine's own. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Client } from 'pg';
import { pluck } from '../../kit/pluck.ts';
import { testPostgres } from '../../kit/postgres.ts';
import { Conflict, DbError, Unavailable } from '../../src/db/db.ts';
import { migrate } from '../../src/db/migrate.ts';
import { FIRST_VERSION, MIGRATIONS } from '../../src/db/migrations/index.ts';
import { openPostgres } from '../../src/db/postgres/db.ts';
import { dbContract } from './contract.ts';
import { placingContract } from './placing.ts';
import { twoStartsContract } from './two-starts.ts';

const server = await testPostgres();

const slow = { sql: 'select pg_sleep(0.003)' };

async function opened() {
  const database = await server.newDatabase();
  const db = await openPostgres(database.url);
  return {
    db,
    url: database.url,
    again: () => openPostgres(database.url),
    async [Symbol.asyncDispose]() {
      await db.close();
      await database[Symbol.asyncDispose]();
    },
  };
}

dbContract('PostgreSQL', opened);
placingContract('PostgreSQL', opened);
twoStartsContract('PostgreSQL', opened);

describe('PostgreSQL', () => {
  test('a server that cannot be reached, or does not have the database, is Unavailable', async () => {
    await assert.rejects(openPostgres('postgres://postgres@127.0.0.1:1/nowhere'), Unavailable);
    await assert.rejects(openPostgres(server.urlOf('nowhere')), Unavailable);
  });

  test('nodes that start at once bring an empty database to one shape', async () => {
    await using store = await opened();
    const others = await Promise.all(Array.from({ length: 5 }, () => store.again()));
    await Promise.all([store.db, ...others].map((db) => migrate(db, 1)));
    const rows = await store.db.read<{ version: number }>('select version from schema_migrations');
    assert.deepEqual(
      pluck(rows, 'version'),
      MIGRATIONS.map((_, index) => FIRST_VERSION + index),
    );
    await Promise.all(others.map((db) => db.close()));
  });

  test('tables that somebody reads at length are changed once he is done; till then others wait for a moment at most', async () => {
    await using store = await opened();
    await migrate(store.db, 0);
    const reader = new Client({ connectionString: store.url });
    reader.on('error', () => {});
    await reader.connect();
    await reader.query('begin');
    await reader.query('select 1 from content');
    let changed = false;
    const next = [
      ...MIGRATIONS,
      ['alter table limits add column later text', 'alter table content add column later text'],
    ];
    const change = migrate(store.db, 1, { migrations: next }).then(() => {
      changed = true;
    });
    const node = await store.again();
    let slowest = 0;
    for (const end = performance.now() + 6_000; performance.now() < end; ) {
      const asked = performance.now();
      await Promise.all([node.read('select 1 from content'), node.write([{ sql: 'delete from limits' }])]);
      slowest = Math.max(slowest, performance.now() - asked);
    }
    assert.ok(slowest > 100, 'they met');
    assert.ok(slowest < 2_000, `${slowest} ms`);
    assert.equal(changed, false);
    await reader.query('commit');
    await change;
    assert.equal((await node.read('select content.later, limits.later as other from content, limits')).length, 0);
    await reader.end();
    await node.close();
  });

  test('text is in the order of its bytes, in a database of any language', async () => {
    await using store = await opened();
    await migrate(store.db, 0);
    const words = ['a', 'B', 'b', 'A', 'é', 'z', '_'];
    await store.db.atomic(
      words.map((name) => ({ sql: `insert into settings (name, value) values ($1, '')`, params: [name] })),
    );
    const rows = await store.db.read<{ name: string }>('select name from settings order by name');
    assert.deepEqual(pluck(rows, 'name'), ['A', 'B', '_', 'a', 'b', 'z', 'é']);
    assert.equal((await store.db.read(`select 1 from settings where name < 'a'`)).length, 3);
  });

  test('the log of events is in the order of commits: who sees a number sees all before it', async () => {
    await using store = await opened();
    const { db } = store;
    await migrate(db, 0);
    await using other = await store.again().then((second) => ({ second, [Symbol.asyncDispose]: () => second.close() }));
    const edit = {
      sql: `insert into events (id, at, kind, object_id) values (gen_random_uuid(), 1, 'content.created', 'x')`,
    };
    // Every third waits a little between its number and its commit.
    let seen = 0;
    let going = true;
    const follow = (async () => {
      while (going) {
        const rows = await db.read<{ seq: number }>('select seq from events order by seq');
        assert.deepEqual(
          pluck(rows.slice(0, seen), 'seq'),
          Array.from({ length: seen }, (_, i) => i + 1),
        );
        assert.equal(rows.at(-1)?.seq ?? 0, rows.length);
        seen = rows.length;
      }
    })();
    await Promise.all(
      [db, other.second].flatMap((one) =>
        Array.from({ length: 60 }, (_, i) => one.atomic(i % 3 === 0 ? [edit, slow] : [edit])),
      ),
    );
    going = false;
    await follow;
    assert.ok(seen > 0);
  });

  test('two edits that each rely on what the other takes away: one is a Conflict', async () => {
    await using store = await opened();
    const { db } = store;
    await using other = await store.again().then((second) => ({ second, [Symbol.asyncDispose]: () => second.close() }));
    await db.atomic([{ sql: 'create table admins (name text primary key)' }]);
    for (let i = 0; i < 20; i++) {
      await db.atomic([{ sql: `insert into admins (name) values ('a'), ('b')` }]);
      const leave = (name: string) => ({
        sql: 'delete from admins where name = $1 and exists (select 1 from admins where name <> $1)',
        params: [name],
        expect: 1,
      });
      const outcomes = await Promise.allSettled([
        db.atomic([leave('a'), slow]),
        other.second.atomic([leave('b'), slow]),
      ]);
      assert.deepEqual(outcomes.map(({ status }) => status).toSorted(), ['fulfilled', 'rejected']);
      const lost = outcomes.find((one) => one.status === 'rejected');
      assert.ok(lost?.reason instanceof Conflict);
      await db.atomic([{ sql: 'delete from admins' }]);
    }
  });

  test('connections that are cut are made again; what was under way is Unavailable, and all or nothing', async () => {
    await using store = await opened();
    const { db } = store;
    await db.atomic([{ sql: 'create table t (a bigint)' }]);
    let done = 0;
    let refused = 0;
    const cut = new Client({ connectionString: server.urlOf('postgres') });
    await cut.connect();
    for (let round = 0; round < 20; round++) {
      const asked = Array.from({ length: 20 }, async () => {
        try {
          await db.atomic([{ sql: 'insert into t (a) values (1)' }, { sql: 'insert into t (a) values (2)' }]);
          done++;
        } catch (error) {
          assert.ok(error instanceof Unavailable, String(error));
          refused++;
        }
      });
      const name = new URL(store.url).pathname.slice(1);
      await cut.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [name]);
      await Promise.all(asked);
    }
    await cut.end();
    assert.ok(refused > 0 && done > 0, `${done} done, ${refused} refused`);
    const [row] = await db.read<{ ones: number; twos: number }>(
      'select count(*) filter (where a = 1) as ones, count(*) filter (where a = 2) as twos from t',
    );
    assert.equal(row?.ones, row?.twos);
    // What was refused may have been committed before its answer was lost, but nothing that was answered is missing.
    assert.ok((row?.ones ?? 0) >= done && (row?.ones ?? 0) <= done + refused);
  });

  test('an exchange writes both halves or none, and holds nothing when its second half fails', async () => {
    await using store = await opened();
    const { db } = store;
    await db.atomic([{ sql: 'create table t (a bigint primary key)' }]);
    const put = (a: number) => ({ sql: 'insert into t (a) values ($1)', params: [a] });
    assert.equal(await db.exchange([put(1)], () => ({ steps: [put(2)], value: 'both' })), 'both');
    await assert.rejects(
      db.exchange([put(3)], () => ({ steps: [put(2)], value: null })),
      DbError,
    );
    await assert.rejects(
      db.exchange([put(3)], () => {
        throw new TypeError('a fault of our own');
      }),
      TypeError,
    );
    // Without a second half nothing of the first stands, and given up before it began it is not sent.
    assert.equal(await db.exchange([put(4)], () => ({ steps: [], value: 'neither' })), 'neither');
    const given = { unless: () => true };
    assert.equal(await db.exchange([put(5)], () => ({ steps: [put(6)], value: 'both' }), given), undefined);
    assert.equal(await db.write([put(7)], given), undefined);
    assert.deepEqual(pluck(await db.read<{ a: number }>('select a from t order by a'), 'a'), [1, 2]);
  });

  test('transactions that wait for each other in a circle are both done, the one after the other', async () => {
    await using store = await opened();
    const other = await store.again();
    await store.db.atomic([
      { sql: 'create table t (id bigint primary key, n bigint not null)' },
      { sql: 'insert into t values (1, 0), (2, 0)' },
    ]);
    const add = (id: number) => ({ sql: 'update t set n = n + 1 where id = $1', params: [id] });
    const wait = { sql: 'select pg_sleep(0.3)' };
    await Promise.all([store.db.write([add(1), wait, add(2)]), other.write([add(2), wait, add(1)])]);
    const rows = await store.db.read<{ n: number }>('select n from t order by id');
    assert.deepEqual(pluck(rows, 'n'), [2, 2]);
    await other.close();
  });

  test('what is locked for too long is Unavailable within seconds, and nothing of it is written', async () => {
    await using store = await opened();
    await store.db.atomic([{ sql: 'create table t (id bigint primary key)' }, { sql: 'insert into t values (1)' }]);
    const holder = new Client({ connectionString: store.url });
    await holder.connect();
    await holder.query('begin; select * from t for update');
    const begun = performance.now();
    await assert.rejects(
      store.db.write([{ sql: 'insert into t values (2)' }, { sql: 'delete from t where id = 1' }]),
      Unavailable,
    );
    assert.ok(performance.now() - begun < 8_000);
    await holder.end();
    assert.equal((await store.db.read('select id from t')).length, 1);
  });

  test('a server without a free connection: Unavailable, and well again once there is one', async () => {
    await using store = await opened();
    const admin = new Client({ connectionString: store.url });
    await admin.connect();
    const name = `few_${Date.now()}`;
    await admin.query(`create role ${name} login connection limit 1`);
    const url = store.url.replace('postgres@', `${name}@`);
    const taken = new Client({ connectionString: url });
    taken.on('error', () => {});
    await taken.connect();
    await assert.rejects(openPostgres(url), Unavailable);
    await taken.end();
    const db = await openPostgres(url);
    // The pool wants more than there are: some wait in vain, none is half done.
    const answers = await Promise.allSettled(Array.from({ length: 10 }, () => db.read('select pg_sleep(0.01)')));
    for (const answer of answers) if (answer.status === 'rejected') assert.ok(answer.reason instanceof Unavailable);
    assert.equal((await db.read('select 1 as one')).length, 1);
    await db.close();
    await admin.query(`drop role ${name}`);
    await admin.end();
  });

  test('texts that fail again and again leave nothing behind on the server', async () => {
    await using store = await opened();
    const { db } = store;
    await db.atomic([{ sql: 'create table t (a bigint primary key)' }, { sql: 'insert into t (a) values (1)' }]);
    for (let i = 0; i < 100; i++) {
      await assert.rejects(db.atomic([{ sql: 'insert into t (a) values (1)' }]));
      await assert.rejects(db.atomic([{ sql: `update t set a = ${i} where a = ${i + 1000}`, expect: 1 }]), Conflict);
    }
    for (let i = 0; i < 400; i++) await db.read(`select ${i} as n from t`);
    const [row] = await db.read<{ most: number }>('select count(*) as most from pg_prepared_statements');
    assert.ok((row?.most ?? 0) <= 260, `${row?.most} statements are kept`);
  });
});
