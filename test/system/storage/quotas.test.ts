/**
 * Quotas of whole installations that are backed up under load, restored, or moved to PostgreSQL: no unit is lost or
 * given twice.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { testPostgres } from '../../../kit/postgres.ts';
import { startTestService, type TestService } from '../../../kit/service.ts';
import { backUp, restore } from '../../../src/service/storage/backup.ts';
import { moveStore } from '../../../src/service/storage/move.ts';
import { item } from '../../http/given.ts';

const root = mkdtempSync(join(tmpdir(), 'postern-quotas-'));
after(() => rmSync(root, { recursive: true, force: true }));
const newFolder = (): string => mkdtempSync(join(root, 'data-'));

const UNITS = 500;
const BEGAN = new Date();
const CHECK = { contentId: '', requesterId: 'acme', purpose: 'training' };

type Any = any;

interface Given {
  service: TestService;
  key: string;
}

async function must({ service, key }: Given, request: string, body?: object): Promise<Any> {
  const [method, path] = request.split(' ') as [string, string];
  const answer = await service.call(method, path, { key, body });
  assert.ok(answer.status < 300, `${method} ${path}: ${answer.text}`);
  return answer.body;
}

/** A license whose units last for its whole term; a check of it. */
async function fill(given: Given): Promise<typeof CHECK> {
  const rules = [{ action: 'allow', conditions: { licenseType: 'commercial' } }];
  const policy = await must(given, 'POST /v1/policies', { name: 'p', rules });
  const content = await must(given, 'POST /v1/content', { ...item(), policyId: policy.id });
  await must(given, 'POST /v1/requesters', { id: 'acme' });
  const terms = {
    currency: 'EUR',
    timezone: 'UTC',
    period: 'year',
    unit: 'decision',
    tiers: [{ upTo: null, unitPriceMicros: 1_000_000 }],
    quota: { units: UNITS, period: 'term', onExceed: 'deny' },
  };
  await must(given, 'POST /v1/licenses', { requesterId: 'acme', type: 'commercial', terms });
  return { ...CHECK, contentId: content.id };
}

/** Asks until the quota is used up, in batches side by side. Returns how many were allowed. */
async function useUp(given: Given, check: typeof CHECK): Promise<number> {
  let allowed = 0;
  let denied = false;
  const client = async (): Promise<void> => {
    while (!denied) {
      const checks = Array.from({ length: 7 }, () => check);
      const { data } = await must(given, 'POST /v1/access/check/batch', { checks });
      for (const one of data) {
        if (one.allowed) allowed++;
        else {
          assert.equal(one.reason, 'quota_exceeded');
          denied = true;
        }
      }
    }
  };
  await Promise.all([client(), client(), client()]);
  return allowed;
}

const countAllowed = async (given: Given): Promise<number> =>
  (await must(given, 'GET /v1/analytics/usage?period=all&requesterId=acme')).summary.allowed;

/** The quota, the statement and the log agree: all units were given, each once. */
async function assertUsedUp(given: Given): Promise<void> {
  assert.equal(await countAllowed(given), UNITS);
  // A year may end meanwhile.
  const years = new Set([BEGAN, new Date()].map((at) => at.getUTCFullYear()));
  let units = 0;
  for (const year of years) {
    const { data } = await must(given, `GET /v1/statements?requesterId=acme&period=${year}`);
    for (const { lines } of data) {
      for (const line of lines) if (line.kind === 'usage') units += line.units;
    }
  }
  assert.equal(units, UNITS);
}

describe('quotas', () => {
  test('of a backup that is made under load: the restored service gives the rest, and no unit more', async () => {
    const dataDir = newFolder();
    const to = join(newFolder(), 'backup');
    await using service = await startTestService({ dataDir });
    const given = { service, key: service.key };
    const check = await fill(given);
    for (let i = 0; i < 50; i++) await must(given, 'POST /v1/access/check', check);
    const rest = useUp(given, check);
    backUp(dataDir, to);
    assert.equal(50 + (await rest), UNITS);
    await assertUsedUp(given);

    const restored = newFolder();
    restore(to, restored);
    await using again = await startTestService({ dataDir: restored });
    const there = { service: again, key: service.key };
    const before = await countAllowed(there);
    assert.ok(before >= 50, `${before} of what was answered before the backup`);
    assert.equal(before + (await useUp(there, check)), UNITS);
    await assertUsedUp(there);
  });

  test('of an installation that moves to PostgreSQL: two nodes give the rest, and no unit more', async () => {
    const dataDir = newFolder();
    const server = await testPostgres();
    await using database = await server.newDatabase();
    const { check, key } = await fillAndUse(dataDir, 123);
    await moveStore({ dataDir, url: database.url, say: () => {} });
    const env = { POSTERN_DATABASE_URL: database.url };
    await using one = await startTestService({ dataDir: newFolder(), env });
    await using other = await startTestService({ dataDir: newFolder(), env });
    const given = await Promise.all([one, other].map((service) => useUp({ service, key }, check)));
    assert.equal(123 + given.reduce((sum, allowed) => sum + allowed, 0), UNITS);
    await assertUsedUp({ service: one, key });
    await assertUsedUp({ service: other, key });
  });
});

async function fillAndUse(dataDir: string, units: number): Promise<{ check: typeof CHECK; key: string }> {
  await using service = await startTestService({ dataDir });
  const given = { service, key: service.key };
  const check = await fill(given);
  for (let i = 0; i < units; i++) await must(given, 'POST /v1/access/check', check);
  return { check, key: service.key };
}
