/**
 * Promise: decisions that moved to a cluster of ClickHouse are as safe and as whole as on one server. A replica that is
 * behind is waited for, and answers nothing meanwhile; a shard that no server has is no empty one. The cluster is one
 * process of the engine: its Distributed tables are real, its replicas are not.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Fault } from '../../../kit/clickhouse.ts';
import { StartRefused } from '../../../src/db/start-refused.ts';
import { reading } from '../../../src/decisions/history/moved/blocks.ts';
import { findPurged } from '../../../src/decisions/history/moved/leave.ts';
import { fromBlock, placeOn } from '../../../src/decisions/history/moved/place.ts';
import { readMovedOf } from '../../../src/decisions/history/moved/read.ts';
import { keepStore, openMovedStore } from '../../../src/decisions/history/moved/store.ts';
import { openMoved } from '../../../src/service/moved.ts';
import { ALL, movingBench } from './clickhouse-moving-bench.ts';

const CLUSTER = { cluster: 'postern' };
const ROWS = 'records_shard_1';
const SYNC = `system sync replica on cluster \`postern\` ${ROWS}`;
const NOT_THERE = /moved to ClickHouse, and are not there as they were: restore its backup/;

type Bench = Awaited<ReturnType<typeof movingBench>>;

/** Hides rows from the replica that answers until replicas are waited for; or for good. */
async function fallBehind({ clickHouse, database }: Bench, { where = 'true', forGood = false } = {}): Promise<void> {
  await clickHouse.query(`create table aside as ${ROWS} engine = Memory`, database).catch(() => undefined);
  await clickHouse.query('truncate table aside', database);
  await clickHouse.query(`insert into aside select * from ${ROWS} where ${where}`, database);
  await clickHouse.query(`alter table ${ROWS} delete where ${where} settings mutations_sync = 2`, database);
  if (!forGood) await clickHouse.catchUpBy(ROWS, `insert into ${ROWS} select * from aside`);
}

const FAULTS: [string, Fault][] = [
  ['after it is stored', { when: 'after', sql: 'insert into records_1', kind: 'kill', times: 1 }],
  [
    'by an insert that was answered, and not done',
    { when: 'before', sql: 'insert into records_1', kind: 'lost', times: 1 },
  ],
];
test('a block whose move to a cluster is broken off', async (t) => {
  for (const [name, fault] of FAULTS) {
    await t.test(name, async (own) => {
      const { clickHouse, mover, moves, find } = await movingBench(own, CLUSTER);
      await clickHouse.fail(fault);
      const look = mover();
      await look();
      await clickHouse.kill();
      await clickHouse.start();
      await moves(look);
      assert.deepEqual(
        (await find()).map(({ shard }) => shard),
        [1],
      );
    });
  }
});

test('a replica that is behind is waited for before a block is given up, and before it leaves PostgreSQL', async (t) => {
  const given = await movingBench(t, CLUSTER);
  const { db, clickHouse, mover, nextDay, read } = given;
  const look = mover();
  // Its insert is answered once most replicas have it, and this one has nothing yet.
  await clickHouse.fail({ when: 'after', sql: 'insert into records_1', kind: 'cut', times: 1 });
  await look();
  await fallBehind(given);
  const blocks = () => db.read<{ block: number; state: string }>('select block, state from record_blocks');
  const [planned] = await blocks();
  await look();
  assert.deepEqual(await blocks(), [{ block: planned?.block, state: 'verified' }]);

  nextDay();
  await fallBehind(given);
  const before = (await clickHouse.statements()).length;
  await look();
  assert.equal((await read()).moved.length, ALL.length - 1);
  const statements = (await clickHouse.statements()).slice(before);
  const isReading = (sql: string): boolean => sql.includes('inputs from records_1 where block');
  const at = statements.findIndex((sql) => sql.startsWith(SYNC));
  assert.ok(at !== -1 && at < statements.findIndex(isReading), 'replicas are waited for first');
  // Those of a new server, too.
  assert.match(statements[at - 1] ?? '', /^create table if not exists records_1 on cluster `postern` /);
});

test('a replica that is behind answers nothing, and is waited for before a block counts as lost', async (t) => {
  const given = await movingBench(t, CLUSTER);
  const { db, store, clickHouse, problems, mover, moves, nextDay, find } = given;
  const look = mover();
  await moves(look);
  const readSome = async (seqs: number[]): Promise<unknown[]> =>
    (await readMovedOf(reading(db), store, seqs)).map(([seq]) => seq);
  // Rows that a question asks for, and others of the block.
  for (const where of ['true', 'seq = 3', 'seq = 20']) {
    await fallBehind(given, { where });
    assert.deepEqual(await readSome([3, 4]), [3, 4], where);
  }
  await fallBehind(given, { where: 'seq = 20' });
  nextDay();
  await look();
  assert.deepEqual(await db.read('select lost from record_blocks'), [{ lost: 0 }]);

  for (const where of ['seq = 20', 'seq = 3', 'true']) {
    await fallBehind(given, { where, forGood: true });
    await assert.rejects(readSome([3, 4]), NOT_THERE, where);
    await clickHouse.query(`insert into ${ROWS} select * from aside`, given.database);
  }
  // As many of them, and others.
  const change = (how: string): Promise<unknown> =>
    clickHouse.query(
      `alter table ${ROWS} update at = at ${how} 1 where seq = 20 settings mutations_sync = 2`,
      given.database,
    );
  await change('+');
  await assert.rejects(readSome([3, 4]), NOT_THERE, 'another value');
  await change('-');
  assert.deepEqual(await readSome([3, 4]), [3, 4]);
  await clickHouse.query(`insert into ${ROWS} select * from aside where seq = 3`, given.database);
  await assert.rejects(readSome([4]), NOT_THERE, 'a row that is there twice');
  nextDay();
  await look();
  assert.match(problems.at(-1) ?? '', /^ClickHouse does not have decisions that moved to it: 1 to 29;/);
  assert.equal((await find()).length, 1);
});

test('a block whose shard no server has is refused', async (t) => {
  const given = await movingBench(t, CLUSTER);
  const { db, store, mover, moves } = given;
  await moves(mover());
  await fallBehind(given, { forGood: true });
  await db.atomic([{ sql: 'update record_blocks set shard = 2' }]);
  await assert.rejects(readMovedOf(reading(db), store, [3]), NOT_THERE);
});

test('the server of a shard compares the blocks of that shard alone', async (t) => {
  const { db, clickHouse, database, mover, moves, find } = await movingBench(t, CLUSTER);
  await moves(mover());
  await db.atomic([{ sql: 'update record_blocks set shard = 2' }]);
  // Two shards, of which the second has all rows.
  await clickHouse.query(`rename table ${ROWS} to all_rows`, database);
  await clickHouse.query(`create view ${ROWS} as select * from all_rows where shardNum() = 2`, database);
  await clickHouse.query('drop table records_1 sync', database);
  const engine = `Distributed('twice', '${database}', '${ROWS}')`;
  await clickHouse.query(`create table records_1 as all_rows engine = ${engine}`, database);
  const [block] = await find();
  assert.ok(block !== undefined);
  const place = placeOn({ name: 'twice', database });
  const count = (rows: number): Promise<string> =>
    clickHouse.query(`select count() ${fromBlock(place, { ...block, rows })}`, database);
  assert.equal(await count(ALL.length - 1), String(ALL.length - 1));
  await assert.rejects(count(ALL.length), /Code: 395/);
});

test('what leaves a block is looked for and deleted on all replicas', async (t) => {
  const { db, store, clickHouse, database, mover, moves, nextDay, find, read } = await movingBench(t, CLUSTER);
  const look = mover();
  await moves(look);
  keepStore(db, store);
  const all = `clusterAllReplicas('postern', '${database}', '${ROWS}')`;
  for await (const { leave } of findPurged(db, [1], 1)) await db.atomic(leave);
  const gone = ALL.filter(({ seq, contentNo }) => contentNo === 1 && seq < ALL.length).length;
  assert.equal((await read()).moved.length, ALL.length - 1 - gone);
  nextDay();
  await look();
  assert.equal(await clickHouse.query(`select count() from ${ROWS}`, database), String(ALL.length - 1 - gone));
  assert.equal((await read()).moved.length, ALL.length - 1 - gone);
  const statements = await clickHouse.statements();
  const [change = ''] = statements.filter((sql) => sql.startsWith('alter table'));
  assert.match(change, new RegExp(`^alter table ${ROWS} on cluster \`postern\` delete where \\(block = `));
  assert.ok(statements.some((sql) => sql.startsWith(`select distinct block from ${all} where content_no in (1)`)));
  const counted = statements.filter((sql) => sql.startsWith(`select count() from ${all} where (block = `));
  assert.equal(counted.length, 2);
  assert.equal((await find()).length, 1);
});

test('a server in the place of another gets the tables', async (t) => {
  const { clickHouse, database, mover, moves } = await movingBench(t, CLUSTER);
  const look = mover();
  await clickHouse.fail({ when: 'after', sql: 'insert into records_1', kind: 'cut', times: 1 });
  await look();
  for (const name of ['records_1', ROWS]) await clickHouse.query(`drop table ${name} sync`, database);
  await moves(look);
});

test('a node whose setting names another kind of place does not start, and reads nothing', async (t) => {
  const { db, url, store, mover, moves } = await movingBench(t, CLUSTER);
  await moves(mover());
  const other = openMovedStore(url.replace('?cluster=postern', ''));
  t.after(() => other.close());
  const open = (place: string): Promise<unknown> => openMoved(db, place, new AsyncDisposableStack());
  const cases = [
    { shard: 1, right: store, wrong: other, says: /to a cluster of ClickHouse: set POSTERN_COLUMNS_CLUSTER, too/ },
    { shard: 0, right: other, wrong: store, says: /to one server of ClickHouse: unset POSTERN_COLUMNS_CLUSTER/ },
  ];
  for (const { shard, right, wrong, says } of cases) {
    await db.atomic([{ sql: 'update record_blocks set shard = $1', params: [shard] }]);
    const urlOf = (one: typeof store): string => (one === store ? url : url.replace('?cluster=postern', ''));
    const isRefused = (error: Error): boolean => error instanceof StartRefused && says.test(error.message);
    await assert.rejects(open(urlOf(wrong)), isRefused);
    await open(urlOf(right));
    await assert.rejects(readMovedOf(reading(db), wrong, [3]), says);
  }
});

test('a block that did not move yet is planned anew where the setting says', async (t) => {
  const { db, mover, moves } = await movingBench(t, CLUSTER);
  const look = mover();
  await look();
  for (const state of ['planned', 'verified', 'given up']) {
    await db.atomic([{ sql: 'update record_blocks set shard = 0, state = $1', params: [state] }]);
    for (let i = 0; i < 3; i++) await look();
    const blocks = await db.read(`select state, shard from record_blocks where state <> 'given up'`);
    assert.deepEqual(blocks, [{ state: 'verified', shard: 1 }], state);
  }
  await moves(look);
});

test('inserts and tables are for the cluster, and carry what replicas depend on', async (t) => {
  const { clickHouse, mover, moves } = await movingBench(t, CLUSTER);
  await moves(mover());
  const statements = await clickHouse.statements();
  const settings = ['insert_quorum=auto', 'insert_quorum_parallel=0', 'select_sequential_consistency=1'];
  for (const setting of [...settings, 'distributed_foreground_insert=1', 'enable_shared_storage_snapshot_in_query=1']) {
    const without = statements.filter((sql) => /records_/.test(sql) && !sql.includes(setting));
    assert.deepEqual(without, [], setting);
  }
  const inserts = statements.filter((sql) => sql.startsWith('insert into records_1'));
  assert.ok(inserts.length > 0 && inserts.every((sql) => sql.includes(' insert_shard_id=1')));
  const created = statements.flatMap((sql) => /^create table [^]*?(?= query_id=)/.exec(sql)?.[0] ?? []);
  await clickHouse.query('create database taken', 'default');
  for (const sql of new Set(created)) {
    assert.match(sql, /^create table if not exists \w+ on cluster `postern` /);
    await clickHouse.query(`/* as it is */ ${sql.replace(/ on cluster `postern`/, '')}`, 'taken');
  }
  const engines = await clickHouse.query(
    'select name, engine_full from system.tables where database = currentDatabase()',
    'taken',
  );
  assert.match(engines, /records_shard_1\tReplicatedMergeTree\(.*\/records_shard_1\/\{shard\}.*\{replica\}/);
  assert.match(engines, /replicated_deduplication_window = 0, fsync_after_insert = 1, fsync_part_directory = 1/);
  for (const sql of [SYNC, `alter table ${ROWS} on cluster \`postern\` update inputs = reduced where block = 1`]) {
    assert.match(
      await clickHouse.query(`/* as it is */ select formatQuery($q$${sql}$q$)`, 'default'),
      /ON CLUSTER postern/,
    );
  }
});
