/** An erasure while decisions are being sealed leaves no salt, and no leaf of a decision that is gone. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { verifyReceipt } from '../../client/src/receipt.ts';
import { databaseSettings, dropDatabase, startTestService } from '../../kit/service.ts';
import { until } from '../../kit/until.ts';
import type { Db, Step } from '../../src/db/db.ts';
import { openPostgres } from '../../src/db/postgres/db.ts';
import { openSqlite } from '../../src/db/sqlite/db.ts';
import { betweenSeqs, replaceInDecisions } from '../../src/decisions/history/retention/erase.ts';
import { eraseInputsBatch, retireBatch } from '../../src/decisions/history/retention/retire.ts';
import { forgetTree } from '../../src/decisions/history/sealed/forget.ts';
import { startSealing } from '../../src/decisions/history/sealed/seal.ts';
import { check, item, made } from '../http/given.ts';

const DECISIONS = 3;
const BY = { requesterId: 'acme', pseudonym: 'erased_1' };

const CASES: { what: string; sealed: number; erase(db: Db): Promise<unknown> }[] = [
  {
    what: 'a requester',
    sealed: DECISIONS,
    erase: (db) => db.atomic([...replaceInDecisions(db, betweenSeqs(0, DECISIONS), BY), forgetTree(BY.requesterId)]),
  },
  { what: 'inputs', sealed: DECISIONS, erase: (db) => eraseInputsBatch(db, Number.MAX_SAFE_INTEGER, 100) },
  { what: 'decisions', sealed: 0, erase: (db) => retireBatch(db, Number.MAX_SAFE_INTEGER, 100) },
];

for (const { what, sealed, erase } of CASES) {
  test(`${what}, erased after they were read and before their leaves are written`, async () => {
    await using stack = new AsyncDisposableStack();
    const dataDir = mkdtempSync(join(tmpdir(), 'postern-races-'));
    stack.defer(async () => {
      rmSync(dataDir, { recursive: true, force: true });
      await dropDatabase(dataDir);
    });
    const env = { POSTERN_RECEIPTS: 'public', POSTERN_PUBLIC_URL: 'https://access.example.com' };
    const { key, ids } = await decide(dataDir);
    const { POSTERN_DATABASE_URL: url } = await databaseSettings(dataDir);
    const records = url ?? join(dataDir, 'postern.db');
    const db = url === undefined ? await openSqlite(records) : await openPostgres(url);
    let raced = 0;
    const racing: Db = {
      ...db,
      async atomicLater(steps: readonly Step[]) {
        if (steps.some(({ sql }) => sql.includes('into log_leaves')) && raced++ === 0) await erase(db);
        await db.atomicLater(steps);
      },
    };
    const stop = startSealing({
      db: racing,
      records,
      ledgerNo: Number((await db.read(`select value from settings where name = 'ledger_no'`))[0]?.value),
      now: () => Date.now(),
      signing: { origin: 'access.example.com/log', earlier: [] },
      isOurs: () => true,
      onProblem: (error) => assert.fail(error as Error),
    });
    try {
      await until(
        'they are sealed',
        async () => raced > 0 && (await db.read('select 1 from log_leaves')).length === sealed,
      );
    } finally {
      await stop();
      await db.close();
    }

    await using postern = await startTestService({ dataDir, env });
    assert.equal((await postern.rowsOf('log_leaves')).length, sealed);
    if (what === 'a requester') assert.doesNotMatch(JSON.stringify(await postern.rowsOf('log_trees')), /acme/);
    // What was sealed is what is stored.
    const keys = (await postern.call('GET', '/log/key', { key: null })).text;
    for (const id of sealed === 0 ? [] : ids) {
      const { text } = await postern.call('GET', `/v1/access/decisions/${id}/proof`, { key });
      assert.deepEqual((await verifyReceipt(text, keys)).withheld, []);
    }
  });
}

async function decide(dataDir: string): Promise<{ key: string; ids: string[] }> {
  await using postern = await startTestService({ dataDir });
  const { id: contentId } = await made(postern, '/v1/content', item());
  const ids: string[] = [];
  for (let i = 0; i < DECISIONS; i++) {
    ids.push((await check(postern, { contentId, requesterId: 'acme', context: { ip: '203.0.113.7' } })).id);
  }
  return { key: postern.key, ids };
}
