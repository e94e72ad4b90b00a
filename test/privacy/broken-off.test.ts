/** Erasures that are broken off, or meet edits and checks of the same id. */
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { databaseSettings, dropDatabase, startTestService, type TestService, testClock } from '../../kit/service.ts';
import { until } from '../../kit/until.ts';
import { archive } from '../../src/decisions/history/archive/archive.ts';
import { assertError, assertStatus, check, item, made } from '../http/given.ts';

type Any = any;
const HOUR_MS = 3_600_000;
const root = mkdtempSync(join(tmpdir(), 'postern-erasing-'));
after(() => rmSync(root, { recursive: true, force: true }));

const isDone = async (postern: TestService, pseudonym: string): Promise<boolean> =>
  ((await postern.rowsOf('erasures')) as Any[]).some((one) => one.pseudonym === pseudonym && one.status === 'done');

const finished = (postern: TestService, pseudonym: string) =>
  until('it is erased', () => isDone(postern, pseudonym), 60_000);

const erase = async (postern: TestService, id: string): Promise<string> => {
  const answer = await postern.call('POST', `/v1/requesters/${encodeURIComponent(id)}/erase`);
  assertStatus(answer, 200);
  return answer.body.pseudonym;
};

const ofRequester = async (postern: TestService, id: string): Promise<number> =>
  (await postern.call('GET', `/v1/access/decisions?requesterId=${id}`)).body.totalCount;

test('an erasure that was broken off among the records goes on, also if the id has asked again since', async () => {
  await using postern = await startTestService();
  const hour = Math.floor(Date.now() / HOUR_MS) * HOUR_MS;
  const insert = (requesterId: string) => ({
    sql: `insert into unregistered (hour, host, path, crawler, requester_id, requests)
          values ($1, 'www.example.com', '/a', '', $2, 2)`,
    params: [hour, requesterId],
  });
  await postern.tamper(insert('erased_x'), insert('acme'), {
    sql: `insert into erasures (id, pseudonym, requester_id, status, walked_seq, last_seq, decisions, created_at, updated_at)
          values ('era_1', 'erased_x', 'acme', 'records', 0, 0, 0, 1, 1)`,
  });
  await finished(postern, 'erased_x');
  const rows = (await postern.rowsOf('unregistered')) as Any[];
  assert.deepEqual(
    rows.map((row) => [row.requester_id, Number(row.requests)]),
    [['erased_x', 4]],
  );
});

test('the past of others stays as it was, also if they name the id', async () => {
  await using postern = await startTestService();
  await made(postern, '/v1/requesters', { id: 'acme', name: 'Acme' });
  await made(postern, '/v1/requesters', { id: 'bolt', name: 'Bolt', tags: ['acme'], metadata: { of: 'acme' } });
  await postern.call('PATCH', '/v1/requesters/bolt', { body: { name: 'Bolt 2', metadata: { of: 'none' } } });
  const past = async () => {
    const { data } = (await postern.call('GET', '/v1/audit-log?limit=100')).body;
    return data.filter((one: Any) => one.target.id === 'bolt');
  };
  const before = await past();
  assert.equal(before.length, 2);
  await finished(postern, await erase(postern, 'acme'));
  assert.deepEqual(await past(), before);
});

test('an id cannot be registered while it is erased; afterwards it is new', async () => {
  await using postern = await startTestService();
  await made(postern, '/v1/requesters', { id: 'gptbot', name: 'First' });
  const contentId = (await made(postern, '/v1/content', item())).id;
  for (let i = 0; i < 20; i++) await check(postern, { contentId, requesterId: 'gptbot' });
  const pseudonym = await erase(postern, 'gptbot');
  const { erasures } = (await postern.call('GET', '/v1/status')).body.privacy;
  if (!(await isDone(postern, pseudonym))) assert.deepEqual([erasures.running, erasures.of > 0], [1, true]);
  const [again, crawlers] = await Promise.all([
    postern.call('POST', '/v1/requesters', { body: { id: 'gptbot', name: 'Second' } }),
    postern.call('POST', '/v1/crawlers/register', { body: { names: ['GPTBot'] } }),
  ]);
  if (!(await isDone(postern, pseudonym))) {
    assertError(again, 'requester_exists', 'id');
    assertError(crawlers, 'requester_exists', 'id');
  }
  await finished(postern, pseudonym);
  await made(postern, '/v1/requesters', { id: 'gptbot', name: 'Second' });
  assert.equal((await postern.call('GET', '/v1/requesters/gptbot')).body.name, 'Second');
});

test('decisions during the erasure are either erased or of a new requester, the same in records and reports', async () => {
  await using postern = await startTestService();
  const contentId = (await made(postern, '/v1/content', item())).id;
  for (let i = 0; i < 5; i++) await check(postern, { contentId, requesterId: 'acme' });
  const pseudonym = await erase(postern, 'acme');
  let asked = 5;
  while (!(await isDone(postern, pseudonym))) {
    await check(postern, { contentId, requesterId: 'acme' });
    asked += 1;
    await ofRequester(postern, 'acme');
  }
  const rows = (await postern.rowsOf('decisions')) as Any[];
  const recorded = (id: string) => rows.filter((row) => row.requester_id === id).length;
  assert.equal(recorded('acme') + recorded(pseudonym), asked);
  const reported = async () => [await ofRequester(postern, 'acme'), await ofRequester(postern, pseudonym)];
  assert.deepEqual(await reported(), [recorded('acme'), recorded(pseudonym)]);
  await postern.service.close();
  for (const name of readdirSync(postern.dataDir)) {
    if (name.startsWith('columns')) rmSync(join(postern.dataDir, name));
  }
  await postern.restart();
  assert.deepEqual(await reported(), [recorded('acme'), recorded(pseudonym)]);
});

test('files of the archive are rewritten: reports counted anew from them have the pseudonym', async () => {
  const [dataDir, archiveDir] = [mkdtempSync(join(root, 'data-')), mkdtempSync(join(root, 'archive-'))];
  after(() => dropDatabase(dataDir));
  const clock = testClock(Date.parse('2026-01-10T12:00:00Z'));
  await using postern = await startTestService({ dataDir, clock, env: { POSTERN_ARCHIVE_DIR: archiveDir } });
  const contentId = (await made(postern, '/v1/content', item())).id;
  const context = { ip: '203.0.113.77' };
  for (const requesterId of ['unmistakable', 'other']) await check(postern, { contentId, requesterId, context });
  await check(postern, { contentId });
  clock.advance(60 * 24 * HOUR_MS);
  const usage = async (id: string) =>
    (await postern.call('GET', `/v1/analytics/usage?period=all&requesterId=${id}`)).body.summary.totalRequests;
  const records = (await databaseSettings(dataDir)).POSTERN_DATABASE_URL ?? dataDir;
  const run = () =>
    archive({ records, before: clock.now() - 40 * 24 * HOUR_MS, to: archiveDir, now: clock.now(), say() {} });
  const { files, decisions } = await run();
  assert.equal(decisions, 3);
  const pseudonym = await erase(postern, 'unmistakable');
  await until('it is erased', async () => {
    clock.advance(1000);
    return isDone(postern, pseudonym);
  });
  assert.deepEqual(readdirSync(archiveDir), files);
  const bytes = readFileSync(join(archiveDir, files[0] as string), 'latin1');
  assert.ok(!bytes.includes('unmistakable'));
  assert.ok(bytes.includes('other'));
  await postern.service.close();
  for (const name of readdirSync(dataDir)) if (name.startsWith('columns')) rmSync(join(dataDir, name));
  await postern.restart();
  assert.deepEqual([await usage(pseudonym), await usage('unmistakable'), await usage('other')], [1, 0, 1]);
});
