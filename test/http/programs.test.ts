/** Programs that the directory of crawlers does not name: their requests, pages and addresses. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startTestService, type TestService, testClock } from '../../kit/service.ts';
import { until } from '../../kit/until.ts';
import { allowAll, assertError, assertStatus, made, makeKey, makePolicy } from './given.ts';

// biome-ignore lint/suspicious/noExplicitAny: a test reads any answer
type Any = any;
const clock = testClock(Date.parse('2026-11-20T12:00:00Z'));
const postern = await startTestService({ clock });
after(() => postern[Symbol.asyncDispose]());

const HOST = 'www.example.com';
const policy = await makePolicy(postern, [allowAll]);
await made(postern, '/v1/collections', { name: 'Site', hosts: [HOST], policyId: policy.id });
await made(postern, '/v1/requesters', { id: 'partner', name: 'Partner' });

const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:132.0) Gecko/20100101 Firefox/132.0';
const NEWS = 'Mozilla/5.0 (compatible; NewsGrabber/1.0; +https://grabber.example)';
const ask = (path: string, userAgent: string | undefined, ip?: string, more: object = {}) => ({
  url: `https://${HOST}${path}`,
  context: { ...(userAgent === undefined ? {} : { userAgent }), ...(ip === undefined ? {} : { ip }) },
  ...more,
});
const asks = [
  ...Array.from({ length: 60 }, (_, n) => ask(`/p${n % 7}`, NEWS, `192.0.2.${n % 20}`)),
  ...Array.from({ length: 9 }, () => ask('/robots.txt', 'quiet-tool/1.0')),
  ...Array.from({ length: 5 }, () => ask('/p1', FIREFOX, '192.0.2.1')),
  ask('/p1', 'GPTBot/1.2', '192.0.2.1'),
  ask('/p1', '', '192.0.2.1'),
  ask('/p1', undefined),
  ask('/p1', 'partners-tool/1', '192.0.2.1', { requesterId: 'partner' }),
];
await made(postern, '/v1/access/check/batch', { checks: asks }, 200);

const list = (query = ''): Promise<Any> => report(postern, `/v1/analytics/programs${query}`);

/** A busy machine counts for longer than a report waits. */
async function report(service: TestService, path: string): Promise<Any> {
  const read = () => service.call('GET', path);
  const answer = await until('it is counted', read, 120_000, ({ status }) => status !== 503);
  assertStatus(answer, 200, path);
  return answer.body;
}

test('lists programs by requests, with pages, addresses and times', async () => {
  const now = '2026-11-20T12:00:00.000Z';
  const common = { denied: 0, addressesApproximate: true, firstSeen: now, lastSeen: now };
  const { data, totalCount } = await list();
  assert.equal(totalCount, 2);
  assert.ok(Math.abs(data[0].addresses - 20) <= 1, `${data[0].addresses}`);
  assert.deepEqual(data, [
    {
      ...common,
      program: 'newsgrabber',
      requests: 60,
      allowed: 60,
      pages: 7,
      addresses: data[0].addresses,
      robotsRead: false,
    },
    { ...common, program: 'quiet-tool', requests: 9, allowed: 9, pages: 1, addresses: null, robotsRead: true },
  ]);
});

test('a proxy that asks about robots.txt for a program shows that it reads it', async () => {
  const key = await makeKey(postern, { permissions: ['access:check'] });
  const headers = { 'x-forwarded-host': HOST, 'x-forwarded-uri': '/robots.txt', 'x-forwarded-proto': 'https' };
  const answer = await postern.call('GET', '/v1/authorize', {
    key: null,
    headers: { ...headers, 'x-postern-key': key, 'user-agent': NEWS },
  });
  assertStatus(answer, 200, 'robots.txt');
  assert.equal((await list('?q=news')).data[0].robotsRead, true);
});

test('pages, orders, periods and files', async () => {
  const first = await list('?limit=1&sort=lastSeen');
  assert.deepEqual([first.data.length, first.hasMore, first.totalCount], [1, true, 2]);
  const next = await list(`?limit=1&sort=lastSeen&cursor=${first.nextCursor}`);
  assert.notEqual(next.data[0].program, first.data[0].program);
  assert.equal((await list('?from=2026-11-21')).totalCount, 0);
  assert.deepEqual((await list('?q=QUIET')).data.length, 1);
  const csv = await postern.call('GET', '/v1/analytics/programs', { headers: { accept: 'text/csv' } });
  assert.match(
    csv.text,
    /^program,requests,allowed,denied,pages,addresses,firstSeen,lastSeen,robotsRead\r?\nnewsgrabber,60,/,
  );
  assertError(await postern.call('GET', '/v1/analytics/programs?sort=addresses'), 'invalid_request', 'sort');
});

test('is for secret keys with analytics:read', async () => {
  const key = await makeKey(postern, { permissions: ['policies:read'] });
  assertError(await postern.call('GET', '/v1/analytics/programs', { key }), 'insufficient_permissions');
});

test('nothing is known of user agents that are not kept', async () => {
  for (const precision of ['crawler-only', 'none']) {
    await using other = await startTestService({ env: { POSTERN_USER_AGENT: precision } });
    const rules = await makePolicy(other, [allowAll]);
    await made(other, '/v1/collections', { name: 'Site', hosts: [HOST], policyId: rules.id });
    await made(
      other,
      '/v1/access/check/batch',
      { checks: asks.slice(0, 70).map(({ requesterId: _, ...one }: Any) => one) },
      200,
    );
    assert.deepEqual((await report(other, '/v1/analytics/programs')).data, []);
    const { groups } = await report(other, '/v1/analytics/usage?groupBy=program');
    assert.deepEqual(groups, [{ id: null, requests: 70, allowed: 70, denied: 0 }]);
  }
});
