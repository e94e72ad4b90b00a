/**
 * Caches of real nginx: one in front of the guard keeps no guarded page, one behind it saves the application work while
 * every visitor is asked about, and `postern doctor` finds one that gives readers' copies to those who are denied.
 */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { command } from '../../../kit/command.ts';
import { freePort } from '../../../kit/port.ts';
import { startTestService } from '../../../kit/service.ts';
import { folderOf, startNginx, type WebServer } from '../../../kit/web-server.ts';
import { decisions } from '../../enforce/asking.ts';
import { configurationOf, visit } from '../../enforce/visiting.ts';
import { made, makePolicy } from '../../http/given.ts';
import { proxied, SERVERS } from './servers.ts';

const SECRET = 'for readers';
const stack = new AsyncDisposableStack();
after(() => stack.disposeAsync());
const postern = stack.use(await startTestService());
const { id: policyId } = await makePolicy(postern, [
  { action: 'deny', conditions: { crawlerPurpose: 'training' } },
  { action: 'allow', conditions: {} },
]);
await made(postern, '/v1/collections', { name: 'All', paths: ['/'], policyId });
const READER = { 'user-agent': 'Mozilla/5.0 Firefox/140.0' };
const CRAWLER = { 'user-agent': 'GPTBot/1.2' };

const site = folderOf({ 'tides.html': SECRET, 'robots.txt': 'the rules' });
let reached = 0;
const application = createServer((_, response) => {
  reached++;
  response.setHeader('cache-control', 'public, max-age=600');
  response.end(SECRET);
});
await new Promise<void>((listening) => application.listen(0, '127.0.0.1', listening));
stack.defer(() => {
  application.closeAllConnections();
  application.close();
});
const behind = proxied(`127.0.0.1:${(application.address() as AddressInfo).port}`);
const ASKED = new URL(postern.url).host;

/** A cache in front, as a CDN is. */
async function startCache(inner: string, more = ''): Promise<WebServer> {
  const port = await freePort();
  return startNginx(
    port,
    `proxy_cache_path ${join(folderOf({}), 'copies')} keys_zone=copies:1m;
     server {
       listen 127.0.0.1:${port};
       location / {
         proxy_pass ${inner};
         proxy_set_header Host www.example.com;
         proxy_cache copies;
         proxy_cache_valid 200 10m;
         add_header X-Cache $upstream_cache_status always;
         ${more}
       }
     }`,
  );
}

for (const [name, starter] of SERVERS) {
  for (const [what, part] of [
    ['a folder', {}],
    ['an application that lets everybody keep its pages', { application: behind }],
  ] as const) {
    test(`a cache in front of ${name} and ${what} gives no reader's copy to a crawler that is denied`, async () => {
      await using inner = await starter({ asked: ASKED, key: postern.key, site, ...part });
      await using cache = await startCache(inner.url);
      for (let i = 0; i < 2; i++) {
        assert.equal((await visit(cache.url, '/tides.html', { headers: READER })).text, SECRET, inner.log());
      }
      const page = await visit(cache.url, '/tides.html', { headers: CRAWLER });
      assert.ok(page.status >= 401 && !page.text.includes(SECRET), `${page.status}`);
      assert.equal((await visit(cache.url, '/tides.html', { headers: READER })).status, 200, 'no denial is kept');
    });
  }

  test(`robots.txt behind ${name} may be kept by a cache in front`, async () => {
    await using inner = await starter({ asked: ASKED, key: postern.key, site });
    await using cache = await startCache(inner.url);
    await visit(cache.url, '/robots.txt', { headers: READER });
    const kept = await visit(cache.url, '/robots.txt', { headers: CRAWLER });
    assert.deepEqual([kept.text, kept.headers['x-cache']], ['the rules', 'HIT']);
  });
}

test('a cache behind the guard, as the page sets it up: everybody is asked about, the application once', async () => {
  const [, starter] = SERVERS[0];
  const zone = configurationOf('nginx', 'nginx-pages-zone', {
    '/var/cache/nginx/pages': join(folderOf({}), 'pages'),
  });
  const nginx = behind.nginx + configurationOf('nginx', 'nginx-pages', {});
  await using server = await starter({
    asked: ASKED,
    key: postern.key,
    site,
    application: { ...behind, nginx },
    changes: { 'upstream postern {': `${zone}upstream postern {` },
  });
  reached = 0;
  const before = await decisions(postern);
  for (let i = 0; i < 3; i++) {
    const page = await visit(server.url, '/tides.html', { headers: READER });
    assert.deepEqual([page.status, page.text], [200, SECRET], server.log());
    assert.match(String(page.headers['cache-control']), /private/);
  }
  const denied = await visit(server.url, '/tides.html', { headers: CRAWLER });
  assert.ok(denied.status === 403 && !denied.text.includes(SECRET));
  assert.deepEqual([reached, (await decisions(postern)) - before], [1, 4]);
});

interface Finding {
  what: string;
  state: string;
  says: string;
}
async function doctor(url: string): Promise<Finding> {
  const env = { POSTERN_URL: postern.url, POSTERN_KEY: postern.key };
  const { stdout, stderr } = await command(['doctor', url, '--json'], { env });
  assert.notEqual(stdout, '', stderr);
  const findings = JSON.parse(stdout) as Finding[];
  return findings.find(({ what }) => what === 'cache') ?? assert.fail(stdout);
}

for (const [name, starter] of SERVERS) {
  test(`the doctor finds a cache in front of ${name} that keeps what it must not`, async () => {
    await using inner = await starter({ asked: ASKED, key: postern.key, site });
    await using deaf = await startCache(inner.url, 'proxy_ignore_headers Cache-Control Vary;');
    const found = await doctor(`${deaf.url}/tides.html`);
    assert.equal(found.state, 'bad', JSON.stringify(found));
    assert.match(found.says, /cache in front/);
    await using halfDeaf = await startCache(inner.url, 'proxy_ignore_headers Cache-Control;');
    assert.equal((await doctor(`${halfDeaf.url}/tides.html`)).state, 'bad', 'the same user agent at another address');
    await using obeying = await startCache(inner.url);
    assert.equal((await doctor(`${obeying.url}/tides.html`)).state, 'good');
  });
}
