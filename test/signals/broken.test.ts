/** The log lists accesses that broke robots.txt as it was then, with the 24 hours of a kept copy kept apart. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startTestService, testClock } from '../../kit/service.ts';
import { assertError, assertStatus, made, makePolicy } from '../http/given.ts';

const HOUR_MS = 3_600_000;
const clock = testClock();
const postern = await startTestService({ clock });
after(() => postern[Symbol.asyncDispose]());

const HOST = 'www.example.com';
const [{ id: open }, { id: closed }] = await Promise.all([
  makePolicy(postern, [{ action: 'allow' }]),
  makePolicy(postern, [{ action: 'deny', conditions: { crawler: ['GPTBot'] } }, { action: 'allow' }]),
]);
const { id: collection } = await made(postern, '/v1/collections', {
  name: 'P',
  hosts: [HOST],
  paths: ['/premium/'],
  policyId: open,
});
await made(postern, '/v1/collections', { name: 'All', hosts: [HOST], paths: ['/'], policyId: open });
/** Publishes the file as it is now. */
const publish = async () => {
  clock.advance(1_000);
  assertStatus(await postern.call('GET', `/v1/sites/${HOST}/signals/robots.txt`), 200);
};
const put = (signals: object) => postern.call('PUT', `/v1/sites/${HOST}`, { body: { signals } });
await put({ robots: 'replace' });
await publish();

const visit = async (path: string, userAgent = 'GPTBot/1.2', more: object = {}): Promise<string> => {
  clock.advance(1_000);
  const body = { url: `https://${HOST}${path}`, context: { userAgent, ...more } };
  const answer = await postern.call('POST', '/v1/access/check', { body });
  assertStatus(answer, 200);
  return answer.body.id;
};
const log = async (query: string) => {
  const answer = await postern.call('GET', `/v1/access/decisions?${query}`);
  assertStatus(answer, 200);
  return answer.body;
};
const found = async (robots: string) =>
  (await log(`robots=${robots}&limit=100`)).data.map((one: { id: string; robots: string }) => [one.id, one.robots]);

test('an access counts by the file of its time', async () => {
  clock.advance(48 * HOUR_MS);
  await visit('/premium/1');
  await postern.call('PATCH', `/v1/collections/${collection}`, { body: { policyId: closed } });
  await publish();
  const kept = await visit('/premium/2');
  clock.advance(23 * HOUR_MS);
  const late = await visit('/premium/3');
  await visit('/free');
  await visit('/premium/4', 'ClaudeBot/1.0');
  await visit('/premium/5', 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) Chrome/120.0 Safari/537.36');
  clock.advance(2 * HOUR_MS);
  const broken = await visit('/premium/6?x=1', 'Mozilla/5.0 (compatible; GPTBot/1.2; +https://openai.com/gptbot)');
  await postern.call('PATCH', `/v1/collections/${collection}`, { body: { policyId: open } });
  await publish();
  await visit('/premium/7');
  assert.deepEqual(await found('any'), [
    [broken, 'broken'],
    [late, 'within_24h'],
    [kept, 'within_24h'],
  ]);
  assert.deepEqual(await found('broken'), [[broken, 'broken']]);
  assert.deepEqual(await found('within_24h'), [
    [late, 'within_24h'],
    [kept, 'within_24h'],
  ]);
});

test('pages go on where they ended, and streams have the same', async () => {
  const all = await found('any');
  const walked: unknown[] = [];
  for (let cursor = ''; ; ) {
    const page = await log(`robots=any&limit=1${cursor}`);
    walked.push(...page.data.map((one: { id: string; robots: string }) => [one.id, one.robots]));
    assert.equal(page.hasMore, page.nextCursor !== null);
    if (page.nextCursor === null) break;
    cursor = `&cursor=${page.nextCursor}`;
  }
  assert.deepEqual(walked, all);
  const { text } = await postern.call('GET', '/v1/access/decisions?robots=any', {
    headers: { accept: 'application/x-ndjson' },
  });
  const lines = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  assert.deepEqual(
    lines.map(({ id, robots }) => [id, robots]),
    all,
  );
});

test('with other filters; unknown ways are refused', async () => {
  assert.equal((await log('robots=any&crawler=ClaudeBot')).data.length, 0);
  assert.equal((await log('robots=any&crawler=GPTBot')).data.length, 3);
  assertError(await postern.call('GET', '/v1/access/decisions?robots=maybe'), 'invalid_request', 'robots');
  assert.ok((await log('limit=100')).data.every((one: object) => !('robots' in one)));
});

test('no file, no break', async () => {
  const before = (await found('any')).length;
  await postern.call('PATCH', `/v1/collections/${collection}`, { body: { policyId: closed } });
  await put({ robots: 'off' });
  await postern.call('GET', `/v1/sites/${HOST}/signals/report`);
  clock.advance(48 * HOUR_MS);
  await visit('/premium/8');
  assert.equal((await found('any')).length, before);
});
