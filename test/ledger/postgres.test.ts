/** The ledger on PostgreSQL: the contract, and what several nodes must keep together. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Client } from 'pg';
import { entry } from '../../kit/entry.ts';
import { pluck } from '../../kit/pluck.ts';
import { testPostgres } from '../../kit/postgres.ts';
import { until } from '../../kit/until.ts';
import { Conflict, type Db, Unavailable } from '../../src/db/db.ts';
import { migrate } from '../../src/db/migrate.ts';
import { openPostgres, type PostgresDb } from '../../src/db/postgres/db.ts';
import { sweep } from '../../src/decisions/history/retention/sweep.ts';
import { type Ledger, type Recorded, Stale } from '../../src/decisions/ledger/ledger.ts';
import { openPostgresLedger, openPostgresTestLedger } from '../../src/decisions/ledger/postgres/ledger.ts';
import { onTestTables } from '../../src/decisions/ledger/test-tables.ts';
import { type Clock, monotonicMs } from '../../src/lib/clock.ts';
import { type LedgerStore, ledgerContract, type OpenedLedger } from './contract.ts';

const server = await testPostgres();

ledgerContract('PostgreSQL', () =>
  emptyStore('decisions', async (db, clock) => ({ db, ledger: await openPostgresLedger(db, clock) })),
);
ledgerContract('PostgreSQL, tests', () =>
  emptyStore('test_decisions', async (db, clock) => ({
    db: onTestTables(db),
    ledger: await openPostgresTestLedger(db, clock),
  })),
);

async function emptyStore(
  table: string,
  openIn: (db: PostgresDb, clock?: Clock) => Promise<OpenedLedger>,
): Promise<LedgerStore> {
  const database = await server.newDatabase();
  let db: PostgresDb | undefined;
  return {
    async open(clock) {
      await db?.close();
      db = await openPostgres(database.url);
      await migrate(db, 0);
      return openIn(db, clock);
    },
    hold: () => holding(database.url, `lock table ${table} in exclusive mode`),
    async [Symbol.asyncDispose]() {
      await db?.close();
      await database[Symbol.asyncDispose]();
    },
  };
}

/** Begins another client's transaction, and leaves it open. */
async function holding(url: string, sql: string): Promise<AsyncDisposable> {
  const holder = new Client({ connectionString: url });
  await holder.connect();
  await holder.query('begin');
  await holder.query(sql);
  return { [Symbol.asyncDispose]: () => holder.end() };
}

describe('a limit that somebody else holds', () => {
  const claimOf = (key: string) => ({ key, limit: { requests: 100, period: 'day' } }) as const;
  const asks = (...keys: string[]) => keys.map((key) => entry({ claim: claimOf(key) }));
  const lock = (url: string, key: string) => holding(url, `select * from limits where key = '${key}' for update`);

  async function opened() {
    const database = await server.newDatabase();
    const db = await openPostgres(database.url);
    await migrate(db, 0);
    const ledger = await openPostgresLedger(db);
    await ledger.record(asks('a', 'b', 'c'));
    return {
      ledger,
      url: database.url,
      async [Symbol.asyncDispose]() {
        await db.close();
        await database[Symbol.asyncDispose]();
      },
    };
  }

  const isPending = (promise: Promise<unknown>): Promise<boolean> =>
    Promise.race([promise.then(() => false), new Promise<boolean>((resolve) => setImmediate(resolve, true))]);

  test('stops only the checks that claim it, and none of them is lost or counted twice', async () => {
    await using node = await opened();
    const { ledger } = node;
    const held = await lock(node.url, 'b');
    const stopped = [asks('b'), asks('a', 'b'), asks('b', 'c', 'b'), asks('b')].map((entries) =>
      ledger.record(entries),
    );
    for (let round = 0; round < 5; round++) {
      const others = [[entry()], asks('a'), asks('c'), asks(`new ${round}`), [entry(), ...asks('c', 'a')]];
      await Promise.all(others.map((entries) => ledger.record(entries)));
    }
    for (const one of stopped) assert.ok(await isPending(one));
    await held[Symbol.asyncDispose]();
    const recorded = (await Promise.all(stopped)).flat();
    assert.ok(recorded.every(({ granted }) => granted?.admitted === true));
    const left = await ledger.peek(['a', 'b', 'c'].map(claimOf));
    assert.deepEqual(pluck(left, 'remaining'), [99 - 11, 99 - 5, 99 - 11]);
  });

  test('does not stop those that wait for another one, which is free again', async () => {
    await using node = await opened();
    const { ledger } = node;
    await using heldA = await lock(node.url, 'a');
    const heldB = await lock(node.url, 'b');
    const onA = Array.from({ length: 10 }, () => ledger.record(asks('a')));
    const onB = Array.from({ length: 10 }, () => ledger.record(asks('b')));
    const onBoth = ledger.record(asks('a', 'b'));
    await ledger.record([entry()]);
    await heldB[Symbol.asyncDispose]();
    await Promise.all(onB);
    for (const one of [...onA, onBoth]) assert.ok(await isPending(one));
    await heldA[Symbol.asyncDispose]();
    await Promise.all([...onA, onBoth]);
    const left = await ledger.peek(['a', 'b'].map(claimOf));
    assert.deepEqual(pluck(left, 'remaining'), [88, 88]);
  });

  test('for longer than 5 s: its checks are Unavailable, others never; free again, it is as it was', async () => {
    await using node = await opened();
    const { ledger } = node;
    const held = await lock(node.url, 'b');
    const begun = performance.now();
    let refused = false;
    const stopped = Promise.allSettled([ledger.record(asks('b')), ledger.record(asks('b', 'c'))]).then((outcomes) => {
      refused = true;
      return outcomes;
    });
    while (!refused) await Promise.all([ledger.record([entry()]), ledger.record(asks('a'))]);
    const took = performance.now() - begun;
    assert.ok(took > 4_500 && took < 9_000, `${took} ms`);
    for (const one of await stopped) assert.ok(one.status === 'rejected' && one.reason instanceof Unavailable);
    await held[Symbol.asyncDispose]();
    assert.equal((await ledger.record(asks('b')))[0]?.granted?.remaining, 98);
  });

  test('for more than a second: its checks are handed back once it is free, those that are fresh are recorded', async () => {
    await using node = await opened();
    const { ledger } = node;
    const held = await lock(node.url, 'b');
    const readAt = monotonicMs();
    const old = ledger.record(asks('b'), undefined, { readAt }).then(
      () => 'recorded',
      (error) => error instanceof Stale && 'stale',
    );
    await until('more than a second', () => monotonicMs() > readAt + 1_001);
    const young = ledger.record(asks('b'), undefined, { readAt: monotonicMs() });
    await held[Symbol.asyncDispose]();
    assert.deepEqual([await old, (await young)[0]?.granted?.remaining], ['stale', 98]);
  });
});

describe('several nodes on one PostgreSQL', () => {
  /** Ledgers with pools of their own, as on as many nodes. */
  async function nodes(count: number) {
    const database = await server.newDatabase();
    const dbs = await Promise.all(Array.from({ length: count }, () => openPostgres(database.url)));
    await Promise.all(dbs.map((db) => migrate(db, 0)));
    const ledgers = await Promise.all(dbs.map((db) => openPostgresLedger(db)));
    return {
      db: dbs[0] as PostgresDb,
      ledgers,
      async [Symbol.asyncDispose]() {
        await Promise.all(dbs.map((db) => db.close()));
        await database[Symbol.asyncDispose]();
      },
    };
  }

  test('nodes that start at once on an empty database have one ledger', async () => {
    await using cluster = await nodes(4);
    assert.equal(new Set(cluster.ledgers.map(({ ledgerNo }) => ledgerNo)).size, 1);
  });

  test('a limit they share is never passed and used up to the last; places are given once', async () => {
    await using cluster = await nodes(3);
    const limits = [
      { key: 'day', limit: { requests: 700, period: 'day' } },
      { key: 'hour', limit: { requests: 90, period: 'hour' } },
      { key: 'many', limit: { requests: 1_500, period: 'hour' } },
    ] as const;
    const all: Recorded[] = [];
    const admitted = new Map<string, number>();
    async function ask(ledger: Ledger, n: number): Promise<void> {
      for (let i = 0; i < 40; i++) {
        // Each its own order, so that who locked as they came would soon wait in a circle.
        const order = (i + n) % 2 === 0 ? limits : limits.toReversed();
        const recorded = await ledger.record(order.map((claim) => entry({ claim })));
        all.push(...recorded);
        for (const [at, { key }] of order.entries()) {
          if (recorded[at]?.granted?.admitted === true) admitted.set(key, (admitted.get(key) ?? 0) + 1);
        }
      }
    }
    await Promise.all(cluster.ledgers.flatMap((ledger) => Array.from({ length: 20 }, (_, n) => ask(ledger, n))));
    assert.deepEqual(Object.fromEntries(admitted), { day: 700, hour: 90, many: 1_500 });
    assert.equal(all.length, 3 * 20 * 40 * 3);
    assert.equal(new Set(all.map(({ seq }) => seq)).size, all.length);
    const [row] = await cluster.db.read<{ all: number; allowed: number }>(
      `select count(*) as all, count(*) filter (where reason = 0) as allowed from decisions`,
    );
    assert.deepEqual({ ...row }, { all: all.length, allowed: 700 + 90 + 1_500 });
    assert.equal(await deadlocks(cluster.db), 0);
  });

  test('no span of a second holds more than the limit, by the times that were recorded', async () => {
    await using cluster = await nodes(3);
    const claim = { key: 'k', limit: { requests: 25, period: 'second' } } as const;
    const times: number[] = [];
    const end = Date.now() + 3_000;
    async function ask(ledger: Ledger): Promise<void> {
      while (Date.now() < end) {
        const [one] = await ledger.record([entry({ claim })]);
        if (one?.granted?.admitted === true) times.push(one.at);
      }
    }
    await Promise.all(cluster.ledgers.flatMap((ledger) => Array.from({ length: 8 }, () => ask(ledger))));
    times.sort((a, b) => a - b);
    for (let i = 25; i < times.length; i++) {
      const span = (times[i] as number) - (times[i - 25] as number);
      assert.ok(span >= 1_000, `26 of 25 a second within ${span} ms`);
    }
    assert.ok(times.length >= 50, `${times.length} admitted in 3 s: less than the limit gives`);
  });

  test('a receipt is written once, whichever nodes are asked', async () => {
    await using cluster = await nodes(3);
    const receipt = { scope: 's', bodyHash: 'h', status: 200, parts: ['{}'] };
    const outcomes = await Promise.allSettled(
      Array.from({ length: 30 }, (_, i) => (cluster.ledgers[i % 3] as Ledger).record([entry()], receipt)),
    );
    assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 1);
    for (const one of outcomes) assert.ok(one.status === 'fulfilled' || one.reason instanceof Conflict);
    assert.equal((await cluster.db.read('select 1 from decisions')).length, 1);
  });

  test('limits are swept away while they are asked for: no check fails, and none waits in a circle', async () => {
    await using cluster = await nodes(2);
    const claims = Array.from(
      { length: 60 },
      (_, i) => ({ key: `k${i}`, limit: { requests: 1e6, period: 'hour' } }) as const,
    );
    let asking = true;
    const sweeps = (async () => {
      let times = 0;
      // Sweep at a time when all of them have expired.
      for (; asking; times++) await sweep(cluster.db, 1e14);
      return times;
    })();
    const asked = cluster.ledgers.map(async (ledger, n) => {
      for (let i = 0; i < 60; i++) {
        const order = (i + n) % 2 === 0 ? claims : claims.toReversed();
        await ledger.record(order.map((claim) => entry({ claim })));
      }
    });
    // Sweeping ends in any case: on a store that is closed already it would hide what failed.
    const outcomes = await Promise.allSettled(asked);
    asking = false;
    assert.ok((await sweeps) > 10);
    for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
    assert.equal(await deadlocks(cluster.db), 0);
  });
});

async function deadlocks(db: Db): Promise<number | undefined> {
  const [figures] = await db.read<{ deadlocks: number }>(
    'select deadlocks from pg_stat_database where datname = current_database()',
  );
  return figures?.deadlocks;
}
