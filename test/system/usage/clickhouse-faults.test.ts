/**
 * Promise: after any fault of ClickHouse, of PostgreSQL or of a writer, the columns count each decision once: the same
 * as a fold over all that was answered.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Fault } from '../../../kit/clickhouse.ts';
import { runSeed, seeded } from '../../../kit/random.ts';
import { until } from '../../../kit/until.ts';
import { AT, ask, assertCounts, assertFolds, bench, decided, LATELY, openWriter } from './clickhouse-bench.ts';

/** Decisions that make a block, however old they are. */
const BLOCK = 9_000;
const INSERT = 'insert into decisions_v1';

const FAULTS: [string, Fault[]][] = [
  ['a full disk', [{ when: 'before', sql: INSERT, kind: 'full', times: 2 }]],
  ['a full disk for the marks', [{ when: 'before', sql: 'insert into marks_v1', kind: 'full', times: 2 }]],
  ['an insert that is slow', [{ when: 'before', sql: INSERT, kind: 'slow', times: 1, ms: 3_000 }]],
  [
    'a block whose answer was lost, and which then cannot be read back',
    [
      { when: 'after', sql: INSERT, kind: 'cut', times: 1 },
      { when: 'before', sql: 'uniqExact(seq)', kind: 'cut', times: 2 },
    ],
  ],
  ['a kill between the plan and the block', [{ when: 'before', sql: INSERT, kind: 'kill', times: 1 }]],
  ['a kill between the block and its check', [{ when: 'before', sql: 'uniqExact(seq)', kind: 'kill', times: 1 }]],
  ['a kill after the check', [{ when: 'before', sql: 'insert into names_v1', kind: 'kill', times: 1 }]],
];
for (const [name, faults] of FAULTS) {
  test(`a block is there once, with ${name}`, async (t) => {
    const { open, addDecisions, clickHouse } = await bench(t);
    const columns = open();
    await addDecisions(decided(1, 20));
    await assertFolds(columns, decided(1, 20));
    await clickHouse.fail(...faults);
    // Another requester, whose text is new.
    const all = [...decided(1, BLOCK), ...decided(BLOCK + 1, 3).map((one) => ({ ...one, requesterId: 'new' }))];
    await addDecisions(all.slice(20));
    if (faults.some(({ kind }) => kind === 'kill')) {
      await assert.rejects(columns.bounds());
      await clickHouse.kill();
      await clickHouse.start();
    }
    await assertFolds(columns, all);
  });
}

const TAIL = 'insert into tail_v1';
const FAULTS_OF_TAILS: [string, Fault][] = [
  ['a full disk', { when: 'before', sql: TAIL, kind: 'full', times: 2 }],
  ['an answer that is lost', { when: 'after', sql: TAIL, kind: 'cut', times: 1 }],
  ['a kill before they are stored', { when: 'before', sql: TAIL, kind: 'kill', times: 1 }],
  ['a kill after they are stored', { when: 'after', sql: TAIL, kind: 'kill', times: 1 }],
];
for (const [name, fault] of FAULTS_OF_TAILS) {
  test(`decisions that are in no block yet are there once, with ${name}`, async (t) => {
    const { open, addDecisions, clickHouse } = await bench(t);
    const columns = open();
    await addDecisions(decided(1, 20, LATELY));
    await assertCounts(columns, decided(1, 20, LATELY));
    await clickHouse.fail(fault);
    await addDecisions(decided(21, 30, LATELY));
    await assert.rejects(columns.bounds());
    if (fault.kind === 'kill') {
      await clickHouse.kill();
      await clickHouse.start();
    }
    await assertCounts(columns, decided(1, 50, LATELY));
  });
}

test('a ClickHouse that came back from yesterday, and one that lost a part of its last block', async (t) => {
  const { open, addDecisions, clickHouse, database } = await bench(t);
  const columns = open();
  await addDecisions(decided(1, BLOCK));
  await assertFolds(columns, decided(1, BLOCK));
  await clickHouse.copy();
  await addDecisions(decided(BLOCK + 1, BLOCK));
  await assertFolds(columns, decided(1, 2 * BLOCK));
  await clickHouse.restore();
  await addDecisions(decided(2 * BLOCK + 1, 5));
  await assertFolds(columns, decided(1, 2 * BLOCK + 5));
  await clickHouse.query(`delete from decisions_v1 where seq > ${BLOCK + 7} and seq < ${BLOCK + 100}`, database);
  await assertFolds(columns, decided(1, 2 * BLOCK + 5));
});

test('records that came back from earlier, while ClickHouse has more', async (t) => {
  const { open, addDecisions, db } = await bench(t);
  const columns = open();
  await addDecisions(decided(1, 100));
  await assertFolds(columns, decided(1, 100));
  const state = await db.read<{ value: string }>(`select value from settings where name = 'clickhouse_columns'`);
  await addDecisions(decided(101, BLOCK));
  await assertFolds(columns, decided(1, BLOCK + 100));
  await db.atomic([
    { sql: 'delete from decisions where seq > 100' },
    { sql: `update settings set value = $1 where name = 'clickhouse_columns'`, params: [state[0]?.value ?? ''] },
  ]);
  const others = decided(101, 50).map((one) => ({ ...one, requesterId: 'later', reason: 2 }));
  await addDecisions(others);
  await assertFolds(columns, [...decided(1, 100), ...others]);
});

test('decisions that were deleted by hand, and are not the newest ones, are found and copied again', async (t) => {
  const { open, addDecisions, clickHouse, database, db, deleteContent, problems } = await bench(t);
  const columns = open();
  const compareNow = {
    sql: `update settings set value = jsonb_set(value::jsonb, '{compared,at}', '0')::text where name = 'clickhouse_columns'`,
  };
  for (const from of [1, BLOCK + 1]) {
    await addDecisions(decided(from, BLOCK));
    await assertFolds(columns, decided(1, from + BLOCK - 1));
  }
  await deleteContent(2);
  const left = decided(1, 2 * BLOCK).filter(({ contentNo }) => contentNo !== 2);
  await assertFolds(columns, left);
  await db.atomic([compareNow]);
  await assertFolds(columns, left);
  assert.deepEqual(problems, []);
  await clickHouse.query('delete from decisions_v1 where seq = 4', database);
  await db.atomic([compareNow]);
  await assertFolds(columns, left);
  assert.match(problems.join(), /older decisions/);
});

test('writers that all believe they have the lock write each decision once', async (t) => {
  t.diagnostic(`SEED=${runSeed}`);
  const random = seeded(runSeed);
  const { open, addDecisions, records, url } = await bench(t);
  const columns = open();
  const writers = [(await openWriter(t, { records, url })).writer, (await openWriter(t, { records, url })).writer];
  let count = 0;
  for (let round = 0; round < 12; round++) {
    const more = random.pick([3, 40, BLOCK]);
    await addDecisions(decided(count + 1, more));
    count += more;
    const steps = writers.map(async (writer) => {
      for (let n = random.int(1, 4); n > 0; n--) await writer.step().catch(() => undefined);
    });
    await Promise.all([...steps, assertCounts(columns, decided(1, count))]);
  }
  await assertFolds(columns, decided(1, count));
});

test('a block that is lost while the next one is written is found', async (t) => {
  const { open, addDecisions, clickHouse, database } = await bench(t);
  const columns = open();
  await addDecisions(decided(1, BLOCK));
  await assertFolds(columns, decided(1, BLOCK));
  // The next one is stored, and not read back yet.
  await clickHouse.fail({ when: 'before', sql: 'uniqExact(seq)', kind: 'cut', times: 1_000 });
  await addDecisions(decided(BLOCK + 1, BLOCK));
  await assert.rejects(columns.bounds());
  await clickHouse.query(`delete from decisions_v1 where seq <= ${BLOCK}`, database);
  await clickHouse.fail();
  await assertFolds(columns, decided(1, 2 * BLOCK));
});

/** The check of a block, which is stored by then. */
const READ_BACK = { when: 'before', sql: 'uniqExact(seq)', kind: 'slow', times: 1 } as const;

test('a block that is lost while a step writes the next one is found by this step', async (t) => {
  const { open, addDecisions, clickHouse, database, problems } = await bench(t);
  const columns = open();
  await addDecisions(decided(1, BLOCK));
  await assertFolds(columns, decided(1, BLOCK));
  await clickHouse.fail({ ...READ_BACK, ms: 4_000 });
  await addDecisions(decided(BLOCK + 1, BLOCK));
  const stored = async () => await clickHouse.query('select count() from decisions_v1', database);
  await until('both blocks', async () => (await stored()) === String(2 * BLOCK));
  await clickHouse.query('delete from decisions_v1 where seq = 7', database);
  await assertFolds(columns, decided(1, 2 * BLOCK));
  assert.match(problems.join(), /blocks of decisions were lost/);
});

test('a block that is lost while a step writes several is found by this step', async (t) => {
  const { open, db, clickHouse, database, problems } = await bench(t);
  const [rows, whole] = [300_000, 131_072];
  await db.atomic([
    {
      sql: `insert into decisions (seq, at, content_no, policy_no, policy_version, reason, inputs, enforced)
            select n, ${AT} + n, n % 3, 1, 1, n % 2, '{}', 1 from generate_series(1, ${rows}) as every(n)`,
    },
    { sql: `select setval('decisions_seq_seq', ${rows})` },
  ]);
  await clickHouse.fail({ ...READ_BACK, ms: 0 }, { ...READ_BACK, ms: 4_000 });
  const columns = open();
  const asked = ask(() => columns.find({}, { before: null, limit: 1 }));
  const stored = async () => await clickHouse.query('select count() from decisions_v1', database).catch(() => '');
  await until('two blocks', async () => (await stored()) === String(2 * whole), 60_000);
  await clickHouse.query(`delete from decisions_v1 where seq <= ${whole}`, database);
  assert.equal((await asked).totalCount, rows);
  assert.match(problems.join(), /blocks of decisions were lost/);
});
