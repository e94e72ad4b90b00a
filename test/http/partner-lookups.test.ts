/**
 * Promise: the store does not find what belongs to another requester. It runs the same statements as for an id that
 * never existed, and they return no rows. So both answers take the same time.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { databaseSettings, dropDatabase, startTestService } from '../../kit/service.ts';
import { Failure } from '../../src/api/errors.ts';
import type { Db } from '../../src/db/db.ts';
import { decisionId, parseDecisionId } from '../../src/decisions/ledger/decision.ts';
import { openPublicIds, PublicIds } from '../../src/decisions/ledger/public-ids.ts';
import { planBudget } from '../../src/lib/memory.ts';
import { getOwnDecision } from '../../src/reports/partner/decisions.ts';
import { getOwnBilled, getOwnLicenseUsage } from '../../src/reports/partner/me.ts';
import { readConfig } from '../../src/service/config.ts';
import { openRecords } from '../../src/service/records.ts';
import { check, item, made, makePolicy, PRICED } from './given.ts';

const dataDir = mkdtempSync(join(tmpdir(), 'postern-lookups-'));
const ids = await given();
const clock = { now: () => Date.now() };
const config = readConfig({ POSTERN_DATA_DIR: dataDir, ...(await databaseSettings(dataDir)) });
const { db } = await openRecords(config, clock, () => {}, planBudget(config.memoryMiB).storage);
after(async () => {
  await db.close();
  await dropDatabase(dataDir);
  rmSync(dataDir, { recursive: true, force: true });
});

async function given() {
  await using postern = await startTestService({ dataDir });
  const policy = await makePolicy(postern, [{ action: 'allow', conditions: { hasValidLicense: true } }]);
  const { id: contentId } = await made(postern, '/v1/content', item({ policyId: policy.id }));
  for (const id of ['reader', 'owner']) await made(postern, '/v1/requesters', { id });
  const license = await made(postern, '/v1/licenses', { requesterId: 'owner', type: 'a', terms: PRICED });
  const decision = await check(postern, { contentId, requesterId: 'owner' });
  const statements = await postern.call('GET', '/v1/statements?requesterId=owner');
  return { license: license.id, decision: decision.id, statement: statements.body.data[0].id };
}

/** Statements that were read, each with the number of its rows. */
async function readsOf(ask: (db: Db) => Promise<unknown>): Promise<{ reads: [string, number][]; code: string | null }> {
  const reads: [string, number][] = [];
  const spied: Db = Object.create(db, {
    read: {
      value: async (sql: string, params: never) => {
        const rows = await db.read(sql, params);
        reads.push([sql, rows.length]);
        return rows;
      },
    },
  });
  const code = await ask(spied).then(
    () => null,
    (error: unknown) => {
      if (error instanceof Failure) return error.code;
      throw error;
    },
  );
  return { reads, code };
}

const { ledgerNo, at, seq } = parseDecisionId(ids.decision) as NonNullable<ReturnType<typeof parseDecisionId>>;
const shown = await openPublicIds(db);
const deps = (spied: Db): any => ({
  db: spied,
  ledgerNo,
  tests: { db: spied, ledgerNo: ledgerNo + 1 },
  ids: shown,
  parquet: { isConfigured: false },
  now: clock.now,
});
const nextTo = (id: string): string => id.slice(0, -1) + (id.endsWith('0') ? '1' : '0');

const LOOKUPS: Record<
  string,
  { theirs: string; never: string[]; read: (db: Db, as: string, id: string) => Promise<unknown> }
> = {
  decision: {
    theirs: ids.decision,
    never: [decisionId(ledgerNo, at, seq + 1_000), decisionId(ledgerNo, at + 1, seq)],
    read: (spied, as, id) => getOwnDecision(deps(spied), as, id),
  },
  'decision by its public id': {
    theirs: shown.toPublic(ids.decision),
    never: [
      decisionId(ledgerNo, at, seq + 1_000),
      shown.idOf({ at, seq: seq + 1_000 }),
      nextTo(shown.toPublic(ids.decision)),
      new PublicIds('of another installation', shown.ledgers).toPublic(ids.decision),
    ],
    read: (spied, as, id) => getOwnDecision(deps(spied), as, id),
  },
  'usage of a license': {
    theirs: ids.license,
    never: [nextTo(ids.license)],
    read: (spied, as, id) => getOwnLicenseUsage(deps(spied), as, id),
  },
  statement: {
    theirs: ids.statement,
    never: [nextTo(ids.statement)],
    read: (spied, as, id) => getOwnBilled(deps(spied), as, id),
  },
};

for (const [name, { theirs, never, read }] of Object.entries(LOOKUPS)) {
  test(`${name}: another's is read like one that never existed`, async () => {
    const found = await readsOf((spied) => read(spied, 'reader', theirs));
    assert.match(found.code ?? '', /_not_found$/);
    assert.ok(found.reads.length > 0);
    for (const id of never) assert.deepEqual(await readsOf((spied) => read(spied, 'reader', id)), found);
    // The owner finds it.
    const own = await readsOf((spied) =>
      read(spied, 'owner', theirs).catch((error) => assert.ok(!(error instanceof Failure))),
    );
    assert.equal(own.reads[0]?.[1], 1);
  });
}
