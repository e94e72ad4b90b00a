/** An erasure while decisions are being sealed leaves no salt, and no leaf of a decision that is gone. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { verifyReceipt } from '../../client/src/receipt.ts';
import { leavesOf } from '../../kit/leaves.ts';
import { databaseSettings, dropDatabase, startTestService } from '../../kit/service.ts';
import { until } from '../../kit/until.ts';
import type { Db, Step } from '../../src/db/db.ts';
import { openPostgres } from '../../src/db/postgres/db.ts';
import { openSqlite } from '../../src/db/sqlite/db.ts';
import { betweenSeqs, replaceInDecisions } from '../../src/decisions/history/retention/erase.ts';
import { eraseInputsBatch, retireBatch } from '../../src/decisions/history/retention/retire.ts';
import { forgetTree } from '../../src/decisions/history/sealed/forget.ts';
import { sealingReading, startSealing } from '../../src/decisions/history/sealed/seal.ts';
import { openPublicIds } from '../../src/decisions/ledger/public-ids.ts';
import { check, item, made } from '../http/given.ts';

const DECISIONS = 3;
const BY = { requesterId: 'acme', pseudonym: 'erased_1' };

interface Case {
  what: string;
  sealed: number;
  /** Happens between. `seal`: as another node that takes the work for its own. */
  meanwhile(db: Db, seal: () => Promise<void>): Promise<unknown>;
}

const CASES: Case[] = [
  {
    what: 'a requester is erased',
    sealed: DECISIONS,
    meanwhile: (db) =>
      db.atomic([...replaceInDecisions(db, betweenSeqs(0, DECISIONS), BY), forgetTree(BY.requesterId)]),
  },
  {
    what: 'inputs are erased',
    sealed: DECISIONS,
    meanwhile: (db) => eraseInputsBatch(db, Number.MAX_SAFE_INTEGER, 100),
  },
  { what: 'decisions are retired', sealed: 0, meanwhile: (db) => retireBatch(db, Number.MAX_SAFE_INTEGER, 100) },
  { what: 'another node seals', sealed: DECISIONS, meanwhile: (_db, seal) => seal() },
];

/** Marks of the transactions before which it happens. */
const MOMENTS = { 'before their leaves are written': 'into log_spans', 'before they count': 'update log_trees' };

for (const { what, sealed, meanwhile } of CASES) {
  for (const [when, mark] of Object.entries(MOMENTS)) {
    test(`${what} after decisions were read and ${when}`, async () => {
      await using stack = new AsyncDisposableStack();
      const dataDir = mkdtempSync(join(tmpdir(), 'postern-races-'));
      stack.defer(async () => {
        rmSync(dataDir, { recursive: true, force: true });
        await dropDatabase(dataDir);
      });
      const { key, ids } = await decide(dataDir);
      await sealAll(dataDir, (db, seal) => {
        let raced = false;
        return {
          ...db,
          async atomicLater(steps: readonly Step[]) {
            if (!raced && steps.some(({ sql }) => sql.includes(mark))) {
              raced = true;
              await meanwhile(db, seal);
            }
            await db.atomicLater(steps);
          },
        };
      });

      const env = { POSTERN_RECEIPTS: 'public', POSTERN_PUBLIC_URL: 'https://access.example.com' };
      await using postern = await startTestService({ dataDir, env });
      assert.equal((await leavesOf(postern)).length, sealed);
      if (what.includes('requester')) assert.doesNotMatch(JSON.stringify(await postern.rowsOf('log_trees')), /acme/);
      // What was sealed is what is stored.
      const keys = (await postern.call('GET', '/log/key', { key: null })).text;
      for (const id of sealed === 0 ? [] : ids) {
        const { text } = await postern.call('GET', `/v1/access/decisions/${id}/proof`, { key });
        assert.deepEqual((await verifyReceipt(text, keys)).withheld, []);
      }
    });
  }
}

/** Seals the decisions of a folder through a store in which something happens. */
async function sealAll(dataDir: string, racing: (db: Db, seal: () => Promise<void>) => Db): Promise<void> {
  const { POSTERN_DATABASE_URL: url } = await databaseSettings(dataDir);
  const records = url ?? join(dataDir, 'postern.db');
  const db = url === undefined ? await openSqlite(records, { readings: sealingReading }) : await openPostgres(url);
  const seal = async (through: Db): Promise<void> => {
    const stop = startSealing({
      db: through,
      records,
      ids: await openPublicIds(db),
      now: () => Date.now(),
      signing: { origin: 'access.example.com/log', earlier: [], witnesses: [] },
      isOurs: () => true,
      onProblem: (error) => assert.fail(error as Error),
    });
    const left = `select 1 from decisions where seq >
      coalesce((select cast(value as bigint) from settings where name = 'log_sealed_to'), 0)`;
    await until('they are sealed', async () => (await db.read(left)).length === 0).finally(stop);
  };
  try {
    await seal(racing(db, () => seal(db)));
  } finally {
    await db.close();
  }
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
