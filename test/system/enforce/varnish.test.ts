/** Varnish as its page sets it up: it asks before its cache answers, and lets nothing through that Postern denies. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { after, before, beforeEach, describe, test } from 'node:test';
import { pluck } from '../../../kit/pluck.ts';
import { until } from '../../../kit/until.ts';
import type { WebServer } from '../../../kit/web-server.ts';
import { spellingsOf, visit } from '../../enforce/visiting.ts';
import { FOR_CDNS, startWorld, TEXT } from '../../enforce/world.ts';
import { assertStatus } from '../../http/given.ts';
import { startVarnish } from './servers.ts';

const world = await startWorld('www.example.com');
after(() => world[Symbol.asyncDispose]());
const { postern, proxy, served, token } = world;
await world.collect('/cached/', [
  { action: 'deny', conditions: { userAgent: 'GPTBot' } },
  { action: 'allow', conditions: { default: true } },
]);

/** Older ones cannot drop a body that they keep (https://github.com/varnishcache/varnish-cache/pull/3914). */
const [, major = 0, minor = 0, patch = 0] =
  /varnish-(\d+)\.(\d+)\.(\d+)/.exec(spawnSync('varnishd', ['-V'], { encoding: 'utf8' }).stderr)?.map(Number) ?? [];
const dropsBody = major * 1e6 + minor * 1e3 + patch >= 7_003_001;

const start = (key: string, changes: Record<string, string> = {}): Promise<WebServer> =>
  startVarnish({
    asked: new URL(proxy.url).host,
    key,
    application: new URL(world.origin).host,
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

  /** Sends requests at once over one connection, and returns the answers. */
  const pipelined = async (...targets: string[]): Promise<string[]> => {
    const socket = connect(Number(new URL(varnish.url).port), '127.0.0.1');
    const last = targets.length - 1;
    const heads = targets.map((one, i) => {
      const closing = i === last ? 'Connection: close\r\n' : '';
      return `${one} HTTP/1.1\r\nHost: www.example.com\r\n${closing}\r\n`;
    });
    socket.setTimeout(20_000, () => socket.destroy(new Error('no answer')));
    socket.write(heads.join(''));
    return (await text(socket)).split(/(?=HTTP\/1\.1 )/);
  };

  test('allowed: the site sees the request as it came, with its body, and not the key', async () => {
    const page = await get('/open/a?x=1', { method: 'POST', body: 'hello', headers: { cookie: 'a=b' } });
    assert.deepEqual([page.status, page.text], [200, TEXT], varnish.log());
    assert.deepEqual([served[0]?.method, served[0]?.url, served[0]?.body], ['POST', '/open/a?x=1', 'hello']);
    assert.equal(served[0]?.headers.cookie, 'a=b');
    assert.ok(!JSON.stringify(served[0]?.headers).includes(postern.key));
    assert.deepEqual([proxy.asked.length, proxy.asked[0]?.headers.cookie], [1, undefined]);
    if (dropsBody) assert.equal(proxy.asked[0]?.body, '');
    assert.equal(page.headers['cache-control'], 'private');
    assert.match(page.headers.vary ?? '', /User-Agent/);
    const [cached, rules] = [await get('/open/cached'), await get('/robots.txt')];
    for (const name of Object.keys(FOR_CDNS)) {
      assert.deepEqual([cached.headers[name], rules.headers[name]], [undefined, 'max-age=600'], name);
    }
  });

  test('uploads reach the site whole over a connection that is kept, also in chunks', async () => {
    for (const path of ['/open/a', '/watched/a']) {
      for (const body of ['hello', 'x'.repeat(3 * 1024 * 1024)]) {
        for (const chunked of [false, true]) {
          const page = await get(path, { method: 'POST', body, chunked });
          assert.deepEqual([page.status, page.text], [200, TEXT], varnish.log());
          assert.equal(served.at(-1)?.body.length, body.length);
          const next = `/open/b?${served.length}`;
          assert.equal((await get(next)).text, TEXT);
          assert.deepEqual([served.at(-1)?.url, served.at(-1)?.body], [next, '']);
        }
      }
    }
    if (dropsBody) assert.ok(proxy.asked.every(({ body }) => body === ''));
    const reached = served.length;
    for (const chunked of [false, true]) {
      const tooLong = await get('/open/a', { method: 'POST', body: 'x'.repeat(9 * 1024 * 1024), chunked });
      // A refusal may come before all was sent.
      assert.ok(tooLong.status === 413 || tooLong.status === 0, String(tooLong.status));
    }
    assert.equal(served.length, reached);
    assert.equal((await get('/open/a')).text, TEXT);
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

  test('what follows a request with any method on its connection is asked about as well', async () => {
    for (const method of ['PROPFIND', 'PURGE', 'DELETE', 'POST', 'GET']) {
      served.length = 0;
      const [first = '', second = '', ...more] = await pipelined(`${method} /open/a?${method}`, 'GET /shut/a');
      assert.match(first, /^HTTP\/1\.1 200 [^]*^Cache-Control: private\r$[^]*^Vary: Authorization/im, method);
      assert.match(second, /^HTTP\/1\.1 403 /, method);
      assert.deepEqual(more, []);
      assert.deepEqual(pluck(served, 'url'), [`/open/a?${method}`]);
      assert.ok(!JSON.stringify(served[0]?.headers).includes('x-asked'), method);
    }
  });

  test('observed, files for crawlers, preflights', async () => {
    assert.equal((await get('/watched/a')).text, TEXT);
    assert.equal((await get('/robots.txt')).text, TEXT);
    assert.equal((await get('/robots.txt;x')).status, 403);
    const headers = { origin: 'https://a.example', 'access-control-request-method': 'GET' };
    assert.equal((await get('/shut/a', { method: 'OPTIONS', headers })).status, 204);
  });

  test('no cache in front may keep what the site lets everybody keep', async () => {
    for (const path of ['/open/cached', '/open/shared', '/open/shared']) {
      const { headers } = await get(path);
      assert.match(String(headers['cache-control']), /max-age=\d+, private$/, path);
      assert.match(String(headers.vary), /User-Agent/, path);
      assert.deepEqual([headers['cdn-cache-control'], headers['surrogate-control']], [undefined, undefined]);
    }
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
    assert.equal((await get('/licensed/a', { headers: { authorization: `Bearer ${token}` } })).text, TEXT);
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
    for (const path of ['/near/a', '/licensed/a', '/shut/a']) {
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

  test('no spelling of what applications read reaches the site, or a copy for others', async () => {
    const names = ['x-postern-requester', 'x-postern-verified', 'x-original-uri', 'x-original-url', 'x-rewrite-url'];
    for (const name of names.flatMap(spellingsOf)) {
      assert.equal((await get(`/open/${name}`, { headers: { [name]: 'forged' } })).text, TEXT);
      assert.ok(!JSON.stringify(served.at(-1)?.headers).includes('forged'), name);
    }
  });

  test('the links of the site and of its signals are added to those of the page', async () => {
    const path = '/v1/sites/www.example.com';
    const body = { signals: { public: true, link: true }, licensingUrl: 'https://licensing.example/' };
    assertStatus(await postern.call('PUT', path, { body }), 201);
    try {
      await until('the link', async () => String((await get('/open/a')).headers.link).includes('licensing.example'));
      const { headers } = await get('/open/linked');
      for (const link of ['</one>; rel="next"', '</two>; rel="prev"', '<https://licensing.example/>; rel="license"']) {
        assert.ok(headers.link?.includes(link), `${headers.link}`);
      }
    } finally {
      await postern.call('DELETE', path);
    }
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
