/**
 * Promise: nodes that write to ClickHouse in turn count each decision once and under its own names, also where one of
 * them counts all again, erases a requester, or has another clock; a question meanwhile has the whole answer or none.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from '../../../kit/until.ts';
import { ClickHouseFailed } from '../../../src/decisions/history/clickhouse/failed.ts';
import { KEPT_MS } from '../../../src/decisions/history/clickhouse/state.ts';
import { Diverged } from '../../../src/decisions/history/columns/diverged.ts';
import { answerFind } from '../../../src/decisions/history/columns/questions.ts';
import type { Decided } from '../../usage/records.ts';
import { AT, ask, assertCounts, assertFolds, bench, decided, openWriter } from './clickhouse-bench.ts';

/** Decisions that make a block, however old they are. */
const BLOCK = 9_000;
const [PERSON, PSEUDONYM] = ['partner_1', 'erased_7'];

const eraseRecords = [
  { sql: `update decisions set requester_id = '${PSEUDONYM}' where requester_id = '${PERSON}'` },
  {
    sql: `insert into erasures (id, pseudonym, requester_id, status, walked_seq, last_seq, decisions, created_at, updated_at)
          values ('era_1', '${PSEUDONYM}', '${PERSON}', 'columns', (select max(seq) from decisions), 40, 10, 1, 1)`,
  },
];
const erased = (all: readonly Decided[]): Decided[] =>
  all.map((one) => (one.requesterId === PERSON ? { ...one, requesterId: PSEUDONYM } : one));

test('texts whose numbers another node gave anew count under their own names', async (t) => {
  const { addDecisions, records, url, clickHouse, database, db, open } = await bench(t);
  const [first, second] = [await openWriter(t, { records, url }), await openWriter(t, { records, url })];
  await addDecisions(decided(1, 20));
  await first.catchUp();
  // Registered ones are numbered before the others.
  await db.atomic([
    {
      sql: `insert into requesters (id, name, name_words, type, tags, user_agents, metadata, status, created_at, updated_at)
            values ('partner_2', 'Two', '', null, '[]', '[]', '{}', 'active', 1, 1)`,
    },
  ]);
  await clickHouse.query('truncate table marks_v1', database);
  await assert.rejects(second.writer.step(), Diverged);
  await second.catchUp();
  await addDecisions(decided(21, 20));
  await first.catchUp();
  await assertFolds(open(), decided(1, 40));
});

test('a requester that another node erased, and that comes back, has a name of its own', async (t) => {
  const { addDecisions, records, url, db, open } = await bench(t);
  const [first, second] = [await openWriter(t, { records, url }), await openWriter(t, { records, url })];
  await addDecisions(decided(1, 20));
  await first.catchUp();
  await db.atomic(eraseRecords);
  await second.catchUp();
  await addDecisions(decided(21, 20));
  await first.catchUp();
  await assertFolds(open(), [...erased(decided(1, 20)), ...decided(21, 20)]);
});

const COUNT = 'select count(*) as n from decisions';

test('a question that begins while all is counted again has no answer', async (t) => {
  const { addDecisions, records, url, clickHouse, database } = await bench(t);
  const { writer, reader, catchUp } = await openWriter(t, { records, url });
  await addDecisions(decided(1, 20));
  await catchUp();
  assert.deepEqual(await reader.rows(COUNT), [{ n: 20 }]);
  await clickHouse.query('truncate table marks_v1', database);
  await assert.rejects(writer.step(), Diverged);
  await assert.rejects(reader.rows(COUNT));
  assert.equal((await writer.step()).caughtUp, false);
  await assert.rejects(reader.rows(COUNT), /counted again/);
  await catchUp();
  assert.deepEqual(await reader.rows(COUNT), [{ n: 20 }]);
});

test('a question that runs while a requester is erased has no answer', async (t) => {
  const { addDecisions, records, url, db, clickHouse } = await bench(t);
  const [first, second] = [await openWriter(t, { records, url }), await openWriter(t, { records, url })];
  await addDecisions(decided(1, BLOCK));
  await first.catchUp();
  const ids = `select id, count(*) as n from decisions join requesters on number = requester where id like '%1'
    group by id`;
  assert.deepEqual(await first.reader.rows(ids), [{ id: PERSON, n: BLOCK / 3 }]);
  const both = first.reader.inSnapshot(async () => {
    const before = await first.reader.rows(ids);
    await db.atomic(eraseRecords);
    // Interrupted in the middle.
    await clickHouse.fail({ when: 'before', sql: 'insert into names_v1', kind: 'cut', times: 1 });
    await assert.rejects(second.writer.step());
    return [before, await first.reader.rows(ids)];
  });
  await assert.rejects(both, /is being erased/);
  await assert.rejects(first.reader.rows(ids), /is being erased/);
  await second.catchUp();
  await assert.rejects(first.reader.rows(ids), /is being erased/);
  await first.catchUp();
  assert.deepEqual(await first.reader.rows(ids), []);
});

test('a node whose clock is fast forgets nothing that questions of others still read', async (t) => {
  const { addDecisions, deleteContent, records, url, clickHouse } = await bench(t);
  const first = await openWriter(t, { records, url });
  await addDecisions(decided(1, BLOCK));
  await first.catchUp();
  await deleteContent(1);
  await first.catchUp();
  const { now } = Date;
  t.mock.method(Date, 'now', () => now() + 3_600_000);
  const second = await openWriter(t, { records, url });
  await addDecisions(decided(BLOCK + 1, 3));
  await second.catchUp();
  assert.notEqual((await second.states.read()).forgetting, null);
  const statements = await clickHouse.statements();
  assert.deepEqual(
    statements.filter((sql) => sql.startsWith('alter table')),
    [],
  );
});

test('what is forgotten while a step begins is forgotten in the next one, and not lost when that is interrupted', async (t) => {
  const { addDecisions, deleteContent, retype, records, url, clickHouse } = await bench(t);
  const { writer, catchUp, states } = await openWriter(t, { records, url });
  await addDecisions(decided(1, BLOCK));
  await catchUp();
  await deleteContent(1);
  await catchUp();
  const { forgetting: hidden } = await states.read();
  let now = (hidden?.at ?? 0) + KEPT_MS - 1;
  states.now = () => now;
  const { write } = states;
  // Due once a step has begun.
  states.write = async (...written) => {
    await write(...written);
    now += 1;
  };
  await clickHouse.fail({ when: 'after', sql: 'alter table decisions_v1 delete', kind: 'cut', times: 1 });
  const { built } = await states.read();
  await retype(2, 'video');
  await assert.rejects(async () => {
    while ((await states.read()).forgetting !== null) await writer.step();
  }, ClickHouseFailed);
  await catchUp();
  const { forgetting, built: builtNow } = await states.read();
  assert.deepEqual({ forgetting, built: builtNow }, { forgetting: null, built });
});

test('a question counts no block that was written since it began', async (t) => {
  const { records, url, addDecisions } = await bench(t);
  await addDecisions(decided(1, BLOCK));
  const [one, other] = [await openWriter(t, { records, url }), await openWriter(t, { records, url })];
  await one.catchUp();
  const find = () => answerFind(one.reader, { allowed: true }, { before: null, limit: 10 });
  const before = await find();
  assert.ok(before.totalCount > 0);
  await addDecisions(decided(BLOCK + 1, BLOCK));
  await other.catchUp();
  assert.deepEqual(await find(), before);
  await one.catchUp();
  assert.ok((await find()).totalCount > before.totalCount);
});

test('a program that only decisions about deleted items have leaves reports as they are', async (t) => {
  const { open, addDecisions, deleteContent } = await bench(t);
  const columns = open();
  const all = decided(1, 4);
  await addDecisions(all);
  await assertCounts(columns, all);
  await deleteContent(2);
  const left = all.filter(({ contentNo }) => contentNo !== 2);
  await assertCounts(columns, left);
  await addDecisions([{ ...(all[0] as Decided), seq: 5, contentNo: 2, userAgent: 'RareBot/1' }]);
  await assertCounts(columns, left);
});

test('decisions far behind are taken in blocks, with none left out between them', async (t) => {
  const { db, open, clickHouse, database } = await bench(t);
  const count = 262_144 + 100_000;
  await db.atomic([
    {
      sql: `insert into decisions (seq, at, content_no, requester_id, policy_no, policy_version, reason, inputs, enforced)
            select 2 * i, $1::bigint + i, 1 + i % 2, 'partner_' || i % 3, 1, 1, i % 3, '{}', 1
            from generate_series(1, $2::bigint) as i`,
      params: [AT, count],
    },
    { sql: `select setval('decisions_seq_seq', (select max(seq) from decisions))` },
  ]);
  const columns = open();
  const span = { from: AT, to: AT + 1e9, starts: [AT] };
  const { requests, reasons } = await ask(() => columns.report({ enforced: true, ...span, limit: 9 }));
  assert.equal(requests, count);
  assert.deepEqual(
    reasons.toSorted((a, b) => a.reason - b.reason),
    [0, 1, 2].map((reason) => ({ reason, count: Math.floor((count - reason) / 3) + (reason === 0 ? 0 : 1) })),
  );
  const counted = await clickHouse.query('select count(), uniqExact(seq) from decisions_v1', database);
  assert.match(counted, /^(\d+)\t\1$/);
  assert.equal(columns.figures().rebuilds, 1);
});

test('a block that was stored and then lost, before it counted, is stored again', async (t) => {
  const { open, addDecisions, clickHouse, database, db } = await bench(t);
  const columns = open();
  await assertCounts(columns, []);
  // Stored and acknowledged, and not read back.
  await clickHouse.fail({ when: 'before', sql: 'uniqExact(seq)', kind: 'cut', times: 1_000 });
  await addDecisions(decided(1, BLOCK));
  await assert.rejects(columns.bounds());
  await clickHouse.query('delete from decisions_v1 where true', database);
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

test('questions leave no tables behind, and steps no marks', async (t) => {
  const { open, addDecisions, clickHouse, database } = await bench(t);
  const columns = open();
  for (const from of [1, 11, 21]) {
    await addDecisions(decided(from, 10));
    await assertCounts(columns, decided(1, from + 9));
  }
  const span = { from: AT, to: AT + 1e9, starts: [AT] };
  await ask(() => columns.report({ enforced: true, ...span, limit: 9, trends: true }));
  const list = { filter: {}, named: [], sort: 'requests', after: null, limit: 5 } as const;
  // A session takes one query at a time.
  await clickHouse.fail({ when: 'after', sql: 'drop temporary table', kind: 'slow', times: 20, ms: 200 });
  await ask(() => columns.programs({ ...list, q: 'bot' }));
  await ask(() => columns.find({ pagePrefix: 'example.org/' }, { before: null, limit: 9 }));
  const isGiven = ({ table }: { table: string }): boolean => table === 'given';
  const made = (await clickHouse.statements()).flatMap((sql) => {
    const [, table] = /create or replace temporary table (\w+)/.exec(sql) ?? [];
    const [, session] = /session_id=(\S+)/.exec(sql) ?? [];
    return table === undefined || session === undefined ? [] : [{ table, session }];
  });
  const sessions = [...Map.groupBy(made, ({ session }) => session).values()];
  assert.ok(sessions.some((own) => new Set(own.map(({ table }) => table)).size > 1 && own.some(isGiven)));
  for (const { table, session } of made) {
    const exists = `exists temporary table ${table}`;
    const isGone = (): Promise<boolean> =>
      clickHouse.query(exists, database, session).then(
        (found) => found === '0',
        // The table before it is being dropped.
        (error: Error) => !error.message.includes('is locked') && Promise.reject(error),
      );
    await until(`no ${table}`, isGone);
  }
  assert.ok(Number(await clickHouse.query('select max(n) from marks_v1', database)) > 2);
  await clickHouse.query('optimize table marks_v1 final', database);
  assert.equal(await clickHouse.query('select count() from marks_v1', database), '1');
});

/** After that, a thread that does not end is ended. */
const ENDED_AFTER_MS = 10_000;

for (const [when, sql] of [
  ['a question runs', 'from decisions_v1'],
  ['it is opened', 'select version()'],
] as const) {
  test(`the columns close at once beside a ClickHouse that hangs while ${when}`, async (t) => {
    const { open, addDecisions, clickHouse } = await bench(t);
    await addDecisions(decided(1, 10));
    await clickHouse.fail({ when: 'before', sql, kind: 'slow', times: 1, ms: 60_000 });
    const columns = open();
    const asked = assert.rejects(columns.bounds());
    await until('the request', async () => (await clickHouse.statements()).some((one) => one.includes(sql)));
    const closedAt = performance.now();
    await columns.close();
    assert.ok(performance.now() - closedAt < ENDED_AFTER_MS);
    await asked;
  });
}
