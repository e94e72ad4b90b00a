/** A License token opens nothing but what it is for: changed, carried elsewhere, or got for another spelling. */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { startTestService } from '../../kit/service.ts';
import { assertStatus, made } from '../http/given.ts';
import { basic, getToken, publishedLicense, sendForm } from './given.ts';

const HOST = 'www.example.com';
const postern = await startTestService({ env: { POSTERN_PUBLIC_URL: 'https://access.example' } });
after(() => postern[Symbol.asyncDispose]());

const policy = async (conditions: object): Promise<string> =>
  (await made(postern, '/v1/policies', { name: 'p', rules: [{ action: 'allow', conditions }] })).id;
const collection = async (path: string, policyId: string) =>
  made(postern, '/v1/collections', { name: path, hosts: [HOST], paths: [path], policyId });
await collection('/news/', await policy({}));
const sold = await collection('/paid/', await policy({ licenseType: ['crawl'] }));
const offer = { unitPriceMicros: 20_000, currency: 'EUR' };
assertStatus(await postern.call('PUT', `/v1/offers/crawl?collectionId=${sold.id}`, { body: offer }), 201);
const signals = { public: true, license: true, licenseServer: true };
assertStatus(await postern.call('PUT', `/v1/sites/${HOST}`, { body: { signals } }), 201);
await made(postern, '/v1/requesters', { id: 'acme' });
const { token: secret } = await made(postern, '/v1/requesters/acme/tokens', { name: 't' });
const NEWS = `https://${HOST}/news/*`;
const license = await publishedLicense(postern, NEWS);
const newToken = async (resource = NEWS) => getToken(postern, 'acme', { secret, resource, license });
const got = await newToken();
assertStatus(got, 200);
const token = got.body.access_token as string;

const visit = (path: string, authorization: string) =>
  postern.call('GET', '/v1/authorize?denyStatus=401,402', {
    key: null,
    headers: { 'x-postern-key': postern.key, 'x-original-uri': path, 'x-forwarded-host': HOST, authorization },
  });

describe('a token', () => {
  test('with one character changed, added or left out is none', async () => {
    assertStatus(await visit('/news/a', `License ${token}`), 200);
    const at = [...Array(token.length).keys()].filter((i) => i % 7 === 0 || i > token.length - 4);
    const changed = at.flatMap((i) => {
      const other = token[i] === 'A' ? 'B' : 'A';
      return [`${token.slice(0, i)}${other}${token.slice(i + 1)}`, token.slice(0, i) + token.slice(i + 1)];
    });
    // The bits to spare of the last character, and characters that lenient readers drop.
    for (const last of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_') {
      if (!token.endsWith(last)) changed.push(token.slice(0, -1) + last);
    }
    changed.push(`${token}=`, `${token}A`, `${token}.`, `.${token}`, `${token}, License ${token}`, `${token} x`);
    for (const one of changed) {
      const answer = await visit('/news/a', `License ${one}`);
      assert.equal(answer.status, 401, one);
      assert.equal(answer.headers.get('www-authenticate'), 'License error="invalid_token"');
    }
  });

  test('is no key, no token of a requester, and no other scheme', async () => {
    for (const [method, path] of [
      ['GET', '/v1/me'],
      ['GET', '/v1/licenses'],
      ['POST', '/v1/access/check'],
      ['POST', '/access/v1/evaluation'],
      ['POST', '/v1/signing-keys/rotate'],
    ] as const) {
      for (const scheme of ['License', 'Bearer']) {
        const headers = { authorization: `${scheme} ${token}` };
        const answer = await postern.call(method, path, { key: null, headers, ...(method === 'POST' && { body: {} }) });
        assert.equal(answer.status, 401, `${scheme} ${path}`);
      }
    }
    const form = { grant_type: 'client_credentials', resource: NEWS, license };
    assertStatus(await sendForm(postern, '/olp/token', form, basic('acme', token)), 401);
    for (const authorization of [`Bearer ${token}`, `Basic ${token}`, token]) {
      const page = await visit('/news/a', authorization);
      assert.deepEqual([page.status, page.headers.get('x-postern-requester')], [200, ''], authorization);
    }
    for (const one of [secret, postern.key]) assertStatus(await visit('/news/a', `License ${one}`), 401);
    // A second credential after the first one adds nothing to it.
    assertStatus(await visit('/news/a', `Bearer ${secret}, License ${token}`), 401);
  });
});

test('a resource spelled otherwise gets a token for what it names, or none', async () => {
  const spellings = [
    `HTTPS://WWW.EXAMPLE.COM/news/*`,
    `https://${HOST}:443/news/a`,
    `http://${HOST}/news/a`,
    `https://${HOST}/n%65ws/a`,
    `https://${HOST}/news/a?b=c#d`,
    `https://${HOST}/news`,
    `https://${HOST}/news/../paid/a`,
    `https://${HOST}/news/%2e%2e/paid/a`,
    `https://${HOST}/news/..%2fpaid/a`,
    `https://${HOST}//news/a`,
    `https://${HOST}/news;x/a`,
    `https://${HOST}/paid/a`,
    `https://${HOST}/paid/*`,
    `https://${HOST}/*`,
    `https://${HOST}/`,
    `https://${HOST}`,
    `https://acme@${HOST}/news/a`,
    `https://${HOST}\\@other.example/news/a`,
    `https://${HOST}:8443/news/a`,
    `https://${HOST}./news/a`,
    `https://*/news/a`,
    `https://${HOST}*/news/a`,
    '/news/a',
    '*',
  ];
  let count = 0;
  for (const resource of spellings) {
    const { status, body } = await newToken(resource);
    assert.ok(status === 200 || status === 400, `${resource} ${status}`);
    if (status !== 200) continue;
    count++;
    const { aud } = JSON.parse(Buffer.from(body.access_token.split('.')[1], 'base64url').toString());
    assert.equal(new URL(aud).href, aud, resource);
    // The license of the news proves nothing elsewhere, and opens nothing that is for sale.
    const paid = await visit('/paid/a', `License ${body.access_token}`);
    assert.deepEqual(
      [paid.status, paid.headers.get('www-authenticate')],
      [401, 'License error="invalid_token"'],
      resource,
    );
    assert.equal((await visit('/news/a', `License ${body.access_token}`)).headers.get('x-postern-verified'), 'license');
  }
  assert.ok(count >= 4, String(count));
});
