/**
 * The configurations of the pages under a policy that denies everything. Promise: the files with the rules for
 * crawlers are served to everybody, without a decision, and nothing else is, in any spelling and by any method.
 */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, describe, test } from 'node:test';
import { startTestService } from '../../../kit/service.ts';
import { folderOf } from '../../../kit/web-server.ts';
import { words } from '../../../kit/words.ts';
import { decisions } from '../../enforce/asking.ts';
import { visit } from '../../enforce/visiting.ts';
import { assertStatus, made, makePolicy } from '../../http/given.ts';
import { proxied, SERVERS } from './servers.ts';

const HOST = 'www.example.com';
const SECRET = 'the protected text';
const stack = new AsyncDisposableStack();
after(() => stack.disposeAsync());
const postern = stack.use(await startTestService());
const { id: policyId } = await makePolicy(postern, [{ action: 'deny', conditions: {} }]);
await made(postern, '/v1/collections', { name: 'All', hosts: [HOST], paths: ['/'], policyId });
const sitemaps = [`https://${HOST}/sitemap.xml`, `https://${HOST}/maps/news.xml`];
assertStatus(await postern.call('PUT', `/v1/sites/${HOST}`, { body: { sitemaps } }), 201);

const FREE = words(`/robots.txt /license.xml /tdmrep.json /favicon.ico /.well-known/security.txt /.well-known/a/b.json
  /sitemap.xml /maps/news.xml`);
const CLOSED = words(`
  / /index.html /secret.html /sitemap2.xml /robots.txt/../secret.html /robots.txt/..;/secret.html /x/../secret.html
  /.well-known/../secret.html /.well-known/%2e%2e/secret.html /.well-known/..%2fsecret.html /.well-known/..;/secret.html
  /.well-known/..%5csecret.html /.well-known//../../secret.html //secret.html /robots.txt;/secret.html
  /robots.txt%3b/secret.html /robots.txt%3f/../secret.html /robots.txt%00/../secret.html /favicon.ico/../secret.html
  /.well-known/x;/../../secret.html /sitemap.xml/../secret.html /.well-known/index.html/secret.html /robots.txt/
  /robots.txt;x /robots.txt%3bx /.well-known/..;/..;/secret.html /robots.txt?x=1 /favicon.ico?v=2&x=1
  /.well-known/security.txt?x=1
`);

const site = folderOf({
  ...Object.fromEntries(FREE.map((path) => [path.slice(1), `the file ${path}`])),
  'index.html': SECRET,
  'secret.html': SECRET,
  'sitemap2.xml': SECRET,
});
/** Finds files by their plain paths; everything else, also a path with a parameter, is a page that is denied. */
const application = createServer(({ url = '', method }, response) => {
  const isFile = FREE.includes(url) && (method === 'GET' || method === 'HEAD');
  response.end(isFile ? `the file ${url}` : SECRET);
});
await new Promise<void>((listening) => application.listen(0, '127.0.0.1', listening));
stack.defer(() => {
  application.closeAllConnections();
  application.close();
});
const behind = proxied(`127.0.0.1:${(application.address() as AddressInfo).port}`);

for (const [name, start] of SERVERS) {
  for (const [what, part] of [
    ['a folder', {}],
    ['an application', { application: behind }],
  ] as const) {
    describe(`${name} in front of ${what}`, async () => {
      const server = stack.use(await start({ asked: new URL(postern.url).host, key: postern.key, site, ...part }));
      const crawler = { 'user-agent': 'GPTBot/1.2', authorization: 'Bearer svc_rt_expired' };

      test('serves the files with the rules', async () => {
        const before = await decisions(postern);
        for (const path of FREE) {
          const page = await visit(server.url, path, { headers: crawler });
          assert.deepEqual([page.status, page.text], [200, `the file ${path}`], `${path} ${server.log()}`);
          assert.doesNotMatch(String(page.headers['cache-control']), /private/, path);
          assert.equal((await visit(server.url, path, { headers: crawler, method: 'HEAD' })).status, 200, path);
        }
        for (const path of ['/robots.txt?v=2', '/favicon.ico?ver=7', '/.well-known/security.txt?v=']) {
          const page = await visit(server.url, path, { headers: crawler });
          assert.deepEqual([page.status, page.text], [200, `the file ${path.replace(/\?.*/, '')}`], path);
        }
        assert.equal(await decisions(postern), before);
      });

      test('serves nothing else', async () => {
        for (const path of CLOSED) {
          const page = await visit(server.url, path, { headers: crawler });
          assert.ok(page.status === 308 || page.status >= 400, `${path} ${page.status}`);
          assert.ok(!page.text.includes(SECRET), path);
        }
        for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS', 'PROPFIND']) {
          const page = await visit(server.url, '/robots.txt', { headers: crawler, method });
          assert.ok(
            (page.status === 403 || page.status === 401) && !page.text.includes(SECRET),
            `${method} ${page.status}`,
          );
        }
      });
    });
  }

  test(`${name} answers robots.txt with 5xx where the key is wrong, which crawlers take for a ban`, async () => {
    await using server = await start({ asked: new URL(postern.url).host, key: 'svc_sk_nobody', site });
    for (const path of ['/robots.txt', '/secret.html']) {
      const page = await visit(server.url, path);
      assert.equal(page.status, 503, `${path} ${server.log()}`);
    }
  });
}
