/**
 * Promise: a block of decisions is stored whole and once, in one part, by inserts that carry what this depends on: so
 * nothing has to be counted again.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Fault } from '../../../kit/clickhouse.ts';
import { PARTITION } from '../../../src/decisions/history/clickhouse/tables.ts';
import { AT, ask, assertCounts, bench, decided, FORGET_NOW, LATELY } from './clickhouse-bench.ts';

const BLOCK = 9_000;
const INSERT = 'insert into decisions_v1';

/** An earlier insert of the planned block is over by now. */
const PLANNED_LONG_AGO = {
  sql: `update settings set value = jsonb_set(value::jsonb, '{planned,at}', '0')::text where name = 'clickhouse_columns'`,
};
/** Parts of decisions as they were inserted, before any were joined. */
const PARTS = `select count(), max(level), max(rows) from system.parts
  where active and table = 'decisions_v1' and database = currentDatabase()`;

test('an insert that a server still does after it was repeated is stored once', async (t) => {
  const { open, addDecisions, clickHouse, database } = await bench(t);
  const columns = open();
  await assertCounts(columns, []);
  await clickHouse.fail({ when: 'before', sql: INSERT, kind: 'late', times: 1, ms: 600_000 });
  await addDecisions(decided(1, BLOCK));
  await assertCounts(columns, decided(1, BLOCK));
  await clickHouse.release();
  assert.equal(await clickHouse.query('select count() from decisions_v1', database), String(BLOCK));
  assert.equal(columns.figures().rebuilds, 1);
});

test('an insert that was acknowledged and is not there is repeated', async (t) => {
  const { open, addDecisions, clickHouse } = await bench(t);
  const columns = open();
  await assertCounts(columns, []);
  await clickHouse.fail({ when: 'before', sql: INSERT, kind: 'lost', times: 1 });
  await addDecisions(decided(1, BLOCK));
  await assertCounts(columns, decided(1, BLOCK));
  assert.equal(columns.figures().rebuilds, 1);
});

test('the newest decisions that were acknowledged and are not there are written again', async (t) => {
  const { open, addDecisions, clickHouse } = await bench(t);
  const columns = open();
  await assertCounts(columns, []);
  await clickHouse.fail({ when: 'before', sql: 'insert into tail_v1', kind: 'lost', times: 1 });
  await addDecisions(decided(1, 20, LATELY));
  await assertCounts(columns, decided(1, 20, LATELY));
  assert.equal(columns.figures().rebuilds, 1);
});

/** Stored, but neither acknowledged nor read back. */
const NOT_READ_BACK: Fault[] = [
  { when: 'after', sql: INSERT, kind: 'cut', times: 1 },
  { when: 'before', sql: 'uniqExact(seq)', kind: 'cut', times: 1_000 },
];

test('a block of which a part is there is written anew', async (t) => {
  const { open, addDecisions, clickHouse, database, db } = await bench(t);
  const columns = open();
  await assertCounts(columns, []);
  await clickHouse.fail(...NOT_READ_BACK);
  await addDecisions(decided(1, BLOCK));
  await assert.rejects(columns.bounds());
  await clickHouse.query('delete from decisions_v1 where seq % 3 = 0', database);
  await db.atomic([PLANNED_LONG_AGO]);
  await clickHouse.fail();
  await assertCounts(columns, decided(1, BLOCK));
  assert.equal(columns.figures().rebuilds, 1);
});

test('a block that is repeated has the decisions that it was planned with', async (t) => {
  const { open, addDecisions, clickHouse, database } = await bench(t);
  const columns = open();
  await assertCounts(columns, []);
  await clickHouse.fail({ when: 'before', sql: INSERT, kind: 'cut', times: 1 });
  await addDecisions(decided(1, BLOCK));
  await assert.rejects(columns.bounds());
  await addDecisions(decided(BLOCK + 1, 20, LATELY));
  await assertCounts(columns, [...decided(1, BLOCK), ...decided(BLOCK + 1, 20, LATELY)]);
  assert.equal(await clickHouse.query(PARTS, database), `1\t0\t${BLOCK}`);
});

test('a block counts though many of its decisions were purged before it was read back', async (t) => {
  const { open, addDecisions, deleteContent, purge, clickHouse } = await bench(t);
  const columns = open();
  await assertCounts(columns, []);
  await clickHouse.fail(...NOT_READ_BACK);
  const all = decided(1, BLOCK).map((one) => ({ ...one, contentNo: one.seq % 3 }));
  await addDecisions(all);
  await assert.rejects(columns.bounds());
  await deleteContent(1);
  await purge(1);
  await clickHouse.fail();
  const left = all.filter(({ contentNo }) => contentNo !== 1);
  await assertCounts(columns, left);
  assert.equal(columns.figures().rebuilds, 1);
});

test('late decisions on a deleted item that were purged before their block was read back count in no answer', async (t) => {
  const { open, addDecisions, deleteContent, purge, clickHouse, db } = await bench(t);
  const columns = open();
  await addDecisions(decided(1, 20));
  await deleteContent(1);
  const left = decided(1, 40).filter(({ contentNo }) => contentNo !== 1);
  await assertCounts(
    columns,
    left.filter(({ seq }) => seq <= 20),
  );
  await db.atomic([FORGET_NOW]);
  await ask(() => columns.bounds());
  await clickHouse.fail(...NOT_READ_BACK);
  await addDecisions(decided(21, 20));
  await assert.rejects(columns.bounds());
  await purge(1);
  await clickHouse.fail();
  await assertCounts(columns, left);
  assert.equal(columns.figures().rebuilds, 1);
});

test('a block that must be written anew waits for an insert of it that may still run', async (t) => {
  const { open, addDecisions, clickHouse, database, db } = await bench(t);
  const columns = open();
  await assertCounts(columns, []);
  await clickHouse.fail(
    { when: 'before', sql: INSERT, kind: 'late', times: 1, ms: 600_000 },
    { when: 'before', sql: 'uniqExact(seq)', kind: 'cut', times: 1 },
  );
  await addDecisions(decided(1, BLOCK));
  await assert.rejects(columns.bounds());
  // Others are where it will be.
  await clickHouse.query('insert into decisions_v1 (seq, content) values (7, 1)', database);
  await assert.rejects(columns.bounds());
  await assert.rejects(columns.bounds());
  await clickHouse.release();
  await db.atomic([PLANNED_LONG_AGO]);
  await assertCounts(columns, decided(1, BLOCK));
  assert.equal(columns.figures().rebuilds, 1);
});

test('a large block is one part', async (t) => {
  const { open, addDecisions, clickHouse, database } = await bench(t);
  await addDecisions(decided(1, 70_000));
  const columns = open();
  await assertCounts(columns, decided(1, 70_000));
  assert.equal(await clickHouse.query(PARTS, database), '1\t0\t70000');
});

test('a block ends where a partition does', async (t) => {
  const { open, addDecisions, clickHouse, database } = await bench(t);
  const columns = open();
  const all = decided(PARTITION - BLOCK, 2 * BLOCK);
  await addDecisions(all);
  await assertCounts(columns, all);
  assert.equal(await clickHouse.query(PARTS, database), `2\t0\t${BLOCK}`);
  const inserts = (await clickHouse.statements()).filter((sql) => sql.includes(INSERT));
  assert.equal(inserts.length, 2);
});

test('blocks that are read while others are written are stored once, though an insert between them is lost', async (t) => {
  const { open, db, clickHouse, database } = await bench(t);
  const [rows, whole] = [300_000, 131_072];
  await db.atomic([
    {
      sql: `insert into decisions (seq, at, content_no, requester_id, policy_no, policy_version, reason, inputs, enforced, url)
        select n, ${AT} + n, n % 3, 'req_' || n % 1000, 1, 1, n % 2, '{"context":{"userAgent":"FooBot/' || n % 7 || '"}}', 1,
          case when n % 3 = 0 then 'publisher.example/' || n % 50 || '?q=' || n end
        from generate_series(1, ${rows}) as every(n)`,
    },
    { sql: `select setval('decisions_seq_seq', ${rows})` },
  ]);
  // The first is stored before it fails, and the second fails before it is.
  await clickHouse.fail(
    { when: 'after', sql: INSERT, kind: 'cut', times: 1 },
    { when: 'before', sql: 'uniqExact(seq)', kind: 'cut', times: 1 },
  );
  const columns = open();
  assert.equal((await ask(() => columns.find({}, { before: null, limit: 1 }))).totalCount, rows);
  assert.equal(columns.figures().rebuilds, 1);
  assert.equal(await clickHouse.query(PARTS, database), `3\t0\t${whole}`);
  const read = `select count(), uniqExact(seq), sum(seq), sum(decided_at - seq), sum(content), sum(reason), uniqExact(program),
    countIf(url = concat('publisher.example/', toString(seq % 50), '?q=', toString(seq))), uniqExact(page),
    countIf((kind, requester) not in (select kind, number from names_v1)),
    countIf(concat('req_', toString(seq % 1000)) <> dictionary) from
    (select *, 1 as kind, transform(requester, (select groupArray(number) from names_v1 where kind = 1),
       (select groupArray(id) from names_v1 where kind = 1), '') as dictionary from decisions_v1)`;
  const sum = (of: (n: number) => number): number =>
    Array.from({ length: rows }, (_, i) => of(i + 1)).reduce((all, one) => all + one, 0);
  const third = rows / 3;
  const expected = [rows, rows, sum((n) => n), rows * AT, sum((n) => n % 3), sum((n) => n % 2), 1, third, 50 + 1, 0, 0];
  assert.deepEqual((await clickHouse.query(read, database)).split('\t').map(Number), expected);
});

test('every insert carries the settings that storing it once depends on', async (t) => {
  const { open, addDecisions, clickHouse } = await bench(t);
  const columns = open();
  await addDecisions(decided(1, BLOCK));
  await assertCounts(columns, decided(1, BLOCK));
  const inserts = (await clickHouse.statements()).filter((sql) => sql.startsWith('insert into'));
  assert.ok(inserts.length > 5);
  const settings = [
    'async_insert=0',
    'insert_deduplicate=1',
    'input_format_parallel_parsing=0',
    // Above all blocks: of their own, blocks by column are not cut, and other versions may do so.
    'max_insert_block_size=1048576',
    'min_insert_block_size_rows=1048576',
    'min_insert_block_size_bytes=1073741824',
    'max_insert_threads=1',
  ];
  for (const setting of settings)
    assert.deepEqual(
      inserts.filter((sql) => !`${sql} `.includes(`${setting} `)),
      [],
      setting,
    );
  const ofDecisions = inserts.filter((sql) => sql.includes(INSERT));
  assert.ok(ofDecisions.every((sql) => /insert_deduplication_token=\d+:\d+:1:[0-9a-f]{64}( |$)/.test(sql)));
});
