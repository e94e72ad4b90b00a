/** A limit that several nodes claim all the time: it is counted exactly when nodes fail, and asked for together. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { entry } from '../../kit/entry.ts';
import { query, testPostgres } from '../../kit/postgres.ts';
import { until } from '../../kit/until.ts';
import { Unavailable } from '../../src/db/db.ts';
import { migrate } from '../../src/db/migrate.ts';
import { openPostgres, type PostgresDb } from '../../src/db/postgres/db.ts';
import type { Entry, Ledger, Recorded } from '../../src/decisions/ledger/ledger.ts';
import { HeldQueues } from '../../src/decisions/ledger/postgres/held.ts';
import { openPostgresLedger } from '../../src/decisions/ledger/postgres/ledger.ts';
import type { LimitPeriod } from '../../src/rules/limit.ts';

const server = await testPostgres();

/** Ledgers with pools of their own, as on as many nodes. */
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

const claimOf = (key: string, requests: number, period: LimitPeriod = 'day') => ({ key, limit: { requests, period } });
const cut = `select pg_terminate_backend(pid) from pg_stat_activity
  where datname = current_database() and application_name = 'postern' and state <> 'idle' and pid <> pg_backend_pid()`;

/** The decisions that were admitted, and what is recorded as used of the limit. */
async function counted(db: PostgresDb, key: string) {
  const admitted = await db.read<{ seq: number }>(
    'select seq from decisions where reason = 0 and limit_remaining >= 0',
  );
  const [row] = await db.read<{ state: string }>('select state from limits where key = $1', [key]);
  const state = JSON.parse(row?.state ?? '[0,0]') as number[];
  return { seqs: new Set(admitted.map(({ seq }) => seq)), used: state[1] as number };
}

test('connections that are cut in the middle of flushes lose and double nothing: use and records never differ', async () => {
  await using cluster = await nodes(4);
  const LIMIT = 3_000;
  const recorded: Recorded[] = [];
  let refused = 0;
  let asking = true;
  async function ask(ledger: Ledger, n: number): Promise<void> {
    for (let i = 0; asking; i++) {
      // A number that is edited meanwhile, on some nodes before others: never above the greater one.
      const claim = claimOf('hot', (i + n) % 3 === 0 ? LIMIT : LIMIT - 500);
      try {
        recorded.push(...(await ledger.record([entry({ claim }), entry()])));
      } catch (error) {
        assert.ok(error instanceof Unavailable, String(error));
        refused++;
      }
    }
  }
  const asked = cluster.ledgers.flatMap((ledger) => Array.from({ length: 16 }, (_, n) => ask(ledger, n)));
  for (let i = 0; i < 12; i++) {
    const before = recorded.length;
    await query(cluster.url, cut);
    await until('more is recorded', () => recorded.length > before + 100);
  }
  // Used up to the last: nothing that was cut off has taken any of it along.
  for (let used = 0; used < LIMIT; ) ({ used } = await counted(cluster.db, 'hot'));
  asking = false;
  await Promise.all(asked);
  const { seqs, used } = await counted(cluster.db, 'hot');
  assert.deepEqual([seqs.size, used], [LIMIT, LIMIT]);
  const admitted = recorded.filter(({ granted }) => granted?.admitted === true);
  assert.equal(new Set(admitted.map(({ seq }) => seq)).size, admitted.length);
  for (const { seq } of admitted) assert.ok(seqs.has(seq));
  assert.ok(refused > 0, 'no connection was cut in the middle of a flush');
});

test('several hot limits in one check, and checks with receipts between them: each is used up to the last', async () => {
  await using cluster = await nodes(4);
  const limits = [claimOf('a', 500), claimOf('b', 701, 'hour'), claimOf('c', 90, 'hour')];
  const admitted = new Map<string, number>();
  async function ask(ledger: Ledger, n: number, node: number): Promise<void> {
    for (let i = 0; i < 30; i++) {
      const claims = limits.filter((_, l) => (i + n + l) % 3 > 0);
      const entries = (n % 2 === 0 ? claims : claims.toReversed()).map((claim) => entry({ claim }));
      const scope = `${node} ${n} ${i}`;
      const receipt = { scope, bodyHash: 'h', status: 200, parts: ['{}'] };
      const all = await ledger.record(entries, (i + n) % 5 === 0 ? receipt : undefined);
      for (const [at, { granted }] of all.entries()) {
        const { key } = (entries[at] as Entry).claim as { key: string };
        if (granted?.admitted === true) admitted.set(key, (admitted.get(key) ?? 0) + 1);
      }
    }
  }
  await Promise.all(
    cluster.ledgers.flatMap((ledger, node) => Array.from({ length: 12 }, (_, n) => ask(ledger, n, node))),
  );
  assert.deepEqual(Object.fromEntries([...admitted].toSorted()), { a: 500, b: 701, c: 90 });
});

test('a limit that was held gathers its checks between turns as long as a turn took, and a second later no more', () => {
  const held = new HeldQueues<{ entries: Entry[] }>();
  const one = (key: string) => ({ entries: [entry({ claim: claimOf(key, 1) })] });
  const all = (queue: readonly unknown[]) => queue.length;
  const isQueued = (key: string, now: number) => held.limitOf(one(key).entries, now) === key;

  held.add('hot', one('hot'), 1_000);
  assert.equal(held.next(1_000, all)?.group.length, 1);
  assert.ok(isQueued('hot', 1_008));
  held.add('hot', one('hot'), 1_004);
  assert.deepEqual(held.rest('hot', 1_000, 1_008), []);
  // Others have their turn.
  held.add('other', one('other'), 1_009);
  assert.equal(held.next(1_009, all)?.key, 'other');
  assert.equal(held.next(1_015, all), undefined);
  assert.equal(held.dueAt(), 1_016);
  held.add('hot', one('hot'), 1_015);
  assert.equal(held.next(1_016, all)?.group.length, 2);
  assert.equal(held.entries, 0);

  // Nothing waits, and it still counts as contended.
  held.rest('hot', 1_016, 1_020);
  held.forgetOld(1_900);
  assert.ok(isQueued('hot', 1_900));
  held.add('hot', one('hot'), 1_900);
  assert.equal(held.next(1_900, all)?.group.length, 1);
  held.add('hot', one('hot'), 1_950);
  assert.equal(held.rest('hot', 1_900, 2_001).length, 1);
  assert.deepEqual([isQueued('hot', 2_001), held.waiting, held.entries], [false, 0, 0]);
  assert.ok(!isQueued('other', 2_100));
});
