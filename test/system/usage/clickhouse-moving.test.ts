/**
 * Promise: wherever the move of a block is broken off, and also if two nodes move it, each decision is in one place, as
 * it was; what PostgreSQL changed meanwhile moves as it is now.
 */
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { test } from 'node:test';
import { Client } from 'pg';
import type { Fault } from '../../../kit/clickhouse.ts';
import { temporaryFolder } from '../../../kit/launch.ts';
import { until } from '../../../kit/until.ts';
import type { Db, Row, Step, Value } from '../../../src/db/db.ts';
import { archive } from '../../../src/decisions/history/archive/archive.ts';
import { Diverged } from '../../../src/decisions/history/columns/diverged.ts';
import { movedWork } from '../../../src/decisions/history/moved/erase.ts';
import { eraseName } from '../../../src/decisions/history/moved/names.ts';
import { keepStore } from '../../../src/decisions/history/moved/store.ts';
import { betweenSeqs, replaceInDecisions } from '../../../src/decisions/history/retention/erase.ts';
import { eraseInputsSql } from '../../../src/decisions/history/retention/retire.ts';
import { decided, openWriter } from './clickhouse-bench.ts';
import { ALL, movingBench } from './clickhouse-moving-bench.ts';

const DAY_MS = 86_400_000;

/** Compares older decisions at the next step, rather than in a day. */
const COMPARE_NOW = {
  sql: `update settings set value = jsonb_set(value::jsonb, '{compared}', '{"to": 0, "at": 0}')::text
    where name = 'clickhouse_columns'`,
};

const INSERT = 'insert into records_1';
const FAULTS: [string, Fault][] = [
  ['before it is stored', { when: 'before', sql: INSERT, kind: 'kill', times: 1 }],
  ['after it is stored', { when: 'after', sql: INSERT, kind: 'kill', times: 1 }],
  ['by a lost answer', { when: 'after', sql: INSERT, kind: 'cut', times: 1 }],
  ['by an insert that was answered, and not done', { when: 'before', sql: INSERT, kind: 'lost', times: 1 }],
  ['while it is read back', { when: 'before', sql: 'quota, reduced, inputs from records_1', kind: 'cut', times: 1 }],
  ['before it is added up', { when: 'before', sql: 'groupBitXor', kind: 'kill', times: 1 }],
];
test('a block whose move is broken off', async (t) => {
  for (const [name, fault] of FAULTS) {
    await t.test(name, async (own) => {
      const { clickHouse, mover, moves } = await movingBench(own);
      await clickHouse.fail(fault);
      const look = mover();
      await look();
      // One that was killed has none.
      assert.equal(await clickHouse.faultsLeft().catch(() => 0), 0, 'it was broken off');
      await clickHouse.kill();
      await clickHouse.start();
      await moves(look);
    });
  }
});

test('what changes between the readings', async (t) => {
  const { db, clickHouse, database, mover, nextDay, read, moves } = await movingBench(t);
  const look = mover();
  await look();
  await look();
  assert.deepEqual((await read()).moved, [], 'it is read again a day later');
  const attempts = async () =>
    (await db.read<{ block: number }>(`select block from record_blocks where state <> 'given up'`)).map(
      ({ block }) => block,
    );
  const changes: [string, () => Promise<unknown>][] = [
    [
      'a value in ClickHouse',
      () =>
        clickHouse.query(
          'alter table records_1 update at = at + 1 where seq = 7 settings mutations_sync = 2',
          database,
        ),
    ],
    [
      'a decision lost there',
      () => clickHouse.query('alter table records_1 delete where seq = 7 settings mutations_sync = 2', database),
    ],
    [
      'inputs lost there',
      () =>
        clickHouse.query(
          'alter table records_1 update inputs = null where seq = 7 settings mutations_sync = 2',
          database,
        ),
    ],
    ['what it adds up to', () => db.atomic([{ sql: `update record_blocks set xor = '1'` }])],
    ['inputs erased in PostgreSQL', () => db.atomic([{ sql: 'update decisions set inputs = null where seq = 7' }])],
  ];
  for (const [name, change] of changes) {
    const [before] = await attempts();
    await change();
    nextDay();
    await look();
    assert.deepEqual((await read()).moved, [], name);
    await look();
    const [after] = await attempts();
    assert.ok(after !== undefined && after !== before, name);
    const there = await clickHouse.query('select distinct block from records_1', database);
    assert.equal(there, String(after), `${name}: the rows of the attempt that was given up are deleted`);
  }
  await db.atomic([
    {
      sql: `insert into erasures (id, pseudonym, requester_id, status, walked_seq, last_seq, decisions, created_at, updated_at)
        values ('era_1', 'erased_1', 'partner_1', 'decisions', 0, 30, 0, 1, 1)`,
    },
  ]);
  nextDay();
  await look();
  assert.deepEqual((await read()).moved, [], 'nothing moves while a requester is erased');
  await db.atomic([{ sql: `update erasures set status = 'done', requester_id = null` }]);
  await moves(look);
});

for (const [name, days] of [
  ['unset', null],
  ['raised', 400],
] as const) {
  test(`no block moves, and none is left there, once the days are ${name}`, async (t) => {
    const { clickHouse, database, mover, nextDay, read, moves, problems } = await movingBench(t);
    await mover()();
    assert.equal(await clickHouse.query('select count() from records_1', database), '29', 'it waits for a day');
    nextDay();
    const look = mover(days);
    for (let i = 0; i < 3; i++) await look();
    assert.deepEqual((await read()).moved, []);
    assert.equal(await clickHouse.query('select count() from records_1', database), '0');
    await moves(mover());
    assert.deepEqual(problems, []);
  });
}

test('decisions that move while they are archived are in no file instead', async (t) => {
  const { db, records, mover, now } = await movingBench(t);
  using folder = temporaryFolder();
  await mover()();
  const other = new Client({ connectionString: records });
  await other.connect();
  await other.query('begin');
  await other.query('lock table archives in access exclusive mode');
  const before = now() - 32 * DAY_MS;
  const archiving = archive({ records, before, to: folder.path, now: now(), say: () => {} });
  const isWaiting = `select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`;
  await until('the archive begins', async () => (await db.read(isWaiting)).length > 0);
  // As a move does.
  await other.query(`update record_blocks set state = 'moved'`);
  await other.query('delete from decisions where seq < 30');
  await other.query('commit');
  await other.end();
  await assert.rejects(archiving, /^Error: Decisions moved to ClickHouse/);
  assert.deepEqual(await db.read('select * from archives'), []);
  assert.deepEqual(readdirSync(folder.path), []);
});

test('a requester that is erased after its decisions were read gets no number', async (t) => {
  const { db, clickHouse, database, mover, moves } = await movingBench(t);
  const [old, inputs] = [`requester_id = 'partner_1'`, `inputs = '{"reduced":["context"]}'`];
  const erase: Step[] = [
    { sql: `update decisions set requester_id = 'erased_1', ${inputs} where ${old}` },
    {
      sql: `insert into erasures (id, pseudonym, requester_id, status, walked_seq, last_seq, decisions, created_at, updated_at)
        values ('era_1', 'erased_1', null, 'done', 30, 30, 0, 1, 1)`,
    },
  ];
  let isErased = false;
  // A node that stands still after it has read them.
  const slow: Db = {
    ...db,
    async read<R extends Row>(sql: string, params?: readonly Value[]) {
      const rows = await db.read<R>(sql, params);
      if (!isErased && rows.some((row) => row.requester_id === 'partner_1')) {
        isErased = true;
        await db.atomic(erase);
      }
      return rows;
    },
    atomic: (steps) => db.atomic(steps),
  };
  await mover(35, slow)();
  assert.ok(isErased);
  assert.deepEqual(await db.read('select id from record_names'), []);
  await moves(mover());
  assert.deepEqual(await db.read(`select 1 as one from record_names where id = 'partner_1'`), []);
  const written = `select count() from records_1 where inputs = '{"context":{}}'`;
  assert.equal(await clickHouse.query(written, database), '19');
});

test('decisions on items that are deleted while a block waits leave it, and it moves', async (t) => {
  const { db, clickHouse, database, mover, nextDay, read, deleteContent, purge, find } = await movingBench(t);
  const look = mover();
  await look();
  const [written] = await db.read<{ block: number }>('select block from record_blocks');
  await deleteContent(2);
  await db.atomic([{ sql: 'delete from decisions where content_no = 2 and seq < 10' }]);
  nextDay();
  await look();
  assert.deepEqual((await read()).moved, [], 'of the item, some decisions are left');
  await purge(2);
  await look();
  const left = ALL.filter(({ contentNo }) => contentNo !== 2).map(({ seq }) => seq);
  assert.deepEqual(await read(), { moved: left.slice(0, -1), own: left.slice(-1) });
  const [moved] = await find();
  assert.deepEqual([moved?.block, moved?.rows], [written?.block, left.length - 1]);
  nextDay();
  await look();
  assert.equal(await clickHouse.query('select count() from records_1', database), String(left.length - 1));
  assert.deepEqual(await read(), { moved: left.slice(0, -1), own: left.slice(-1) });
});

const REQUESTER = { requesterId: 'partner_1', pseudonym: 'erased_1' };
const IS_THEIRS = '(requester = 1 or claimed = 1)';
const ERASURES: [string, (bench: Awaited<ReturnType<typeof movingBench>>) => Promise<void>, isErased: string][] = [
  [
    'of a requester',
    async ({ db, store }) => {
      keepStore(db, store);
      await db.atomic([
        ...eraseName(db, REQUESTER),
        ...replaceInDecisions(db, betweenSeqs(0, 30), REQUESTER),
        {
          sql: `insert into erasures (id, pseudonym, requester_id, status, walked_seq, last_seq, decisions, created_at, updated_at)
            values ('era_1', 'erased_1', null, 'done', 30, 30, 0, 1, 1)`,
        },
      ]);
      for await (const work of movedWork(db, REQUESTER)) await work();
    },
    IS_THEIRS,
  ],
  [
    'by age',
    ({ db }) =>
      db.atomic([
        { sql: eraseInputsSql(db.engine, 'seq <= 7') },
        { sql: `insert into settings (name, value) values ('inputs_erased_to', '7')` },
      ]),
    'seq <= 7',
  ],
];
for (const [name, erase, isErased] of ERASURES) {
  test(`a block whose inputs are erased while it waits moves: ${name}`, async (t) => {
    const bench = await movingBench(t);
    const { db, clickHouse, database, mover, nextDay, read, find } = bench;
    const look = mover();
    await look();
    const [written] = await db.read<{ block: number }>('select block from record_blocks');
    const count = (where: string) => clickHouse.query(`select count() from records_1 where ${where}`, database);
    const inputs = `${isErased} and inputs = '{"context":{}}'`;
    assert.notEqual(await count(inputs), '0');
    await erase(bench);
    nextDay();
    await look();
    const seqs = ALL.map(({ seq }) => seq);
    assert.deepEqual(await read(), { moved: seqs.slice(0, -1), own: seqs.slice(-1) });
    assert.equal((await find())[0]?.block, written?.block);
    for (let i = 0; i < 2; i++) {
      nextDay();
      await look();
    }
    assert.equal(await count(inputs), '0');
    assert.notEqual(await count(`not (${isErased}) and inputs = '{"context":{}}'`), '0');
    assert.deepEqual(bench.problems, []);
  });
}

test('moves rest, so that reads between them end', async (t) => {
  const { addDecisions, mover, nextDay, find } = await movingBench(t);
  const look = mover(35, undefined, 0);
  await look();
  await addDecisions(decided(31, 2));
  await look();
  nextDay();
  await look();
  assert.deepEqual(
    (await find()).map(({ last }) => last),
    [29],
  );
  await look();
  assert.deepEqual(
    (await find()).map(({ last }) => last),
    [29, 31],
  );
});

test('two nodes that both move', async (t) => {
  const { mover, moves } = await movingBench(t);
  const looks = [mover(), mover()];
  await moves(() => Promise.all(looks.map((look) => look())));
});

test('a moved block that is lost is found by the look of the day', async (t) => {
  const { db, clickHouse, database, problems, mover, moves, nextDay } = await movingBench(t);
  const look = mover();
  await moves(look);
  await clickHouse.query('truncate table records_1', database);
  nextDay();
  await look();
  assert.match(
    problems.at(-1) ?? '',
    /^ClickHouse does not have decisions that moved to it: 1 to 29; restore its backup$/,
  );
  assert.deepEqual(await db.read('select lost from record_blocks'), [{ lost: 1 }]);
});

test('nothing moves while a moved block is lost', async (t) => {
  const { addDecisions, clickHouse, database, mover, moves, nextDay, read, problems } = await movingBench(t);
  const look = mover();
  await moves(look);
  await clickHouse.copy();
  const days = async (): Promise<void> => {
    for (let i = 0; i < 3; i++) {
      nextDay();
      await look();
    }
  };
  await addDecisions(decided(31, 2));
  await look();
  await clickHouse.query('truncate table records_1', database);
  await days();
  await assert.rejects(read(), /restore its backup/);
  assert.equal(new Set(problems).size, 1);
  await clickHouse.restore();
  assert.deepEqual((await read()).own, [30, 31, 32]);
  await days();
  assert.deepEqual((await read()).own, [32]);
  assert.equal((await read()).moved.length, 31);
});

for (const [where, cluster, rows] of [
  ['a server', '', 'records_1'],
  ['a cluster', 'postern', 'records_shard_1'],
] as const) {
  test(`the columns on ${where} stay as they are where a moved block is lost, and only then`, async (t) => {
    const { db, records, url, clickHouse, database, mover, moves, find } = await movingBench(t, { cluster });
    const { writer, reader, states, catchUp } = await openWriter(t, { records, url });
    await catchUp();
    await moves(mover());
    const compare = async (): Promise<void> => {
      await db.atomic([COMPARE_NOW]);
      await catchUp();
    };
    const { built } = await states.read();
    const isCounted = async (): Promise<void> => {
      assert.equal((await states.read()).built, built);
      assert.deepEqual(await reader.rows('select count(*) as n from decisions'), [{ n: 30 }]);
    };
    await compare();
    await isCounted();
    const [block] = await find();
    const lose = ['delete where seq = 7', 'update at = at + 1 where seq = 8', 'delete where true'];
    for (const how of lose) {
      await clickHouse.query(`alter table ${rows} ${how} settings mutations_sync = 2`, database);
      await compare();
      await isCounted();
    }
    const { to, at } = (await states.read()).compared;
    assert.ok(to === 0 && at > 0, 'the look went on');
    // A block that nothing is left of adds up to nothing, as the columns do not.
    await db.atomic([
      { sql: `update record_blocks set rows = 0, xor = '0' where block = $1`, params: [block?.block ?? 0] },
    ]);
    await db.atomic([COMPARE_NOW]);
    await assert.rejects(writer.step(), Diverged);
  });
}

test('PostgreSQL restored to before a move has the decisions again, and they move again', async (t) => {
  const { db, mover, moves } = await movingBench(t);
  const look = mover();
  await look();
  await db.atomic([
    { sql: 'create table decisions_then as select * from decisions' },
    { sql: 'create table blocks_then as select * from record_blocks' },
  ]);
  await moves(look);
  for (const blocks of ['select * from blocks_then', 'select * from blocks_then where false']) {
    await db.atomic([
      { sql: 'delete from decisions' },
      { sql: 'insert into decisions select * from decisions_then' },
      { sql: 'delete from record_blocks' },
      { sql: `insert into record_blocks ${blocks}` },
    ]);
    await moves(look);
  }
});
