/**
 * The walk of a client of RSL 1.0, written from its specification alone: from robots.txt over license.xml to a token to
 * a page, as a proxy passes its requests on.
 */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { createLocalJWKSet, jwtVerify } from 'jose';
import { startTestService, testClock } from '../../kit/service.ts';
import { assertStatus, made } from '../http/given.ts';
import { basic, getToken, publishedLicense, sendForm } from './given.ts';

const PUBLIC = 'https://access.example';
const HOST = 'www.example.com';
const clock = testClock();
const postern = await startTestService({ clock, env: { POSTERN_PUBLIC_URL: PUBLIC } });
after(() => postern[Symbol.asyncDispose]());

const allow = (conditions: object = {}) => ({ action: 'allow', conditions });
const policy = async (...rules: object[]) => (await made(postern, '/v1/policies', { name: 'p', rules })).id;
const free = await policy(allow());
const sold = await policy(allow({ licenseType: ['crawl'] }));
const paid = await made(postern, '/v1/collections', { name: 'Paid', hosts: [HOST], paths: ['/paid/'], policyId: sold });
await made(postern, '/v1/collections', { name: 'News', hosts: [HOST], paths: ['/news/'], policyId: free });
const offer = { unitPriceMicros: 20_000, currency: 'EUR' };
assertStatus(await postern.call('PUT', `/v1/offers/crawl?collectionId=${paid.id}`, { body: offer }), 201);
const signals = { public: true, robots: 'replace', license: true, licenseServer: true };
assertStatus(await postern.call('PUT', `/v1/sites/${HOST}`, { body: { signals } }), 201);
await made(postern, '/v1/requesters', { id: 'acme', name: 'Acme' });
const newSecret = async (id = 'acme', body: object = {}) =>
  made(postern, `/v1/requesters/${id}/tokens`, { name: 't', ...body });
const { token: secret } = await newSecret();
const NEWS = `https://${HOST}/news/*`;
const PAID = `https://${HOST}/paid/*`;

const signal = (kind: string) => postern.call('GET', `/v1/sites/${HOST}/signals/${kind}`, { key: null });
const visit = (path: string, authorization?: string, options = 'denyStatus=401,402,429') =>
  postern.call('GET', `/v1/authorize?${options}`, {
    key: null,
    headers: {
      'x-postern-key': postern.key,
      'x-original-uri': path,
      'x-forwarded-host': HOST,
      ...(authorization === undefined ? {} : { authorization }),
    },
  });
const licensed = (token: string) => `License ${token}`;
const licenses = async () => (await postern.call('GET', '/v1/licenses?requesterId=acme')).body.data;
const logged = async (id: string) => (await postern.call('GET', `/v1/access/decisions/${id}`)).body;

describe('a client of RSL', () => {
  test('walks from robots.txt over license.xml to a token to a page', async () => {
    const robots = await signal('robots.txt');
    const [, file] = /^License: (\S+)$/m.exec(robots.text) as RegExpExecArray;
    assert.equal(file, `https://${HOST}/license.xml`);
    const license = await signal('license.xml');
    const server = /<content[^>]*\burl="https:\/\/www\.example\.com\/news\/\*" server="([^"]*)"/.exec(
      license.text,
    )?.[1];
    assert.equal(server, `${PUBLIC}/olp`);
    const path = new URL(`${server}/token`).pathname;
    const fields = {
      grant_type: 'client_credentials',
      license: await publishedLicense(postern, NEWS),
      resource: NEWS,
    };
    const got = await sendForm(postern, path, fields, basic('acme', secret));
    assertStatus(got, 200);
    assert.deepEqual([got.body.token_type, got.body.expires_in], ['License', 600]);
    assert.equal(got.headers.get('cache-control'), 'no-store');

    const { body: keys } = await postern.call('GET', new URL(`${server}/key`).pathname, { key: null });
    assert.ok(keys.keys.every((key: object) => !('d' in key)));
    const { payload } = await jwtVerify(got.body.access_token, createLocalJWKSet(keys), {
      issuer: `${PUBLIC}/olp`,
      audience: `https://${HOST}/news`,
      algorithms: ['ES256'],
      currentDate: new Date(clock.now()),
    });
    assert.equal(payload.sub, 'acme');

    const page = await visit('/news/today', licensed(got.body.access_token));
    assertStatus(page, 200);
    assert.equal(page.headers.get('x-postern-verified'), 'license');
    assert.equal(page.headers.get('x-postern-requester'), 'acme');
    const decision = await logged(page.headers.get('x-postern-decision') ?? '');
    assert.equal(decision.licenseId, payload.license_id);
    assert.deepEqual(decision.license, { id: payload.license_id });
  });

  test('gets a free license once, which opens nothing else', async () => {
    await Promise.all([1, 2, 3].map(() => getToken(postern, 'acme', { secret, resource: NEWS })));
    const [license, ...others] = await licenses();
    assert.deepEqual(others, []);
    assert.deepEqual(license.scope, { collectionIds: [] });
    assert.deepEqual([license.type, license.metadata.source, license.metadata.host], ['free', 'license.xml', HOST]);
    const any = await policy(allow({ hasValidLicense: true }));
    await made(postern, '/v1/collections', { name: 'Any', hosts: [HOST], paths: ['/any/'], policyId: any });
    const check = { url: `https://${HOST}/any/a`, requesterId: 'acme' };
    assert.equal((await postern.call('POST', '/v1/access/check', { body: check })).body.reason, 'no_license');
  });

  test('asks for a license that is for sale once, and gets a token when it holds it', async () => {
    for (let i = 0; i < 2; i++) {
      const refused = await getToken(postern, 'acme', { secret, resource: PAID });
      assert.deepEqual([refused.status, refused.body.error], [402, 'payment_required']);
    }
    const inbox = (await postern.call('GET', '/v1/license-requests')).body.data;
    assert.equal(inbox.length, 1);
    assert.deepEqual([inbox[0].requesterId, inbox[0].licenseType, inbox[0].collectionId], ['acme', 'crawl', paid.id]);
    assert.match(inbox[0].note, /license server/);
    const denied = await visit('/paid/a');
    assertStatus(denied, 402);
    assert.equal(denied.headers.get('www-authenticate'), 'License error="insufficient_scope"');
    assert.match(denied.headers.get('link') ?? '', /<https:\/\/www\.example\.com\/license\.xml>; rel="license"/);
    const grant = `/v1/license-requests/${inbox[0].id}/grant`;
    assertStatus(await postern.call('POST', grant, { body: { free: true } }), 200);
    const got = await getToken(postern, 'acme', { secret, resource: PAID });
    assertStatus(got, 200);
    assertStatus(await visit('/paid/a', licensed(got.body.access_token)), 200);
  });

  test('uses the license of its token only', async () => {
    const got = await getToken(postern, 'acme', {
      secret,
      resource: `https://${HOST}/news/a`,
      license: await publishedLicense(postern, NEWS),
    });
    assertStatus(got, 200);
    assertStatus(await visit('/news/a', licensed(got.body.access_token)), 200);
    const whole = await made(postern, '/v1/licenses', { requesterId: 'acme', type: 'other' });
    assert.ok(whole.id);
    const asked = { url: `https://${HOST}/news/a`, visitor: { authorization: licensed(got.body.access_token) } };
    const checked = await postern.call('POST', '/v1/access/check', { body: asked });
    assert.equal(checked.body.verified, 'license');
  });
});
