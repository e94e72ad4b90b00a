/**
 * Guards in front of real servers serve what Postern allows and nothing else. A denied visitor learns what would help.
 * Neither an absent Postern nor a visitor's request opens what is closed.
 */

import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, beforeEach, describe, test } from 'node:test';
import express from 'express';
import fastify from 'fastify';
import { Hono } from 'hono';
import { type GuardOptions, guard, type Visit } from '../../client/src/index.ts';
import { pluck } from '../../kit/pluck.ts';
import { startTestService } from '../../kit/service.ts';
import { until } from '../../kit/until.ts';
import { made, makePolicy } from '../http/given.ts';
import { startFaultyProxy } from './faulty-proxy.ts';

const postern = await startTestService();
const proxy = await startFaultyProxy(postern.url);
const closing: (() => unknown)[] = [() => postern[Symbol.asyncDispose](), () => proxy[Symbol.asyncDispose]()];
after(async () => {
  for (const close of closing.toReversed()) await close();
});
beforeEach(() => {
  proxy.faults = [];
  proxy.asked.length = 0;
});

const OPEN = (await makePolicy(postern, [{ action: 'allow', conditions: {} }])).id;
const LICENSED = (
  await makePolicy(postern, [
    { action: 'deny', conditions: { userAgent: 'BadBot' } },
    { action: 'allow', conditions: { licenseType: 'site' }, permissions: ['preview_only'] },
  ])
).id;
const OFFERED = (await makePolicy(postern, [{ action: 'allow', conditions: { licenseType: 'offered' } }])).id;
const OFFER = {
  unitPriceMicros: 1_500_000,
  currency: 'EUR',
  url: 'https://licensing.example',
  x402: { network: 'eip155:8453', asset: 'EURC', payTo: 'publisher' },
};
assert.equal((await postern.call('PUT', '/v1/offers/offered', { body: OFFER })).status, 201);
const LIMITED = (
  await makePolicy(postern, [{ action: 'allow', conditions: {}, rateLimit: { requests: 1, period: 'day' } }])
).id;
for (const [externalId, policyId] of [
  ['open', OPEN],
  ['licensed', LICENSED],
  ['limited', LIMITED],
  ['offered', OFFERED],
]) {
  await made(postern, '/v1/content', {
    externalId,
    title: 'x',
    type: 'article',
    source: 'https://a.example/x',
    policyId,
  });
}
const SHUT = (await makePolicy(postern, [{ action: 'deny', conditions: {} }])).id;
const collection = (path: string, more: object) =>
  made(postern, '/v1/collections', { name: path, hosts: ['pages.example'], paths: [path], ...more });
await collection('/', { policyId: OPEN });
await collection('/shut/', { policyId: SHUT });
await collection('/watched/', { policyId: SHUT, mode: 'observe' });
await made(postern, '/v1/requesters', { id: 'partner' });
const { token: TOKEN } = await made(postern, '/v1/requesters/partner/tokens', { name: 'T' });
await made(postern, '/v1/licenses', { requesterId: 'partner', type: 'site' });

const SECRET = 'the protected text';
const options = (more: Partial<GuardOptions> = {}): GuardOptions => ({
  url: proxy.url,
  key: postern.key,
  content: ({ path }) => path.slice(1) || undefined,
  // A test's login: never take a header that a visitor can choose.
  requester: ({ header }) => header('x-login'),
  ...more,
});

const problemOf = (page: Response): Promise<any> => page.json() as Promise<any>;

type Get = (path: string, headers?: Record<string, string>, method?: string) => Promise<Response>;
const listening = async (server: Server): Promise<Get> => {
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  closing.push(() => {
    server.closeAllConnections();
    return new Promise((closed) => server.close(closed));
  });
  const { port } = server.address() as AddressInfo;
  return (path, headers = {}, method = 'GET') => fetch(`http://127.0.0.1:${port}${path}`, { headers, method });
};

const servers: Record<string, (given: GuardOptions) => Promise<Get>> = {
  async Express(given) {
    const app = express();
    app.use(guard(given).express());
    app.use((_request, response) => void response.send(SECRET));
    return listening(createServer(app));
  },
  async Fastify(given) {
    const app = fastify();
    app.addHook('onRequest', guard(given).fastify());
    app.all('/*', async () => SECRET);
    await app.listen({ host: '127.0.0.1', port: 0 });
    closing.push(() => app.close());
    const { port } = app.server.address() as AddressInfo;
    return (path, headers = {}, method = 'GET') => fetch(`http://127.0.0.1:${port}${path}`, { headers, method });
  },
  async Hono(given) {
    const app = new Hono();
    app.use(guard(given).hono());
    app.all('/*', (context) => context.text(SECRET));
    return async (path, headers = {}, method = 'GET') => app.request(`http://site.example${path}`, { headers, method });
  },
  async 'a handler of Request and Response'(given) {
    const handle = guard(given).fetch(() => new Response(SECRET));
    return (path, headers = {}, method = 'GET') =>
      handle(new Request(`http://site.example${path}`, { headers, method }));
  },
};

for (const [name, serve] of Object.entries(servers)) {
  describe(name, async () => {
    const get = await serve(options());

    test('serves what is allowed, with the decision in its headers', async () => {
      const page = await get('/open?a=b');
      assert.deepEqual([page.status, await page.text()], [200, SECRET]);
      assert.match(page.headers.get('x-postern-decision') ?? '', /^dec_/);
      assert.equal(page.headers.get('x-postern-permissions'), 'full_access');
    });

    test('asks by URL, and serves what is only observed', async () => {
      const byUrl = await serve(options({ content: 'url', origin: 'https://pages.example' }));
      assert.equal((await byUrl('/any/page?a=b')).status, 200);
      assert.equal((await byUrl('/shut/page')).status, 403);
      // Encoded slashes: no two servers read them alike.
      assert.equal((await byUrl('/any%2F..%2Fshut/page')).status, 403);
      const seen = await byUrl('/watched/page');
      assert.deepEqual([seen.status, await seen.text()], [200, SECRET]);
      const told = ['would', 'reason'].map((header) => seen.headers.get(`x-postern-${header}`));
      assert.deepEqual(told, ['deny', 'policy_denied']);
    });

    test('knows a partner by its token, and tells one that is not valid', async () => {
      const known = await get('/licensed', { authorization: `Bearer ${TOKEN}` });
      assert.equal(known.status, 200);
      const madeUp = await get('/open', { authorization: `Bearer ${TOKEN.slice(0, -2)}00` });
      assert.equal(madeUp.status, 401);
      assert.equal(((await madeUp.json()) as { reason: string }).reason, 'invalid_token');
      const bodies: string[] = [];
      const watched: typeof fetch = (url, init) => {
        bodies.push(String(init?.body));
        return fetch(url, init);
      };
      const careful = await serve(options({ fetch: watched }));
      await careful('/open', { authorization: 'Bearer of something else' });
      await careful('/open', { authorization: `Bearer ${TOKEN}` });
      assert.deepEqual(
        bodies.map((body) => [body.includes('something else'), body.includes(TOKEN)]),
        [
          [false, false],
          [false, true],
        ],
      );
    });

    test('401 for somebody unknown, 403 for somebody without a licence, with what would help', async () => {
      for (const [headers, status] of [
        [{}, 401],
        [{ 'x-login': 'stranger' }, 403],
      ] as const) {
        const page = await get('/licensed', headers);
        assert.equal(page.status, status);
        assert.match(page.headers.get('content-type') ?? '', /^application\/problem\+json/);
        assert.equal(page.headers.get('cache-control'), 'no-store');
        assert.equal(page.headers.get('www-authenticate'), status === 401 ? 'Bearer' : null);
        const text = await page.text();
        const { title, detail, decisionId, ...problem } = JSON.parse(text);
        assert.deepEqual(problem, {
          status,
          reason: 'no_license',
          remedies: [{ kind: 'license', licenseType: ['site'], licenseFeatures: [] }],
        });
        assert.ok(typeof title === 'string' && typeof detail === 'string');
        assert.equal(page.headers.get('x-postern-decision'), decisionId);
        assert.doesNotMatch(text, /explanation|conditions|BadBot|protected/);
      }
      assert.equal((await get('/licensed', { 'x-login': 'partner' })).status, 200);
    });

    test('402 with an offer that would turn the denial, in the headers and in the body', async () => {
      for (const login of ['', 'stranger']) {
        const page = await get('/offered', login === '' ? {} : { 'x-login': login });
        assert.deepEqual([page.status, page.headers.get('www-authenticate')], [402, null]);
        assert.equal(page.headers.get('crawler-price'), 'EUR 1.50');
        assert.equal(page.headers.get('link'), '<https://licensing.example/>; rel="license"');
        const required = JSON.parse(atob(page.headers.get('payment-required') ?? ''));
        assert.deepEqual([required.x402Version, required.accepts[0].amount], [2, '1500000']);
        assert.ok(required.resource.url.endsWith('/offered'), required.resource.url);
        const { remedies, licensingUrl } = await problemOf(page);
        assert.deepEqual([licensingUrl, remedies[0].offers[0].currency], ['https://licensing.example', 'EUR']);
      }
      const quiet = await serve(options({ remedies: false }));
      const page = await quiet('/offered', { 'x-login': 'stranger' });
      assert.deepEqual([page.status, page.headers.get('crawler-price')], [403, null]);
    });

    test('403 for every other denial', async () => {
      const page = await get('/licensed', { 'x-login': 'partner', 'user-agent': 'BadBot/1' });
      assert.deepEqual([page.status, (await problemOf(page)).reason], [403, 'policy_denied']);
    });

    test('429 with Retry-After when a limit is used up', async () => {
      const headers = { 'x-login': `reader-${name.replaceAll(' ', '-')}` };
      const first = await get('/limited', headers);
      assert.deepEqual([first.status, first.headers.get('x-postern-remaining')], [200, '0']);
      const page = await get('/limited', headers);
      assert.equal(page.status, 429);
      assert.ok(Number(page.headers.get('retry-after')) > 0);
      const { reason, remedies } = await problemOf(page);
      assert.deepEqual([reason, remedies.map(({ kind }: { kind: string }) => kind)], ['rate_limit_exceeded', ['wait']]);
    });

    test('403 for what nobody registered, and for what is no item', async () => {
      for (const path of ['/nothing', '/', '/%6fpen', '/open/']) {
        const page = await get(path);
        assert.deepEqual([page.status, (await problemOf(page)).reason], [403, 'content_unknown'], path);
      }
      const lenient = await serve(options({ unknown: 'allow' }));
      assert.deepEqual([(await lenient('/nothing')).status, (await lenient('/')).status], [200, 200]);
      assert.equal((await lenient('/licensed')).status, 401);
    });

    test('every method', async () => {
      for (const method of ['HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS']) {
        assert.equal((await get('/licensed', {}, method)).status, 401, method);
        assert.equal((await get('/open', {}, method)).status, 200, method);
      }
    });

    test('no answer is a denial, or an allow where that was said; a refused key never is', async () => {
      const reports: unknown[] = [];
      const report = (error: unknown): void => void reports.push(error);
      const lenient = { timeoutMs: 200, report, onError: 'allow' } as const;
      for (const fault of [
        'silent',
        'lost',
        'cut',
        { status: 500 },
        { status: 503 },
        { status: 200, body: '<html>' },
        // An ingress without a service behind it.
        { status: 404, body: 'default backend - 404' },
        { status: 400, body: '{"error":"Bad Request"}' },
      ] as const) {
        proxy.faults = [fault, fault];
        const begun = performance.now();
        const page = await (await serve(options({ timeoutMs: 200, report })))('/open');
        assert.deepEqual([page.status, page.headers.get('retry-after')], [503, '1'], JSON.stringify(fault));
        assert.equal((await problemOf(page)).reason, 'no_decision');
        assert.equal((await (await serve(options(lenient)))('/licensed')).status, 200, JSON.stringify(fault));
        assert.ok(performance.now() - begun < 5_000);
      }
      assert.equal(reports.length, 16);
      const refused = await serve(options(lenient));
      for (const status of [401, 403, 401, 403]) {
        proxy.faults = [{ status }];
        assert.equal((await refused('/licensed')).status, 503);
      }
      // Postern itself, but not its root.
      const misled = await serve(options({ ...lenient, url: `${proxy.url}/v1` }));
      assert.equal((await misled('/licensed')).status, 503);
      assert.equal(reports.length, 21);
    });

    test('what a visitor sends cannot make the answer fail', async () => {
      const lenient = await serve(options({ onError: 'allow' }));
      const sent: Record<string, string>[] = [
        { 'user-agent': `${'x'.repeat(2000)}BadBot` },
        { 'x-login': 'not an id!' },
        { 'x-login': 'x'.repeat(500) },
      ];
      for (const headers of sent) {
        const page = await lenient('/licensed', headers);
        assert.deepEqual([page.status, (await problemOf(page)).reason], [403, 'refused_question']);
      }
      const long = await lenient(`/${'x'.repeat(500)}`);
      assert.equal(long.status, 403);
    });

    test('a mapping that throws serves nothing', async () => {
      const broken = await serve(
        options({
          content: () => {
            throw new Error('of yours');
          },
          onError: 'allow',
          unknown: 'allow',
        }),
      );
      const status = await broken('/open').then(
        (page) => page.status,
        () => 500,
      );
      assert.equal(status, 500);
    });
  });
}

describe('asking', () => {
  const ask = (more: Partial<GuardOptions> = {}) => {
    const { check } = guard(options({ timeoutMs: 20_000, ...more }));
    return (path: string, headers: Record<string, string> = {}) =>
      check(new Request(`http://site.example${path}`, { headers }));
  };
  const checks = () => proxy.asked.map(({ path }) => path);

  test('each check is a request of its own, except where they may wait for each other', async () => {
    const check = ask();
    assert.ok((await Promise.all(Array.from({ length: 20 }, () => check('/open')))).every(({ allowed }) => allowed));
    assert.deepEqual(
      checks(),
      Array.from({ length: 20 }, () => '/v1/access/check'),
    );
    for (const [name, more, isBatched] of [
      ['Express', {}, true],
      ['Fastify', {}, true],
      ['Express', { batch: false }, false],
      ['Hono', {}, false],
      ['Hono', { batch: true }, true],
    ] as const) {
      proxy.asked.length = 0;
      const get = await (servers[name] ?? assert.fail())(options({ timeoutMs: 20_000, ...more }));
      await Promise.all(Array.from({ length: 20 }, () => get('/open')));
      assert.equal(checks().length < 20, isBatched, `${name} ${JSON.stringify(more)} ${checks().length}`);
    }
  });

  test('asks that come together go together, each with its own answer', async () => {
    const check = ask({ batch: true });
    const paths = Array.from({ length: 60 }, (_, i) => ['/open', '/licensed', '/nothing'][i % 3] as string);
    const verdicts = await Promise.all(paths.map((path) => check(path)));
    const expected = [200, 401, 403];
    assert.deepEqual(
      pluck(verdicts, 'status'),
      paths.map((_, i) => expected[i % 3]),
    );
    assert.deepEqual(checks(), ['/v1/access/check/batch']);
  });

  test('one that cannot be asked about spoils no other of its batch', async () => {
    const check = ask({ batch: true });
    const verdicts = await Promise.all([check('/open'), check('/open', { 'x-login': 'not an id!' }), check('/open')]);
    assert.deepEqual(pluck(verdicts, 'status'), [200, 403, 200]);
    assert.equal(checks().length, 1);
  });

  test('while answers are awaited, what comes is asked together; each access counts', async () => {
    const before = (await postern.call('GET', '/v1/content/open')).body.stats.totalRequests as number;
    const check = ask({ batch: true });
    const verdicts: Promise<{ allowed: boolean }>[] = [];
    for (let i = 0; i < 100; i++) {
      verdicts.push(check('/open'));
      await new Promise((done) => setImmediate(done));
    }
    assert.ok((await Promise.all(verdicts)).every(({ allowed }) => allowed));
    assert.ok(checks().length < 100, String(checks().length));
    const { stats } = (await postern.call('GET', '/v1/content/open')).body;
    assert.equal(stats.totalRequests, before + 100);
  });

  test('more than a batch holds', async () => {
    const check = ask({ batch: true });
    const verdicts = await Promise.all(Array.from({ length: 450 }, () => check('/open')));
    assert.ok(verdicts.every(({ allowed }) => allowed));
    assert.equal(checks().length, 3);
  });

  test('nothing is sent twice by itself, and no key is kept for it', async () => {
    proxy.faults = ['lost'];
    assert.equal((await ask()('/open')).status, 503);
    assert.deepEqual(pluck(proxy.asked, 'key'), [undefined]);
  });

  test('an answer is used again only if the service says so, and as long', async () => {
    await ask()('/open');
    const always = ask();
    for (let i = 0; i < 3; i++) await always('/open');
    assert.equal(checks().length, 4);

    await using other = await startTestService({ env: { POSTERN_DECISION_MAX_AGE: '1' } });
    const { id } = await makePolicy(other, [{ action: 'allow', conditions: {} }]);
    for (const externalId of ['open', 'other']) {
      await made(other, '/v1/content', {
        externalId,
        title: 'x',
        type: 'article',
        source: 'https://a.example',
        policyId: id,
      });
    }
    await using way = await startFaultyProxy(other.url);
    const check = ask({ url: way.url, key: other.key });
    const begun = performance.now();
    for (let i = 0; i < 5; i++) assert.equal((await check('/open')).allowed, true);
    assert.equal(way.asked.length, 1);
    await check('/open', { 'x-login': 'another' });
    await check('/other');
    assert.equal(way.asked.length, 3, 'another question');
    await until('the same question again', async () => {
      await check('/open');
      return way.asked.length === 4;
    });
    assert.ok(performance.now() - begun >= 1_000, 'not before the answer was a second old');
    const few = ask({ url: way.url, key: other.key, keptMax: 1 });
    for (const path of ['/open', '/other', '/open']) await few(path);
    assert.equal(way.asked.length, 7, 'no room');
  });

  test('permission, purpose and context are asked with', async () => {
    const check = ask({
      permission: 'training',
      purpose: 'model',
      context: () => ({ ip: '203.0.113.7', country: 'DE' }),
    });
    const { decision } = await check('/open', { 'user-agent': 'Some/1' });
    const { body } = await postern.call('GET', `/v1/access/decisions/${decision?.id}`);
    assert.deepEqual(
      [body.permission, body.purpose, body.context],
      ['training', 'model', { ip: '203.0.113.7', country: 'DE', userAgent: 'Some/1', method: 'GET' }],
    );
  });

  test('without remedies none are asked for', async () => {
    const { problem } = await ask({ remedies: false })('/licensed');
    assert.deepEqual(problem?.remedies, []);
  });
});

test('the same visit, whatever the server', async () => {
  const seen: Record<string, unknown>[] = [];
  const content = ({ method, path, query, header }: Visit): string => {
    seen.push({ method, path, query: query.get('q'), header: header('X-Some'), none: header('x-none') });
    return 'open';
  };
  for (const serve of Object.values(servers))
    await (await serve(options({ content })))('/a%20b/c?q=1', { 'x-some': 'y' }, 'POST');
  assert.equal(seen.length, 4);
  for (const one of seen)
    assert.deepEqual(one, { method: 'POST', path: '/a%20b/c', query: '1', header: 'y', none: undefined });
});

test('a mounted guard sees the whole path', async () => {
  const app = express();
  app.use('/news', guard(options({ content: ({ path }) => path.slice('/news/'.length) })).express());
  app.use((_request, response) => void response.send(SECRET));
  const get = await listening(createServer(app));
  assert.deepEqual([(await get('/news/open')).status, (await get('/news/licensed')).status], [200, 401]);
});

test('a guard that is set up wrongly does not start', () => {
  for (const wrong of [{ content: undefined }, { url: 'x' }, { key: '' }, { onError: 'alow' }, { unknown: true }]) {
    assert.throws(() => guard(options(wrong as never)), TypeError, JSON.stringify(wrong));
  }
});
