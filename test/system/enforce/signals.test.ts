/** nginx and Caddy serve the files of a site as the pages set them up: from Postern, and from a folder. */
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { commandHere } from '../../../kit/command.ts';
import { freePort } from '../../../kit/port.ts';
import { startTestService } from '../../../kit/service.ts';
import { until } from '../../../kit/until.ts';
import { folderOf } from '../../../kit/web-server.ts';
import { configurationOf, visit } from '../../enforce/visiting.ts';
import { made, makeKey, makePolicy } from '../../http/given.ts';
import { SERVERS } from './servers.ts';

const postern = await startTestService();
let isClosed = false;
after(() => (isClosed ? undefined : postern[Symbol.asyncDispose]()));
const HOST = 'www.example.com';
const asked = new URL(postern.url).host;
const { id: policyId } = await makePolicy(postern, [
  { action: 'deny', conditions: { crawler: ['GPTBot'] } },
  { action: 'deny', conditions: { purpose: 'training' } },
  { action: 'allow', conditions: { default: true } },
]);
const { id } = await made(postern, '/v1/collections', { name: 'C', hosts: [HOST], paths: ['/'], policyId });
const SITE = {
  signals: { public: true, robots: 'replace', license: true, tdmrep: true, link: true, contentUsage: true },
  licensingUrl: 'https://example.com/licensing',
  sitemaps: [`https://${HOST}/sitemap.xml`],
};
await postern.call('PUT', `/v1/sites/${HOST}`, { body: SITE });
const key = await makeKey(postern, { permissions: ['access:check'] });
const OWN = 'User-agent: *\nDisallow: /own/\n';
const FREE = ['sitemap.xml', 'favicon.ico', '.well-known/security.txt'];
const site = folderOf({
  'index.html': 'page',
  'closed.html': 'for readers',
  'robots.txt': OWN,
  ...Object.fromEntries(FREE.map((name) => [name, name])),
});
const written = join(site, 'signals');
mkdirSync(written);
const env = { POSTERN_URL: postern.url, POSTERN_KEY: postern.key };
assert.equal((await commandHere(['signals', 'write', written, '--site', HOST], { env })).status, 0);

const FILES = [
  ['/robots.txt', 'robots.txt', /^text\/plain/],
  ['/license.xml', 'license.xml', /^application\/rsl\+xml/],
  ['/.well-known/tdmrep.json', 'tdmrep.json', /^application\/json/],
  [`/.well-known/tdm-policy/${id}.json`, `tdm-policy?collectionId=${id}`, /^application\/(ld\+)?json/],
] as const;
const bodies = new Map<string, string>();
for (const [, kind] of FILES) bodies.set(kind, (await postern.call('GET', `/v1/sites/${HOST}/signals/${kind}`)).text);

async function assertServed(url: string, isLive = true): Promise<void> {
  for (const [path, kind, type] of FILES) {
    // A credential of the visitor is none of Postern’s.
    const headers = { authorization: 'Bearer nonsense', 'user-agent': 'GPTBot/1.2' };
    const { status, text, headers: answered } = await visit(url, path, { headers });
    assert.equal(status, 200, `${path} ${text}`);
    assert.equal(text, bodies.get(kind), path);
    if (isLive) assert.match(String(answered['content-type']), type, path);
    // A file is the same with any query: an error would be a robots.txt that allows everything.
    for (const query of ['?v=2', '?asOf=2020-01-01T00:00:00Z']) {
      const again = await visit(url, path + query, { headers });
      assert.equal(again.status, 200, `${path}${query} ${again.text}`);
      assert.equal(again.text, text, path + query);
    }
  }
}

const kept = join(folderOf({}), 'signals.conf');
writeFileSync(kept, configurationOf('nginx', 'nginx-kept', {}));
const files = configurationOf('nginx', 'nginx-files', {
  '/etc/nginx/postern-signals.conf': kept,
  '/var/www/site': site,
});
const caddyFree = configurationOf('caddy', 'caddy-free', { '/var/www/site': site });

/** The lines of the page that serve the files from the Postern at this host and port. */
const liveFrom = {
  nginx: () => {
    const copies = { '/var/cache/nginx/signals': join(folderOf({}), 'signals') };
    const cache = configurationOf('nginx', 'nginx-cache', copies);
    return {
      'upstream postern {': `${cache}upstream postern {`,
      '    location = /_postern {': `${files}    location = /_postern {`,
    };
  },
  Caddy: (host: string) => {
    const places = { '127.0.0.1:8080': host, '/var/www/site': site };
    return { '\troute {': `${configurationOf('caddy', 'caddy-files', places)}${caddyFree}\troute {` };
  },
};

const folder = {
  Caddy: {
    '\troute {': `${configurationOf('caddy', 'caddy-folder', { '/srv/signals': written })}${caddyFree}\troute {`,
  },
};

for (const [name, start] of SERVERS) {
  test(`${name} adds to a page what its policy says, and nothing to a page without`, async () => {
    await using server = await start({ asked, key, site });
    const names = ['link', 'tdm-reservation', 'tdm-policy', 'content-usage'];
    const asProxy = { 'x-postern-key': key, 'x-original-uri': '/' };
    let answer = new Response();
    await until('the headers after the edit', async () => {
      answer = await fetch(`${postern.url}/v1/authorize?origin=https://${HOST}`, { headers: asProxy });
      return answer.headers.has('tdm-reservation');
    });
    const page = await visit(server.url, '/');
    for (const one of names) assert.equal(page.headers[one], answer.headers.get(one), `${one} ${server.log()}`);
    assert.match(String(page.headers.link), /rel="license"/);
    assert.equal(page.headers['tdm-reservation'], '1');
    await postern.call('PUT', `/v1/sites/${HOST}`, { body: { signals: { public: true }, sitemaps: SITE.sitemaps } });
    const bare = await visit(server.url, '/');
    await postern.call('PUT', `/v1/sites/${HOST}`, { body: SITE });
    assert.deepEqual(
      names.map((one) => bare.headers[one]),
      names.map(() => undefined),
    );
  });
}

const AROUND = [
  '/closed.html',
  '/.well-known/../closed.html',
  '/.well-known/%2e%2e/closed.html',
  '/.well-known/..%2fclosed.html',
  '/.well-known//../../closed.html',
  '/.well-known/..;/closed.html',
  '/.well-known/..%5cclosed.html',
  '/.WELL-KNOWN/../closed.html',
  '/sitemap.xml/../closed.html',
];

/** Files that robots.txt allows to everybody are not refused at the door, and nothing else is open through them. */
async function assertFree(url: string): Promise<void> {
  const headers = { 'user-agent': 'GPTBot/1.2' };
  for (const name of FREE) {
    const { status, text } = await visit(url, `/${name}`, { headers });
    assert.deepEqual([status, text], [200, name], name);
  }
  for (const path of AROUND) {
    const { status, text } = await visit(url, path, { headers });
    assert.ok(status >= 400 && !text.includes('for readers'), `${path} ${status} ${text}`);
  }
}

for (const [name, start] of SERVERS) {
  test(`a file that Postern does not publish is that of the site, through ${name}`, async () => {
    try {
      for (const body of [null, { signals: {} }, { signals: { public: true, robots: 'off' } }]) {
        if (body === null) await postern.call('DELETE', `/v1/sites/${HOST}`);
        else await postern.call('PUT', `/v1/sites/${HOST}`, { body });
        await using live = await start({ asked, key, site, changes: liveFrom[name](asked) });
        const robots = await visit(live.url, '/robots.txt?v=2', { headers: { authorization: 'Bearer nonsense' } });
        assert.deepEqual([robots.status, robots.text], [200, OWN], `${JSON.stringify(body)} ${live.log()}`);
        const head = await visit(live.url, '/robots.txt', { method: 'HEAD' });
        assert.deepEqual([head.status, head.headers['content-length']], [200, String(OWN.length)]);
        for (const path of ['/license.xml', '/.well-known/tdmrep.json', `/.well-known/tdm-policy/${id}.json`]) {
          const page = await visit(live.url, path);
          assert.deepEqual([page.status, page.text.includes('{')], [404, false], `${path} ${page.text}`);
        }
      }
    } finally {
      await postern.call('PUT', `/v1/sites/${HOST}`, { body: SITE });
    }
  });

  test(`${name} answers 5xx for a file while Postern is busy, is down or never answers`, async () => {
    let status: number | null = 429;
    await using stand = await startStand((response) => {
      if (status !== null) response.writeHead(status, { 'content-type': 'application/json' }).end('{}');
    });
    const down = `127.0.0.1:${await freePort()}`;
    await using closed = await start({ asked: down, key, site, changes: liveFrom[name](down) });
    await using live = await start({ asked: stand.host, key, site, changes: liveFrom[name](stand.host) });
    for (const [path] of FILES) {
      for (const one of [429, 500, 503]) {
        status = one;
        assert.ok((await visit(live.url, path)).status >= 500, `${path} ${one}`);
      }
      assert.ok((await visit(closed.url, path)).status >= 500, path);
    }
    status = null;
    const begun = performance.now();
    const pages = await Promise.all(FILES.map(([path]) => visit(live.url, path)));
    for (const page of pages) assert.ok(page.status >= 500, live.log());
    assert.ok(performance.now() - begun < 10_000, 'soon');
  });
}

/** A server in place of Postern. */
async function startStand(answer: (response: ServerResponse) => unknown) {
  const server = createServer((_, response) => answer(response));
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return {
    host: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}

test('from Postern, through Caddy, and from a folder', async () => {
  const [, start] = SERVERS[1];
  await using live = await start({ asked, key, site, changes: liveFrom.Caddy(asked) });
  await assertServed(live.url);
  await assertFree(live.url);
  await using fixed = await start({ asked, key, site, changes: folder.Caddy });
  await assertServed(fixed.url);
  await assertFree(fixed.url);
});

test('from Postern, through nginx, which goes on when Postern is down', async () => {
  const [, start] = SERVERS[0];
  await using live = await start({ asked, key, site, changes: liveFrom.nginx() });
  await assertServed(live.url);
  await assertFree(live.url);
  isClosed = true;
  await postern[Symbol.asyncDispose]();
  await assertServed(live.url);
});
