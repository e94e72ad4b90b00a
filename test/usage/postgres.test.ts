/**
 * Promise: on PostgreSQL the columns are exact at once too, although decisions become visible in another order than
 * that of their places: commits that are late, taken back, or beside a stranger's transaction that stays open.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';
import { testClickHouse } from '../../kit/clickhouse.ts';
import { entry } from '../../kit/entry.ts';
import { testPostgres } from '../../kit/postgres.ts';
import { runSeed, seeded } from '../../kit/random.ts';
import { migrate } from '../../src/db/migrate.ts';
import { openPostgres } from '../../src/db/postgres/db.ts';
import { type Columns, openColumns } from '../../src/decisions/history/columns/columns.ts';
import { openPostgresLedger } from '../../src/decisions/ledger/postgres/ledger.ts';
import { ANSWER_WITHIN_MS, onClickHouse } from './records.ts';

const server = await testPostgres();

async function bench(t: TestContext) {
  const stack = new AsyncDisposableStack();
  t.after(() => stack.disposeAsync());
  const database = stack.use(await server.newDatabase());
  const db = await openPostgres(database.url);
  stack.defer(() => db.close());
  await migrate(db, 0);
  const ledger = await openPostgresLedger(db);
  await db.atomic([
    {
      sql: `insert into content (no, id, external_id, title, title_words, type, source, policy_id, metadata, tags, status,
              revision, created_at, updated_at)
            values (1, 'cnt_1', 'one', 'One', '', 'article', 'https://example.org', 'pol_default', '{}', '[]', 'active', 1, 1, 1)`,
    },
  ]);
  const folder = mkdtempSync(join(tmpdir(), 'postern-usage-'));
  stack.defer(() => rmSync(folder, { recursive: true, force: true }));
  const clickHouse = onClickHouse ? await (await testClickHouse()).newDatabase() : null;
  const problems: string[] = [];
  const client = async (): Promise<Client> => {
    const one = new Client({ connectionString: database.url });
    await one.connect();
    stack.defer(() => one.end());
    return one;
  };
  return {
    ledger,
    client,
    problems,
    open(): Columns {
      const columns = openColumns({
        records: database.url,
        columnsFile: join(folder, 'columns.duckdb'),
        clickHouse,
        ...(onClickHouse ? { answerWithinMs: ANSWER_WITHIN_MS } : {}),
        onProblem: (problem) => problems.push(problem),
      });
      stack.defer(() => columns.close());
      return columns;
    },
  };
}

/** Begins as a flush does: the transaction's number first, then the sequence numbers. */
async function begin(client: Client, count = 1): Promise<number[]> {
  await client.query('begin');
  await client.query('select pg_current_xact_id()');
  const { rows } = await client.query<{ seq: string }>(
    `insert into decisions (at, content_no, policy_no, policy_version, reason)
     select 1, 1, 1, 1, 0 from generate_series(1, $1) returning seq`,
    [count],
  );
  return rows.map(({ seq }) => Number(seq));
}

async function assertHolds(columns: Columns, seqs: readonly number[]): Promise<void> {
  const sorted = [...seqs].toSorted((a, b) => b - a);
  assert.deepEqual(await columns.find({}, { before: null, limit: 100_000 }), { seqs: sorted, totalCount: seqs.length });
}

test('a decision whose commit is late is counted as soon as it is there, though later places were taken before', async (t) => {
  const { client, open, problems } = await bench(t);
  const [late, quick] = [await client(), await client()];
  let columns = open();
  const held = await begin(late, 3);
  const taken = await begin(quick, 2);
  await quick.query('commit');
  await assertHolds(columns, taken);
  await assertHolds(columns, taken);
  // What was taken beyond the settled place is known after a restart too.
  await columns.close();
  columns = open();
  await assertHolds(columns, taken);
  await late.query('commit');
  await assertHolds(columns, [...held, ...taken]);
  await begin(late);
  taken.push(...(await begin(quick)));
  await quick.query('commit');
  await late.query('rollback');
  await assertHolds(columns, [...held, ...taken]);
  assert.deepEqual(problems, []);
});

test("a stranger's transaction that stays open delays no answer", async (t) => {
  const { client, open } = await bench(t);
  const [stranger, writer] = [await client(), await client()];
  await stranger.query('begin');
  await stranger.query('select pg_current_xact_id()');
  const columns = open();
  const all: number[] = [];
  for (let i = 0; i < 20; i++) {
    all.push(...(await begin(writer, 5)));
    await writer.query('commit');
    await assertHolds(columns, all);
  }
  await stranger.query('rollback');
  await assertHolds(columns, all);
});

test('many writers with late and lost commits, and a ledger: every question is answered exactly', async (t) => {
  t.diagnostic(`SEED=${runSeed}`);
  const { client, ledger, open, problems } = await bench(t);
  const columns = open();
  const committed: number[] = [];
  let going = true;
  const writers = Array.from({ length: 6 }, async (_, n) => {
    const random = seeded(runSeed + n);
    const own = await client();
    while (going) {
      const seqs = await begin(own, random.int(1, 4));
      await pause(random.int(0, 20));
      const lost = random.chance(0.2);
      await own.query(lost ? 'rollback' : 'commit');
      if (!lost) committed.push(...seqs);
    }
  });
  const checks = (async () => {
    while (going) for (const { seq } of await ledger.record([entry()])) committed.push(seq);
  })();
  for (let asked = 0; asked < 40; asked++) {
    const before = [...committed];
    const { seqs, totalCount } = await columns.find({}, { before: null, limit: 100_000 });
    const found = new Set(seqs);
    assert.equal(found.size, totalCount, 'a decision is there twice');
    assert.deepEqual(
      before.filter((seq) => !found.has(seq)),
      [],
      'a decision that was committed before the question is missing',
    );
  }
  going = false;
  await Promise.all([...writers, checks]);
  await assertHolds(columns, committed);
  assert.deepEqual(problems, []);
});
