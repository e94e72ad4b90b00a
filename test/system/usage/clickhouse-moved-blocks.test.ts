/**
 * Promise: a read of moved decisions has all of a block as it is now, or is refused, also where an earlier attempt
 * writes late, a block moves meanwhile, rows are lost, or decisions leave it.
 */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { until } from '../../../kit/until.ts';
import { atOneTime, CHANGES_PLACES, reading } from '../../../src/decisions/history/moved/blocks.ts';
import { movedWork } from '../../../src/decisions/history/moved/erase.ts';
import { findLeaving, findPurged, type Leaving } from '../../../src/decisions/history/moved/leave.ts';
import { eraseName } from '../../../src/decisions/history/moved/names.ts';
import { queryMoved, queryRows, readMovedOf } from '../../../src/decisions/history/moved/read.ts';
import { keepStore } from '../../../src/decisions/history/moved/store.ts';
import { startRetention } from '../../../src/service/privacy/retention.ts';
import { AT } from './clickhouse-bench.ts';
import { ALL, movingBench } from './clickhouse-moving-bench.ts';

const DAY_MS = 86_400_000;
const REDUCED = '{"reduced":["context"]}';
const MOVED = ALL.slice(0, -1);
const ROWS = 'select count() from records_1';

async function givenMoved(t: TestContext) {
  const given = await movingBench(t);
  keepStore(given.db, given.store);
  const look = given.mover();
  await given.moves(look);
  return { ...given, look };
}

test('an insert that is done after its attempt was given up is of no block', async (t) => {
  const { clickHouse, mover, moves, read } = await movingBench(t);
  await clickHouse.fail({ when: 'before', sql: 'insert into records_1', kind: 'late', times: 1, ms: 600_000 });
  const look = mover();
  await moves(look);
  const before = await read();
  await clickHouse.release();
  assert.deepEqual(await read(), before);
});

test('rows of an insert that is done after its attempt was given up do not stay', async (t) => {
  const { clickHouse, database, mover, nextDay } = await movingBench(t);
  await clickHouse.fail({ when: 'before', sql: 'insert into records_1', kind: 'late', times: 1, ms: 600_000 });
  const look = mover();
  for (let i = 0; i < 4; i++) await look();
  const attempts = 'select uniqExact(block) from records_1';
  assert.equal(await clickHouse.query(attempts, database), '1');
  await clickHouse.release();
  assert.equal(await clickHouse.query(attempts, database), '2');
  nextDay();
  await look();
  assert.equal(await clickHouse.query(attempts, database), '1');
});

test('a request that fails ends no other', async (t) => {
  const { store, clickHouse } = await movingBench(t);
  await clickHouse.fail({ when: 'before', sql: 'select 1', kind: 'slow', times: 2, ms: 1_500 });
  const others = [store.query('select 1')];
  for (let i = 0; i < 2; i++) {
    await setTimeout(300);
    await assert.rejects(store.query('select nothing'), /cannot be read now/);
    others.push(store.query('select 1'));
  }
  assert.deepEqual(await Promise.all(others), [[[1]], [[1]], [[1]]]);
});

test('decisions are found however many blocks come before theirs', async (t) => {
  const { db, store, mover, moves } = await movingBench(t);
  await moves(mover());
  await db.atomic([
    {
      sql: `insert into record_blocks select -n, 0, 1, 0, from_at, to_at, '', '', '0', state, state_at, '[]', 0, checked_at, 0, 0
        from record_blocks, generate_series(1, 100001) as n`,
    },
  ]);
  const rows = await readMovedOf(reading(db), store, [-1, 5, 29, 30]);
  assert.deepEqual(
    rows.map(([seq]) => seq),
    [5, 29],
  );
});

test('reads between which a block moves are made again', async (t) => {
  const { db, mover, moves, read } = await movingBench(t);
  await db.atomic([CHANGES_PLACES]);
  const look = mover();
  let isMoved = false;
  const seqs = await atOneTime(db, async () => {
    const { moved } = await read();
    if (!isMoved) await moves(look);
    isMoved = true;
    return [...moved, ...(await read()).own];
  });
  assert.deepEqual(
    seqs,
    ALL.map(({ seq }) => seq),
  );
});

test('inputs of an erased requester are in no answer, though ClickHouse has them', async (t) => {
  const { db } = await givenMoved(t);
  const readInputs = async (id: string): Promise<unknown[]> => {
    const found: unknown[] = [];
    const query = { sql: (table: string) => `select inputs from ${table} as d where requester_id = $1`, params: [id] };
    for await (const rows of queryMoved<{ inputs: string }>(db, query, { after: 0, last: 1_000 }))
      found.push(...rows.map(({ inputs }) => inputs));
    return found;
  };
  const count = MOVED.filter(({ requesterId }) => requesterId === 'partner_1').length;
  const all = (inputs: string): string[] => Array.from({ length: count }, () => inputs);
  assert.deepEqual(await readInputs('partner_1'), all('{"context":{}}'));
  await db.atomic(eraseName(db, { requesterId: 'partner_1', pseudonym: 'erased_1' }));
  assert.deepEqual(await readInputs('partner_1'), []);
  assert.deepEqual(await readInputs('erased_1'), all('{"reduced":["context"]}'));
});

test('an erasure forgets nothing of others where blocks are from before PostgreSQL was restored', async (t) => {
  const { db } = await givenMoved(t);
  // The block was planned again, and the numbers of requesters are given in another order.
  await db.atomic([
    { sql: `update record_blocks set block = 1, state = 'planned'` },
    { sql: 'truncate record_names restart identity' },
    { sql: `insert into record_names (id, erased) values ('partner_2', 0)` },
  ]);
  const salts = MOVED.map(({ seq }) => `(${seq}, 1, ${seq}, '', '', 'salt', '', 'salt', '')`).join(', ');
  await db.atomic([
    {
      sql: `insert into log_leaves (seq, tree, place, decision_salt, rule_salt, requester_salt, requester_hash, inputs_salt,
        inputs_hash) values ${salts}`,
    },
  ]);
  const replaced = { requesterId: 'partner_2', pseudonym: 'erased_2' };
  await db.atomic(eraseName(db, replaced));
  for await (const work of movedWork(db, replaced)) await work();
  const kept = await db.read('select seq from log_leaves where requester_salt is not null');
  assert.equal(kept.length, MOVED.length);
});

for (const how of ['delete where seq = 7', 'update reason = 5 where seq = 7']) {
  test(`a block with other rows than moved is refused: ${how}`, async (t) => {
    const { clickHouse, database, read } = await givenMoved(t);
    await clickHouse.query(`alter table records_1 ${how} settings mutations_sync = 2`, database);
    await assert.rejects(read(), /are not there as they were: restore its backup/);
  });
}

/** Decisions that leave: those on an item that was deleted, or up to a number. */
const LEAVES: [string, (given: Awaited<ReturnType<typeof givenMoved>>) => Promise<Leaving>, left: number[]][] = [
  [
    'on a deleted item',
    async ({ db, now }) => (await findPurged(db, [2], now()).next()).value as Leaving,
    MOVED.filter(({ contentNo }) => contentNo !== 2).map(({ seq }) => seq),
  ],
  [
    'that are too old for the log',
    async ({ db }) => {
      const leaving = (await findLeaving(db, AT + 10_001, 100)) as Leaving;
      const sql = `insert into settings (name, value) values ('decisions_retired_to', '${leaving.last}')`;
      return { ...leaving, leave: [...leaving.leave, { sql }] };
    },
    MOVED.filter(({ seq }) => seq > 10).map(({ seq }) => seq),
  ],
];
for (const [name, toLeaving, left] of LEAVES) {
  test(`decisions ${name} leave a block at once, and ClickHouse once no read needs them`, async (t) => {
    const given = await givenMoved(t);
    const { db, store, clickHouse, database, find, read, look, nextDay, problems } = given;
    const [before] = await find();
    assert.ok(before !== undefined);
    const { leave, seqs } = await toLeaving(given);
    assert.equal(seqs.length + left.length, MOVED.length);
    await db.atomic(leave);
    assert.deepEqual((await read()).moved, left);
    for (let i = 0; i < 3; i++) await look();
    // A read that began before they left.
    assert.equal((await queryRows(store, before)).length, MOVED.length);
    for (let i = 0; i < 3; i++) {
      nextDay();
      await look();
    }
    assert.equal(await clickHouse.query(ROWS, database), String(left.length));
    assert.deepEqual((await read()).moved, left);
    assert.deepEqual(problems, []);
  });
}

test('a block keeps the numbers of deleted items that it had, and of no others', async (t) => {
  const { db, find, now } = await givenMoved(t);
  for await (const { leave } of findPurged(db, [2, 77, 78], now())) await db.atomic(leave);
  assert.deepEqual(
    (await find()).map(({ purged }) => purged),
    ['[2]'],
  );
});

test('inputs in PostgreSQL are erased, though moved decisions cannot leave the log', async (t) => {
  const { db, clickHouse, now } = await givenMoved(t);
  await clickHouse.kill();
  const problems: unknown[] = [];
  const stop = startRetention({
    db,
    now: () => now() + DAY_MS,
    privacy: { inputDays: 1, decisionDays: 36 },
    isOurs: () => true,
    isTimeSure: () => true,
    onProblem: (error) => problems.push(error),
  });
  t.after(stop);
  await until('erased', async () => (await db.read('select inputs from decisions'))[0]?.inputs === REDUCED, 30_000);
  await until('told', async () => problems.length > 0, 30_000);
  assert.match(String(problems[0]), /cannot be read now/);
  const [retired] = await db.read(`select 1 from settings where name = 'decisions_retired_to'`);
  assert.equal(retired, undefined);
});
