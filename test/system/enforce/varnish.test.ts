/** Varnish as its page sets it up: it asks before its cache answers, and lets nothing through that Postern denies. */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, beforeEach, describe, test } from 'node:test';
import { startTestService } from '../../../kit/service.ts';
import type { WebServer } from '../../../kit/web-server.ts';
import { startFaultyProxy } from '../../client/faulty-proxy.ts';
import { visit } from '../../enforce/visiting.ts';
import { made, makePolicy } from '../../http/given.ts';
import { startVarnish } from './servers.ts';

const TEXT = 'the text of the site';
const postern = await startTestService();
const proxy = await startFaultyProxy(postern.url);
const served: { method: string; url: string; headers: Record<string, unknown>; body: string }[] = [];
const site = createServer(async (request, response) => {
  let body = '';
  for await (const chunk of request) body += chunk;
  served.push({ method: request.method ?? '', url: request.url ?? '', headers: request.headers, body });
  const cached = request.url?.startsWith('/cached') === true ? { 'cache-control': 'max-age=600' } : {};
  response.writeHead(200, { 'content-type': 'text/html', ...cached }).end(TEXT);
});
await new Promise<void>((done) => site.listen(0, '127.0.0.1', done));
after(async () => {
  site.closeAllConnections();
  site.close();
  await proxy[Symbol.asyncDispose]();
  await postern[Symbol.asyncDispose]();
});

const policy = async (...rules: object[]): Promise<string> => (await makePolicy(postern, rules)).id;
const collection = async (path: string, policyId: string, more: object = {}) =>
  made(postern, '/v1/collections', { name: path, hosts: ['www.example.com'], paths: [path], policyId, ...more });
const shut = await policy({ action: 'deny', conditions: {} });
await collection('/', shut);
await collection('/open/', await policy({ action: 'allow', conditions: {} }));
await collection('/watched/', shut, { mode: 'observe' });
await collection('/near/', await policy({ action: 'allow', conditions: { ip: '203.0.113.0/24' } }));
await collection('/partners/', await policy({ action: 'allow', conditions: { licenseType: 'site' } }));
await collection('/sold/', await policy({ action: 'allow', conditions: { licenseType: 'crawl' } }));
await collection(
  '/cached/',
  await policy(
    { action: 'deny', conditions: { userAgent: 'GPTBot' } },
    { action: 'allow', conditions: { default: true } },
  ),
);
await collection(
  '/limited/',
  await policy({ action: 'allow', conditions: {}, rateLimit: { requests: 1, period: 'day' } }),
);
await postern.call('PUT', '/v1/offers/crawl', { body: { unitPriceMicros: 5000, currency: 'USD' } });
await made(postern, '/v1/requesters', { id: 'partner' });
const { token } = await made(postern, '/v1/requesters/partner/tokens', { name: 'T' });
await made(postern, '/v1/licenses', { requesterId: 'partner', type: 'site' });

const start = (key: string, changes: Record<string, string> = {}): Promise<WebServer> =>
  startVarnish({
    asked: new URL(proxy.url).host,
    key,
    application: `127.0.0.1:${(site.address() as AddressInfo).port}`,
    changes,
  });

describe('Varnish', () => {
  let varnish: WebServer;
  before(async () => {
    varnish = await start(postern.key);
  });
  after(() => varnish?.[Symbol.asyncDispose]());
  beforeEach(() => {
    served.length = 0;
    proxy.asked.length = 0;
    proxy.faults = [];
  });
  const get = (path: string, one: Parameters<typeof visit>[2] = {}) => visit(varnish.url, path, one);

  test('allowed: the site sees the request as it came, with its body, and not the key', async () => {
    const page = await get('/open/a?x=1', { method: 'POST', body: 'hello', headers: { cookie: 'a=b' } });
    assert.deepEqual([page.status, page.text], [200, TEXT], varnish.log());
    assert.deepEqual([served[0]?.method, served[0]?.url, served[0]?.body], ['POST', '/open/a?x=1', 'hello']);
    assert.equal(served[0]?.headers.cookie, 'a=b');
    assert.ok(!JSON.stringify(served[0]?.headers).includes(postern.key));
    assert.deepEqual([proxy.asked.length, proxy.asked[0]?.body, proxy.asked[0]?.headers.cookie], [1, '', undefined]);
    assert.equal(page.headers['cache-control'], 'private');
    assert.match(page.headers.vary ?? '', /User-Agent/);
  });

  test('denied: nothing reaches the site, and the visitor learns what would help', async () => {
    for (const method of ['GET', 'HEAD', 'POST', 'PURGE', 'OPTIONS']) {
      const page = await get('/shut/a', { method });
      assert.deepEqual([page.status, page.text.includes(TEXT)], [403, false], method);
    }
    const sold = await get('/sold/a');
    assert.deepEqual([sold.status, sold.headers['crawler-price']], [402, 'USD 0.005']);
    assert.equal((await get('/limited/a')).status, 200);
    assert.equal((await get('/limited/a')).status, 429);
    assert.equal(served.length, 1);
  });

  test('observed, files for crawlers, preflights', async () => {
    assert.equal((await get('/watched/a')).text, TEXT);
    assert.equal((await get('/robots.txt')).text, TEXT);
    assert.equal((await get('/robots.txt;x')).status, 403);
    const headers = { origin: 'https://a.example', 'access-control-request-method': 'GET' };
    assert.equal((await get('/shut/a', { method: 'OPTIONS', headers })).status, 204);
  });

  test('a warm cache gives a reader’s copy to no crawler, and each view is one check', async () => {
    for (let i = 0; i < 3; i++)
      assert.equal((await get('/cached/a', { headers: { 'user-agent': 'Firefox' } })).text, TEXT);
    assert.equal(served.length, 1, 'the cache answers');
    const denied = await get('/cached/a', { headers: { 'user-agent': 'GPTBot/1.2' } });
    assert.deepEqual([denied.status, denied.text.includes(TEXT)], [403, false]);
    assert.equal(
      (await get('/cached/a', { headers: { 'user-agent': 'Firefox' } })).text,
      TEXT,
      'nor a refusal to a reader',
    );
    assert.equal(proxy.asked.length, 5);
  });

  test('a token proves a partner, and headers of visitors prove nothing', async () => {
    assert.equal((await get('/partners/a', { headers: { authorization: `Bearer ${token}` } })).text, TEXT);
    const forged: Record<string, string> = {
      'x-forwarded-for': '203.0.113.9',
      forwarded: 'for=203.0.113.9',
      'x-postern-key': 'x',
      'x-postern-requester': 'partner',
      'x-postern-allowed': 'true',
      'x-original-uri': '/open/a',
      'x-original-method': 'GET',
      'x-forwarded-uri': '/open/a',
      'x-forwarded-host': 'other.example',
      'x-postern-options': 'unknown=allow',
      'x-asked-cache': 'public',
      'x-asked-link': '</evil>',
      connection: 'close, x-postern-key, x-original-uri',
    };
    const tried: Record<string, string>[] = [
      forged,
      { 'x-original-uri': '/open/a' },
      { 'x-forwarded-for': '203.0.113.9' },
    ];
    for (const path of ['/near/a', '/partners/a', '/shut/a']) {
      for (const headers of tried) {
        const page = await get(path, { headers });
        assert.ok(page.status >= 400 && !page.text.includes(TEXT), `${path} ${page.status}`);
      }
    }
    const { connection: _, ...passed } = forged;
    const page = await get('/open/a', { headers: passed });
    assert.deepEqual([page.status, page.headers['cache-control'], page.headers.link], [200, 'private', undefined]);
    for (const name of ['x-postern-requester', 'x-postern-key', 'x-original-uri', 'x-asked-link'])
      assert.equal(served.at(-1)?.headers[name], undefined, name);
  });

  test('Postern lost, slow, or something else at its address: 503', async () => {
    for (const fault of ['lost', 'silent', { status: 500 }, { status: 200, body: 'hello' }, { status: 401 }] as const) {
      proxy.faults = [fault, fault];
      const page = await get('/open/a');
      assert.deepEqual([page.status, page.text.includes(TEXT)], [503, false], JSON.stringify(fault));
    }
    proxy.faults = [];
    assert.equal((await get('/open/a')).text, TEXT);
  });
});

test('a wrong key closes the site', async () => {
  await using varnish = await start('svc_sk_wrong');
  assert.equal((await visit(varnish.url, '/open/a')).status, 503);
  assert.equal((await visit(varnish.url, '/robots.txt')).status, 503);
});
