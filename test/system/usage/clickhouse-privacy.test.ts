/**
 * Promise: what is erased, retired or deleted is in no answer at once, and in none of ClickHouse's data soon after,
 * also where ClickHouse was away or killed meanwhile, or came back from a copy. No statement has the id of a person or
 * a URL: servers log them.
 */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Fault } from '../../../kit/clickhouse.ts';
import { findTraces } from '../../../kit/clickhouse-traces.ts';
import { Unavailable } from '../../../src/db/db.ts';
import type { Decided } from '../../usage/records.ts';
import { AT, ask, assertCounts, bench, decided, FORGET_NOW } from './clickhouse-bench.ts';

const [PERSON, NAME, PSEUDONYM] = ['mira.sandoval@example.net', 'Mira Sandoval', 'erased_kq27'];
const [SECRET, AGENT] = ['example.org/letters/to-doctor-vesper', 'VesperReader/2.1'];
const TRACES = [PERSON, NAME, SECRET, 'vesperreader'];

/** Decisions of a person among others', the same every time. */
const some = (from: number, count: number): Decided[] =>
  decided(from, count).map((one) =>
    one.seq % 4 === 0
      ? { ...one, requesterId: PERSON, url: `${SECRET}?of=${one.seq}`, claimed: PERSON, userAgent: AGENT }
      : one.seq % 4 === 1
        ? { ...one, requesterId: null, url: `${SECRET}/${one.seq}`, userAgent: AGENT }
        : one,
  );

async function givenPerson(t: TestContext) {
  const given = await bench(t);
  const { db, addDecisions } = given;
  await db.atomic([
    {
      sql: `insert into requesters (id, name, name_words, type, tags, user_agents, metadata, status, created_at, updated_at)
            values ($1, $2, '', null, '[]', '[]', '{}', 'active', 1, 1)`,
      params: [PERSON, NAME],
    },
    {
      sql: `insert into changes (id, at, kind, object_id) values ('chg_person', 5, 'requester.created', $1)`,
      params: [PERSON],
    },
  ]);
  await addDecisions(some(1, 40));
  const columns = given.open();
  await assertCounts(columns, some(1, 40));
  const { rows } = await ask(() => columns.seen({ filter: {}, sort: 'requests', after: null, limit: 10 }));
  assert.equal(rows.find(({ id }) => id === PERSON)?.registered?.name, NAME);

  /** Erases as the service does: first the records, then the columns, at last the id itself. */
  async function eraseRecords(): Promise<void> {
    await db.atomic([
      {
        sql: 'update decisions set requester_id = $2, inputs = $3 where requester_id = $1',
        params: [PERSON, PSEUDONYM, '{}'],
      },
      { sql: 'update decisions set claimed = $2 where claimed = $1', params: [PERSON, PSEUDONYM] },
      { sql: 'delete from requesters where id = $1', params: [PERSON] },
      { sql: `update changes set object_id = $2 where object_id = $1`, params: [PERSON, PSEUDONYM] },
      {
        sql: `insert into erasures (id, pseudonym, requester_id, status, walked_seq, last_seq, decisions, created_at, updated_at)
              values ('era_1', $2, $1, 'columns', (select max(seq) from decisions), 40, 10, 1, 1)`,
        params: [PERSON, PSEUDONYM],
      },
    ]);
  }
  const finish = (): Promise<unknown> =>
    db.atomic([{ sql: `update erasures set status = 'done', requester_id = null` }]);
  const assertErased = async (): Promise<void> => {
    const report = await ask(() => columns.report({ enforced: true, from: AT, to: AT + 1e9, starts: [AT], limit: 9 }));
    assert.deepEqual(
      report.topRequesters.find(({ id }) => id === PSEUDONYM),
      { id: PSEUDONYM, requests: 10 },
    );
    assert.ok(!JSON.stringify(report).includes(PERSON));
    const { rows: seen } = await ask(() => columns.seen({ filter: {}, sort: 'requests', after: null, limit: 10 }));
    assert.ok(!JSON.stringify(seen).includes(PERSON) && !JSON.stringify(seen).includes(NAME));
    await assertCounts(columns, some(1, 40));
  };
  return { ...given, columns, eraseRecords, finish, assertErased };
}

test('no statement has what a person asked for, or was asked about', async (t) => {
  const { columns, clickHouse, db } = await givenPerson(t);
  const span = { from: AT, to: AT + 1e9 };
  const report = { enforced: true, ...span, starts: [AT], limit: 5, trends: true } as const;
  const ours = await ask(() => columns.report({ ...report, requesterId: PERSON }));
  assert.equal(ours.requests, 10);
  const found = async (filter: Parameters<typeof columns.find>[0]) =>
    (await ask(() => columns.find(filter, { before: null, limit: 100 }))).totalCount;
  assert.equal(await found({ requesterId: PERSON, url: SECRET }), 10);
  assert.equal(await found({ url: SECRET }), 20);
  assert.equal(await found({ page: SECRET }), 10);
  assert.equal(await found({ pagePrefix: SECRET }), 20);
  assert.equal(await found({ url: `${SECRET}' or '1' = '1` }), 0);
  assert.equal(await found({ program: 'vesperreader' }), 20);
  const seen = { filter: {}, sort: 'requests', limit: 1 } as const;
  const { rows, upTo } = await ask(() => columns.seen({ ...seen, q: 'SANDOVAL', after: null }));
  assert.deepEqual(
    rows.map(({ id }) => id),
    [PERSON],
  );
  const after = { upTo, value: 10, id: PERSON };
  const rest = await ask(() => columns.seen({ ...seen, after }));
  assert.ok(rest.rows.every(({ id }) => id !== PERSON));
  const demand = { filter: { requesterId: PERSON }, reasons: [1, 2], by: ['requester'], ...span } as const;
  const denied = await ask(() =>
    columns.demand({ ...demand, q: PERSON, sort: 'denied', ascending: false, after: null, limit: 5 }),
  );
  assert.equal(denied.rows[0]?.name, NAME);
  await ask(() => columns.demand({ ...demand, sort: 'denied', ascending: false, after, limit: 5 }));
  await ask(() => columns.visitors({ ...report, pages: 5 }));
  await ask(() => columns.programs({ filter: {}, q: 'vesper', named: [], sort: 'requests', after: null, limit: 5 }));
  await db.atomic([FORGET_NOW]);
  await assertCounts(columns, some(1, 40));
  const statements = await clickHouse.statements();
  assert.ok(statements.length > 50);
  const texts = [...TRACES, 'SANDOVAL', 'vesper', PSEUDONYM];
  assert.deepEqual(
    statements.filter((sql) => texts.some((text) => sql.includes(text))),
    [],
  );
});

test('an erased requester is in no answer, and in no data of ClickHouse', async (t) => {
  const { clickHouse, database, eraseRecords, finish, assertErased, problems } = await givenPerson(t);
  assert.ok((await findTraces(clickHouse, database, [PERSON, NAME])).length > 0);
  await eraseRecords();
  await assertErased();
  assert.deepEqual(await findTraces(clickHouse, database, [PERSON, NAME]), []);
  await finish();
  await assertErased();
  assert.deepEqual(problems, []);
});

const DURING: [string, Fault][] = [
  ['before values are overwritten', { when: 'before', sql: 'alter table decisions_v1 update', kind: 'kill', times: 1 }],
  ['once the requester is unregistered', { when: 'after', sql: 'insert into registered_v1', kind: 'kill', times: 1 }],
  ['before texts are copied', { when: 'before', sql: 'insert into names_v1', kind: 'kill', times: 1 }],
  ['before texts are rewritten', { when: 'before', sql: 'optimize table names_v1', kind: 'kill', times: 1 }],
  ['after texts are rewritten', { when: 'after', sql: 'optimize table names_v1', kind: 'kill', times: 1 }],
];
for (const [name, fault] of DURING) {
  test(`an erasure goes on where ClickHouse was killed ${name}`, async (t) => {
    const { columns, clickHouse, database, eraseRecords, assertErased } = await givenPerson(t);
    await clickHouse.fail(fault);
    await eraseRecords();
    await assert.rejects(columns.bounds(), Unavailable);
    await clickHouse.kill();
    await clickHouse.start();
    await assertErased();
    assert.deepEqual(await findTraces(clickHouse, database, [PERSON, NAME]), []);
  });
}

test('an erasure goes on where ClickHouse did not rewrite its texts', async (t) => {
  const { clickHouse, database, eraseRecords, assertErased } = await givenPerson(t);
  await clickHouse.fail({ when: 'before', sql: 'optimize table names_v1', kind: 'lost', times: 1 });
  await eraseRecords();
  await assertErased();
  assert.deepEqual(await findTraces(clickHouse, database, [PERSON, NAME]), []);
});

test('an erasure waits for a ClickHouse that is away', async (t) => {
  const { columns, clickHouse, database, eraseRecords, assertErased } = await givenPerson(t);
  await clickHouse.kill();
  await eraseRecords();
  await assert.rejects(columns.bounds(), Unavailable);
  await clickHouse.start();
  await assertErased();
  assert.deepEqual(await findTraces(clickHouse, database, [PERSON, NAME]), []);
});

test('a copy of ClickHouse from before an erasure brings back nothing of it', async (t) => {
  const { clickHouse, database, eraseRecords, finish, assertErased } = await givenPerson(t);
  await clickHouse.copy();
  await eraseRecords();
  await assertErased();
  await finish();
  await clickHouse.restore();
  await assertErased();
  assert.deepEqual(await findTraces(clickHouse, database, [PERSON, NAME]), []);
});

test('an erasure that the columns never followed is in no data of theirs', async (t) => {
  const { clickHouse, database, eraseRecords, finish, assertErased, db } = await givenPerson(t);
  await eraseRecords();
  await finish();
  await assertErased();
  assert.deepEqual(await findTraces(clickHouse, database, [PERSON, NAME]), []);
  const kept = await db.read('select 1 as one from column_names where id = $1', [PERSON]);
  assert.deepEqual(kept, []);
});

const FORGOTTEN: [string, (given: Awaited<ReturnType<typeof givenPerson>>) => Promise<Decided[]>][] = [
  [
    'decisions that left the log',
    async ({ db }) => {
      await db.atomic([
        { sql: `insert into settings (name, value) values ('decisions_retired_to', '40')` },
        {
          sql: `insert into daily_counts (day, content_no, requester_id, policy_no, reason, purpose, permission, collection_id,
                  crawler, license_id, claimed, verified, enforced, policy_version, rule_index, wanted, requests)
                select $1::bigint, content_no, coalesce(requester_id, ''), policy_no, reason, '', '', '', '', '',
                  coalesce(claimed, ''), 0, 1, 1, -1, '', count(*)
                from decisions group by content_no, requester_id, policy_no, reason, claimed`,
          params: [AT],
        },
        { sql: 'delete from decisions' },
      ]);
      return [];
    },
  ],
  [
    'decisions on items that were deleted',
    async ({ deleteContent, purge }) => {
      for (const no of [1, 2]) {
        await deleteContent(no);
        await purge(no);
      }
      return [];
    },
  ],
];
for (const [name, turn] of FORGOTTEN) {
  test(`URLs and programs of ${name} are in no data of ClickHouse`, async (t) => {
    const given = await givenPerson(t);
    const { columns, clickHouse, database, db } = given;
    const texts = [SECRET, 'vesperreader'];
    assert.ok((await findTraces(clickHouse, database, texts)).length > 0);
    const left = await turn(given);
    const page = { before: null, limit: 100 };
    const filter = { after: 0 };
    assert.equal((await ask(() => columns.find(filter, page))).totalCount, left.length);
    const shown = await ask(() => columns.stats(1));
    await db.atomic([FORGET_NOW]);
    assert.equal((await ask(() => columns.find(filter, page))).totalCount, left.length);
    assert.deepEqual(await ask(() => columns.stats(1)), shown);
    assert.deepEqual(await findTraces(clickHouse, database, texts), []);
    assert.deepEqual(await db.read(`select id from column_names where strpos(id, $1) > 0`, [SECRET]), []);
  });
}

test('programs of erased inputs are in no data of ClickHouse', async (t) => {
  const { columns, clickHouse, database, db } = await givenPerson(t);
  await db.atomic([
    { sql: `insert into settings (name, value) values ('inputs_erased_to', '40')` },
    { sql: `update decisions set inputs = '{}'` },
  ]);
  const programs = () =>
    ask(() => columns.programs({ filter: {}, named: [], sort: 'requests', after: null, limit: 5 }));
  assert.deepEqual((await programs()).rows, []);
  await db.atomic([FORGET_NOW]);
  assert.deepEqual((await programs()).rows, []);
  assert.deepEqual(await findTraces(clickHouse, database, ['vesperreader']), []);
  await assertCounts(columns, some(1, 40));
});
