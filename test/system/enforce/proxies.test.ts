/**
 * The nginx and Caddy configurations of docs/enforce/, read from the pages and run by the real servers. They serve what
 * is allowed and nothing else, for every request and every failure of Postern.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, describe, test } from 'node:test';
import { pluck } from '../../../kit/pluck.ts';
import { freePort } from '../../../kit/port.ts';
import { startTestService } from '../../../kit/service.ts';
import { folderOf } from '../../../kit/web-server.ts';
import { words } from '../../../kit/words.ts';
import { decisions } from '../../enforce/asking.ts';
import { configurationOf, visit } from '../../enforce/visiting.ts';
import { item, made, makePolicy } from '../../http/given.ts';
import { proxied, SERVERS, type Start } from './servers.ts';

const ORIGIN = 'https://www.example.com';
const SECRET = 'the protected text';

const postern = await startTestService();
const closing = [() => postern[Symbol.asyncDispose]()];
after(async () => {
  for (const close of closing.toReversed()) await close();
});

const OPEN = (await makePolicy(postern, [{ action: 'allow', conditions: {} }])).id;
const CLOSED = (await makePolicy(postern, [{ action: 'allow', conditions: { ip: '203.0.113.0/24' } }])).id;
const LIMITED = (
  await makePolicy(postern, [
    { action: 'allow', conditions: { requesterId: 'slow' }, rateLimit: { requests: 2, period: 'hour' } },
    { action: 'allow', conditions: { licenseType: 'site' } },
  ])
).id;
const OFFERED = (await makePolicy(postern, [{ action: 'allow', conditions: { licenseType: 'offered' } }])).id;
for (const [path, policyId] of [
  ['/open.html', OPEN],
  ['/closed.html', CLOSED],
  ['/limited.html', LIMITED],
  ['/offered.html', OFFERED],
  ['/upload', OPEN],
  ['/upload-closed', CLOSED],
] as const) {
  await made(postern, '/v1/content', item({ externalId: path, source: ORIGIN + path, policyId }));
}
await made(postern, '/v1/requesters', { id: 'slow-nginx-and-caddy', userAgents: ['SlowBot'] });
await made(postern, '/v1/requesters', { id: 'paying', userAgents: ['PayingBot'] });
await made(postern, '/v1/licenses', { requesterId: 'paying', type: 'site' });
await made(postern, '/v1/requesters', { id: 'unpaid', userAgents: ['UnpaidBot'] });

const OFFER = {
  unitPriceMicros: 5000,
  currency: 'USD',
  x402: { network: 'eip155:8453', asset: 'USDC', payTo: 'publisher' },
};
assert.equal((await postern.call('PUT', '/v1/offers/offered', { body: OFFER })).status, 201);

const site = folderOf({
  'open.html': 'open to all',
  'closed.html': SECRET,
  'limited.html': SECRET,
  'offered.html': SECRET,
  'unregistered.html': SECRET,
  'folder/open.html': SECRET,
});

/** An application behind the proxy: it reports the requester and the bytes it received. */
let reached: { path: string; requester: string | undefined; permissions: unknown; bytes: number }[] = [];
async function answerApplication(message: IncomingMessage): Promise<string> {
  let bytes = 0;
  for await (const chunk of message) bytes += (chunk as Buffer).length;
  reached.push({
    path: message.url ?? '',
    permissions: message.headers['x-postern-permissions'],
    requester: message.headers['x-postern-requester'] as string | undefined,
    bytes,
  });
  return `${bytes}`;
}
const application = createServer((message, response) => {
  answerApplication(message).then(
    (text) => response.end(text),
    () => response.destroy(),
  );
});
await new Promise<void>((listening) => application.listen(0, '127.0.0.1', listening));
closing.push(() => new Promise<void>((closed) => application.close(() => closed())));
const APPLICATION = `127.0.0.1:${(application.address() as AddressInfo).port}`;

/** Accepts and never answers. */
const silent = createServer(() => {});
await new Promise<void>((listening) => silent.listen(0, '127.0.0.1', listening));
closing.push(async () => {
  silent.closeAllConnections();
  silent.close();
});

const POSTERN = new URL(postern.url).host;

for (const [name, startOne] of SERVERS) {
  describe(name, async () => {
    const start = (more: Partial<Start> = {}) => startOne({ asked: POSTERN, key: postern.key, site, ...more });
    const server = await start();
    const proxy = await start({ application: proxied(APPLICATION) });
    closing.push(
      () => server[Symbol.asyncDispose](),
      () => proxy[Symbol.asyncDispose](),
    );
    const get = (path: string, headers: Record<string, string | string[]> = {}) => visit(server.url, path, { headers });

    test('serves what is allowed, and the decision is recorded', async () => {
      const before = await decisions(postern);
      const page = await get('/open.html?utm_source=mail');
      assert.deepEqual([page.status, page.text], [200, 'open to all'], server.log());
      assert.equal(await decisions(postern), before + 1);
    });

    test('refuses what is denied, and what nobody registered', async () => {
      for (const [path, agent, status] of [
        ['/closed.html', 'Mozilla/5.0', 403],
        ['/unregistered.html', 'Mozilla/5.0', 403],
        ['/limited.html', 'UnpaidBot', 403],
        ['/limited.html', 'PayingBot', 200],
      ] as const) {
        const page = await get(path, { 'user-agent': agent });
        assert.equal(page.status, status, `${path} ${agent}`);
        assert.equal(page.text.includes(SECRET), status === 200, path);
      }
      const page = await get('/limited.html', { 'user-agent': 'UnpaidBot' });
      assert.deepEqual([page.headers['x-postern-reason'], page.headers['cache-control']], ['no_license', 'no-store']);
    });

    test('with an offer, a denial is 402 and names the price', async () => {
      const page = await get('/offered.html', { 'user-agent': 'UnpaidBot' });
      assert.deepEqual([page.status, page.headers['crawler-price']], [402, 'USD 0.005'], server.log());
      const required = JSON.parse(Buffer.from(String(page.headers['payment-required']), 'base64').toString());
      assert.deepEqual(required.resource, { url: `${ORIGIN}/offered.html` });
      assert.ok(!page.text.includes(SECRET));
      // Headers without a value are left out.
      const closed = await get('/closed.html');
      assert.deepEqual([closed.headers['crawler-price'], closed.headers['payment-required']], [undefined, undefined]);
    });

    test('lets in as often as a limit says, then 429 with Retry-After', async () => {
      const id = `slow-${name}`;
      await postern.call('PATCH', '/v1/requesters/slow-nginx-and-caddy', { body: { userAgents: [] } });
      await made(postern, '/v1/requesters', { id, userAgents: [`SlowBot-${name}`] });
      const { id: policyId } = await makePolicy(postern, [
        { action: 'allow', conditions: { requesterId: id }, rateLimit: { requests: 2, period: 'hour' } },
      ]);
      await postern.call('PATCH', '/v1/content/%2Flimited.html', { body: { policyId } });
      const statuses = [];
      const left = [];
      let last: Awaited<ReturnType<typeof get>> | undefined;
      for (let i = 0; i < 4; i++) {
        last = await get('/limited.html', { 'user-agent': `SlowBot-${name}`, 'idempotency-key': 'same' });
        statuses.push(last.status);
        left.push(/^"access";r=(\d+);t=\d+$/.exec(String(last.headers.ratelimit))?.[1]);
        assert.equal(last.headers['ratelimit-policy'], '"access";q=2;w=3600', server.log());
      }
      await postern.call('PATCH', '/v1/content/%2Flimited.html', { body: { policyId: LIMITED } });
      assert.deepEqual(statuses, [200, 200, 429, 429]);
      assert.deepEqual(left, ['1', '0', '0', '0']);
      const wait = Number(last?.headers['retry-after']);
      assert.ok(wait > 3000 && wait <= 3601, String(wait));
      assert.ok(wait >= Number(/t=(\d+)/.exec(String(last?.headers.ratelimit))?.[1]));
      const open = await get('/open.html');
      assert.deepEqual([open.headers.ratelimit, open.headers['ratelimit-policy']], [undefined, undefined]);
      assert.ok(!last?.text.includes(SECRET));
    });

    test('serves nothing while Postern is down, or does not answer', async () => {
      const { port } = silent.address() as AddressInfo;
      for (const asked of [`127.0.0.1:${await freePort()}`, `127.0.0.1:${port}`]) {
        await using alone = await start({ asked });
        const begun = performance.now();
        const page = await visit(alone.url, '/open.html');
        assert.ok(page.status >= 500, `${asked} ${page.status}`);
        assert.ok(!page.text.includes('open to all'));
        assert.ok(performance.now() - begun < 10_000, 'soon');
      }
    });

    test('does not serve on any wrong key or option', async () => {
      const other = await startTestService();
      closing.push(() => other[Symbol.asyncDispose]());
      await using wrong = await start({ asked: new URL(other.url).host });
      const page = await visit(wrong.url, '/open.html');
      assert.equal(page.status, 503);
      assert.ok(!page.text.includes('open to all'));
    });

    test('an upload reaches the application whole, or not at all', async () => {
      const body = 'x'.repeat(3 * 1024 * 1024);
      for (const [sent, chunked] of [
        ['hello', false],
        ['hello', true],
        [body, false],
        [body, true],
      ] as const) {
        reached = [];
        const taken = await visit(proxy.url, '/upload', { method: 'POST', body: sent, chunked });
        assert.deepEqual([taken.status, taken.text], [200, String(sent.length)], proxy.log());
        const refused = await visit(proxy.url, '/upload-closed', { method: 'POST', body: sent, chunked });
        // A refusal may come before all was sent.
        assert.ok(refused.status === 403 || refused.status === 0, String(refused.status));
        assert.equal((await visit(proxy.url, '/upload')).text, '0', 'nothing is left over');
        assert.deepEqual(pluck(reached, 'path'), ['/upload', '/upload']);
      }
    });

    test('8 kB of headers change nothing', async () => {
      const cookie = `a=${'x'.repeat(7_900)}`;
      assert.equal((await get('/open.html', { cookie })).status, 200);
      assert.equal((await get('/closed.html', { cookie })).status, 403);
      const page = await get('/open.html', { 'user-agent': 'x'.repeat(7_900) });
      assert.equal(page.status, 403);
    });

    test('no header of a visitor counts but its user agent', async () => {
      const spoofed = {
        'x-original-uri': '/open.html',
        'x-forwarded-uri': '/open.html',
        'x-forwarded-host': 'other.example',
        'x-forwarded-proto': 'ftp',
        'x-forwarded-for': '203.0.113.7',
        'x-real-ip': '203.0.113.7',
        'x-postern-key': 'svc_sk_of_somebody_else',
        'x-postern-options': 'unknown=allow',
        'x-postern-requester': 'paying',
        'x-postern-allowed': 'true',
        'x-http-method-override': 'OPTIONS',
        authorization: `Bearer ${postern.key}`,
        forwarded: 'for=203.0.113.7;host=other.example',
        connection: 'close, x-postern-key, x-original-uri, x-forwarded-uri',
      };
      // Named in Connection, they would go no further than the proxy.
      const { connection, ...plain } = spoofed;
      const misleading = { ...plain, 'x-original-uri': '/closed.html', 'x-forwarded-uri': '/closed.html' };
      for (const headers of [spoofed, plain, misleading]) {
        assert.equal((await get('/open.html', headers)).status, 200, 'they do not harm either');
      }
      for (const path of ['/closed.html', '/limited.html', '/unregistered.html']) {
        for (const [header, value] of Object.entries(spoofed)) {
          const page = await get(path, { [header]: value });
          assert.ok(page.status >= 400, `${path} ${header} ${page.status}`);
          assert.ok(!page.text.includes(SECRET), `${path} ${header}`);
        }
        for (const headers of [spoofed, plain]) {
          const page = await get(path, headers);
          assert.ok(page.status >= 400 && !page.text.includes(SECRET), path);
        }
        const twice = await get(path, {
          'x-original-uri': ['/open.html', '/open.html'],
          'x-forwarded-uri': ['/open.html', ''],
        });
        assert.ok(twice.status >= 400 && !twice.text.includes(SECRET), path);
      }
    });

    test('an application is told who asked by Postern alone', async () => {
      reached = [];
      const headers = { 'x-postern-requester': 'paying', 'x-postern-permissions': 'full_access' };
      await visit(proxy.url, '/upload', { headers });
      await visit(proxy.url, '/upload', { headers: { ...headers, 'user-agent': 'UnpaidBot' } });
      assert.deepEqual(
        reached.map(({ requester }) => requester || undefined),
        [undefined, 'unpaid'],
      );
      assert.deepEqual(pluck(reached, 'permissions'), [undefined, undefined]);
    });

    test('no spelling of a path leads around a denial', async () => {
      const spellings = [
        ...words(`
        /%63losed.html /closed%2ehtml //closed.html /./closed.html /x/../closed.html /open.html/../closed.html
        /open.html/%2e%2e/closed.html /open.html%2f..%2fclosed.html /open.html/..%2fclosed.html
        /open.html%00/../closed.html /open.html?/../closed.html /open.html#/../closed.html /closed.html? /closed.html#
        /closed.html/ /closed.html/. /closed.html%20 /closed.html%00 /%2563losed.html /%25%36%33losed.html
        /folder%25%32%66open.html /closed.html;open.html /folder/../closed.html /folder%2f..%2fclosed.html
        /folder//open.html /folder/open.html /folder%2fopen.html http://www.example.com/closed.html
        http://other.example/closed.html http://www.example.com/open.html/../closed.html
      `),
        '/open.html\\..\\closed.html',
      ];
      for (const path of spellings) {
        for (const host of ['www.example.com', 'other.example', 'www.example.com.', 'WWW.EXAMPLE.COM']) {
          const page = await get(path, { host });
          assert.ok(!page.text.includes(SECRET), `${path} at ${host}: ${page.status}`);
        }
      }
    });

    test('every method is asked about', async () => {
      for (const method of ['HEAD', 'OPTIONS', 'PUT', 'DELETE', 'PATCH', 'PROPFIND']) {
        const page = await visit(proxy.url, '/upload-closed', { method });
        assert.equal(page.status, 403, method);
      }
      reached = [];
      for (const method of ['HEAD', 'OPTIONS', 'PUT', 'DELETE', 'PATCH', 'PROPFIND']) {
        assert.equal((await visit(proxy.url, '/upload', { method })).status, 200, method);
      }
      assert.equal(reached.length, 6);
    });
  });
}

test('Caddy serves nothing if something else answers at the address of Postern', async () => {
  const [, startCaddy] = SERVERS[1];
  let status = 200;
  const other = createServer((_, response) => response.writeHead(status, { location: '/else' }).end());
  await new Promise<void>((listening) => other.listen(0, '127.0.0.1', listening));
  closing.push(async () => {
    other.closeAllConnections();
    other.close();
  });
  const asked = `127.0.0.1:${(other.address() as AddressInfo).port}`;
  await using files = await startCaddy({ asked, key: postern.key, site });
  await using proxy = await startCaddy({ asked, key: postern.key, site, application: proxied(APPLICATION) });
  reached = [];
  for (status of [200, 201, 204, 206, 302, 401, 403, 404]) {
    for (const { url } of [files, proxy]) {
      const page = await visit(url, '/open.html', { headers: { 'x-postern-allowed': 'true' } });
      assert.deepEqual([page.status, page.text], [503, ''], `${status} ${files.log()}`);
    }
  }
  assert.deepEqual(reached, []);
});

test('nginx limits visitors before Postern is asked', async () => {
  const lines = configurationOf('nginx', 'nginx-limit', {}).split('\n');
  const [zone = ''] = lines.filter((line) => line.startsWith('limit_req_zone'));
  const limits = lines.filter((line) => /^limit_req(?:_status)? /.test(line));
  assert.equal(limits.length, 2);
  const [, startNginx] = SERVERS[0];
  const changes = { 'server {\n': `${zone}\nserver {\n${limits.join('\n')}\n` };
  await using server = await startNginx({ asked: POSTERN, key: postern.key, site, changes });
  const before = await decisions(postern);
  const pages = await Promise.all(Array.from({ length: 100 }, () => visit(server.url, '/closed.html')));
  const count = (status: number) => pages.filter((page) => page.status === status).length;
  assert.equal(count(403) + count(429), 100);
  assert.ok(count(403) >= 50 && count(429) > 0, `${count(403)} were asked about`);
  assert.equal(await decisions(postern), before + count(403));
});

test('Caddy shows the page of Postern, or problem details, if it is told to', async () => {
  const [, startCaddy] = SERVERS[1];
  const page = configurationOf('caddy', 'caddyfile', {});
  const own = page.slice(page.indexOf('@denied header'), page.indexOf('# A wrong key'));
  const options = 'denyStatus=401,402,429';
  for (const [body, type] of [
    ['html', /^text\/html/],
    ['problem', /^application\/problem\+json/],
  ] as const) {
    const changes = {
      [own]: '',
      [options]: `${options}&body=${body}`,
    };
    await using server = await startCaddy({ asked: POSTERN, key: postern.key, site, changes });
    const denied = await visit(server.url, '/offered.html', { headers: { 'user-agent': 'UnpaidBot' } });
    assert.equal(denied.status, 402, server.log());
    assert.match(String(denied.headers['content-type']), type);
    assert.ok(denied.text.includes('offered'), denied.text);
    assert.equal(denied.headers['cache-control'], 'no-store');
    assert.ok(denied.text.includes(String(denied.headers['x-postern-decision'])));
    assert.equal((await visit(server.url, '/open.html')).text, 'open to all');
  }
});

describe('offers in nginx', () => {
  const [, startOne] = SERVERS.find(([name]) => name === 'nginx') as (typeof SERVERS)[number];
  const ASKED = 'origin=https://www.example.com';
  const start = (changes: Record<string, string>) => startOne({ asked: POSTERN, key: postern.key, site, changes });

  test('Pay Per Crawl: the page with its price for crawlers that Cloudflare charges, and for nobody else', async () => {
    const page = readFileSync('docs/offers.md', 'utf8');
    const [, inPage = '', asking = ''] = /```nginx-part\n# In[^\n]*\n([^#]*)#[^\n]*\n([^`]*)```/.exec(page) ?? [];
    await using server = await start({
      [ASKED]: `${ASKED}&payPerCrawl=offered`,
      'error_page 403 = @denied;': `error_page 403 = @denied;\n${inPage}`,
      'proxy_set_header Signature $http_signature;': `proxy_set_header Signature $http_signature;\n${asking}`,
    });
    const get = (path: string, pricing: string) =>
      visit(server.url, path, {
        headers: { 'user-agent': 'UnpaidBot', 'cf-pay-per-crawl': `protocol=cloudflare, pricing=${pricing}` },
      });
    const sold = await get('/offered.html', 'in-band');
    assert.deepEqual([sold.status, sold.headers['crawler-price']], [200, 'USD 0.005'], server.log());
    const free = await get('/open.html', 'in-band');
    assert.deepEqual([free.status, free.headers['crawler-price']], [200, 'USD 0.00']);
    assert.equal((await get('/offered.html', 'bypass')).status, 402);
    assert.equal((await get('/limited.html', 'in-band')).status, 403);
  });

  test('a status that auth_request does not know serves nothing', async () => {
    await using server = await start({ [ASKED]: `${ASKED}&denyStatus=402` });
    const page = await visit(server.url, '/offered.html', { headers: { 'user-agent': 'UnpaidBot' } });
    assert.equal(page.status, 500);
    assert.ok(!page.text.includes(SECRET));
  });
});
