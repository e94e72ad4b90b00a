/** Retention keeps its promise to end: a walk that takes longer than a day no longer spares checks as much. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mock, test } from 'node:test';
import { entry } from '../../kit/entry.ts';
import { testClock } from '../../kit/service.ts';
import { until } from '../../kit/until.ts';
import { migrate } from '../../src/db/migrate.ts';
import { openSqlite, type SqliteDb } from '../../src/db/sqlite/db.ts';
import { ledgerProcedure, openSqliteLedger } from '../../src/decisions/ledger/sqlite/ledger.ts';
import { startRetention } from '../../src/service/privacy/retention.ts';

const DAY_MS = 86_400_000;
const DECISIONS = 400;
const LOOK_EVERY_MS = 10_000;
/** Rows of the smallest pieces, as in src/db/pace. */
const LEAST = { careful: 20, steady: 100 };

test('a walk takes small pieces for a day, then larger ones', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'postern-pace-'));
  const clock = testClock();
  const db = await openSqlite(join(folder, 'postern.db'), { procedures: ledgerProcedure });
  await migrate(db, clock.now());
  const ledger = await openSqliteLedger(db, clock);
  await ledger.record(Array.from({ length: DECISIONS }, () => entry()));
  clock.advance(40 * DAY_MS);

  const count = async () => Number((await db.read('select count(*) as n from decisions'))[0]?.n);
  const pieces: number[] = [];
  const watched: SqliteDb = {
    ...db,
    async atomicLater(steps) {
      const before = await count();
      await db.atomicLater(steps);
      pieces.push(before - (await count()));
      // The walk began a day ago, from its third piece on.
      if (pieces.length === 3) clock.advance(DAY_MS);
    },
  };
  mock.timers.enable({ apis: ['setInterval'] });
  const stop = startRetention({
    db: watched,
    now: clock.now,
    privacy: { inputDays: null, decisionDays: 31 },
    isOurs: () => true,
    isTimeSure: () => true,
    onProblem: assert.fail,
  });
  try {
    mock.timers.tick(LOOK_EVERY_MS);
    await until('all decisions left the log', async () => (await count()) === 0);
    assert.equal(pieces[0], LEAST.careful);
    assert.ok(
      pieces.slice(0, 3).every((rows) => rows < 40),
      String(pieces),
    );
    assert.equal(pieces[3], LEAST.steady, String(pieces));
  } finally {
    mock.timers.reset();
    await stop();
    await ledger.close();
    await db.close();
    rmSync(folder, { recursive: true, force: true });
  }
});
