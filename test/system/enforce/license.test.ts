/**
 * License tokens through real proxies, set up by their pages: a token opens its page, and each refusal names what is
 * wrong and the file whose server has tokens.
 */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, describe, test } from 'node:test';
import { startTestService } from '../../../kit/service.ts';
import type { WebServer } from '../../../kit/web-server.ts';
import { visit } from '../../enforce/visiting.ts';
import { assertStatus, made, makePolicy } from '../../http/given.ts';
import { getToken } from '../../license-server/given.ts';
import { proxied, SERVERS, startHaproxy, startVarnish } from './servers.ts';

const HOST = 'www.example.com';
const postern = await startTestService({ env: { POSTERN_PUBLIC_URL: 'https://access.example' } });
const site = createServer((_request, response) => {
  response.writeHead(200, { 'content-type': 'text/html' }).end('the text of the site');
});
await new Promise<void>((done) => site.listen(0, '127.0.0.1', done));
after(async () => {
  site.closeAllConnections();
  site.close();
  await postern[Symbol.asyncDispose]();
});

const open = await makePolicy(postern, [{ action: 'allow', conditions: {} }]);
await made(postern, '/v1/collections', { name: 'News', hosts: [HOST], paths: ['/news/'], policyId: open.id });
const sold = await makePolicy(postern, [{ action: 'allow', conditions: { licenseType: 'crawl' } }]);
await made(postern, '/v1/collections', { name: 'Archive', hosts: [HOST], paths: ['/archive/'], policyId: sold.id });
const signals = { public: true, license: true, licenseServer: true };
assertStatus(await postern.call('PUT', `/v1/sites/${HOST}`, { body: { signals } }), 201);
await made(postern, '/v1/requesters', { id: 'acme' });
const { token: secret } = await made(postern, '/v1/requesters/acme/tokens', { name: 't' });
const got = await getToken(postern, 'acme', { secret, resource: `https://${HOST}/news/*` });
assertStatus(got, 200);
const { access_token: token } = got.body;

const asked = { asked: new URL(postern.url).host, key: postern.key };
const application = `127.0.0.1:${(site.address() as AddressInfo).port}`;
const starts: [string, () => Promise<WebServer>][] = [
  ...SERVERS.map(([name, start]): [string, () => Promise<WebServer>] => [
    name,
    () => start({ ...asked, site: '', application: proxied(application) }),
  ]),
  ['HAProxy', () => startHaproxy({ ...asked, application })],
  ['Varnish', () => startVarnish({ ...asked, application })],
];

for (const [name, start] of starts) {
  describe(name, () => {
    const get = async (path: string, authorization?: string) => {
      await using proxy = await start();
      return await visit(proxy.url, path, authorization === undefined ? {} : { headers: { authorization } });
    };
    const FILE = `<https://${HOST}/license.xml>; rel="license"; type="application/rsl+xml"`;

    test('a License token proves its requester', async () => {
      const page = await get('/news/a', `License ${token}`);
      assert.deepEqual([page.status, page.text], [200, 'the text of the site']);
      const [decision] = (await postern.call('GET', '/v1/access/decisions?limit=1')).body.data;
      assert.deepEqual(
        [decision.requesterId, decision.verified, decision.licenseId !== null],
        ['acme', 'license', true],
      );
    });

    test('every refusal challenges, and leads to license.xml', async () => {
      for (const [path, authorization, error] of [
        ['/archive/a', undefined, '(invalid_request|insufficient_scope)'],
        ['/news/a', `License ${token.slice(0, -2)}`, 'invalid_token'],
        ['/archive/a', `License ${token}`, 'invalid_token'],
      ] as const) {
        const page = await get(path, authorization);
        assert.ok([401, 402, 403].includes(page.status), page.text);
        const challenge = String(page.headers['www-authenticate']);
        assert.match(challenge, new RegExp(`^License error="${error}"$`), `${path} ${authorization}`);
        assert.ok(String(page.headers.link).includes(FILE), String(page.headers.link));
      }
    });
  });
}
