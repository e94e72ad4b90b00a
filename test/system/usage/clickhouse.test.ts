/**
 * Promise: with the columns in ClickHouse, each decision counts once, also after requests that were refused or
 * whose answers were lost, crashes, two writers, and lost data.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Fault } from '../../../kit/clickhouse.ts';
import { Unavailable } from '../../../src/db/db.ts';
import { openPostgresReader } from '../../../src/db/postgres/reader.ts';
import type { Decided } from '../../usage/records.ts';
import { AT, ask, assertCounts, bench, decided, FORGET_NOW, LATELY } from './clickhouse-bench.ts';

const INSERT = 'insert into decisions_v1';
const FAULTS: [string, Fault][] = [
  ['is refused', { when: 'before', sql: INSERT, kind: 'cut', times: 1 }],
  ['is stored, and its answer lost', { when: 'after', sql: INSERT, kind: 'cut', times: 1 }],
  ['is stored three times, each answer lost', { when: 'after', sql: INSERT, kind: 'cut', times: 3 }],
  ['is read back too late', { when: 'after', sql: 'uniqExact(seq)', kind: 'cut', times: 1 }],
  ['is not begun', { when: 'before', sql: 'insert into marks_v1', kind: 'cut', times: 1 }],
  ['leaves its texts behind', { when: 'before', sql: 'insert into names_v1', kind: 'cut', times: 1 }],
];
for (const [name, fault] of FAULTS) {
  test(`a block that ${name} is there once`, async (t) => {
    const { open, addDecisions, clickHouse } = await bench(t);
    const columns = open();
    await addDecisions(decided(1, 20));
    await assertCounts(columns, decided(1, 20));
    await clickHouse.fail(fault);
    await addDecisions(decided(21, 20));
    await assertCounts(columns, decided(1, 40));
    const { topRequesters } = await ask(() =>
      columns.report({ enforced: true, from: AT, to: AT + 1e9, starts: [AT], limit: 5 }),
    );
    assert.deepEqual(topRequesters, [
      { id: 'partner_1', requests: 14 },
      { id: 'partner_0', requests: 13 },
      { id: 'partner_2', requests: 13 },
    ]);
  });
}

for (const when of ['before', 'after'] as const) {
  test(`ClickHouse killed ${when} a block is stored: the block is there once`, async (t) => {
    const { open, addDecisions, clickHouse } = await bench(t);
    const columns = open();
    await addDecisions(decided(1, 20));
    await assertCounts(columns, decided(1, 20));
    await clickHouse.fail({ when, sql: INSERT, kind: 'kill', times: 1 });
    await addDecisions(decided(21, 20));
    await assert.rejects(columns.stats(1), Unavailable);
    await clickHouse.kill();
    await assert.rejects(columns.stats(1), Unavailable);
    await clickHouse.start();
    await assertCounts(columns, decided(1, 40));
  });
}

test('two nodes write what both see, each block once', async (t) => {
  const { open, addDecisions, problems } = await bench(t);
  const nodes = [open(), open()];
  const all: Decided[] = [];
  for (let round = 0; round < 6; round++) {
    const more = decided(round * 30 + 1, 30);
    await addDecisions(more);
    all.push(...more);
    await Promise.all(nodes.map((columns) => assertCounts(columns, all)));
  }
  assert.deepEqual(problems, []);
});

const LOSSES: [string, string[], number?][] = [
  ['its newest block', ['delete from decisions_v1 where seq > 20']],
  ['what is in no block yet', ['truncate table tail_v1'], LATELY],
  ['one decision of it', ['delete from decisions_v1 where seq = 40']],
  ['all tables', ['drop table decisions_v1 sync', 'drop table marks_v1 sync']],
  ['nothing, and has decisions of others', ['insert into decisions_v1 (seq, content) values (1000, 1)']],
];
for (const [name, statements, at] of LOSSES) {
  test(`a ClickHouse that lost ${name} is filled again`, async (t) => {
    const { open, addDecisions, clickHouse, database, problems } = await bench(t);
    const columns = open();
    for (const from of [1, 21]) {
      await addDecisions(decided(from, 20, at));
      await assertCounts(columns, decided(1, from + 19, at));
    }
    for (const sql of statements) await clickHouse.query(sql, database);
    await assertCounts(columns, decided(1, 40, at));
    assert.equal(problems.length, 1);
  });
}

test('a ClickHouse that lost which items are deleted is filled again', async (t) => {
  const { open, addDecisions, deleteContent, clickHouse, database, problems } = await bench(t);
  const columns = open();
  await addDecisions(decided(1, 20));
  await assertCounts(columns, decided(1, 20));
  await deleteContent(1);
  const left = decided(1, 20).filter(({ contentNo }) => contentNo !== 1);
  await assertCounts(columns, left);
  await clickHouse.query('truncate table gone_v1', database);
  await assertCounts(columns, left);
  assert.equal(problems.length, 1);
});

test('an item whose deletion is no longer in the log of changes stays gone', async (t) => {
  const { open, addDecisions, addContent, db } = await bench(t);
  const columns = open();
  await addDecisions(decided(1, 20, LATELY));
  await assertCounts(columns, decided(1, 20, LATELY));
  await db.atomic([{ sql: 'delete from content where no = 1' }]);
  await addContent([{ no: 3 }, { no: 4 }]);
  await db.atomic([{ sql: 'delete from changes where seq < (select max(seq) from changes)' }]);
  const left = decided(1, 20, LATELY).filter(({ contentNo }) => contentNo !== 1);
  await assertCounts(columns, left);
  await db.atomic([FORGET_NOW]);
  await assertCounts(columns, left);
});

test('what nobody would notice to be lost is on the disk when it is acknowledged', async (t) => {
  const { open, addDecisions, clickHouse, database } = await bench(t);
  await addDecisions(decided(1, 20));
  await assertCounts(open(), decided(1, 20));
  const sql = `select name from system.tables where database = '${database}' and engine_full like '%MergeTree%'
    and engine_full not like '%fsync_after_insert = 1, fsync_part_directory = 1%' order by name`;
  const names = (await clickHouse.query(sql, database)).trim().split('\n');
  // Each step of the writer compares these.
  assert.deepEqual(names, ['decisions_v1', 'marks_v1', 'owner_v1', 'tail_v1']);
});

test('a program keeps its name while decisions of other programs before it go into a block', async (t) => {
  const { open, addDecisions, records } = await bench(t);
  const columns = open();
  await assertCounts(columns, []);
  const programs = async () => {
    const { rows } = await ask(() =>
      columns.programs({ filter: {}, named: [], sort: 'requests', after: null, limit: 5 }),
    );
    return rows.map(({ id }) => id);
  };
  const transaction = async () => {
    const connection = await openPostgresReader(records);
    t.after(() => connection.close());
    await connection.all([{ sql: 'begin' }, { sql: 'select pg_current_xact_id()::text as xid' }]);
    return connection;
  };
  // What is open before its number is drawn keeps what follows from being settled.
  const first = await transaction();
  await first.all([
    {
      sql: `insert into decisions (seq, at, content_no, policy_no, policy_version, reason, inputs, enforced)
            values (1, ${AT}, 0, 1, 1, 0, '{"context":{"userAgent":"FirstBot/1"}}', 1)`,
    },
    { sql: `select setval('decisions_seq_seq', 1)` },
  ]);
  assert.deepEqual(await programs(), []);
  const other = await transaction();
  await addDecisions([
    { seq: 2, at: AT, contentNo: 0, requesterId: null, policyNo: 1, reason: 0, userAgent: 'NextBot' },
  ]);
  assert.deepEqual(await programs(), ['nextbot']);
  await first.all([{ sql: 'commit' }]);
  assert.deepEqual(await programs(), ['firstbot', 'nextbot']);
  await other.all([{ sql: 'commit' }]);
  assert.deepEqual(await programs(), ['firstbot', 'nextbot']);
});

test('an item that is deleted, and what is retired, count at once as they should', async (t) => {
  const { open, addDecisions, deleteContent, db } = await bench(t);
  const columns = open();
  await addDecisions(decided(1, 20));
  await assertCounts(columns, decided(1, 20));
  await deleteContent(1);
  const left = decided(1, 20).filter(({ contentNo }) => contentNo !== 1);
  await assertCounts(columns, left);
  await db.atomic([
    { sql: `insert into settings (name, value) values ('decisions_retired_to', '10')` },
    {
      sql: `insert into daily_counts (day, content_no, requester_id, policy_no, reason, purpose, permission, collection_id,
              crawler, license_id, claimed, verified, enforced, policy_version, rule_index, wanted, requests)
            select $1::bigint, 2, coalesce(requester_id, ''), policy_no, reason, '', '', '', '', '', '', 0, 1, 1, -1, '', count(*)
            from decisions where seq <= 10 and content_no = 2 group by requester_id, policy_no, reason`,
      params: [AT],
    },
    { sql: 'delete from decisions where seq <= 10' },
  ]);
  const logged = left.filter(({ seq }) => seq > 10);
  const found = await ask(() => columns.find({ after: 0 }, { before: null, limit: 100 }));
  assert.deepEqual(found.seqs, logged.map(({ seq }) => seq).toReversed());
  assert.deepEqual(await ask(() => columns.stats(2)), {
    total: left.length,
    allowed: left.filter(({ reason }) => reason === 0).length,
  });
  const noon = AT + 43_200_000;
  assert.deepEqual((await ask(() => columns.bounds()))?.last, noon);
});
