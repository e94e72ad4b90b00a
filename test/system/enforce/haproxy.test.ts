/** HAProxy as its page sets it up: it asks before it serves, and lets nothing through that Postern denies. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import type { WebServer } from '../../../kit/web-server.ts';
import { spellingsOf, visit } from '../../enforce/visiting.ts';
import { FOR_CDNS, startWorld, TEXT } from '../../enforce/world.ts';
import { startHaproxy } from './servers.ts';

const world = await startWorld('www.example.com');
after(() => world[Symbol.asyncDispose]());
const { postern, proxy, served, token } = world;

const start = (key: string, changes: Record<string, string> = {}): Promise<WebServer> =>
  startHaproxy({
    asked: new URL(proxy.url).host,
    key,
    application: new URL(world.origin).host,
    changes,
  });

describe('HAProxy', () => {
  let haproxy: WebServer;
  before(async () => {
    haproxy = await start(postern.key);
  });
  after(() => haproxy?.[Symbol.asyncDispose]());
  beforeEach(() => {
    proxy.asked.length = 0;
    proxy.faults = [];
    served.length = 0;
  });
  const get = (path: string, options: Parameters<typeof visit>[2] = {}) => visit(haproxy.url, path, options);

  test('allowed: served with the query as sent, asked about once, and kept out of caches', async () => {
    const page = await get('/open/a%20b?x=%2F&y', { headers: { 'user-agent': 'one' } });
    assert.deepEqual([page.status, page.text], [200, TEXT], haproxy.log());
    assert.equal(served[0]?.url, '/open/a%20b?x=%2F&y');
    assert.equal(proxy.asked.length, 1);
    assert.equal(proxy.asked[0]?.headers['user-agent'], 'one');
    await get('/open/a', { headers: { 'user-agent': '' } });
    assert.ok(!proxy.asked[1]?.headers['user-agent'], 'none in its place');
    assert.equal(page.headers['cache-control'], 'private');
    assert.match(String(page.headers.vary), /User-Agent/);
    const cached = await get('/open/cached');
    assert.equal(cached.headers['cache-control'], 'max-age=600, private');
    assert.match(String(cached.headers.vary), /Cookie.*User-Agent/);
    const { headers } = await get('/open/shared');
    assert.equal(headers['cache-control'], 'public, max-age=60, private');
    const rules = await get('/robots.txt');
    for (const name of Object.keys(FOR_CDNS)) {
      assert.deepEqual(
        [headers[name], cached.headers[name], rules.headers[name]],
        [undefined, undefined, 'max-age=600'],
        name,
      );
    }
  });

  test('uploads reach the site whole over a connection that is kept, also in chunks', async () => {
    for (const body of ['hello', 'x'.repeat(3 * 1024 * 1024)]) {
      for (const chunked of [false, true]) {
        const page = await get('/open/a', { method: 'POST', body, chunked });
        assert.deepEqual([page.status, page.text], [200, TEXT], haproxy.log());
        assert.equal(served.at(-1)?.body.length, body.length);
        const refused = await get('/shut/a', { method: 'POST', body, chunked });
        // A refusal may come before all was sent.
        assert.ok(refused.status === 403 || refused.status === 0, String(refused.status));
        assert.equal((await get('/open/b')).text, TEXT);
        assert.deepEqual([served.at(-1)?.url, served.at(-1)?.body], ['/open/b', '']);
      }
    }
    assert.ok(proxy.asked.every(({ body }) => body === ''));
  });

  test('denied: every method, and nothing reaches the site', async () => {
    for (const method of ['GET', 'HEAD', 'POST', 'DELETE', 'OPTIONS', 'PROPFIND']) {
      const page = await get('/shut/a', { method });
      assert.deepEqual([page.status, page.headers['cache-control']], [403, 'no-store'], method);
      assert.ok(!page.text.includes(TEXT));
    }
    for (const path of [
      '/open/../shut/a',
      '/open/%2e%2e/shut/a',
      '/open/..%2fshut',
      '//shut/a',
      '/open/..;/shut',
      '/robots.txt?p=7',
    ])
      assert.equal((await get(path)).status, 403, path);
    assert.equal(served.length, 0);
  });

  test('a license, an offer with its page, a limit, and a collection that observes', async () => {
    assert.equal((await get('/licensed/a')).status, 401);
    assert.equal((await get('/licensed/a', { headers: { authorization: `Bearer ${token}` } })).status, 200);
    assert.equal(served.at(-1)?.headers['x-postern-requester'], 'partner');
    const offer = await get('/sold/a', { headers: { accept: 'text/html' } });
    assert.deepEqual([offer.status, offer.headers['crawler-price']], [402, 'USD 0.005']);
    assert.match(offer.text, /<h1>License required/);
    assert.equal((await get('/limited/a')).status, 200);
    const limited = await get('/limited/a');
    assert.ok(limited.status === 429 && Number(limited.headers['retry-after']) > 0);
    assert.equal((await get('/watched/a')).status, 200);
    assert.deepEqual([served.at(-1)?.url, served.at(-1)?.headers['x-postern-would']], ['/watched/a', 'deny']);
  });

  test('headers of visitors change nothing, and no credential but tokens is passed on', async () => {
    const forged = {
      'x-forwarded-for': '203.0.113.9',
      'x-postern-requester': 'partner',
      x_postern_requester: 'partner',
      'x-original-uri': '/open/a',
      'x-postern-options': 'unknown=allow',
      authorization: 'Basic c2VjcmV0',
      cookie: 'session=secret',
    };
    for (const path of ['/near/a', '/shut/a']) assert.equal((await get(path, { headers: forged })).status, 403, path);
    assert.equal((await get('/open/a', { headers: forged })).status, 200);
    const names = Object.entries(served[0]?.headers ?? {}).filter(([name]) => /^x[-_]postern[-_]requester/i.test(name));
    assert.deepEqual(names, [['x-postern-requester', '']]);
    assert.ok(!JSON.stringify(proxy.asked).includes('c2VjcmV0') && !JSON.stringify(proxy.asked).includes('session='));
  });

  test('no spelling of what applications read reaches the site', async () => {
    const names = ['x-postern-requester', 'x-postern-verified', 'x-original-uri', 'x-original-url', 'x-rewrite-url'];
    for (const name of names.flatMap(spellingsOf)) {
      assert.equal((await get('/open/a', { headers: { [name]: 'forged' } })).text, TEXT);
      assert.ok(!JSON.stringify(served.at(-1)?.headers).includes('forged'), name);
    }
  });

  test('files for crawlers, and a preflight', async () => {
    for (const path of ['/robots.txt', '/.well-known/security.txt', '/favicon.ico?v=2']) {
      assert.equal((await get(path)).status, 200, path);
    }
    const headers = { origin: 'https://other.example', 'access-control-request-method': 'GET' };
    assert.equal((await get('/shut/a', { method: 'OPTIONS', headers })).status, 204);
  });

  test('without an answer, nothing is served', async () => {
    for (const fault of [
      'lost',
      'silent',
      { status: 500 },
      { status: 200, body: '{}' },
      { status: 302, headers: { location: '/' } },
    ] as const) {
      proxy.faults = [fault];
      proxy.asked.length = 0;
      const page = await get('/open/a');
      assert.equal(proxy.asked.length, 1, 'asked once');
      assert.deepEqual([page.status, page.headers['retry-after']], [503, '1'], JSON.stringify(fault));
    }
    assert.equal(served.length, 0);
  });

  test('a wrong key and an error of the script close the site', async () => {
    await using wrong = await start('svc_sk_nobody');
    assert.equal((await visit(wrong.url, '/robots.txt')).status, 503);
    await using broken = await start(postern.key, { 'core.tcp()': 'core.none()' });
    assert.equal((await visit(broken.url, '/open/a')).status, 503);
    assert.equal(served.length, 0);
  });
});
