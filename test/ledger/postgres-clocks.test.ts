/** A limit is not exceeded, by the times recorded, where two nodes take different times for the present. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { entry } from '../../kit/entry.ts';
import { testPostgres } from '../../kit/postgres.ts';
import { migrate } from '../../src/db/migrate.ts';
import { openPostgres } from '../../src/db/postgres/db.ts';
import type { Claim, Receipt, Recorded } from '../../src/ledger/ledger.ts';
import { openPostgresLedger } from '../../src/ledger/postgres.ts';
import { JUMP_MS } from '../../src/lib/clock.ts';

const server = await testPostgres();

const AHEAD_MS = 8_000;
const MINUTE_MS = 60_000;

/** A node whose clock is ahead by as much as a test says, and one that goes by the database's. */
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
const claimOf = (requests: number): Claim => ({ key: `k${++keys}`, limit: { requests, period: 'minute' } });

const ways: Record<string, () => Receipt | undefined> = {
  'in one trip': () => undefined,
  'in two trips': () => ({ scope: `s${++keys}`, bodyHash: 'h', status: 200, parts: [] }),
};

for (const [way, receipt] of Object.entries(ways)) {
  describe(way, () => {
    for (const requests of [3, 101]) {
      test(`what the node ahead has admitted of ${requests} a minute, one behind does not take for older`, async () => {
        await using nodes = await twoNodes();
        const { ahead, behind, clock } = nodes;
        const claim = claimOf(requests);
        const full = Array.from({ length: requests }, () => entry({ claim }));
        const admitted = await ahead.record(full, receipt());
        assert.ok(admitted.every(({ granted }) => granted?.admitted === true));
        const [refused] = (await behind.record([entry({ claim })], receipt())) as [Recorded];
        assert.equal(refused.granted?.admitted, false);
        assert.ok(refused.at >= clock.at - 1_000 && refused.at <= clock.at, `${refused.at - clock.at} ms`);
        clock.at += MINUTE_MS - 1_000;
        const [again] = (await ahead.record([entry({ claim })], receipt())) as [Recorded];
        assert.equal(again.granted?.admitted, false, 'the minute has not passed');
      });
    }

    test('at the end of a day, the one behind goes on in the new one', async () => {
      await using nodes = await twoNodes();
      const { db, behind } = nodes;
      const claim: Claim = { key: `k${++keys}`, limit: { requests: 1, period: 'day' } };
      // As the node ahead left it at the start of a day that has not begun here.
      const start = db.clock.now() + AHEAD_MS;
      await db.write([
        { sql: 'insert into limits (key, state, expires_at) values ($1, $2, 0)', params: [claim.key, `[${start},0]`] },
      ]);
      const [first] = (await behind.record([entry({ claim })], receipt())) as [Recorded];
      assert.ok(first.granted?.admitted);
      assert.ok(first.at >= start, `${first.at - start} ms`);
    });

    test('a state from a clock that was a step ahead does not carry the time with it', async () => {
      await using nodes = await twoNodes();
      const { ahead, behind, clock } = nodes;
      const claim = claimOf(3);
      clock.at += JUMP_MS;
      await ahead.record([entry({ claim })], receipt());
      const [one] = (await behind.record([entry({ claim })], receipt())) as [Recorded];
      assert.equal(one.granted?.admitted, true);
      assert.ok(one.at < clock.at - JUMP_MS / 2, `${one.at - clock.at} ms`);
    });
  });
}
