/** Requests for licenses: a partner asks, the publisher grants or declines, the partner reads the answer. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startTestService } from '../../kit/service.ts';
import { assertError, assertStatus, check, ID, made, makePolicy, PRICED } from './given.ts';

const postern = await startTestService();
after(() => postern[Symbol.asyncDispose]());

let count = 0;
async function newPartner() {
  const { id } = await made(postern, '/v1/requesters', { id: `acme-${++count}` });
  const { token: key, id: tokenId } = await made(postern, `/v1/requesters/${id}/tokens`, { name: 'ours' });
  const ask = (body: object, headers = {}) => postern.call('POST', '/v1/me/requests', { key, body, headers });
  const own = async () => (await postern.call('GET', '/v1/me/requests', { key })).body;
  return { id, key, tokenId, ask, own };
}
const post = (path: string, body?: object) => postern.call('POST', path, body === undefined ? {} : { body });

test('asked for and granted: the license is there, and the partner reads so', async () => {
  const acme = await newPartner();
  const { id: collectionId } = await made(postern, '/v1/collections', { name: 'News', hosts: ['news.example'] });
  const asked = await acme.ask({ licenseType: 'training', collectionId, note: 'For our model.' });
  assertStatus(asked, 201);
  const { id } = asked.body;
  assert.match(id, ID('lrq'));
  assert.deepEqual(
    [asked.body.status, asked.body.requesterId, asked.body.answer, asked.body.licenseId],
    ['open', acme.id, null, null],
  );
  const inbox = (await postern.call('GET', `/v1/license-requests?status=open&requesterId=${acme.id}`)).body;
  assert.deepEqual(inbox.data, [asked.body]);
  const granted = await post(`/v1/license-requests/${id}/grant`, {
    expiresAt: '2030-01-01T00:00:00Z',
    free: true,
    answer: 'Welcome.',
  });
  assertStatus(granted, 200);
  const license = (await postern.call('GET', `/v1/licenses/${granted.body.licenseId}`)).body;
  assert.deepEqual([license.requesterId, license.type, license.valid], [acme.id, 'training', true]);
  assert.deepEqual((await acme.own()).data, [granted.body]);
  assert.deepEqual([granted.body.status, granted.body.answer], ['granted', 'Welcome.']);
  const { data: events } = (await postern.call('GET', '/v1/events')).body;
  assert.deepEqual(
    events
      .slice(0, 3)
      .map(({ type }: { type: string }) => type)
      .toSorted(),
    ['license.created', 'license.requested', 'license_request.granted'],
  );
  const { data: log } = (await postern.call('GET', `/v1/audit-log?kind=license.requested`)).body;
  assert.deepEqual(log[0].actor, { type: 'requester_token', id: acme.tokenId, name: 'ours' });
});

test('granted for one collection, a license covers that collection unless the grant says more', async () => {
  const acme = await newPartner();
  const { id: policyId } = await makePolicy(postern, [{ action: 'allow', conditions: { hasValidLicense: true } }]);
  const [{ id: collectionId }] = [
    await made(postern, '/v1/collections', { name: 'A', hosts: ['a.example'], policyId }),
    // Under the same policy, and not asked for.
    await made(postern, '/v1/collections', { name: 'B', hosts: ['b.example'], policyId }),
  ];
  const grant = async (body: object) => {
    const { id } = (await acme.ask({ licenseType: 'training', collectionId })).body;
    return post(`/v1/license-requests/${id}/grant`, body);
  };
  const allows = async () => {
    const hosts = ['a.example', 'b.example'];
    return Promise.all(
      hosts.map(async (host) => (await check(postern, { url: `https://${host}/`, requesterId: acme.id })).allowed),
    );
  };
  const granted = await grant({ free: true });
  assertStatus(granted, 200);
  const license = await postern.call('GET', `/v1/licenses/${granted.body.licenseId}`);
  assert.deepEqual(license.body.scope, { collectionIds: [collectionId] });
  assert.deepEqual(await allows(), [true, false]);
  const [own] = (await postern.call('GET', '/v1/me', { key: acme.key })).body.licenses;
  assert.deepEqual(own.scope, { collectionIds: [collectionId] });
  assertStatus(await grant({ free: true, scope: null }), 200);
  assert.deepEqual(await allows(), [true, true]);
  // Other parts of a scope narrow it further.
  const narrow = await grant({ free: true, scope: { tags: ['premium'] } });
  const { scope } = (await postern.call('GET', `/v1/licenses/${narrow.body.licenseId}`)).body;
  assert.deepEqual(scope, { tags: ['premium'], collectionIds: [collectionId] });
  const { id: late } = (await acme.ask({ licenseType: 'training', collectionId })).body;
  await postern.call('DELETE', `/v1/collections/${collectionId}`);
  assertError(await post(`/v1/license-requests/${late}/grant`, { free: true }), 'invalid_request', 'scope');
  assertStatus(await post(`/v1/license-requests/${late}/grant`, { free: true, scope: null }), 200);
});

test('a license that is granted ends after a year, unless the grant says otherwise', async () => {
  const acme = await newPartner();
  const granted = async (body: object): Promise<{ created: string; expiresAt: string | null }> => {
    const { id } = (await acme.ask({ licenseType: 'training' })).body;
    const { licenseId } = (await post(`/v1/license-requests/${id}/grant`, { free: true, ...body })).body;
    return (await postern.call('GET', `/v1/licenses/${licenseId}`)).body;
  };
  const now = await granted({});
  const [year, rest] = [Number(now.created.slice(0, 4)), now.created.slice(4)];
  assert.equal(now.expiresAt, `${year + 1}${rest}`);
  assert.equal((await granted({ startsAt: '2028-02-29T12:00:00+02:00' })).expiresAt, '2029-02-28T10:00:00.000Z');
  assert.equal((await granted({ expiresAt: null })).expiresAt, null);
  assert.equal((await granted({ expiresAt: '2031-01-01T00:00:00Z' })).expiresAt, '2031-01-01T00:00:00.000Z');
});

test('a grant says what the license costs: terms, or that it is free', async () => {
  const acme = await newPartner();
  const { id } = (await acme.ask({ licenseType: 'training' })).body;
  const path = `/v1/license-requests/${id}/grant`;
  for (const [body, param] of [
    [undefined, 'terms'],
    [{ answer: 'Welcome.' }, 'terms'],
    [{ terms: null }, 'terms'],
    [{ free: false }, 'terms'],
    [{ free: true, terms: PRICED }, 'free'],
    [{ free: 'yes' }, 'free'],
  ] as const) {
    assertError(await post(path, body), 'invalid_request', param, JSON.stringify(body));
  }
  assert.equal((await acme.own()).data[0].status, 'open');
  const { licenseId } = (await post(path, { terms: PRICED })).body;
  assert.deepEqual((await postern.call('GET', `/v1/licenses/${licenseId}`)).body.terms, PRICED);
  const { id: other } = (await acme.ask({ licenseType: 'training' })).body;
  const free = (await post(`/v1/license-requests/${other}/grant`, { free: true, terms: null })).body;
  const license = (await postern.call('GET', `/v1/licenses/${free.licenseId}`)).body;
  assert.deepEqual([license.terms, 'free' in license], [null, false]);
});

test('declined with a note; an answer is final', async () => {
  const acme = await newPartner();
  const { id } = (await acme.ask({ licenseType: 'training' })).body;
  const declined = await post(`/v1/license-requests/${id}/decline`, { answer: 'Not for training.' });
  assert.deepEqual((await acme.own()).data, [declined.body]);
  for (const path of ['grant', 'decline']) {
    assertError(await post(`/v1/license-requests/${id}/${path}`), 'license_request_closed');
  }
  assert.equal((await postern.call('GET', `/v1/licenses?requesterId=${acme.id}`)).body.totalCount, 0);
  assertError(await post('/v1/license-requests/lrq_0/grant'), 'license_request_not_found');
  assertError(await postern.call('GET', '/v1/license-requests/lrq_0'), 'license_request_not_found');
});

test('a grant that cannot make the license leaves the request open', async () => {
  const acme = await newPartner();
  const { id } = (await acme.ask({ licenseType: 'training' })).body;
  const wrong = { free: true, startsAt: '2030-01-01T00:00:00Z', expiresAt: '2029-01-01T00:00:00Z' };
  assertError(await post(`/v1/license-requests/${id}/grant`, wrong), 'invalid_request', 'expiresAt');
  assert.equal((await acme.own()).data[0].status, 'open');
});

test('twenty open ones at most, also when they are sent at once; retries make one', async () => {
  const acme = await newPartner();
  const headers = { 'idempotency-key': 'once' };
  const [first, again] = [await acme.ask({ licenseType: 'a' }, headers), await acme.ask({ licenseType: 'a' }, headers)];
  assert.deepEqual(first.body, again.body);
  // No more at a time than a partner may have in progress.
  const answers = [];
  for (let round = 0; round < 5; round++) {
    answers.push(...(await Promise.all(Array.from({ length: 5 }, () => acme.ask({ licenseType: 'b' })))));
  }
  assert.equal(answers.filter(({ status }) => status === 201).length, 19);
  for (const answer of answers.filter(({ status }) => status !== 201)) assertError(answer, 'too_many_license_requests');
  const [{ id }] = (await acme.own()).data;
  await post(`/v1/license-requests/${id}/decline`);
  assertStatus(await acme.ask({ licenseType: 'c' }), 201);
});

test('what a request may not say', async () => {
  const acme = await newPartner();
  for (const [body, param] of [
    [{}, 'licenseType'],
    [{ licenseType: 'a', note: 'x'.repeat(2001) }, 'note'],
    [{ licenseType: 'a', collectionId: 'col_0' }, 'collectionId'],
    [{ licenseType: 'a', requesterId: 'other' }, 'requesterId'],
    [{ licenseType: 'a', status: 'granted' }, 'status'],
  ] as const) {
    assertError(await acme.ask(body), 'invalid_request', param);
  }
});
