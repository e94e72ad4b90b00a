/** Guards refuse at a site with a license server as `/v1/authorize` does: with a challenge and the link to its file. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { guard } from '../../client/src/index.ts';
import { startTestService } from '../../kit/service.ts';
import { assertStatus, made, makePolicy } from '../http/given.ts';
import { getToken } from './given.ts';

const HOST = 'www.example.com';
const postern = await startTestService({ env: { POSTERN_PUBLIC_URL: 'https://access.example' } });
after(() => postern[Symbol.asyncDispose]());

const allow = { action: 'allow', conditions: {} };
const RULES: Record<string, object> = {
  free: allow,
  bought: { action: 'allow', conditions: { licenseType: 'crawl' } },
  held: { action: 'allow', conditions: { licenseType: 'site' } },
  shut: { action: 'deny', conditions: {} },
  limited: { ...allow, rateLimit: { requests: 1, period: 'day' } },
};
for (const [name, rule] of Object.entries(RULES)) {
  const { id: policyId } = await makePolicy(postern, [rule]);
  await made(postern, '/v1/collections', { name, hosts: [HOST], paths: [`/${name}/`], policyId });
}
await postern.call('PUT', '/v1/offers/crawl', { body: { unitPriceMicros: 5000, currency: 'EUR' } });
const publish = async (licenseServer: boolean): Promise<void> => {
  const body = { signals: { public: true, license: true, licenseServer, link: true } };
  assert.ok((await postern.call('PUT', `/v1/sites/${HOST}`, { body })).status < 300);
};
await publish(true);
await made(postern, '/v1/requesters', { id: 'acme' });
const { token: secret } = await made(postern, '/v1/requesters/acme/tokens', { name: 't' });
const got = await getToken(postern, 'acme', { secret, resource: `https://${HOST}/free/*` });
assertStatus(got, 200);
const LICENSE = `License ${got.body.access_token}`;
const BEARER = `Bearer ${secret}`;

const { check: ask } = guard({
  url: postern.url,
  key: postern.key,
  content: 'url',
  origin: `https://${HOST}`,
});
const NAMES = ['www-authenticate', 'link'];
const atGuard = async (path: string, authorization: string | undefined) => {
  const headers = authorization === undefined ? {} : { authorization };
  const verdict = await ask(new Request(`https://${HOST}${path}`, { headers }));
  return [verdict.status, ...NAMES.map((name) => verdict.headers[name] ?? null)];
};
const atDoor = async (path: string, authorization: string | undefined) => {
  const answer = await postern.call('GET', '/v1/authorize?denyStatus=401,402,429&body=problem', {
    key: null,
    headers: {
      'x-postern-key': postern.key,
      'x-original-uri': path,
      'x-forwarded-host': HOST,
      ...(authorization === undefined ? {} : { authorization }),
    },
  });
  return [answer.status, ...NAMES.map((name) => answer.headers.get(name))];
};
const FILE = `<https://${HOST}/license.xml>; rel="license"; type="application/rsl+xml"`;
const SCOPE = 'License error="insufficient_scope"';

test('a denial has the challenge of the license server, except one for a time', async () => {
  const cases: [string, string | undefined, number, string | null][] = [
    ['/held/a', undefined, 401, 'License error="invalid_request"'],
    ['/bought/a', undefined, 402, SCOPE],
    ['/held/a', BEARER, 403, SCOPE],
    ['/shut/a', undefined, 403, SCOPE],
    ['/free/a', LICENSE, 200, null],
    ['/limited/a', BEARER, 200, null],
    ['/limited/a', BEARER, 429, null],
  ];
  for (const [path, authorization, status, challenge] of cases) {
    const told = await atGuard(path, authorization);
    assert.deepEqual(told, [status, challenge, FILE], path);
    if (path !== '/limited/a') assert.deepEqual(await atDoor(path, authorization), told);
  }
  assert.deepEqual(await atDoor('/limited/a', BEARER), [429, null, FILE]);
});

test('a token that is not valid is challenged in its scheme, and a License token led to the file', async () => {
  for (const authorization of ['License x', 'license  x.y.z', LICENSE.slice(0, -9)]) {
    const [status, challenge, link] = await atGuard('/free/a', authorization);
    assert.equal(status, 401);
    assert.match(String(challenge), /^license error="invalid_token"$/i);
    assert.equal(link, FILE.replace(`https://${HOST}`, ''));
    assert.deepEqual(await atDoor('/free/a', authorization), [401, 'License error="invalid_token"', FILE]);
  }
  assert.deepEqual(await atGuard('/free/a', `${BEARER}0`), [401, 'Bearer error="invalid_token"', null]);
});

test('without a license server, no guard asks for its tokens', async () => {
  await publish(false);
  assert.equal((await atGuard('/held/a', undefined))[1], 'Bearer');
  assert.equal((await atGuard('/shut/a', undefined))[1], null);
});
