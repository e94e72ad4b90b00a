/**
 * Routers that serve a page in several spellings of its address. Promise: under all settings of the router, no spelling
 * serves a page that Postern refuses in another one; a strict router costs no further question.
 */
import assert from 'node:assert/strict';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, beforeEach, describe, test } from 'node:test';
import express from 'express';
import fastify from 'fastify';
import { Hono } from 'hono';
import { type GuardOptions, guard } from '../../client/src/index.ts';
import { startTestService } from '../../kit/service.ts';
import { words } from '../../kit/words.ts';
import { assertStatus, made, makePolicy } from '../http/given.ts';
import { startFaultyProxy } from './faulty-proxy.ts';

const postern = await startTestService();
const proxy = await startFaultyProxy(postern.url);
const closing: (() => unknown)[] = [() => postern[Symbol.asyncDispose](), () => proxy[Symbol.asyncDispose]()];
after(async () => {
  for (const close of closing.toReversed()) await close();
});
beforeEach(() => {
  proxy.asked.length = 0;
});

const SECRET = 'the protected text';
const HOST = 'spelled.example';
const shut = (await makePolicy(postern, [{ action: 'deny', conditions: {} }])).id;
const open = (await makePolicy(postern, [{ action: 'allow', conditions: {} }])).id;
for (const [path, policyId] of [
  ['/', open],
  ['/articles/', shut],
  ['/pages/one$', shut],
]) {
  await made(postern, '/v1/collections', { name: path, hosts: [HOST], paths: [path], policyId });
}
for (const externalId of ['articles/7', 'pages/one']) {
  const source = `https://items.example/${externalId}`;
  await made(postern, '/v1/content', { externalId, title: 'x', type: 'article', source, policyId: shut });
}

const base = { url: proxy.url, key: postern.key, timeoutMs: 20_000 };
const byUrl: GuardOptions = { ...base, content: 'url', origin: `https://${HOST}` };
const byItem: GuardOptions = { ...base, content: ({ path }) => path.slice(1), unknown: 'allow' };
const byFew: GuardOptions = {
  ...byItem,
  content: ({ path }) => (/^\/(articles|pages)\/[^/]+$/.test(path) ? path.slice(1) : undefined),
};

const SHUT = [
  '/articles/7',
  '/Articles/7',
  '/ARTICLES/7/',
  '/articles/7/',
  '/pages/one/',
  '/PAGES/ONE',
  '/pages/onE/?a=b',
];
const OPEN = ['/', '/news', '/News/', '/news/Tides'];

async function listen(app: RequestListener): Promise<string> {
  const server = createServer(app);
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  closing.push(() => {
    server.closeAllConnections();
    return new Promise((closed) => server.close(closed));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

type Settings = { 'case sensitive routing'?: boolean; 'strict routing'?: boolean };
function newApp(settings: Settings = {}): express.Express {
  const app = express();
  for (const [name, value] of Object.entries(settings)) app.set(name, value);
  return app;
}
const serve = (router: express.Router): void => {
  for (const path of ['/articles/:id', '/pages/one', '/', '/news', '/news/:id'])
    router.all(path, (_request, response) => void response.send(SECRET));
};
const STRICTLY = { 'case sensitive routing': true, 'strict routing': true };

/** Each returns the URL of a server. */
const servers: Record<string, (options: GuardOptions) => Promise<string>> = {
  'Express as it is': (options) => {
    const app = newApp();
    app.use(guard(options).express());
    serve(app);
    return listen(app);
  },
  'Express, loose about the slash': (options) => {
    const app = newApp({ 'case sensitive routing': true });
    app.use(guard(options).express());
    serve(app);
    return listen(app);
  },
  'a loose router in a strict application': (options) => {
    const app = newApp(STRICTLY);
    const router = express.Router();
    serve(router);
    app.use(guard(options).express());
    app.use(express.Router({ caseSensitive: true, strict: true }).use(router));
    return listen(app);
  },
  'a guard in a router': (options) => {
    const app = newApp(STRICTLY);
    const router = express.Router();
    router.use(guard(options).express());
    serve(router);
    app.use(router);
    return listen(app);
  },
  'an application in an application': (options) => {
    const app = newApp(STRICTLY);
    const inner = express();
    inner.set('case sensitive routing', false);
    inner.set('strict routing', false);
    serve(inner);
    app.use(guard(options).express());
    app.use(inner);
    return listen(app);
  },
  'a guard in a strict application in a loose one': (options) => {
    const app = newApp();
    for (const path of ['/articles', '/pages', '/news']) {
      const inner = newApp(STRICTLY);
      inner.use(guard(options).express(), (_request, response) => void response.send(SECRET));
      app.use(path, inner);
    }
    app.get('/', (_request, response) => void response.send(SECRET));
    return listen(app);
  },
  Fastify: async (options) => {
    const app = fastify({ routerOptions: { caseSensitive: false, ignoreTrailingSlash: true } });
    app.addHook('onRequest', guard(options).fastify());
    for (const path of ['/articles/:id', '/pages/one', '/', '/news', '/news/:id']) app.get(path, async () => SECRET);
    await app.listen({ host: '127.0.0.1', port: 0 });
    closing.push(() => app.close());
    return `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
  },
};

for (const [name, start] of Object.entries(servers)) {
  describe(name, () => {
    for (const [kind, options] of Object.entries({ byUrl, byItem, byFew })) {
      test(`${kind}: what is refused is refused in each spelling, and the rest is served`, async () => {
        const url = await start(options);
        for (const path of SHUT) {
          const page = await fetch(url + path);
          assert.ok(!(await page.text()).includes(SECRET), path);
          assert.ok([401, 403, 404].includes(page.status), `${path} ${page.status}`);
        }
        for (const path of OPEN) assert.ok([200, 404].includes((await fetch(url + path)).status), path);
        assert.equal((await fetch(`${url}/news`)).status, 200);
      });
    }
  });
}

test('a spelling with other rules is denied by a decision, one for each visit', async () => {
  const url = await (servers['Express as it is'] ?? assert.fail())(byUrl);
  for (const path of ['/Articles/7', '/articles/7/', '/news']) {
    proxy.asked.length = 0;
    const page = await fetch(url + path);
    assert.equal(page.status, path === '/news' ? 200 : 403);
    assert.equal(proxy.asked.length, 1);
    assert.match(page.headers.get('x-postern-decision') ?? '', /^dec_/);
  }
});

/** Paths of pages that are shut, each in spellings that no route has. */
const NO_ROUTE = words('/premium/7 /Premium/7 /PREMIUM/7/ /%70remium/7 /p%52emium/7 /premium/%37 /premium/7?a=b');

/** Each returns the URL of a server with the route `/premium/:id`, and `/news`. */
const routed: Record<string, (options: GuardOptions) => Promise<string>> = {
  'a route of Express': (options) => {
    const app = newApp();
    app.use(guard(options).express());
    app.get(['/premium/:id', '/news'], (_request, response) => void response.send(SECRET));
    return listen(app);
  },
  'a mount of Express': (options) => {
    const app = newApp();
    app.use(guard(options).express());
    app.use(['/premium', '/news'], (_request, response) => void response.send(SECRET));
    return listen(app);
  },
  'routers in routers': (options) => {
    const app = newApp(STRICTLY);
    const strict = express.Router({ caseSensitive: true, strict: true });
    const inner = express.Router();
    inner.get(['/premium/:id', '/news'], (_request, response) => void response.send(SECRET));
    app.use(guard(options).express());
    app.use(strict.use(express.Router().use(inner)));
    return listen(app);
  },
  'Fastify with a prefix': async (options) => {
    const app = fastify({ routerOptions: { caseSensitive: false, ignoreTrailingSlash: true } });
    app.addHook('onRequest', guard(options).fastify());
    await app.register(async (inner) => void inner.get('/:id', async () => SECRET), { prefix: '/premium' });
    app.get('/news', async () => SECRET);
    await app.listen({ host: '127.0.0.1', port: 0 });
    closing.push(() => app.close());
    return `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
  },
  'Hono with paths in lowercase': (options) => {
    const app = new Hono({
      getPath: ({ url }) =>
        decodeURI(new URL(url).pathname)
          .toLowerCase()
          .replace(/(?<=.)\/$/, ''),
    });
    app.use(guard({ ...options, ...(options.content === 'url' ? { urls: LOOSE } : {}) }).hono());
    app.get('/premium/:id', (context) => context.text(SECRET));
    app.get('/news', (context) => context.text(SECRET));
    return listen(async ({ url }, response) => {
      const answer = await app.fetch(new Request(`http://127.0.0.1${url}`));
      response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(await answer.text());
    });
  },
};
const LOOSE = { case: 'ignored', finalSlash: 'ignored' } as const;

/** Each makes a site at a host whose page `/premium/7` is shut by a spelling that no route has. */
const sites: Record<string, (host: string) => Promise<unknown>> = {
  'a collection in an open site': async (host) => {
    await made(postern, '/v1/collections', { name: 'S', hosts: [host], paths: ['/'], policyId: open });
    await made(postern, '/v1/collections', { name: 'S', hosts: [host], paths: ['/Premium/'], policyId: shut });
  },
  'a rule of an open policy': async (host) => {
    const rules = [{ action: 'deny', conditions: { path: ['/Premium/'] } }, { action: 'allow' }];
    const policyId = (await makePolicy(postern, rules)).id;
    await made(postern, '/v1/collections', { name: 'S', hosts: [host], paths: ['/'], policyId });
  },
  'a closed policy that opens the rest': async (host) => {
    const rules = [{ action: 'allow', conditions: { pathNot: ['/PREMIUM/'] } }];
    const policyId = (await makePolicy(postern, rules)).id;
    await made(postern, '/v1/collections', { name: 'S', hosts: [host], paths: ['/'], policyId });
  },
  'an item in an open site': async (host) => {
    await made(postern, '/v1/collections', { name: 'S', hosts: [host], paths: ['/'], policyId: open });
    const source = `https://${host}/Premium/7`;
    await made(postern, '/v1/content', { externalId: source, title: 'x', type: 'article', source, policyId: shut });
  },
};

for (const [kind, make] of Object.entries(sites)) {
  describe(`denied by ${kind}`, async () => {
    const host = `${kind.replaceAll(' ', '-')}.example`;
    await make(host);
    for (const [name, start] of Object.entries(routed)) {
      test(`${name} serves no spelling of it, and asks once`, async () => {
        const url = await start({ ...byUrl, origin: `https://${host}` });
        for (const path of NO_ROUTE) {
          proxy.asked.length = 0;
          const page = await fetch(url + path);
          assert.deepEqual([page.status, (await page.text()).includes(SECRET)], [403, false], path);
          assert.equal(proxy.asked.length, 1, path);
        }
        for (const path of ['/news', '/NEWS/']) assert.equal((await fetch(url + path)).status, 200, path);
      });
    }
  });
}

test('guards of one visit ask once if the first one knows the router to be as loose', async () => {
  const app = newApp();
  app.use(guard(byUrl).express());
  const inner = newApp(STRICTLY);
  inner.use(guard(byUrl).express(), guard({ ...byUrl, urls: { case: 'ignored' } }).express());
  inner.get('/', (_request, response) => void response.send(SECRET));
  app.use('/news', inner);
  assert.equal((await fetch(`${await listen(app)}/news`)).status, 200);
  assert.equal(proxy.asked.length, 1);
});

test('a final slash that Hono drops is one that the site tells apart', async () => {
  const host = 'strict-slash.example';
  const urls = { finalSlash: 'significant', index: [] };
  assertStatus(await postern.call('PUT', `/v1/sites/${host}`, { body: { urls } }), 201);
  await made(postern, '/v1/collections', { name: 'S', hosts: [host], paths: ['/'], policyId: open });
  await made(postern, '/v1/collections', { name: 'S', hosts: [host], paths: ['/shut$'], policyId: shut });
  const app = new Hono({ strict: false });
  app.use(guard({ ...byUrl, origin: `https://${host}` }).hono());
  app.get('/shut', (context) => context.text(SECRET));
  app.get('/open', (context) => context.text(SECRET));
  const answers = await Promise.all(
    words('/shut /shut/ /open /open/').map(async (path) => (await app.request(path)).status),
  );
  assert.deepEqual(answers, [403, 403, 200, 200]);
});

test('a guard refuses settings of a router that mean nothing', () => {
  for (const urls of [{ case: 'sensitive' }, { slash: 'ignored' }, { finalSlash: true }] as object[]) {
    assert.throws(() => guard({ ...byUrl, urls }), /`urls` takes/);
  }
  assert.throws(() => guard({ ...byItem, urls: LOOSE }), /content: 'url'/);
});

test('a route with capitals is refused in every spelling, also in a mounted router', async () => {
  await made(postern, '/v1/collections', {
    name: 'P',
    hosts: [HOST],
    paths: ['/Premium/', '/A/Deep/'],
    policyId: shut,
  });
  const app = newApp();
  app.use(guard(byUrl).express());
  app.get('/Premium/:id', (_request, response) => void response.send(SECRET));
  const router = express.Router();
  router.get('/Deep/:id', (_request, response) => void response.send(SECRET));
  app.use('/A', router);
  const url = await listen(app);
  for (const path of ['/Premium/7', '/premium/7', '/PREMIUM/7/', '/A/Deep/1', '/a/deep/1', '/a/Deep/1/']) {
    const page = await fetch(url + path);
    assert.deepEqual([page.status, (await page.text()).includes(SECRET)], [403, false], path);
  }
});

test('what a parameter or a folder keeps is refused with each case of what comes before', async () => {
  const paths = ['/articles-of/AbC', '/Files/Paid/', '/a/b/c/d/e/f/KeY'];
  await made(postern, '/v1/collections', { name: 'K', hosts: [HOST], paths, policyId: shut });
  const app = newApp();
  app.use(guard(byUrl).express());
  app.get(['/articles-of/:id', '/a/b/c/d/e/f/:id'], (_request, response) => void response.send(SECRET));
  app.use('/Files', (_request, response) => void response.send(SECRET));
  const url = await listen(app);
  const tried = words(`/articles-of/AbC /Articles-Of/AbC /ARTICLES-OF/AbC/ /%41rticles-of/AbC /files/Paid/1
    /FILES/Paid/x.pdf /A/B/C/D/E/F/KeY /a/B/C/d/E/F/KeY/`);
  for (const path of tried) {
    const page = await fetch(url + path);
    assert.deepEqual([page.status, (await page.text()).includes(SECRET)], [403, false], path);
  }
});

test('a route of Fastify with capitals is refused in every spelling', async () => {
  await made(postern, '/v1/collections', { name: 'R', hosts: [HOST], paths: ['/Reports/Paid/'], policyId: shut });
  const app = fastify({ routerOptions: { caseSensitive: false, ignoreTrailingSlash: true } });
  app.addHook('onRequest', guard(byUrl).fastify());
  await app.register(
    async (inner) => {
      inner.get('/Paid/:id', async () => SECRET);
    },
    { prefix: '/Reports' },
  );
  await app.listen({ host: '127.0.0.1', port: 0 });
  closing.push(() => app.close());
  const url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
  for (const path of [
    '/Reports/Paid/1',
    '/reports/paid/1',
    '/REPORTS/PAID/1/',
    '/reports/Paid/1',
    '/r%45ports/paid/1',
  ]) {
    const page = await fetch(url + path);
    assert.deepEqual([page.status, (await page.text()).includes(SECRET)], [403, false], path);
  }
});

test('a strict router asks once', async () => {
  const app = newApp(STRICTLY);
  app.use(guard(byUrl).express());
  serve(app);
  const url = await listen(app);
  for (const path of ['/news/Tides', '/News/', '/Articles/7']) {
    proxy.asked.length = 0;
    const page = await fetch(url + path);
    assert.equal(page.status, path === '/news/Tides' ? 200 : 404, 'the router knows this spelling alone');
    assert.equal(proxy.asked.length, 1);
  }
});
