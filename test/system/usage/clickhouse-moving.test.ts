/**
 * Promise: wherever the move of a block is broken off, and also if two nodes move it, each decision is in one place, as
 * it was; what PostgreSQL changed meanwhile moves as it is now.
 */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Fault } from '../../../kit/clickhouse.ts';
import { TestClickHouse } from '../../../kit/clickhouse.ts';
import { findMoved, reading } from '../../../src/decisions/history/moved/blocks.ts';
import { openMoving } from '../../../src/decisions/history/moved/moving.ts';
import { movedRows } from '../../../src/decisions/history/moved/read.ts';
import { openMovedStore } from '../../../src/decisions/history/moved/store.ts';
import { openPostgresRecords } from '../../usage/records.ts';
import { AT, decided } from './clickhouse-bench.ts';

const DAY_MS = 86_400_000;
const ALL = decided(1, 30);

async function bench(t: TestContext) {
  const stack = new AsyncDisposableStack();
  t.after(() => stack.disposeAsync());
  const clickHouse = stack.use(await new TestClickHouse().start());
  const url = await clickHouse.newDatabase();
  const records = await openPostgresRecords();
  stack.defer(() => records.close());
  const { db } = records;
  await records.addContent([{ no: 1 }, { no: 2 }]);
  await records.addDecisions(ALL);
  let now = AT + 40 * DAY_MS;
  const problems: string[] = [];
  const store = openMovedStore(url);
  stack.defer(() => store.close());
  const mover = (recordDays: number | null = 35) => {
    const look = openMoving(
      {
        db,
        store,
        now: () => now,
        recordDays,
        isSealed: false,
        announcedTo: async () => ALL.length,
        isOurs: () => true,
        isTimeSure: () => true,
        onProblem: () => {},
        onLoss: (message) => problems.push(message),
      },
      () => true,
    );
    return () => look().catch((error: Error) => problems.push(error.message));
  };
  const read = async () => {
    const moved: unknown[][] = [];
    for await (const rows of movedRows(reading(db), store, { after: 0, last: 1_000 })) moved.push(...rows);
    const own = await db.read<{ seq: number }>('select seq from decisions order by seq');
    return { moved: moved.map(([seq]) => seq as number), own: own.map(({ seq }) => seq) };
  };
  return {
    ...records,
    clickHouse,
    database: new URL(url).pathname.slice(1),
    problems,
    mover,
    read,
    nextDay: () => {
      now += DAY_MS;
    },
    /** Looks until the decisions moved. */
    async moves(look: () => Promise<unknown>): Promise<void> {
      for (let i = 0; i < 8 && (await findMoved(reading(db), { after: 0, last: 1_000 })).length === 0; i++) {
        await look();
        now += DAY_MS;
      }
      // The newest one stays.
      assert.deepEqual(await read(), { moved: ALL.slice(0, -1).map(({ seq }) => seq), own: [ALL.length] });
    },
  };
}

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
      const { clickHouse, mover, moves } = await bench(own);
      await mover()();
      await clickHouse.fail(fault);
      const look = mover();
      await look();
      await clickHouse.kill();
      await clickHouse.start();
      await moves(look);
    });
  }
});

test('what changes between the readings', async (t) => {
  const { db, clickHouse, database, mover, nextDay, read, moves } = await bench(t);
  const look = mover();
  await look();
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

test('two nodes that both move', async (t) => {
  const { mover, moves } = await bench(t);
  const looks = [mover(), mover()];
  await moves(() => Promise.all(looks.map((look) => look())));
});

test('a moved block that is lost is found by the look of the day', async (t) => {
  const { db, clickHouse, database, problems, mover, moves, nextDay } = await bench(t);
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

test('PostgreSQL restored to before a move has the decisions again, and they move again', async (t) => {
  const { db, mover, moves } = await bench(t);
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
