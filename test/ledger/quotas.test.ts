/** Quotas that several nodes claim all the time, while connections are cut: no unit is given twice, none is lost. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { entry } from '../../kit/entry.ts';
import { query, testPostgres } from '../../kit/postgres.ts';
import { until } from '../../kit/until.ts';
import { Unavailable } from '../../src/db/db.ts';
import { migrate } from '../../src/db/migrate.ts';
import { openPostgres, type PostgresDb } from '../../src/db/postgres/db.ts';
import { type Ledger, type Recorded, Stale } from '../../src/decisions/ledger/ledger.ts';
import { openPostgresLedger } from '../../src/decisions/ledger/postgres/ledger.ts';
import type { QuotaClaim } from '../../src/decisions/ledger/quota/quota.ts';
import { REASONS } from '../../src/rules/reason.ts';
import type { QuotaSpan } from '../../src/rules/terms/quota.ts';

const server = await testPostgres();

async function nodes(count: number) {
  const database = await server.newDatabase();
  const dbs = await Promise.all(Array.from({ length: count }, () => openPostgres(database.url)));
  await Promise.all(dbs.map((db) => migrate(db, 0)));
  return {
    url: database.url,
    db: dbs[0] as PostgresDb,
    ledgers: await Promise.all(dbs.map((db) => openPostgresLedger(db))),
    async [Symbol.asyncDispose]() {
      await Promise.all(dbs.map((db) => db.close()));
      await database[Symbol.asyncDispose]();
    },
  };
}

const span = (licenseId: string, units: number, more: Partial<QuotaSpan> = {}): QuotaSpan => ({
  licenseId,
  requesterId: 'r',
  version: 1,
  unit: 'decision',
  purposes: undefined,
  units,
  denies: true,
  expires: Infinity,
  period: 'term',
  start: 0,
  end: Infinity,
  from: 0,
  until: Infinity,
  alerts: [0.5, 1],
  ...more,
});
const claimOf = (...quotas: QuotaSpan[]): QuotaClaim => ({
  offers: quotas.map((quota) => ({ licenseId: quota.licenseId, quota })),
  content: null,
  spends: true,
});

/** Asks while `goesOn`; a check in doubt or behind is asked again as another. */
async function ask(ledger: Ledger, quota: QuotaClaim, goesOn: () => boolean, told: (one: Recorded) => void) {
  let failed = 0;
  while (goesOn()) {
    try {
      const limit = { requests: 1_000_000, period: 'day' as const };
      const [one] = await ledger.record([entry({ quota, claim: { key: 'k', limit }, requesterId: 'r' })]);
      told(one as Recorded);
    } catch (error) {
      assert.ok(error instanceof Unavailable || error instanceof Stale, String(error));
      failed++;
    }
  }
  return failed;
}

const cut = `select pg_terminate_backend(pid) from pg_stat_activity
  where datname = current_database() and application_name = 'postern' and state <> 'idle' and pid <> pg_backend_pid()`;

test('connections that are cut in the middle of flushes give no unit twice and lose none, of two licenses in turn', async () => {
  await using cluster = await nodes(3);
  const UNITS = 700;
  const claim = claimOf(span('lic_a', UNITS), span('lic_b', UNITS));
  const told: Recorded[] = [];
  let asking = true;
  const asked = cluster.ledgers.flatMap((ledger) =>
    Array.from({ length: 12 }, () =>
      ask(
        ledger,
        claim,
        () => asking,
        (one) => told.push(one),
      ),
    ),
  );
  for (let i = 0; i < 8; i++) {
    const before = told.length;
    await query(cluster.url, cut);
    await until('more is recorded', () => told.length > before + 60);
  }
  await until('both are used up', () => told.some(({ quota }) => quota?.refused === true), 60_000);
  asking = false;
  const failed = (await Promise.all(asked)).reduce((sum, n) => sum + n, 0);
  const rows = await cluster.db.read<{ license_id: string; reason: number; n: number }>(
    'select license_id, reason, count(*) as n from decisions group by 1, 2 order by 1, 2',
  );
  const served = rows.filter(({ reason }) => reason === 0).map(({ license_id, n }) => [license_id, n]);
  assert.deepEqual(served, [
    ['lic_a', UNITS],
    ['lic_b', UNITS],
  ]);
  const [limit] = await cluster.db.read<{ state: string }>(`select state from limits where key = 'k'`);
  assert.equal((JSON.parse(limit?.state ?? '[]') as number[])[1], 2 * UNITS, 'a refused check uses no limit');
  const acknowledged = told.filter(({ quota }) => quota?.refused === false).map(({ seq }) => seq);
  assert.equal(new Set(acknowledged).size, acknowledged.length);
  const refused = rows.filter(({ reason }) => reason !== 0).map(({ reason }) => reason);
  assert.deepEqual(refused, [REASONS.quota_exceeded.code]);
  const events = await cluster.db.read<{ object_id: string; kind: string }>(
    'select object_id, kind from events order by object_id, kind',
  );
  const kinds = events.map(({ object_id, kind }) => `${object_id} ${kind}`);
  const each = ['lic_a', 'lic_b'].map((id) => kinds.filter((one) => one === `${id} license.threshold_reached`).length);
  assert.deepEqual(each, [2, 2], 'each part is announced once');
  assert.equal(kinds.filter((one) => one.endsWith('quota_exceeded')).length, 1);
  assert.ok(failed > 0, 'no connection was cut in the middle of a flush');
});

test('what nodes record without a claim, after another has counted the license, counts', async () => {
  await using cluster = await nodes(2);
  const [knowing, late] = cluster.ledgers as [Ledger, Ledger];
  const without = () => late.record([entry({ licenseId: 'lic_a' })]);
  await Promise.all(Array.from({ length: 5 }, without));
  const use = async () => (await knowing.record([entry({ quota: claimOf(span('lic_a', 10)) })]))[0]?.quota;
  assert.equal((await use())?.quota?.used, 6);
  await without();
  await without();
  assert.equal((await use())?.quota?.used, 9);
  assert.equal((await use())?.refused, false);
  assert.equal((await use())?.refused, true);
});

test('checks that wait while others turn out to know older terms see every unit of a count that is not settled', async () => {
  await using cluster = await nodes(1);
  const [ledger] = cluster.ledgers as [Ledger];
  const use = async (...licenses: string[]) =>
    (await ledger.record(licenses.map((id) => entry({ quota: claimOf(span(id, 1_000)) }))))[0]?.quota?.quota?.used;
  assert.equal(await use('lic_a', 'lic_b'), 1);
  for (let round = 0; round < 10; round++) {
    // Another node opens the count of newer terms, and this one does not know yet.
    const [before] = await cluster.db.read<{ used: number }>(
      `select count(*) as used from decisions where license_id = 'lic_a'`,
    );
    await query(cluster.url, `update limits set state = jsonb_set(state::jsonb, '{0}', '2') where key = 'q.lic_b'`);
    const behind = assert.rejects(use('lic_a', 'lic_b'), Stale);
    const waiting: Promise<number | undefined>[] = [];
    for (let i = 0; i < 40; i++) {
      await new Promise(setImmediate);
      // Decided again, as the service does.
      waiting.push(use('lic_a').catch((error) => (error instanceof Stale ? use('lic_a') : Promise.reject(error))));
    }
    await behind;
    const used = await Promise.all(waiting);
    assert.deepEqual(
      used.toSorted((a = 0, b = 0) => a - b),
      used.map((_, i) => Number(before?.used) + 1 + i),
    );
    await query(cluster.url, `update limits set state = jsonb_set(state::jsonb, '{0}', '1') where key = 'q.lic_b'`);
    await use('lic_b');
  }
});

test('counts that are not settled are each counted from their own number on', async () => {
  await using cluster = await nodes(1);
  const [ledger] = cluster.ledgers as [Ledger];
  const use = async (...licenses: string[]) =>
    (await ledger.record(licenses.map((id) => entry({ quota: claimOf(span(id, 1_000)) })))).map(
      ({ quota }) => quota?.quota?.used,
    );
  assert.deepEqual(await use('lic_a', 'lic_b'), [1, 1]);
  // As if another node had counted one of them again, later: its own decision is behind the number.
  await query(
    cluster.url,
    `update limits set state = jsonb_set(jsonb_set(state::jsonb, '{2}', '1'), '{3}', (select to_jsonb(max(seq)) from decisions))
     where key = 'q.lic_b'`,
  );
  assert.deepEqual(await use('lic_a', 'lic_b'), [2, 2]);
});
