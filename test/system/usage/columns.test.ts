/** Promise: the columns' answers are exact at once, and nothing that happens to their file or thread changes that. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { type TestContext, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { DuckDBInstance } from '@duckdb/node-api';
import { entry } from '../../../kit/entry.ts';
import { type Db, Unavailable } from '../../../src/db/db.ts';
import { openPostgres, type PostgresDb } from '../../../src/db/postgres/db.ts';
import type { SqliteDb } from '../../../src/db/sqlite/db.ts';
import { type Columns, type ColumnsOptions, openColumns } from '../../../src/decisions/history/columns/columns.ts';
import { openPostgresLedger } from '../../../src/decisions/ledger/postgres/ledger.ts';
import { openSqliteLedger } from '../../../src/decisions/ledger/sqlite/ledger.ts';
import { ANSWER_WITHIN_MS, type Decided, onClickHouse, openColumnRecords, type Records } from '../../usage/records.ts';

const AT = Date.UTC(2026, 10, 21, 9);

const decided = (from: number, count: number): Decided[] =>
  Array.from({ length: count }, (_, i) => {
    const seq = from + i;
    return {
      seq,
      at: AT + seq * 1000,
      contentNo: 1 + (seq % 3),
      requesterId: seq % 4 === 0 ? null : `partner_${seq % 7}`,
      policyNo: 1 + (seq % 2),
      reason: seq % 5,
    };
  });

const statsOf = (all: readonly Decided[], no: number) => ({
  total: all.filter((one) => one.contentNo === no).length,
  allowed: all.filter((one) => one.contentNo === no && one.reason === 0).length,
});

interface Bench extends Records<Db> {
  open(options?: Partial<ColumnsOptions>): Columns;
  problems: string[];
}

async function bench(t: TestContext): Promise<Bench> {
  const records = await openColumnRecords();
  const opened: Columns[] = [];
  const problems: string[] = [];
  t.after(async () => {
    for (const columns of opened) await columns.close();
    await records.close();
  });
  await records.addContent([{ no: 1 }, { no: 2, type: 'video' }, { no: 3 }]);
  return {
    ...records,
    problems,
    open(options = {}) {
      const columns = openColumns({
        records: records.records,
        columnsFile: records.columnsFile,
        clickHouse: records.clickHouse,
        ...(onClickHouse ? { answerWithinMs: ANSWER_WITHIN_MS } : {}),
        onProblem: (message) => problems.push(message),
        ...options,
      });
      opened.push(columns);
      return columns;
    },
  };
}

/** A damaged file may cost the question that found the damage; asked again, it is answered. */
async function eventually<T>(question: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await question();
    } catch (error) {
      if (!(error instanceof Unavailable)) throw error;
      await setImmediate();
    }
  }
}

async function assertHolds(columns: Columns, all: readonly Decided[]): Promise<void> {
  for (const no of [1, 2, 3]) assert.deepEqual(await eventually(() => columns.stats(no)), statsOf(all, no));
  assert.deepEqual(await eventually(() => columns.find({}, { before: null, limit: 100_000 })), {
    seqs: all.map((one) => one.seq).toReversed(),
    totalCount: all.length,
  });
}

test('a decision counts from the moment it is acknowledged', async (t) => {
  const { db, open } = await bench(t);
  const ledger = onClickHouse ? await openPostgresLedger(db as PostgresDb) : await openSqliteLedger(db as SqliteDb);
  const columns = open();
  const asked = entry({ contentNo: 2, requesterId: 'partner' });
  for (let i = 1; i <= 50; i++) {
    const [recorded] = await ledger.record([asked]);
    const [stats, found] = await Promise.all([
      columns.stats(2),
      columns.find({ requesterId: 'partner' }, { before: null, limit: 1 }),
    ]);
    assert.deepEqual(stats, { total: i, allowed: i });
    assert.deepEqual(found, { seqs: [recorded?.seq], totalCount: i });
  }
  await ledger.close();
});

test('under concurrent writing, an answer includes what was acknowledged before its question', async (t) => {
  const { db, records, open } = await bench(t);
  const another = onClickHouse ? await openPostgres(records) : undefined;
  t.after(() => another?.close());
  // Numbers are taken in transactions of several nodes, and committed in another order.
  const ledgers =
    another === undefined
      ? [await openSqliteLedger(db as SqliteDb)]
      : [await openPostgresLedger(db as PostgresDb), await openPostgresLedger(another)];
  const columns = open();
  await columns.stats(1);
  const acknowledged = new Set<number>();
  let begun = 0;
  async function decideAndAsk(_: unknown, i: number): Promise<void> {
    const ledger = ledgers[i % ledgers.length];
    for (let round = 0; round < 40; round++) {
      begun += 1;
      const [recorded] = (await ledger?.record([entry({ contentNo: 1 })])) ?? [];
      acknowledged.add(recorded?.seq as number);
      const known = [...acknowledged];
      const { seqs, totalCount } = await columns.find({}, { before: null, limit: 1_000 });
      const found = new Set(seqs);
      assert.deepEqual(
        known.filter((seq) => !found.has(seq)),
        [],
      );
      assert.ok(totalCount === seqs.length && found.size === seqs.length && totalCount <= begun);
    }
  }
  await Promise.all(Array.from({ length: 8 }, decideAndAsk));
  assert.equal((await columns.stats(1)).total, begun);
  for (const ledger of ledgers) await ledger.close();
});

test('many questions at once are answered alike', async (t) => {
  const { addDecisions, open } = await bench(t);
  const all = decided(1, 300);
  await addDecisions(all);
  const columns = open();
  const answers = await Promise.all(Array.from({ length: 200 }, (_, i) => columns.stats(1 + (i % 4))));
  for (const [i, answer] of answers.entries()) assert.deepEqual(answer, statsOf(all, 1 + (i % 4)));
});

test('questions beyond the bound are refused, those within it answered', async (t) => {
  const { open } = await bench(t);
  const columns = open();
  const answers = await Promise.allSettled(Array.from({ length: 510 }, () => columns.stats(1)));
  const refused = answers.filter((answer) => answer.status === 'rejected');
  assert.equal(refused.length, 10);
  for (const { reason } of refused) assert.ok(reason instanceof Unavailable);
});

test('a question that waits too long is refused', async (t) => {
  const { open } = await bench(t);
  const columns = open({ answerWithinMs: 1 });
  await assert.rejects(columns.stats(1), Unavailable);
  assert.equal(columns.figures().questions, 0);
});

test('deleted content is gone at once, before and after its decisions are purged', async (t) => {
  const { addDecisions, deleteContent, purge, open } = await bench(t);
  const all = decided(1, 300);
  await addDecisions(all);
  const columns = open();
  await assertHolds(columns, all);
  await deleteContent(2);
  const left = all.filter((one) => one.contentNo !== 2);
  await assertHolds(columns, left);
  // A node that had not learned of the deletion yet decided this.
  await addDecisions([{ ...(all[0] as Decided), seq: 301, contentNo: 2 }]);
  await assertHolds(columns, left);
  await purge(2);
  await assertHolds(columns, left);
  await columns.close();
  const again = open();
  await assertHolds(again, left);
  assert.equal(again.figures().rebuilds, 0);
});

test('a restart goes on where it was: nothing twice, nothing skipped', async (t) => {
  const { addContent, addDecisions, deleteContent, open } = await bench(t);
  const all: Decided[] = [];
  let expected: Decided[] = [];
  for (let round = 0; round < 5; round++) {
    const columns = open();
    const more = decided(round * 100 + 1, 100);
    await addDecisions(more);
    all.push(...more);
    expected = all.filter((one) => round < 3 || one.contentNo !== 3);
    await assertHolds(columns, expected);
    assert.equal(columns.figures().rebuilds, round === 0 ? 1 : 0);
    await columns.close();
    // Delete while the columns are closed.
    if (round === 2) await deleteContent(3);
    await addContent([{ no: 10 + round }]);
  }
});

const DAMAGES: [string, (file: string) => void][] = [
  ['deleted', (file) => rmSync(file)],
  ['emptied', (file) => truncateSync(file, 0)],
  ['cut', (file) => truncateSync(file, 20_000)],
  ['of something else', (file) => writeFileSync(file, 'not a database at all'.repeat(1000))],
  ['overwritten at its start', (file) => overwrite(file, 0, 4096)],
  ['overwritten in its headers', (file) => overwrite(file, 4096, 8192)],
  ['overwritten in its data', (file) => overwrite(file, 12_288, 100_000)],
  ['suspected of having ended the process', (file) => writeFileSync(`${file}.opening`, '')],
];

function overwrite(file: string, from: number, count: number): void {
  const bytes = readFileSync(file);
  bytes.fill(0xa5, from, from + count);
  writeFileSync(file, bytes);
}

for (const [name, damage] of onClickHouse ? [] : DAMAGES) {
  test(`a file that was ${name} is made anew`, async (t) => {
    const { addDecisions, columnsFile, open } = await bench(t);
    const all = decided(1, 5000);
    await addDecisions(all);
    const columns = open();
    await assertHolds(columns, all);
    await columns.close();
    damage(columnsFile);
    const again = open();
    await assertHolds(again, all);
    assert.ok(again.figures().rebuilds > 0);
  });
}

if (!onClickHouse)
  test('a file of another version is made anew', async (t) => {
    const { addDecisions, columnsFile, open } = await bench(t);
    const all = decided(1, 100);
    await addDecisions(all);
    const columns = open();
    await assertHolds(columns, all);
    await columns.close();
    const instance = await DuckDBInstance.create(columnsFile);
    const connection = await instance.connect();
    await connection.run('update position set version = version + 1');
    connection.closeSync();
    instance.closeSync();
    const again = open();
    await assertHolds(again, all);
    assert.equal(again.figures().rebuilds, 1);
  });

const TURNS: [string, (records: Bench) => Promise<Decided[]>][] = [
  [
    'lost its newest decisions',
    async ({ db }) => {
      await db.atomic([{ sql: 'delete from decisions where seq > 60' }]);
      return decided(1, 60);
    },
  ],
  [
    'lost its newest decisions and made others',
    async ({ db, addDecisions }) => {
      await db.atomic([{ sql: 'delete from decisions where seq > 60' }]);
      await addDecisions(decided(1001, 50));
      return [...decided(1, 60), ...decided(1001, 50)];
    },
  ],
  [
    'is another ledger',
    async ({ db }) => {
      await db.atomic([{ sql: `update settings set value = '8' where name = 'ledger_no'` }]);
      return decided(1, 100);
    },
  ],
  [
    'lost the oldest changes',
    async ({ db, deleteContent }) => {
      await deleteContent(1);
      await db.atomic([{ sql: 'delete from changes' }]);
      await db.atomic([
        { sql: `insert into changes (id, at, kind, object_id) values ('x', 9, 'policy.created', 'pol_x')` },
      ]);
      return decided(1, 100).filter((one) => one.contentNo !== 1);
    },
  ],
];

for (const [name, turn] of TURNS) {
  test(`records that came back from a backup: one that ${name}`, async (t) => {
    const all = await bench(t);
    await all.addDecisions(decided(1, 100));
    const columns = all.open();
    await assertHolds(columns, decided(1, 100));
    await columns.close();
    const expected = await turn(all);
    await assertHolds(all.open(), expected);
  });
}

test('records that came back from a backup: one from before a deletion', async (t) => {
  const { db, addContent, addDecisions, deleteContent, open } = await bench(t);
  const all = decided(1, 100);
  await addDecisions(all);
  await deleteContent(2);
  const columns = open();
  await assertHolds(
    columns,
    all.filter((one) => one.contentNo !== 2),
  );
  await columns.close();
  await db.atomic([
    { sql: 'delete from changes where seq > 3' },
    {
      sql:
        db.engine === 'sqlite'
          ? `update sqlite_sequence set seq = 3 where name = 'changes'`
          : `select setval(pg_get_serial_sequence('changes', 'seq'), 3)`,
    },
    { sql: `insert into changes (id, at, kind, object_id) values ('x', 9, 'policy.created', 'pol_x')` },
  ]);
  await addContent([{ no: 2 }]);
  await assertHolds(open(), all);
});

test('killed while it was being filled, the file goes on from its last whole step', async (t) => {
  const { addDecisions, records, columnsFile, clickHouse, open } = await bench(t);
  const all = decided(1, 420_000);
  await addDecisions(all);
  const script = new URL('./killed.ts', import.meta.url).pathname;
  for (const behind of [420_000, 200_000, 50_000]) {
    const { signal } = spawnSync(process.execPath, [script, records, columnsFile, String(behind), clickHouse ?? '']);
    assert.equal(signal, 'SIGKILL');
  }
  const columns = open();
  for (const no of [1, 2, 3]) assert.deepEqual(await columns.stats(no), statsOf(all, no));
  assert.equal((await columns.find({}, { before: null, limit: 1 })).totalCount, all.length);
  assert.equal(columns.figures().rebuilds, 0);
});

test('a thread that dies is replaced; its questions are refused', async (t) => {
  const { addDecisions, columnsFile, open, problems } = await bench(t);
  const all = decided(1, 100);
  await addDecisions(all);
  const columns = open({ worker: new URL('./failing-worker.ts', import.meta.url) });
  await assertHolds(columns, all);
  writeFileSync(`${columnsFile}.crash`, '');
  await assert.rejects(columns.stats(1), Unavailable);
  await assertHolds(columns, all);
  assert.equal(columns.figures().restarts, 1);
  assert.match(problems.join(), /ordered to die/);
});

test('closed columns refuse', async (t) => {
  const { open } = await bench(t);
  const columns = open();
  await columns.close();
  await assert.rejects(columns.stats(1), Unavailable);
  await columns.close();
});

test('records that cannot be opened make questions unavailable, nothing else', async (t) => {
  const { open, records } = await bench(t);
  const columns = open({ records: onClickHouse ? 'postgres://127.0.0.1:9/absent' : `${records}.absent` });
  await assert.rejects(columns.stats(1), Unavailable);
});
