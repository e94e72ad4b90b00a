/**
 * Limits and quotas are not exceeded, by the times recorded, where two nodes take different times for the present. And
 * what a clock left that was ahead by more, and has been set back, does not carry the time with it.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { entry } from '../../kit/entry.ts';
import { testPostgres } from '../../kit/postgres.ts';
import { runSeed, seeded, shuffled } from '../../kit/random.ts';
import { until } from '../../kit/until.ts';
import { migrate } from '../../src/db/migrate.ts';
import { openPostgres, type PostgresDb } from '../../src/db/postgres/db.ts';
import { type Ledger, type LedgerReceipt, type Recorded, Stale } from '../../src/decisions/ledger/ledger.ts';
import { openPostgresLedger } from '../../src/decisions/ledger/postgres/ledger.ts';
import { toStoredKey } from '../../src/decisions/ledger/postgres/limit-key.ts';
import { APART_MS, goOn } from '../../src/decisions/ledger/postgres/time.ts';
import { claimedBy, claimStep, readAnswers } from '../../src/decisions/ledger/postgres/trip.ts';
import type { Claim } from '../../src/rules/claim.ts';
import { type LimitPeriod, type LimitState, PERIODS, take } from '../../src/rules/limit.ts';
import type { QuotaSpan } from '../../src/rules/terms/quota.ts';

const server = await testPostgres();

const AHEAD_MS = APART_MS - 200;
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

/** A node whose clock a test sets, and one that goes by the database's. */
async function twoNodes() {
  // A new one each time: a ledger goes on from the newest time that it finds.
  const database = await server.newDatabase();
  const db = await openPostgres(database.url);
  await migrate(db, 0);
  const clock = { at: 0, now: () => clock.at };
  const behind = await openPostgresLedger(db);
  const ahead = await openPostgresLedger(db, clock);
  clock.at = db.clock.now() + AHEAD_MS;
  return {
    db,
    ahead,
    behind,
    clock,
    async [Symbol.asyncDispose]() {
      await db.close();
      await database[Symbol.asyncDispose]();
    },
  };
}

let keys = 0;
const claimOf = (requests: number, period: LimitPeriod = 'minute'): Claim => ({
  key: `k${++keys}`,
  limit: { requests, period },
});

/** Leaves a state as another node would have. */
const leave = (db: PostgresDb, key: string, state: LimitState): Promise<unknown> =>
  db.write([
    { sql: 'insert into limits (key, state, expires_at) values ($1, $2, 9e12)', params: [key, JSON.stringify(state)] },
  ]);

const spanOf = (from: number, end: number): QuotaSpan => ({
  licenseId: 'lic_1',
  requesterId: 'r',
  version: 1,
  unit: 'decision',
  purposes: undefined,
  units: 3,
  denies: true,
  period: 'day',
  start: from,
  end,
  from,
  until: end,
  alerts: [],
  expires: Infinity,
});
const claimOn = (quota: QuotaSpan) => ({ offers: [{ licenseId: 'lic_1', quota }], content: null, spends: true });
/** An opened and settled count of which nothing is used. */
const UNUSED = [1, 0, 0, 0, 0, 0, 0, 1];

/** Returns undefined where the check has to be evaluated again. */
async function recorded(ledger: Ledger, one: Parameters<typeof entry>[0], receipt?: LedgerReceipt) {
  try {
    return ((await ledger.record([entry(one)], receipt)) as [Recorded])[0];
  } catch (error) {
    if (error instanceof Stale) return undefined;
    throw error;
  }
}

const ways: Record<string, () => LedgerReceipt | undefined> = {
  'in one trip': () => undefined,
  'in two trips': () => ({ scope: `s${++keys}`, bodyHash: 'h', status: 200, parts: [] }),
};

for (const [way, receipt] of Object.entries(ways)) {
  describe(way, () => {
    // Up to 100 by the millisecond, above by the second.
    for (const [requests, spanMs] of [
      [3, MINUTE_MS],
      [101, MINUTE_MS + 500],
    ] as const) {
      test(`what the node ahead has admitted of ${requests} a minute, one behind does not take for older`, async () => {
        await using nodes = await twoNodes();
        const { db, ahead, behind, clock } = nodes;
        const inSecond = await until(
          'within a second',
          () => db.clock.now() % 1_000,
          5_000,
          (ms) => ms > 100 && ms < 400,
        );
        clock.at = db.clock.now() - inSecond + 1_000;
        const claim = claimOf(requests);
        const admitted = await ahead.record(
          Array.from({ length: requests }, () => entry({ claim })),
          receipt(),
        );
        assert.ok(admitted.every(({ granted }) => granted?.admitted === true));
        const refused = await recorded(behind, { claim }, receipt());
        assert.equal(refused?.granted?.admitted, false);
        assert.ok(refused.at >= clock.at, `${refused.at - clock.at} ms`);
        clock.at += spanMs;
        const again = await recorded(ahead, { claim }, receipt());
        assert.equal(again?.granted?.admitted, false, 'the minute has not passed');
      });
    }

    test('at the end of a day, the one behind goes on in the new one', async () => {
      await using nodes = await twoNodes();
      const { db, behind } = nodes;
      const claim = claimOf(1, 'day');
      const start = db.clock.now() + AHEAD_MS;
      await leave(db, claim.key, [start, 0]);
      const first = await recorded(behind, { claim }, receipt());
      assert.ok(first?.granted?.admitted);
      assert.ok(first.at >= start, `${first.at - start} ms`);
      assert.ok(behind.now() >= first.at, 'now is not before what was recorded');
    });

    test('of a quota whose next period the one ahead has begun, the one behind admits no more', async () => {
      await using nodes = await twoNodes();
      const { db, ahead, behind, clock } = nodes;
      await leave(db, 'q.lic_1', UNUSED);
      const border = clock.at;
      const [old, next] = [claimOn(spanOf(0, border)), claimOn(spanOf(border, border + DAY_MS))];
      const ask = (ledger: Ledger, quota: typeof old) => recorded(ledger, { quota, licenseId: 'lic_1' }, receipt());
      const all = [];
      for (let i = 0; i < 4; i++) all.push(await ask(behind, old));
      all.push(await ask(ahead, next));
      for (let i = 0; i < 4; i++) all.push((await ask(behind, old)) ?? (await ask(behind, next)));
      const admittedBefore = all.filter((one) => one?.quota?.refused === false && one.at < border);
      assert.equal(admittedBefore.length, 3);
      assert.ok(all.slice(-4).every((one) => one !== undefined && one.at >= border));
    });

    test('a limit that leads past the end of a quota’s period: evaluated again once', async () => {
      await using nodes = await twoNodes();
      const { db, ahead, behind } = nodes;
      const claim = claimOf(100);
      await ahead.record([entry({ claim })], receipt());
      await leave(db, 'q.lic_1', UNUSED);
      const border = db.clock.now() + AHEAD_MS - 200;
      const tries: unknown[] = [];
      while (tries.at(-1) === undefined && tries.length < 10) {
        const quota = claimOn(behind.now() < border ? spanOf(0, border) : spanOf(border, border + DAY_MS));
        tries.push(await recorded(behind, { claim, quota, licenseId: 'lic_1' }, receipt()));
      }
      assert.ok(tries.length <= 2, `${tries.length} tries`);
    });

    test('rare limits from an hour that was taken back: each flush is in time, none goes back', async () => {
      await using nodes = await twoNodes();
      const { db, behind } = nodes;
      const from = db.clock.now();
      const rare = Array.from({ length: 200 }, () => claimOf(100));
      await Promise.all(rare.map(({ key }, i) => leave(db, key, [from + 1 + i * 50, 1])));
      const hot = claimOf(1_000);
      let last = 0;
      for (const claim of shuffled(rare, seeded(runSeed))) {
        const flush = [entry({ claim: hot }), entry({ claim })];
        const [one] = (await behind.record(flush, receipt())) as [Recorded];
        assert.ok(one.granted?.admitted);
        assert.ok(one.at >= last && one.at < db.clock.now() + APART_MS + 50, `${one.at - db.clock.now()} ms ahead`);
        assert.ok(behind.now() >= one.at, 'now is not before what was recorded');
        last = one.at;
      }
    });
  });
}

test('the server and a node go on from the same time, and admit the same', async () => {
  await using nodes = await twoNodes();
  const { db } = nodes;
  const random = seeded(runSeed);
  let moved = 0;
  for (let round = 0; round < 150; round++) {
    // Far ahead of the database's clock, so that it is the time of the node that counts.
    const at = Date.UTC(2032, 1, 29, 23, 59, 58) + random.pick([0, 1_000, 1_999, 60_000]);
    const claims = Array.from({ length: random.int(1, 4) }, () =>
      claimOf(random.pick([1, 3, 100, 101, 150]), random.pick(Object.keys(PERIODS) as LimitPeriod[])),
    );
    const states = new Map<string, LimitState>();
    for (const { key, limit } of claims) {
      if (random.chance(0.2)) continue;
      let state: LimitState = [];
      let left = at + random.pick([-3_000, -900, -1, 0]);
      for (let n = random.int(0, 8); n > 0; n--) {
        left += random.pick([0, 1, 50, 500, 999, 1_000, 2_000]);
        state = take(state, { ...limit, requests: random.pick([limit.requests, 2, 200]) }, left).state;
      }
      states.set(toStoredKey(key), state);
      await leave(db, key, state);
    }
    const entries = Array.from({ length: random.int(1, 9) }, () => entry({ claim: random.pick(claims) }));
    const submission = { at, freshUntil: 0, receipt: undefined, entries };
    const claimed = claimedBy([submission]);
    assert.ok(claimed);
    const [[row]] = (await db.write([claimStep([null, at, entries.length], claimed)])) as [[{ at: number }]];
    const time = goOn({ states, held: new Set() }, [submission], { at, clock: Date.now() });
    assert.equal(row.at, time);
    if (time > at) moved++;
    const expected = entries.flatMap(({ claim }) => {
      const { key, limit } = claim as Claim;
      const use = take(states.get(toStoredKey(key)) ?? [], limit, time);
      states.set(toStoredKey(key), use.state);
      return [use.admitted ? 1 : 0, use.remaining, use.resetAt];
    });
    assert.deepEqual(readAnswers(row as never, claimed), expected);
  }
  assert.ok(moved > 10, `${moved} of 150 were moved`);
});
