/**
 * Promise: on a cluster of ClickHouse, each decision counts once; a shard that lacks rows, or has other ones, answers
 * nothing, and a server that was not written to is waited for. The cluster is one process of the engine: its
 * Distributed tables are real, its replicas are not.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Fault } from '../../../kit/clickhouse.ts';
import { guardSql } from '../../../src/decisions/history/clickhouse/guard.ts';
import { Diverged } from '../../../src/decisions/history/columns/diverged.ts';
import { assertFolds, bench, decided, FORGET_NOW, openWriter } from './clickhouse-bench.ts';

const BLOCK = 9_000;
const CLUSTER = { cluster: 'postern' };
const INSERT = 'insert into decisions_v1';
const COUNT = 'select count(*) as n from decisions';

const LACKING = /has a replica that lacks what was written|UNKNOWN_TABLE/;

const FAULTS: [string, Fault][] = [
  ['is stored three times, each answer lost', { when: 'after', sql: INSERT, kind: 'cut', times: 3 }],
  ['is acknowledged and not stored', { when: 'before', sql: INSERT, kind: 'lost', times: 1 }],
];
for (const [name, fault] of FAULTS) {
  test(`a block that ${name} is there once, on one shard`, async (t) => {
    const { open, addDecisions, clickHouse, database } = await bench(t, CLUSTER);
    const columns = open();
    await addDecisions(decided(1, 20));
    await assertFolds(columns, decided(1, 20));
    await clickHouse.fail(fault);
    await addDecisions(decided(21, BLOCK));
    await assertFolds(columns, decided(1, BLOCK + 20));
    assert.equal(await clickHouse.query('select count() from decisions_shard_v1', database), String(BLOCK + 20));
    assert.equal(columns.figures().rebuilds, 1);
  });
}

const LACKS: [string, string][] = [
  ['lost a row of an older block', 'delete from decisions_shard_v1 where seq = 4'],
  ['lost its newest row', `delete from decisions_shard_v1 where seq = ${2 * BLOCK}`],
  ['lost all', 'truncate table decisions_shard_v1'],
  ['lost its table', 'drop table decisions_shard_v1 sync'],
  ['has a row twice', 'insert into decisions_shard_v1 select * from decisions_shard_v1 where seq = 4'],
  [
    'has other rows in its newest block',
    `alter table decisions_shard_v1 update decided_at = decided_at + 1 where seq = ${2 * BLOCK} settings mutations_sync = 2`,
  ],
];
test('a shard that has not what was written answers nothing, and is filled again', async (t) => {
  const { addDecisions, records, url, clickHouse, database } = await bench(t, CLUSTER);
  const { writer, reader, catchUp } = await openWriter(t, { records, url });
  for (const from of [1, BLOCK + 1]) {
    await addDecisions(decided(from, BLOCK));
    await catchUp();
  }
  for (const [name, sql] of LACKS) {
    assert.deepEqual(await reader.rows(COUNT), [{ n: 2 * BLOCK }], name);
    await clickHouse.query(sql, database);
    await assert.rejects(reader.rows(COUNT), LACKING, name);
    await assert.rejects(reader.rows(`${COUNT} where seq = -1`), LACKING, name);
    await assert.rejects(writer.step(), Diverged, name);
    const statements = await clickHouse.statements();
    assert.ok(statements.some((one) => one.startsWith('system sync replica on cluster `postern` decisions_shard_v1')));
    await catchUp();
  }
});

test('a shard that left the cluster is missed, and its decisions are counted again', async (t) => {
  const { addDecisions, records, url, db } = await bench(t, CLUSTER);
  const { writer, reader, states, catchUp } = await openWriter(t, { records, url });
  await addDecisions(decided(1, BLOCK));
  await catchUp();
  await db.atomic([
    {
      sql: `update settings set value = jsonb_set(value::jsonb, '{shards}', '[${BLOCK}, 5]')::text
        where name = 'clickhouse_columns'`,
    },
  ]);
  await assert.rejects(writer.step(), Diverged);
  await catchUp();
  assert.deepEqual((await states.read()).shards, [BLOCK]);
  assert.deepEqual(await reader.rows(COUNT), [{ n: BLOCK }]);
});

test('decisions that are gone are deleted on all replicas, and what is left is counted again', async (t) => {
  const { addDecisions, deleteContent, records, url, clickHouse, database, db } = await bench(t, CLUSTER);
  const { reader, catchUp, states } = await openWriter(t, { records, url });
  await addDecisions(decided(1, BLOCK));
  await catchUp();
  assert.deepEqual((await states.read()).shards, [BLOCK]);
  await deleteContent(1);
  await catchUp();
  await db.atomic([FORGET_NOW]);
  await catchUp();
  assert.deepEqual((await states.read()).shards, [BLOCK / 2]);
  assert.deepEqual(await reader.rows(COUNT), [{ n: BLOCK / 2 }]);
  assert.equal(await clickHouse.query('select count() from decisions_shard_v1', database), String(BLOCK / 2));
  const changes = (await clickHouse.statements()).filter((sql) => sql.startsWith('alter table decisions'));
  assert.equal(changes.length, 1);
  assert.match(changes[0] ?? '', /^alter table decisions_shard_v1 on cluster `postern` delete where content in \(1\) /);
  const checked = (sql: string): boolean =>
    sql.includes(`clusterAllReplicas('postern', '${database}', 'decisions_shard_v1')`);
  assert.ok((await clickHouse.statements()).filter(checked).length >= 2);
});

test('a question has all its answers from one server, which has what was written through others', async (t) => {
  const { addDecisions, records, url, clickHouse } = await bench(t, CLUSTER);
  const { reader, catchUp, states } = await openWriter(t, { records, url });
  await addDecisions(decided(1, 20));
  await catchUp();
  assert.equal((await states.read()).server, 'one');
  const countSyncs = async (): Promise<number> =>
    (await clickHouse.statements()).filter((sql) => sql.startsWith('system sync replica names_v1')).length;
  await catchUp();
  const before = await countSyncs();
  const both = reader.inSnapshot(async () => {
    const first = await reader.rows(COUNT);
    await clickHouse.rename('two');
    return [first, await reader.rows(COUNT)];
  });
  await assert.rejects(both, /another server of the cluster/);
  await assert.rejects(reader.rows(COUNT), /another server of the cluster/);
  await catchUp();
  assert.equal(await countSyncs(), before + 1);
  assert.deepEqual(await reader.rows(COUNT), [{ n: 20 }]);
  await addDecisions(decided(21, 20));
  await catchUp();
  assert.equal((await states.read()).server, 'two');
  assert.equal(await countSyncs(), before + 1);
});

test('each shard counts what it has itself', async (t) => {
  const { addDecisions, records, url, clickHouse, database } = await bench(t, CLUSTER);
  const { catchUp, states } = await openWriter(t, { records, url });
  await addDecisions(decided(1, BLOCK));
  await catchUp();
  const { newest, to } = await states.read();
  // Both have the same rows: those of the newest block, too.
  const count = (shards: number[]): Promise<string> => {
    const guard = guardSql({ shards, newest, to }, 'decisions_shard_v1');
    const both = `cluster('twice', currentDatabase(), 'decisions_shard_v1')`;
    return clickHouse.query(`select count() from ${both} where true ${guard}`, database);
  };
  assert.equal(await count([BLOCK, BLOCK]), String(2 * BLOCK));
  for (const shards of [[BLOCK, BLOCK - 1], [BLOCK + 1, BLOCK], [BLOCK]]) await assert.rejects(count(shards), /behind/);
});

test('statements on the cluster are what the engine reads, and carry what replicas depend on', async (t) => {
  const { addDecisions, records, url, clickHouse } = await bench(t, CLUSTER);
  const { catchUp } = await openWriter(t, { records, url });
  await addDecisions(decided(1, BLOCK));
  await catchUp();
  const statements = await clickHouse.statements();
  const settings = ['insert_quorum=auto', 'insert_quorum_parallel=0', 'distributed_foreground_insert=1'];
  for (const setting of [...settings, 'select_sequential_consistency=1', 'skip_unavailable_shards=0', 'alter_sync=2']) {
    const without = statements.filter((sql) => /^(insert|select|with|alter)/.test(sql) && !sql.includes(setting));
    assert.deepEqual(without.slice(1), [], setting);
  }
  const inserts = statements.filter((sql) => sql.startsWith(INSERT));
  assert.ok(inserts.length > 0 && inserts.every((sql) => sql.includes(' insert_shard_id=1')));
  const created = statements.flatMap((sql) => /^create table [^]*?(?= query_id=)/.exec(sql)?.[0] ?? []);
  assert.equal(created.length, 11);
  await clickHouse.query('create database taken', 'default');
  for (const sql of created) {
    assert.match(sql, /^create table if not exists \w+ on cluster `postern` /);
    // The engine has the tables for real, with the replicas' names and paths; it cannot be asked on a cluster.
    await clickHouse.query(`/* as it is */ ${sql.replace(/ on cluster `postern`/, '')}`, 'taken');
  }
  const engines = await clickHouse.query(
    'select name, engine_full from system.tables where database = currentDatabase()',
    'taken',
  );
  assert.match(engines, /decisions_shard_v1\tReplicatedMergeTree\(.*\/decisions_shard_v1\/\{shard\}.*\{replica\}/);
  assert.match(engines, /names_v1\tReplicatedReplacingMergeTree\(.*\/names_v1.*\{shard\}_\{replica\}.*ver\)/);
  const form = (sql: string): Promise<string> =>
    clickHouse.query(`/* as it is */ select formatQuery($q$${sql}$q$)`, 'default');
  for (const sql of [
    'system sync replica on cluster `postern` decisions_shard_v1',
    'delete from decisions_shard_v1 on cluster `postern` where seq >= 1 and seq <= 2',
    'alter table decisions_shard_v1 on cluster `postern` update program = 1 where seq = 1',
    'drop table if exists decisions_shard_v1 on cluster `postern` sync',
    ...created,
  ])
    assert.match(await form(sql), /ON CLUSTER postern/);
});
