/**
 * Promise: a block of decisions is stored whole and once, in one part, by inserts that carry what this depends on: so
 * nothing has to be counted again.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PARTITION } from '../../../src/decisions/history/clickhouse/tables.ts';
import { assertCounts, bench, decided } from './clickhouse-bench.ts';

const BLOCK = 9_000;
const INSERT = 'insert into decisions_v1';

/** Parts of decisions as they were inserted, before any were joined. */
const PARTS = `select count(), max(level), max(rows) from system.parts
  where active and table = 'decisions_v1' and database = currentDatabase()`;

test('an insert that a server still does after it was repeated is stored once', async (t) => {
  const { open, addDecisions, clickHouse, database } = await bench(t);
  const columns = open();
  await assertCounts(columns, []);
  await clickHouse.fail({ when: 'before', sql: INSERT, kind: 'late', times: 1, ms: 2_000 });
  await addDecisions(decided(1, BLOCK));
  await assertCounts(columns, decided(1, BLOCK));
  // Until the late one is done, too.
  await clickHouse.fail({ when: 'before', sql: 'select 2', kind: 'slow', times: 1, ms: 2_000 });
  await clickHouse.query('select 2', database);
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

test('a block of which a part is there is written anew', async (t) => {
  const { open, addDecisions, clickHouse, database, db } = await bench(t);
  const columns = open();
  await assertCounts(columns, []);
  // Stored, but neither acknowledged nor read back; then some of it is lost.
  await clickHouse.fail(
    { when: 'after', sql: INSERT, kind: 'cut', times: 1 },
    { when: 'before', sql: 'uniqExact(seq)', kind: 'cut', times: 1_000 },
  );
  await addDecisions(decided(1, BLOCK));
  await assert.rejects(columns.bounds());
  await clickHouse.query('delete from decisions_v1 where seq % 3 = 0', database);
  // An earlier insert may still be running for a while.
  await db.atomic([
    {
      sql: `update settings set value = jsonb_set(value::jsonb, '{planned,at}', '0')::text where name = 'clickhouse_columns'`,
    },
  ]);
  await clickHouse.fail();
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

test('every insert carries the settings that storing it once depends on', async (t) => {
  const { open, addDecisions, clickHouse } = await bench(t);
  const columns = open();
  await addDecisions(decided(1, BLOCK));
  await assertCounts(columns, decided(1, BLOCK));
  const inserts = (await clickHouse.statements()).filter((sql) => sql.startsWith('insert into'));
  assert.ok(inserts.length > 5);
  for (const setting of ['async_insert=0', 'insert_deduplicate=1', 'input_format_parallel_parsing=0'])
    assert.deepEqual(
      inserts.filter((sql) => !sql.includes(setting)),
      [],
      setting,
    );
  const ofDecisions = inserts.filter((sql) => sql.includes(INSERT));
  assert.ok(ofDecisions.every((sql) => /insert_deduplication_token=\d+:\d+:1:[0-9a-f]{64}( |$)/.test(sql)));
});
