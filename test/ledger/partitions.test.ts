/**
 * Promise: decisions are accepted and found while their table is put into partitions, cut and dropped, wherever that is
 * broken off; each is there once; and what left PostgreSQL leaves the disk.
 */
import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { type TestContext, test } from 'node:test';
import { Client } from 'pg';
import { entry } from '../../kit/entry.ts';
import { partition, WITHOUT_GAP } from '../../kit/partitions.ts';
import { query, testPostgres } from '../../kit/postgres.ts';
import { runSeed, seeded } from '../../kit/random.ts';
import { until } from '../../kit/until.ts';
import type { Step } from '../../src/db/db.ts';
import { migrate } from '../../src/db/migrate.ts';
import { openPostgres } from '../../src/db/postgres/db.ts';
import { reading } from '../../src/decisions/history/moved/blocks.ts';
import {
  addBorder,
  addLeft,
  cut,
  drop,
  freeSequence as free,
  turn,
  validate,
} from '../../src/decisions/history/partitions/changes.ts';
import { openChangeConnection } from '../../src/decisions/history/partitions/connection.ts';
import { BORDER, LEFT, type Piece, readInheritance, readTable } from '../../src/decisions/history/partitions/table.ts';
import { openPartitions } from '../../src/decisions/history/partitions/upkeep.ts';
import type { Recorded } from '../../src/decisions/ledger/ledger.ts';
import { openPostgresLedger } from '../../src/decisions/ledger/postgres/ledger.ts';

async function bench(t: TestContext) {
  const stack = new AsyncDisposableStack();
  t.after(() => stack.disposeAsync());
  const { url } = stack.use(await (await testPostgres()).newDatabase());
  const db = await openPostgres(url);
  stack.defer(() => db.close());
  await migrate(db, 0);
  const connection = openChangeConnection(db, url);
  stack.defer(() => connection.cancel());
  const ledger = await openPostgresLedger(db);
  const accepted: number[] = [];
  const said: string[] = [];
  let now = Date.now();
  const sql = <R extends object>(text: string): Promise<R[]> => query<R>(url, text);
  const pieces = async (): Promise<Piece[]> => (await readTable(reading(db))).pieces;
  return {
    url,
    db,
    connection,
    accepted,
    said,
    sql,
    pieces,
    last: async (): Promise<Piece> => (await pieces()).at(-1) as Piece,
    advance: (ms: number) => (now += ms),
    async freeSequence(): Promise<void> {
      await connection.run(free([]));
      await db.atomic([WITHOUT_GAP]);
    },
    /** `scope`: of a receipt, for which a node draws the numbers before it writes. */
    async record(count: number, scope?: string): Promise<void> {
      const entries = Array.from({ length: count }, () => entry({ inputs: '{"context":{}}' }));
      const receipt = scope === undefined ? undefined : { scope, bodyHash: 'h', status: 200, parts: ['{}'] };
      accepted.push(...(await ledger.record(entries, receipt)).map(({ seq }: Recorded) => seq));
    },
    /** Compares the table with all that was accepted; `after`: decisions up to this number left PostgreSQL. */
    async assertAll(after = 0): Promise<void> {
      const found = await sql<{ seq: string }>('select seq from decisions order by seq');
      const wanted = accepted.filter((seq) => seq > after).toSorted((a, b) => a - b);
      assert.deepEqual(
        found.map(({ seq }) => Number(seq)),
        wanted,
      );
    },
    /** A node that looks after the partitions. */
    node(more: { isWanted?: boolean; numbersAtLeast?: number } = {}) {
      const onChange = (message: string): void => void said.push(message);
      const deps = {
        db,
        connection,
        now: () => now,
        isWanted: true,
        numbersAtLeast: 100,
        aheadMs: 10,
        onChange,
        ...more,
      };
      const look = openPartitions(deps, () => true);
      return async () => {
        await look().catch((error: Error) => said.push(error.message));
        // No transaction lasts as long.
        now += 60_000;
      };
    },
    /** All decisions up to a number leave the log. */
    async retire(to: number): Promise<void> {
      await db.atomic([
        { sql: 'delete from decisions where seq <= $1', params: [to] },
        {
          sql: `insert into settings (name, value) values ('decisions_retired_to', $1)
            on conflict (name) do update set value = excluded.value`,
          params: [String(to)],
        },
      ]);
    },
  };
}

test('a table in use is put into partitions, and gets the next ones before they are needed', async (t) => {
  const { record, accepted, assertAll, node, pieces, said, sql } = await bench(t);
  await record(50);
  const look = node();
  await look();
  let isOver = false;
  let scopes = 0;
  const writing = [1, 2, 3, 4].map(async (n) => {
    while (!isOver) await record(3, n > 2 ? `s${++scopes}` : undefined);
  });
  const made = async (count: number): Promise<void> => {
    await until('a partition', async () => {
      await look();
      return (await pieces()).length >= count;
    });
  };
  await made(2);
  assert.match(said[0] ?? '', /^the table of decisions has partitions now; the first one ends before number \d+$/);
  const then = accepted.length;
  await until('decisions in it', () => accepted.length > then + 300);
  isOver = true;
  await Promise.all(writing);
  await assertAll();
  const own = await sql<{ name: string }>(
    `select tgname as name from pg_trigger where tgrelid = 'decisions'::regclass`,
  );
  assert.deepEqual(own.map(({ name }) => name).toSorted(), ['log_forget_changed', 'log_forget_deleted']);
});

test('the newest decisions are in a partition of their own span, also after nobody looked for long', async (t) => {
  const { url, record, assertAll, node, pieces } = await bench(t);
  await partition(url, [10, 20]);
  await record(35);
  const look = node();
  // Their pace is known at the second look.
  await look();
  await look();
  const ends = (await pieces()).map(({ to }) => to);
  assert.equal(ends.length, 4);
  const [, , third] = ends as number[];
  assert.ok((third as number) >= 35 + 100, `${ends}`);
  await record(40);
  await look();
  assert.deepEqual(
    (await pieces()).map(({ to }) => to),
    ends,
    'there is room for now',
  );
  await record((third as number) - 75 - 40);
  await look();
  const after = await pieces();
  assert.equal(after.length, 5, 'the next one is made before');
  assert.equal(after.at(-1)?.from, after.at(-2)?.to);
  await record(200);
  await assertAll();
});

/** Runs the steps of a change, with another statement after one of its lines. Returns undefined where it has fewer. */
function brokenAfter([terms, change]: readonly Step[], line: number): Step[] | undefined {
  const lines = (change as Step).sql.split(';\n');
  if (line >= lines.length) return undefined;
  lines.splice(line, 0, 'perform pg_terminate_backend(pg_backend_pid())');
  const [first = '', ...others] = lines;
  const isFirst = line === 0;
  const text = isFirst
    ? ['do $change$ begin\nperform pg_terminate_backend(pg_backend_pid())', ...others]
    : [first, ...others];
  return [terms as Step, { sql: text.join(';\n') }];
}

test('a change that is broken off in any of its steps changed nothing', async (t) => {
  const { db, connection, record, assertAll, pieces, last, sql } = await bench(t);
  const all = reading(db);
  await record(9);
  const shape = () =>
    sql(`select relname, relkind, pg_get_expr(relpartbound, c.oid) as bound, (select count(*) from pg_trigger where tgrelid = c.oid) as triggers,
        (select string_agg(conname || pg_get_constraintdef(k.oid), ' ' order by conname) from pg_constraint as k where conrelid = c.oid) as rules
      from pg_class as c where relname like 'decisions%' order by relname`);
  const changes: [string, () => Promise<Step[]>][] = [
    ['a sequence', async () => free([])],
    ['a border', async () => addBorder(await last(), 10)],
    ['partitions', async () => turn(10, await readInheritance(all))],
    ['an empty partition is cut', async () => cut(await last(), 20, null)],
    ['a border of a partition', async () => addBorder(await last(), 30)],
    ['a partition with rows is cut', async () => cut(await last(), 30, null)],
    ['a partition takes no more', async () => addLeft((await pieces())[0] as Piece)],
    ['a partition is dropped', async () => drop((await pieces())[0] as Piece)],
  ];
  let left = 0;
  for (const [name, change] of changes) {
    if (name.startsWith('a partition takes')) {
      left = 9;
      await sql('delete from decisions where seq <= 9');
    }
    const before = await shape();
    let broken = 0;
    for (let steps = brokenAfter(await change(), 0); steps; steps = brokenAfter(await change(), ++broken)) {
      await assert.rejects(connection.run(steps), name);
      assert.deepEqual(await shape(), before, `${name}, ${broken}`);
      await assertAll(left);
    }
    assert.ok(broken > 0);
    await connection.run(await change());
    assert.notDeepEqual(await shape(), before);
    for (const piece of await pieces()) {
      if (piece.border?.isKnown === false) await connection.run(validate(piece, BORDER));
      if (piece.left?.isKnown === false) await connection.run(validate(piece, LEFT));
    }
    if (name === 'a sequence') await db.atomic([WITHOUT_GAP]);
    if (name.startsWith('an empty')) await record(15);
    await assertAll(left);
  }
  await record(20);
  await assertAll(left);
  assert.deepEqual(
    (await pieces()).map(({ from, to }) => [from, to]),
    [
      [10, 20],
      [20, 30],
      [30, null],
    ],
  );
});

test('rows are read before a change, and not while it keeps others from the table', async (t) => {
  const { url, db, connection, record, last, freeSequence } = await bench(t);
  const client = new Client({ connectionString: url });
  await client.connect();
  const heard: string[] = [];
  client.on('notice', ({ message }) => heard.push(message ?? ''));
  await client.query('set client_min_messages = debug1');
  await record(9);
  await freeSequence();
  const isImplied = async (name: string, change: () => Promise<Step[]>): Promise<void> => {
    await connection.run(addBorder(await last(), name === 'decisions_from_0' ? 10 : 20));
    await connection.run(validate(await last(), BORDER));
    heard.length = 0;
    for (const { sql } of await change()) await client.query(sql);
    assert.ok(
      heard.includes(`partition constraint for table "${name}" is implied by existing constraints`),
      heard.join(),
    );
  };
  await isImplied('decisions_from_0', async () => turn(10, await readInheritance(reading(db))));
  await record(9);
  await isImplied('decisions_from_10', async () => cut(await last(), 20, null));
  await client.end();
});

test('a node that is killed at any time leaves nothing behind that another one does not end', async (t) => {
  const { url, record, assertAll, retire, accepted, pieces, freeSequence, node, advance } = await bench(t);
  const random = seeded(runSeed);
  await record(20);
  await freeSequence();
  let retired = 0;
  /** The decisions of the first partition leave the log, where newer ones are in others. */
  const retireFirst = async (): Promise<void> => {
    const end = (await pieces())[0]?.to ?? null;
    if (end === null || Math.max(...accepted) <= end) return;
    retired = end - 1;
    await retire(retired);
  };
  for (let kills = 0; kills < 8; kills++) {
    const killed = fork(new URL('./partitioning.ts', import.meta.url), [url, '30']);
    const ended = once(killed, 'exit');
    await once(killed, 'message');
    for (let i = random.int(1, 40); i > 0; i--) await record(random.int(1, 4));
    killed.kill('SIGKILL');
    await ended;
    await record(1);
    await assertAll(retired);
    await retireFirst();
  }
  const look = node({ numbersAtLeast: 30 });
  await until('the first partition is dropped', async () => {
    await record(5);
    await look();
    await retireFirst();
    advance(120_000);
    await assertAll(retired);
    return retired > 0 && (await pieces())[0]?.from !== null;
  });
  await record(5);
  await assertAll(retired);
});

test('a border that numbers come near to is given up, and so is one of a table that shall stay plain', async (t) => {
  const { record, last, connection, node, assertAll, pieces, said, sql, url, freeSequence } = await bench(t);
  await record(10);
  await freeSequence();
  await connection.run(addBorder(await last(), 60));
  await node()();
  await record(100);
  await connection.run(addBorder(await last(), 100_000));
  await node({ isWanted: false })();
  assert.equal((await last()).border, null);
  await assertAll();
  // While the rows are read, which others make last here.
  await connection.run(addBorder(await last(), 260));
  const holder = new Client({ connectionString: url });
  await holder.connect();
  await holder.query('begin; lock table decisions in share update exclusive mode');
  const looking = node()();
  await until('it waits', async () => (await sql('select 1 from pg_locks where not granted')).length > 0);
  await record(60);
  await looking;
  assert.match(said.at(-1) ?? '', /terminat/);
  await holder.query('commit');
  await holder.end();
  await node()();
  await record(200);
  await assertAll();
  assert.equal((await pieces()).length, 1);
});

test('what others made on the table keeps it plain; who may use it, and how it is stored, stays', async (t) => {
  const { url, sql, record, node, pieces, said, assertAll } = await bench(t);
  await record(5);
  const role = `reader_${new URL(url).pathname.slice(1)}`;
  const foreign = [
    ['create view own as select seq from decisions', 'drop view own', 'view own'],
    ['create index own on decisions (at)', 'drop index own', 'index own'],
    ['create publication own for all tables', 'drop publication own', 'publication own'],
    [
      'alter table decisions add constraint own check (at > 0)',
      'alter table decisions drop constraint own',
      'constraint own',
    ],
  ] as const;
  for (const [make, undo, what] of foreign) {
    await sql(make);
    const look = node();
    await look();
    await look();
    assert.equal(said.at(-1), `the table of decisions gets no partitions: it has what Postern did not make (${what})`);
    await sql(undo);
  }
  await sql(`create role ${role}`);
  await sql(`grant select on decisions to ${role} with grant option; grant usage on sequence decisions_seq_seq to ${role};
    alter table decisions set (fillfactor = 90)`);
  const look = node();
  const [, tail] = await until('partitions', async () => {
    await look();
    const found = await pieces();
    return found.length > 1 ? found : undefined;
  });
  const [may] = await sql<{ read: boolean; write: boolean; draw: boolean; options: string[] }>(
    `select has_table_privilege('${role}', 'decisions', 'select with grant option') as read,
       has_table_privilege('${role}', 'decisions', 'insert') as write,
       has_sequence_privilege('${role}', 'decisions_seq_seq', 'usage') as draw,
       (select reloptions from pg_class where relname = '${tail?.name}') as options`,
  );
  assert.deepEqual(may, { read: true, write: false, draw: true, options: ['fillfactor=90'] });
  await record(5);
  await assertAll();
  await sql(`drop owned by ${role}; drop role ${role}`);
});

test('while others use the table, a change waits a moment, and checks with it', async (t) => {
  const { url, record, node, pieces, said, assertAll } = await bench(t);
  await record(5);
  const holder = new Client({ connectionString: url });
  await holder.connect();
  await holder.query('begin; select 1 from decisions');
  const look = node();
  for (let i = 0; i < 5; i++) await Promise.all([look(), record(1), record(1)]);
  assert.equal((await pieces()).length, 1);
  assert.deepEqual(said, []);
  await holder.query('commit');
  await holder.end();
  const later = node();
  await until('partitions', async () => {
    await later();
    return (await pieces()).length > 1;
  });
  await record(5);
  await assertAll();
});

test('a partition without decisions leaves the disk once no read looks for them; one that has some stays', async (t) => {
  const { url, record, retire, node, pieces, said, advance, assertAll, sql, db } = await bench(t);
  await partition(url, [200, 400, 1_000]);
  await record(500);
  const path = async (name: string): Promise<string> =>
    (await sql<{ path: string }>(`select pg_relation_filepath('${name}') as path`))[0]?.path ?? '';
  const sizeOf = async (file: string): Promise<number> =>
    Number((await sql<{ size: string }>(`select coalesce((pg_stat_file('${file}', true)).size, 0) as size`))[0]?.size);
  const total = async (): Promise<number> =>
    Number(
      (
        await sql<{ n: string }>(`select sum(pg_total_relation_size(relid)) as n from pg_partition_tree('decisions')`)
      )[0]?.n,
    );
  const [file, before] = [await path('decisions_from_0'), await total()];
  assert.ok((await sizeOf(file)) > 0);
  await retire(250);
  const look = node();
  await look();
  assert.equal((await pieces())[0]?.name, 'decisions_from_0', 'reads that began before may last so long');
  advance(120_000);
  const reader = new Client({ connectionString: url });
  await reader.connect();
  await reader.query('begin isolation level repeatable read');
  await reader.query('select count(*) from decisions');
  await look();
  assert.equal((await pieces())[0]?.name, 'decisions_from_0', 'one lasts longer');
  await reader.query('commit');
  await reader.end();
  const later = node();
  await later();
  advance(120_000);
  await later();
  assert.deepEqual(
    (await pieces()).map(({ from }) => from),
    [200, 400, 1_000],
  );
  assert.equal(await sizeOf(file), 0);
  assert.ok((await total()) < before);
  assert.equal(
    said.at(-1),
    'the partition of decisions before number 200 was dropped: all of them moved, or left the log',
  );
  await assertAll(250);

  await db.atomic([{ sql: `update settings set value = '450' where name = 'decisions_retired_to'` }]);
  await later();
  advance(120_000);
  await later();
  assert.equal(said.at(-1), 'decisions_from_200 has decisions that should have moved, and stays');
  await record(5);
  await assertAll(250);
});
