/**
 * A page is one question and one decision, also where the server falls back to other files; and what the server itself
 * refuses does not look like a decision. Real nginx and Caddy with their pages' configurations.
 */
import assert from 'node:assert/strict';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, describe, test } from 'node:test';
import { startTestService } from '../../../kit/service.ts';
import { folderOf } from '../../../kit/web-server.ts';
import { decisions } from '../../enforce/asking.ts';
import { type Page, type Visit, visit } from '../../enforce/visiting.ts';
import { FOR_CDNS } from '../../enforce/world.ts';
import { made, makePolicy } from '../../http/given.ts';
import { proxied, SERVERS, type Start } from './servers.ts';

const HOST = 'www.example.com';
const SECRET = 'the protected text';
const stack = new AsyncDisposableStack();
after(() => stack.disposeAsync());
const postern = stack.use(await startTestService());
const open = (await makePolicy(postern, [{ action: 'allow', conditions: {} }])).id;
const closed = (await makePolicy(postern, [{ action: 'deny', conditions: {} }])).id;
await made(postern, '/v1/collections', { name: 'Site', hosts: [HOST], paths: ['/'], policyId: open });
await made(postern, '/v1/collections', { name: 'Shut', hosts: [HOST], paths: ['/shut'], policyId: closed });
await made(postern, '/v1/requesters', { id: 'known', userAgents: ['KnownBot'] });

const site = folderOf({
  'index.html': 'home',
  'news/index.html': 'the news',
  'empty/x.html': 'x',
  'page.html': 'a page with some bytes',
  '404.html': 'not found here',
  'blocked.html': SECRET,
  ...Object.fromEntries(['pdf', 'json', 'css', 'txt', 'html'].map((end) => [`shut/file.${end}`, SECRET])),
});

let reached: string[] = [];
const application = createServer((got, response) => {
  reached.push(`${got.method} ${got.url} ${got.headers['x-postern-requester'] ?? ''}`);
  response.setHeader('cache-control', 'public, max-age=60');
  for (const name of Object.keys(FOR_CDNS)) response.setHeader(name, 'max-age=60');
  response.end('the application');
});
application.on('upgrade', (_, socket) => {
  socket.end('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n');
});
await new Promise<void>((listening) => application.listen(0, '127.0.0.1', listening));
stack.defer(() => {
  application.closeAllConnections();
  application.close();
});
const APPLICATION = `127.0.0.1:${(application.address() as AddressInfo).port}`;
const start = async (starter: (typeof SERVERS)[number][1], more: Partial<Start> = {}) =>
  stack.use(await starter({ asked: new URL(postern.url).host, key: postern.key, site, ...more }));

/** Visits a page and counts the decisions of it. */
async function counted(url: string, path: string, visitor: Visit = {}): Promise<Page & { asked: number }> {
  const before = await decisions(postern);
  const page = await visit(url, path, visitor);
  return { ...page, asked: (await decisions(postern)) - before };
}

for (const [name, starter] of SERVERS) {
  describe(name, async () => {
    const server = await start(starter);
    const proxy = await start(starter, { application: proxied(APPLICATION) });

    test('asks once for a page, a folder, HEAD, a range, 304 and 404', async () => {
      const whole = await counted(server.url, '/page.html');
      assert.deepEqual([whole.status, whole.asked], [200, 1], server.log());
      const etag = String(whole.headers.etag);
      for (const [path, visitor, status] of [
        ['/', {}, 200],
        ['/news/', {}, 200],
        ['/page.html', { method: 'HEAD' }, 200],
        ['/page.html', { headers: { range: 'bytes=0-3' } }, 206],
        ['/page.html', { headers: { 'if-none-match': etag } }, 304],
        ['/none.html', {}, 404],
        ['/none/', {}, 404],
      ] as const) {
        const page = await counted(server.url, path, visitor);
        assert.deepEqual([page.status, page.asked], [status, 1], `${path} ${JSON.stringify(visitor)}`);
        assert.match(String(page.headers['cache-control']), /private/, path);
        assert.match(String(page.headers.vary), /User-Agent/, path);
      }
    });

    test('leads to the one address of a folder, and nowhere else', async () => {
      for (const [path, location] of [
        ['/index.html', '/'],
        ['/news/index.html', '/news/'],
        ['/news/index.htm?a=1&b=%2F', '/news/?a=1&b=%2F'],
        ['/shut/index.html', '/shut/'],
      ] as const) {
        const page = await counted(server.url, path);
        assert.deepEqual([page.status, page.headers.location, page.asked], [308, location, 0], path);
      }
      for (const path of [
        '//evil.example/index.html',
        '/\\evil.example/index.html',
        '///index.html',
        '/a//index.html',
      ]) {
        const page = await visit(server.url, path);
        assert.equal(page.headers.location, undefined, path);
        assert.ok(page.status >= 400, path);
      }
    });

    test('answers a preflight without the application, and asks about every other method', async () => {
      const preflight = { origin: 'https://other.example', 'access-control-request-method': 'GET' };
      reached = [];
      for (const path of ['/page.html', '/shut/file.html', '/']) {
        const page = await counted(proxy.url, path, { method: 'OPTIONS', headers: preflight });
        assert.deepEqual([page.status, page.text, page.asked], [204, '', 0], path);
      }
      assert.deepEqual(reached, []);
      const { origin, ...half } = preflight;
      for (const [method, headers] of [
        ['GET', preflight],
        ['POST', preflight],
        ['OPTIONS', half],
        ['OPTIONS', { origin }],
      ] as const) {
        const page = await counted(proxy.url, '/shut/file.html', { method, headers });
        assert.deepEqual([page.status, page.asked], [403, 1], `${method} ${JSON.stringify(headers)}`);
      }
      assert.deepEqual(reached, []);
    });

    test('a refused file has the content type of the page', async () => {
      for (const end of ['pdf', 'json', 'css', 'txt', 'html']) {
        const page = await visit(server.url, `/shut/file.${end}`);
        assert.deepEqual([page.status, page.headers['content-type']], [403, 'text/html; charset=utf-8'], end);
        assert.match(page.text, /<h1>Access denied/);
        assert.equal(page.headers['cache-control'], 'no-store');
      }
    });

    test('no cache may keep what an application answers', async () => {
      const page = await counted(proxy.url, '/page', { headers: { 'user-agent': 'KnownBot' } });
      assert.deepEqual([page.status, page.asked], [200, 1], proxy.log());
      assert.match(String(page.headers['cache-control']), /private/);
      for (const told of Object.keys(FOR_CDNS)) assert.equal(page.headers[told], undefined, told);
    });
  });
}

describe('nginx', () => {
  const [, starter] = SERVERS[0];

  test('asks once with fallbacks, and the application learns who asks', async () => {
    const fallbacks = {
      'try_files $uri $uri/ =404;': 'try_files $uri $uri/ /missing;\n}\nlocation = /missing {\nreturn 404;',
      'error_page 401 = @refused;': 'error_page 401 = @refused;\nerror_page 404 /404.html;',
    };
    const server = await start(starter, { changes: fallbacks });
    const page = await counted(server.url, '/none', { headers: { 'user-agent': 'KnownBot' } });
    assert.deepEqual([page.status, page.text, page.asked], [404, 'not found here', 1], server.log());
    const behind = proxied(APPLICATION);
    const through = { ...behind, nginx: `try_files $uri /inner;\n}\nlocation = /inner {\n${behind.nginx}` };
    const proxy = await start(starter, { application: through });
    reached = [];
    const inner = await counted(proxy.url, '/some/page?x=1', { headers: { 'user-agent': 'KnownBot' } });
    assert.deepEqual([inner.status, inner.asked], [200, 1], proxy.log());
    assert.deepEqual(reached, ['GET /inner known']);
    const denied = await counted(proxy.url, '/shut/page');
    assert.deepEqual([denied.status, denied.asked, reached.length], [403, 1, 1]);
  });

  test('what nginx itself refuses is no denial of Postern', async () => {
    const server = await start(starter, {
      changes: { 'location / {': 'location = /blocked.html {\ndeny all;\n}\nlocation / {' },
    });
    for (const path of ['/blocked.html', '/empty/']) {
      const page = await visit(server.url, path);
      assert.equal(page.status, 403, path);
      assert.ok(!page.text.includes(SECRET) && !page.text.includes('Access denied'), page.text);
      assert.deepEqual([page.headers['x-postern-message'], page.headers['x-postern-reason']], [undefined, undefined]);
    }
  });
});

test('websockets come through Caddy, and not where they are denied', async () => {
  const [, starter] = SERVERS[1];
  const proxy = await start(starter, { application: proxied(APPLICATION) });
  const connect = (path: string, headers: Record<string, string> = {}): Promise<number> => {
    const { hostname, port } = new URL(proxy.url);
    const asked = { connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-version': '13' };
    const key = { 'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==' };
    return new Promise((resolve, reject) => {
      const sent = request({
        hostname,
        port,
        path,
        agent: false,
        headers: { host: HOST, ...asked, ...key, ...headers },
      });
      sent.on('upgrade', (_, socket) => {
        socket.destroy();
        resolve(101);
      });
      sent.on('response', (got) => {
        got.resume();
        resolve(got.statusCode ?? 0);
      });
      sent.on('error', reject);
      sent.end();
    });
  };
  assert.equal(await connect('/socket'), 101, proxy.log());
  assert.equal(await connect('/socket', { connection: 'Upgrade, X-Postern-Requester' }), 101);
  assert.equal(await connect('/shut/socket'), 403);
});
