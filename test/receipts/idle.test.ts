/** While nothing happens, sealing asks the records one question each time it looks, and still sees what comes. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { leavesOf } from '../../kit/leaves.ts';
import { databaseSettings, startTestService } from '../../kit/service.ts';
import { until } from '../../kit/until.ts';
import type { Db, Row, Value } from '../../src/db/db.ts';
import { openPostgres } from '../../src/db/postgres/db.ts';
import { openSqlite } from '../../src/db/sqlite/db.ts';
import { sealingReading, startSealing } from '../../src/decisions/history/sealed/seal.ts';
import { openPublicIds } from '../../src/decisions/ledger/public-ids.ts';
import { check, item, made } from '../http/given.ts';

const WINDOW_MS = 3_000;
/** A look comes every half second. */
const MOST = 7;

test('a quiet log', async () => {
  await using postern = await startTestService();
  const { id: contentId } = await made(postern, '/v1/content', item());
  await check(postern, { contentId });
  const { POSTERN_DATABASE_URL: url } = await databaseSettings(postern.dataDir);
  const records = url ?? join(postern.dataDir, 'postern.db');
  const db = url === undefined ? await openSqlite(records, { readings: sealingReading }) : await openPostgres(url);
  let asked: number[] = [];
  const watched: Db = {
    ...db,
    read: <R extends Row>(sql: string, params?: readonly Value[]) => {
      asked.push(performance.now());
      return db.read<R>(sql, params);
    },
  };
  const stop = startSealing({
    db: watched,
    records,
    ids: await openPublicIds(db),
    now: () => Date.now(),
    signing: { origin: 'access.example.com/log', earlier: [], witnesses: [] },
    isOurs: () => true,
    onProblem: (error) => assert.fail(error as Error),
  });
  const isSealed = (count: number) => async () => (await leavesOf(postern)).length === count;
  try {
    await until('it is sealed', isSealed(1));
    const begun = performance.now();
    await until('it is quiet', () => {
      const now = performance.now();
      asked = asked.filter((at) => at > now - WINDOW_MS);
      return now > begun + WINDOW_MS && asked.length <= MOST;
    });
    await check(postern, { contentId });
    await until('the next one is sealed', isSealed(2));
  } finally {
    await stop();
    await db.close();
  }
});
