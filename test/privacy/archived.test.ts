/** Archived decisions are read back one by one as they were answered, and decided again as of their time. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { databaseSettings, dropDatabase, startTestService, testClock } from '../../kit/service.ts';
import { until } from '../../kit/until.ts';
import { archive } from '../../src/decisions/history/archive/archive.ts';
import { assertError, assertStatus, check, item, made, PRICED } from '../http/given.ts';

const DAY_MS = 86_400_000;
const folder = mkdtempSync(join(tmpdir(), 'postern-archived-'));
const [dataDir, archiveDir] = [join(folder, 'data'), join(folder, 'archive')];
after(async () => {
  rmSync(folder, { recursive: true, force: true });
  await dropDatabase(dataDir);
});

const TERMS = { ...PRICED, quota: { units: 3, onExceed: 'deny' } };

test('erasures and quotas reach what is archived where the records have nothing left', async () => {
  const clock = testClock(Date.parse('2026-01-10T12:00:00Z'));
  const [own, to] = [join(folder, 'all'), join(folder, 'all-archived')];
  await using postern = await startTestService({ dataDir: own, clock, env: { POSTERN_ARCHIVE_DIR: to } });
  after(() => dropDatabase(own));
  const rules = [{ action: 'allow', conditions: { licenseType: 'research' } }];
  const policy = await made(postern, '/v1/policies', { name: 'P', rules });
  const { id: contentId } = await made(postern, '/v1/content', item({ policyId: policy.id }));
  await made(postern, '/v1/requesters', { id: 'acme', name: 'Acme' });
  const license = await made(postern, '/v1/licenses', { requesterId: 'acme', type: 'research', terms: PRICED });
  const purpose = 'training';
  for (const requesterId of ['acme', 'globex', 'acme']) await check(postern, { contentId, requesterId, purpose });
  clock.advance(60 * DAY_MS);
  const records = (await databaseSettings(own)).POSTERN_DATABASE_URL ?? own;
  await archive({ records, before: clock.now() - 40 * DAY_MS, to, now: clock.now(), say() {} });
  assert.equal((await postern.rowsOf('decisions')).length, 0);

  const terms = { ...PRICED, quota: { units: 3, period: 'year', onExceed: 'deny' } };
  const path = `/v1/licenses/${license.id}`;
  assertStatus(await postern.call('PATCH', path, { body: { terms, effective: 'now' } }), 200);
  const { quota } = await check(postern, { contentId, requesterId: 'acme', purpose, dryRun: true });
  assert.equal(quota.used, 2);

  assertStatus(await postern.call('POST', '/v1/requesters/globex/erase', { body: {} }), 200);
  await until('erased', async () => {
    clock.advance(5_000);
    const [erasure] = (await postern.rowsOf('erasures')) as { status: string }[];
    return erasure?.status === 'done';
  });
  const shown = await postern.call('GET', '/v1/analytics/requesters');
  assertStatus(shown, 200);
  assert.doesNotMatch(shown.text, /globex/);
});

test('an archived decision is what it was, and is decided the same as of its time', async () => {
  const clock = testClock(Date.parse('2026-01-10T12:00:00Z'));
  await using postern = await startTestService({ dataDir, clock, env: { POSTERN_ARCHIVE_DIR: archiveDir } });
  const rules = [
    { action: 'allow', conditions: { licenseType: 'research' }, rateLimit: { requests: 9, period: 'day' } },
    { action: 'deny', conditions: { default: true }, message: 'Write to us.' },
  ];
  const policy = await made(postern, '/v1/policies', { name: 'P', rules });
  const { id: contentId } = await made(postern, '/v1/content', item({ policyId: policy.id }));
  const removed = await made(postern, '/v1/content', item({ policyId: policy.id }));
  await made(postern, '/v1/requesters', { id: 'acme', name: 'Acme' });
  await made(postern, '/v1/licenses', { requesterId: 'acme', type: 'research', terms: TERMS });
  const { token } = await made(postern, '/v1/requesters/acme/tokens', { name: 't' });
  const context = { ip: '203.0.113.7', country: 'DE', userAgent: 'GPTBot/1.2' };
  const asks = [
    { contentId, requesterId: 'acme', purpose: 'training', context },
    { contentId, context },
    { contentId, requesterId: 'acme', permission: 'training' },
    { contentId: removed.id, requesterId: 'acme' },
  ];
  const ids: string[] = [];
  for (const ask of asks) ids.push((await check(postern, ask)).id);
  const read = (id = '', key = postern.key) =>
    postern.call('GET', `/v1/${key === token ? 'me' : 'access'}/decisions/${id}`, { key });
  const before = await Promise.all(ids.map(async (id) => (await read(id)).body));
  const own = (await read(ids[0], token)).body;
  assert.deepEqual([before[0].quota.remaining, before[0].rateLimit.remaining, before[1].reason], [2, 8, 'no_license']);
  clock.advance(DAY_MS);
  const opened = { rules: [{ action: 'allow', conditions: {} }] };
  assertStatus(await postern.call('PATCH', `/v1/policies/${policy.id}`, { body: opened }), 200);

  clock.advance(60 * DAY_MS);
  const records = (await databaseSettings(dataDir)).POSTERN_DATABASE_URL ?? dataDir;
  const days = clock.now() - 40 * DAY_MS;
  const { files } = await archive({ records, before: days, to: archiveDir, now: clock.now(), say() {} });
  assert.equal((await postern.rowsOf('decisions')).length, 0);
  assertStatus(await postern.call('DELETE', `/v1/content/${removed.id}`), 200);
  for (const [i, id] of ids.entries()) {
    if (i === 3) assertError(await read(id), 'decision_not_found');
    else assert.deepEqual((await read(id)).body, before[i]);
  }
  assert.deepEqual((await read(ids[0], token)).body, own);
  assertError(await read(ids[1], token), 'decision_not_found');
  assertError(await read(`${ids[0]?.slice(0, -2)}zz`), 'decision_not_found');
  for (const was of before.slice(0, 3)) {
    const { requesterId, purpose, permission, created } = was;
    const ask = Object.entries({ requesterId, purpose, permission, context: was.context, asOf: created });
    const known = Object.fromEntries(ask.filter(([, value]) => value !== null));
    const again = await check(postern, { contentId, ...known, dryRun: true });
    assert.deepEqual(
      [again.allowed, again.reason, again.policyVersion, again.matchedRule, again.message],
      [was.allowed, was.reason, was.policyVersion, was.matchedRule, was.message],
    );
  }
  rmSync(join(archiveDir, files[0] as string));
  assertError(await read(ids[0]), 'service_unavailable');
});
