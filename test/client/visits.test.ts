/**
 * A guard checks every method but a CORS preflight, once for a page view, and never refuses the files with rules for
 * crawlers. No way to write a request makes it another one than the server serves.
 */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { after, beforeEach, describe, test } from 'node:test';
import express from 'express';
import fastify from 'fastify';
import { Hono } from 'hono';
import { type GuardOptions, guard } from '../../client/src/index.ts';
import { startTestService } from '../../kit/service.ts';
import { made, makePolicy } from '../http/given.ts';
import { startFaultyProxy } from './faulty-proxy.ts';
import { openServing, TEXT } from './serving.ts';

const postern = await startTestService();
const proxy = await startFaultyProxy(postern.url);
const serving = openServing();
after(async () => {
  await serving[Symbol.asyncDispose]();
  await proxy[Symbol.asyncDispose]();
  await postern[Symbol.asyncDispose]();
});
beforeEach(() => {
  proxy.asked.length = 0;
});

const HOST = 'visits.example';
const collection = async (path: string, action: string) => {
  const { id: policyId } = await makePolicy(postern, [{ action, conditions: {} }]);
  return made(postern, '/v1/collections', { name: path, hosts: [HOST], paths: [path], policyId });
};
await collection('/', 'deny');
await collection('/open', 'allow');
const { id: openId } = await makePolicy(postern, [{ action: 'allow', conditions: {} }]);
await made(postern, '/v1/content', {
  externalId: 'item',
  title: 'x',
  type: 'article',
  source: `https://${HOST}/item`,
  policyId: openId,
});
const options: GuardOptions = {
  url: proxy.url,
  key: postern.key,
  timeoutMs: 20_000,
  content: 'url',
  origin: `https://${HOST}`,
};

const FREE = ['/robots.txt', '/license.xml', '/tdmrep.json', '/favicon.ico', '/.well-known/x', '/%72obots.txt?v=2'];
const NOT_FREE = [
  '/robots.txt/',
  '/robots.txt;x',
  '/robots.txt%3Bx',
  '/robots.txt%3Fx',
  '/robots.txt%23',
  '/robots%2etxt%2f',
  '/x/robots.txt',
  '/%2frobots.txt',
  '/robots.txt%00',
  '/%2572obots.txt',
  '/.well-known',
  '/.well-known/a;/b',
  '/.well-known/%2e%2e%2fsecret',
  '/.well-known/%252e%252e/secret',
  '/.well-known/..%5csecret',
  '/.well-known//secret',
  '/.well-known/index.php/secret',
  '/.well-known/x%3F/secret',
  '/.well-known/x.php5/secret',
  '/.well-known/..%20/secret',
  '/robots.txt?p=7',
  '/%72obots.txt?v=2&p=7',
  '/favicon.ico?rest_route=/wp/v2/posts/7',
  '/.well-known/x?rest_route=/wp/v2/posts/7',
];

/** Sends a request target that clients do not send. */
const raw = (url: string, target: string, host = HOST): Promise<string> =>
  new Promise((done, fail) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    let answer = '';
    socket.on('data', (chunk) => {
      answer += chunk;
    });
    socket.on('error', fail).on('close', () => done(answer));
    socket.write(`GET ${target} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
  });

for (const [name, start] of Object.entries(serving.servers)) {
  describe(name, async () => {
    const url = await start(options);

    test('files with rules for crawlers are never refused, and cost nothing', async () => {
      for (const path of FREE) {
        for (const method of ['GET', 'HEAD']) {
          const page = await fetch(url + path, { method });
          assert.equal(page.status, 200, `${method} ${path}`);
          if (method === 'GET') assert.equal(await page.text(), TEXT);
        }
      }
      assert.equal(proxy.asked.length, 0);
      assert.equal((await fetch(`${url}/robots.txt`, { method: 'POST' })).status, 403);
    });

    test('nothing else passes for one of them', async () => {
      for (const path of NOT_FREE) {
        const answer = await raw(url, path);
        assert.match(answer, /^HTTP\/1.1 40[0-9]/, path);
        assert.ok(!answer.includes(TEXT), path);
      }
    });

    test('sitemaps of the options are served, in each spelling of the path', async () => {
      const own = await start({ ...options, sitemaps: ['/sitemap.xml'] });
      assert.equal((await fetch(`${own}/sitemap.xml`)).status, 200);
      assert.equal((await fetch(`${own}/site%6Dap.xml`)).status, 200);
      assert.equal((await fetch(`${own}/sitemap2.xml`)).status, 403);
    });

    test('sitemaps in the settings of the site are served, and nothing beside them', async () => {
      const sitemaps = [`https://${HOST}/listed.xml`, `https://${HOST}/maps?n=1`];
      assert.ok((await postern.call('PUT', `/v1/sites/${HOST}`, { body: { sitemaps } })).status < 300);
      for (const signals of [true, false]) {
        const own = await start({ ...options, signals });
        for (const path of ['/listed.xml', '/list%65d.xml', '/maps?n=1']) {
          assert.equal((await fetch(own + path)).status, 200, path);
          assert.equal((await fetch(own + path, { method: 'HEAD' })).status, 200, path);
        }
        assert.equal((await fetch(`${own}/listed.xml`, { method: 'POST' })).status, 403);
        for (const path of ['/listed.xml/', '/listed.xml;x', '/listed.xml%3Fx', '/maps', '/x/listed.xml']) {
          assert.ok(!(await raw(own, path)).includes(TEXT), path);
        }
      }
      await postern.call('PUT', `/v1/sites/${HOST}`, { body: { sitemaps: [] } });
      assert.equal((await fetch(`${url}/listed.xml`)).status, 403);
    });

    test('a preflight is answered without the application and without a question', async () => {
      const preflight = { origin: 'https://other.example', 'access-control-request-method': 'GET' };
      for (const path of ['/open', '/shut']) {
        const page = await fetch(url + path, { method: 'OPTIONS', headers: preflight });
        assert.deepEqual([page.status, await page.text()], [204, '']);
        assert.equal(page.headers.get('access-control-allow-origin'), null);
      }
      assert.equal(proxy.asked.length, 0);
      for (const headers of [{}, { origin: 'https://other.example' }, { 'access-control-request-method': 'GET' }]) {
        assert.equal((await fetch(`${url}/shut`, { method: 'OPTIONS', headers })).status, 403);
      }
      assert.equal((await fetch(`${url}/shut`, { method: 'POST', headers: preflight })).status, 403);
    });

    test('every other method is asked about, and kept', async () => {
      for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND']) {
        const headers = method === 'GET' ? { range: 'bytes=0-1', 'if-none-match': '"x"' } : {};
        assert.equal((await fetch(`${url}/shut`, { method, headers })).status, 403, method);
        const page = await fetch(`${url}/open`, { method, headers });
        // What the server itself knows of methods is its own.
        if (!page.headers.has('x-postern-decision')) continue;
        const id = page.headers.get('x-postern-decision');
        const { body } = await postern.call('GET', `/v1/access/decisions/${id}`);
        assert.equal(body.context.method, method);
      }
    });

    test('a whole URL as the target is asked about by its path', async () => {
      const lenient = await start({ ...options, unknown: 'allow' });
      for (const host of [HOST, 'other.example']) {
        for (const target of [`http://${host}/shut`, `HTTP://${host}/shut`, `http://${host}`, `http://${host}?a`]) {
          const answer = await raw(lenient, target);
          assert.ok(!answer.includes(TEXT), `${target}\n${answer}`);
        }
      }
    });
  });
}

test('without an origin, a target that contradicts the Host is refused', async () => {
  const { origin: _, ...rest } = options;
  const start = serving.servers.Express ?? assert.fail();
  const url = await start({ ...rest, unknown: 'allow' });
  assert.match(await raw(url, `http://${HOST}/open`), /^HTTP\/1.1 200/);
  for (const [target, host] of [
    [`http://unknown.example/shut`, HOST],
    [`http://${HOST}/open`, 'unknown.example'],
  ] as const) {
    const answer = await raw(url, target, host);
    assert.match(answer, /^HTTP\/1.1 403/);
  }
});

describe('one page view is asked about once', () => {
  const listen = async (app: express.Express) => {
    const server = createServer(app);
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    after(() => server.close());
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  };

  test('in Express: guards in guards, rewrites, the router from the start, error pages', async () => {
    const app = express();
    app.use(guard(options).express());
    app.get('/open/again', guard(options).express(), (request, _response, next) => {
      request.url = '/open/rewritten';
      next();
    });
    app.get('/open/rewritten', guard(options).express(), (request, response) => {
      request.url = '/open/served';
      app(request, response);
    });
    app.get('/open/served', guard(options).express(), () => {
      throw new Error('of the application');
    });
    app.use(((_error, _request, response, _next) => {
      guard(options).express()(_request, response, () => response.status(500).send(TEXT));
    }) as express.ErrorRequestHandler);
    const url = await listen(app);
    const page = await fetch(`${url}/open/again`);
    assert.deepEqual([page.status, await page.text(), proxy.asked.length], [500, TEXT, 1]);
    await fetch(`${url}/open/again`);
    assert.equal(proxy.asked.length, 2, 'another page view');
  });

  test('in Fastify and Hono, with a page for what is missing', async () => {
    const app = fastify();
    app.addHook('onRequest', guard(options).fastify());
    app.addHook('preHandler', guard(options).fastify());
    app.get('/open', (_request, reply) => {
      reply.callNotFound();
    });
    app.setNotFoundHandler((_request, reply) => void reply.code(404).send(TEXT));
    await app.listen({ host: '127.0.0.1', port: 0 });
    after(() => app.close());
    const page = await fetch(`http://127.0.0.1:${(app.server.address() as AddressInfo).port}/open`);
    assert.deepEqual([page.status, proxy.asked.length], [404, 1]);

    const inner = new Hono();
    inner.use(guard(options).hono());
    inner.get('/', (context) => context.notFound());
    const outer = new Hono();
    outer.use(guard(options).hono());
    outer.route('/open', inner);
    assert.equal((await outer.request('/open')).status, 404);
    assert.equal(proxy.asked.length, 2);
  });

  test('by its URL first and by its name then; what asks for something else is another question', async () => {
    const app = express();
    app.use(guard(options).express());
    const byName = { ...options, content: () => 'item' };
    app.get('/item', guard(byName).express(), guard({ ...byName, purpose: 'training' }).express(), (_, response) => {
      response.send(TEXT);
    });
    const url = await listen(app);
    assert.equal((await fetch(`${url}/item`)).status, 200);
    assert.equal(proxy.asked.length, 2);
  });
});
