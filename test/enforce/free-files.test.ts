/**
 * The files with the rules for crawlers. Promise: no policy, limit, token or missing collection refuses them; they are
 * no decision; and no other file is reached through their names.
 */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startTestService } from '../../kit/service.ts';
import { words } from '../../kit/words.ts';
import { assertError, assertStatus, made, makePolicy } from '../http/given.ts';
import { authorize, decisions, ORIGIN } from './asking.ts';

const HOST = 'site.example';
const postern = await startTestService();
after(() => postern[Symbol.asyncDispose]());
const { id: policyId } = await makePolicy(postern, [{ action: 'deny', conditions: {} }]);
await made(postern, '/v1/collections', { name: 'All', hosts: [HOST], paths: ['/'], policyId });
const putSite = (body: object) => postern.call('PUT', `/v1/sites/${HOST}`, { body });
const SITE = {
  sitemaps: [
    `${ORIGIN}/sitemap.xml`,
    `${ORIGIN}/maps/news%20today.xml`,
    `${ORIGIN}/maps/index.xml`,
    `${ORIGIN}/map.php?page=1`,
    'https://other.example/theirs.xml',
  ],
  signals: {
    robotsBase: `User-agent: *\nDisallow:\nSitemap: ${ORIGIN}/base.xml\nsitemap:${ORIGIN}/base2.xml # ours\n`,
  },
};
assertStatus(await putSite(SITE), 201);

const FREE = words(`
  /robots.txt /license.xml /tdmrep.json /favicon.ico /.well-known/ /.well-known/security.txt
  /.well-known/tdm-policy/col_1.json /.well-known/acme-challenge/x-_Y /.well-known/did.json /robots.txt?v=2
  /robots%2etxt /%72obots.txt /.well-known/webfinger?resource=a%2Fb&rel=b /sitemap.xml /maps/index.xml /map.php?page=1
  /base.xml /base2.xml /maps/news%20today.xml /%2ewell-known/x /.well-known/v1.0/list /.well-known/a.b/c.d/e
  /.well-known/postern?proof=1.a-_B
`);
const CLOSED = words(`
  / /x /robots.txt/ /robots.txt/x /robots.txt/../x /x/../robots.txt /robots.txt;x /robots.txt%3bx /robots.txt%3fx
  /robots.txt%23x /robots.txt%00 /robots.txt%20 /robots.txt%0a //robots.txt /./robots.txt /%2e/robots.txt /robots.txt/.
  /robots.txt%2f /robots.txt%5cx /robots%252etxt /Robots.txt /a/robots.txt /robots.txt.html /robots.txtx
  /.well-known /.well-known/../secret /.well-known/%2e%2e/secret /.well-known/..;/secret /.well-known/..%2fsecret
  /.well-known//x /.well-known/%2e%2e%2fsecret /.well-known/x;y /.well-known;/x /.well-known/x%3fy /.well-known/x%23y
  /.well-known/index.php/secret /.well-known/x.php5/secret /.well-known/index.html/secret /.well-known/x%5cy
  /.well-known/%c0%ae%c0%ae/x /WELL-KNOWN/x /x/.well-known/y /sitemap.xml?x /sitemap.xml/x /sitemap.xml;x /SITEMAP.XML
  /robots.txt?p=7 /robots.txt?v=2&p=7 /robots.txt?v=/ /favicon.ico?rest_route=/x /.well-known/x?rest_route=/x /license.xml?x
  /.well-known/webfinger?resource=a&p=7 /.well-known/webfinger?resource=a;p=7 /.well-known/x?resource=a
  /.well-known/postern?proof=a&p=7 /.well-known/postern?p=7 /.well-known/x?proof=a
  /.well-known/x.cgi/secret /.well-known/x.JSPX/secret /.well-known/..%20/secret
  /map.php /map.php?page=2 /map.php?page=1&x=2 /theirs.xml /sitemap2.xml /security.txt /license.xml.gz
`);

/** A crawler that is denied, a token that expired, and a user agent that is too long. */
const VISITORS: Record<string, string>[] = [
  { 'user-agent': 'GPTBot/1.2' },
  { authorization: 'Bearer svc_rt_expired' },
  { 'user-agent': 'x'.repeat(3_000) },
];

test('are allowed to everybody, and are no decision', async () => {
  for (const path of FREE) {
    for (const method of ['GET', 'HEAD']) {
      for (const headers of VISITORS) {
        const answer = await authorize(postern, path, { headers: { 'x-original-method': method, ...headers } });
        const { status, headers: answered } = answer;
        assert.deepEqual(
          [
            status,
            answered.get('x-postern-allowed'),
            answered.get('x-postern-free'),
            answered.get('x-postern-decision'),
          ],
          [200, 'true', 'true', ''],
          `${method} ${path} ${answered.get('x-postern-error')}`,
        );
        assert.equal(answered.get('cache-control'), null, 'caches may keep the file');
      }
    }
  }
  assert.equal(await decisions(postern), 0);
});

test('however the proxy asks, and for any host', async () => {
  for (const asked of [
    { path: '/v1/authorize', headers: { 'x-forwarded-host': `${HOST}:8443` } },
    { path: '/v1/authorize?denyStatus=401,402,429&body=problem' },
    { path: '/v1/authorize?origin=https://nobody.example' },
  ]) {
    assert.equal((await authorize(postern, '/robots.txt', asked)).status, 200);
  }
  const appended = { path: '/v1/authorize/robots.txt?v=1', headers: { 'x-postern-options': `origin=${ORIGIN}` } };
  assert.equal((await authorize(postern, null, appended)).status, 200);
  assert.equal((await authorize(postern, null, { ...appended, method: 'HEAD' })).status, 200);
  assert.equal((await authorize(postern, null, { ...appended, method: 'POST' })).status, 403);
  assert.equal((await authorize(postern, '/robots.txt')).status, 200, 'a proxy that says no method');
});

test('no other spelling, path or method is', async () => {
  for (const path of CLOSED) {
    const answer = await authorize(postern, path, { headers: { 'x-original-method': 'GET' } });
    assert.equal(answer.status, 403, path);
    assert.equal(answer.headers.get('x-postern-free'), null, path);
  }
  for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS', 'PROPFIND', 'get']) {
    const answer = await authorize(postern, '/robots.txt', { headers: { 'x-original-method': method } });
    assert.equal(answer.status, 403, method);
  }
  const twice = { 'x-original-method': 'GET', 'x-forwarded-method': 'POST' };
  assert.equal((await authorize(postern, '/robots.txt', { headers: twice })).status, 403);
  const elsewhere = { path: '/v1/authorize', headers: { 'x-forwarded-host': `${HOST}:8443` } };
  assert.equal((await authorize(postern, '/sitemap.xml', elsewhere)).status, 403, 'the sitemap of another site');
});

test('no page is asked with another key', async () => {
  const answer = await authorize(postern, '/robots.txt', { headers: { 'x-postern-key': 'svc_sk_nobody' } });
  assertError(answer, 'invalid_api_key');
});

test('an edit of the sitemaps holds from the next request on', async () => {
  const list = (sitemaps: string[]) => putSite({ ...SITE, sitemaps });
  assertStatus(await list([`${ORIGIN}/moved.xml`]), 200);
  assert.equal((await authorize(postern, '/sitemap.xml')).status, 403);
  assert.equal((await authorize(postern, '/moved.xml')).status, 200);
  assertStatus(await list(SITE.sitemaps), 200);
  assert.equal((await authorize(postern, '/moved.xml')).status, 403);
  assertError(await list(['/sitemap.xml']), 'invalid_request', 'sitemaps[0]');
});

test('robots.txt allows exactly these, too', async () => {
  const { text } = await postern.call('GET', `/v1/sites/${HOST}/signals/robots.txt`);
  for (const path of [
    '/sitemap.xml$',
    '/base.xml$',
    '/maps/news%20today.xml$',
    '/robots.txt$',
    '/tdmrep.json$',
    '/favicon.ico$',
    '/.well-known/',
  ]) {
    assert.ok(text.includes(`Allow: ${path}\n`), `${path}\n${text}`);
  }
  assert.ok(!text.includes('/security.txt'));
});
