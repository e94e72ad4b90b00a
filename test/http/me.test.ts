/** The partner's own view: with the token of a requester, its own data and nothing of anybody else. */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { startTestService, testClock } from '../../kit/service.ts';
import { bindCursor } from '../../src/api/http/cursor.ts';
import { toCursor } from '../../src/db/page.ts';
import { assertError, assertStatus, check, item, made, makePolicy, PRICED, readPublicId } from './given.ts';

const clock = testClock(Date.parse('2026-10-05T12:00:00Z'));
const postern = await startTestService({ clock });
after(() => postern[Symbol.asyncDispose]());

const TERMS = { ...PRICED, quota: { units: 10, onExceed: 'allow' } };
const policy = await makePolicy(postern, [
  {
    action: 'allow',
    conditions: { hasValidLicense: true },
    rateLimit: { requests: 100, period: 'day' },
  },
]);
const article = await made(postern, '/v1/content', item({ policyId: policy.id, source: 'https://news.example/a' }));
const shut = await made(postern, '/v1/content', item({ title: 'Embargoed', source: 'https://news.example/b' }));

let count = 0;
async function newPartner(more: object = {}) {
  const id = `acme-${++count}`;
  await made(postern, '/v1/requesters', { id, name: `Acme ${count}`, tags: ['internal'], metadata: { note: 'x' } });
  const license = await made(postern, '/v1/licenses', { requesterId: id, type: 'commercial', terms: TERMS, ...more });
  const token = await made(postern, `/v1/requesters/${id}/tokens`, { name: 'ours' });
  return { id, license, token, get: (path: string) => postern.call('GET', path, { key: token.token }) };
}

test('the publisher, and what can be asked for before a first denial', async () => {
  const logo = join(mkdtempSync(join(tmpdir(), 'postern-logo-')), 'logo.svg');
  writeFileSync(logo, '<svg xmlns="http://www.w3.org/2000/svg"/>');
  const env = {
    POSTERN_PUBLISHER: 'The Daily; 1 Main Street',
    POSTERN_PUBLISHER_CONTACT: 'licensing@daily.example',
    POSTERN_PUBLISHER_LOGO: logo,
  };
  await using daily = await startTestService({ env });
  await made(daily, '/v1/requesters', { id: 'acme', name: 'Acme' });
  const { token: key } = await made(daily, '/v1/requesters/acme/tokens', { name: 't' });
  const { id: collectionId } = await made(daily, '/v1/collections', { name: 'Secret', hosts: ['a.example'] });
  const put = (path: string, body: object) => daily.call('PUT', `/v1/offers/${path}`, { body });
  await put('training', { unitPriceMicros: 5000, currency: 'EUR' });
  await put('old', { validUntil: '2020-01-01T00:00:00Z' });
  assertStatus(await put(`secret?collectionId=${collectionId}`, { contact: 'x@daily.example' }), 201);
  const { body, text } = await daily.call('GET', '/v1/me', { key });
  const svg = readFileSync(logo).toString('base64');
  assert.deepEqual(body.publisher, {
    name: 'The Daily',
    contact: 'licensing@daily.example',
    logo: `data:image/svg+xml;base64,${svg}`,
  });
  assert.deepEqual(body.offers, [
    { licenseType: 'training', features: [], unit: 'decision', unitPriceMicros: 5000, currency: 'EUR' },
  ]);
  assert.ok(!text.includes(collectionId) && !/secret/i.test(text), 'offers of collections are not for everybody');
  rmSync(dirname(logo), { recursive: true });
});

test('who it is, its licenses, quota and limits; nothing that is internal', async () => {
  const acme = await newPartner({ scope: { policyIds: [policy.id], tags: ['a'] } });
  const free = await made(postern, '/v1/licenses', { requesterId: acme.id, type: 'other', metadata: { note: 'x' } });
  const old = await made(postern, '/v1/licenses', { requesterId: acme.id, type: 'old' });
  await made(postern, `/v1/licenses/${old.id}/revoke`, {}, 200);
  for (let i = 0; i < 3; i++) assert.equal((await check(postern, ask(acme.id))).allowed, true);
  const answer = await acme.get('/v1/me');
  assertStatus(answer, 200);
  const { requester, token, licenses, limits } = answer.body;
  assert.deepEqual(requester, {
    id: acme.id,
    name: requester.name,
    userAgents: [],
    identities: [],
    created: requester.created,
  });
  assert.deepEqual([token.id, token.name], [acme.token.id, 'ours']);
  assert.deepEqual(
    licenses.map((one: { id: string }) => one.id),
    [free.id, acme.license.id],
  );
  assert.deepEqual(licenses[1].scope, { tags: ['a'], isNarrower: true });
  assert.deepEqual([licenses[0].quota, licenses[1].quota.used], [null, 0]);
  assert.deepEqual(
    limits.map(({ rateLimit }: { rateLimit: { limit: number; remaining: number } }) => [
      rateLimit.limit,
      rateLimit.remaining,
    ]),
    [[100, 97]],
  );
  assert.equal(answer.headers.get('cache-control'), 'no-store');
  for (const secret of ['internal', 'note', policy.id, acme.token.token]) {
    assert.ok(!answer.text.includes(secret), `${secret} in ${answer.text}`);
  }
});

const ask = (requesterId: string, more: object = {}) => ({ contentId: article.id, requesterId, ...more });

test('the list of all licenses, and the usage of one', async () => {
  const acme = await newPartner();
  await check(postern, ask(acme.id, { purpose: 'training' }));
  const list = await acme.get('/v1/me/licenses');
  assert.deepEqual([list.body.totalCount, list.body.data[0].id], [1, acme.license.id]);
  const { body } = await acme.get(`/v1/me/licenses/${acme.license.id}/usage`);
  assert.deepEqual([body.units, body.quota.remaining, body.amount.amount], [1, 9, '0.02']);
  assert.deepEqual((await acme.get('/v1/me')).body.licenses[0].quota, body.quota);
});

test('usage, by the same periods and groups, without titles and rules', async () => {
  const acme = await newPartner();
  await check(postern, ask(acme.id, { purpose: 'training' }));
  await check(postern, { contentId: shut.id, requesterId: acme.id, purpose: 'search' });
  await check(postern, ask((await newPartner()).id));
  const { body, text } = await acme.get('/v1/me/usage?period=7d&groupBy=purpose&compare=previous&timezone=Asia/Tokyo');
  assert.deepEqual(
    [body.summary.totalRequests, body.summary.allowed, body.topContent.length, body.timeSeries.length],
    [2, 1, 2, 7],
  );
  assert.deepEqual(
    body.groups.map(({ id, requests }: { id: string; requests: number }) => [id, requests]),
    [
      ['search', 1],
      ['training', 1],
    ],
  );
  assert.ok(!text.includes('Embargoed'), text);
  const { body: all } = await acme.get('/v1/me/usage?period=all');
  assert.equal(all.period.startDate, '2026-10-05T00:00:00.000Z');
  for (const groupBy of ['rule', 'policy', 'requester']) {
    assertError(await acme.get(`/v1/me/usage?groupBy=${groupBy}`), 'invalid_request', 'groupBy');
  }
  assertError(await acme.get('/v1/me/usage?requesterId=acme-1'), 'invalid_request', 'requesterId');
  assertError(await acme.get(`/v1/me/usage?rule=${policy.id}/1/0`), 'invalid_request', 'rule');
  const csv = await postern.call('GET', '/v1/me/usage?groupBy=purpose', {
    key: acme.token.token,
    headers: { accept: 'text/csv' },
  });
  assert.match(csv.text, /^id,.*\r?\nsearch,/);
});

test('statements in four formats', async () => {
  const acme = await newPartner();
  await check(postern, ask(acme.id, { purpose: 'training' }));
  const { body } = await acme.get('/v1/me/statements?period=2026-10');
  assert.equal(body.totalCount, 1);
  const [{ id, units }] = body.data;
  assert.equal(units, 1);
  for (const [accept, pattern] of [
    ['application/json', new RegExp(`"id":"${id}"`)],
    ['text/csv', new RegExp(`^statementId,[^]*${id},running`)],
    ['text/html', /^<!doctype html>/i],
    ['application/x-ndjson', /^{"id":"dec_[^\n]*"removed":null}\n$/],
  ] as const) {
    const answer = await postern.call('GET', `/v1/me/statements/${id}`, { key: acme.token.token, headers: { accept } });
    assertStatus(answer, 200);
    assert.match(answer.text, pattern);
  }
});

test('all statements of a period as CSV, its own alone, also beyond a page', async () => {
  const [acme, other] = [await newPartner(), await newPartner()];
  await made(postern, '/v1/licenses', { requesterId: acme.id, type: 'research', terms: TERMS });
  const { body } = await acme.get('/v1/me/statements?period=2026-10');
  const csv = await postern.call('GET', '/v1/me/statements?period=2026-10&limit=1', {
    key: acme.token.token,
    headers: { accept: 'text/csv' },
  });
  assertStatus(csv, 200);
  const [head = '', ...rows] = csv.text.trim().split('\r\n');
  assert.match(head, /^statementId,status,licenseId,/);
  assert.equal(rows.length, 2);
  assert.deepEqual(
    rows.map((row) => row.split(',')[0]),
    body.data.map(({ id }: { id: string }) => id),
  );
  assert.ok(!csv.text.includes(other.id));
  assertError(await acme.get('/v1/me/statements?requesterId=acme-1'), 'invalid_request', 'requesterId');
});

test('decisions: their own, with a cursor; no rules, and the visitor only if it was verified', async () => {
  const acme = await newPartner();
  const context = { ip: '203.0.113.9', userAgent: 'Anything/1.0' };
  const first = await check(postern, ask(acme.id, { context }));
  const second = await check(postern, ask(acme.id, { context: { ...context, verified: 'token' } }));
  const denied = await check(postern, { contentId: shut.id, requesterId: acme.id });
  const [own, ...others] = await Promise.all([first, second, denied].map(({ id }) => readPublicId(postern, id)));
  const page = await acme.get('/v1/me/decisions?limit=2');
  assert.deepEqual(
    page.body.data.map(({ id }: { id: string }) => id),
    others.toReversed(),
  );
  const rest = await acme.get(`/v1/me/decisions?limit=2&cursor=${page.body.nextCursor}`);
  assert.deepEqual([rest.body.data[0].id, rest.body.hasMore, rest.body.totalCount], [own, false, 3]);
  assert.deepEqual(
    [rest.body.data[0].context, page.body.data[1].context.ip, page.body.data[0].source, rest.body.data[0].source],
    [null, '203.0.113.9', null, 'https://news.example/a'],
  );
  for (const hidden of ['policyId', 'policyVersion', 'matchedRule', 'requesterId', 'candidate']) {
    assert.ok(!page.text.includes(hidden), hidden);
  }
  // The id by which the publisher knows it is known too.
  for (const id of [own, first.id])
    assert.deepEqual((await acme.get(`/v1/me/decisions/${id}`)).body, rest.body.data[0]);
  assert.equal((await acme.get('/v1/me/decisions?allowed=false')).body.totalCount, 1);
});

test('states of limits that others share are not shown', async () => {
  const shared = await makePolicy(postern, [
    { action: 'allow', conditions: {}, rateLimit: { requests: 5, period: 'day', scope: 'global' } },
  ]);
  const { id: contentId } = await made(postern, '/v1/content', item({ policyId: shared.id }));
  const acme = await newPartner();
  const { rateLimit } = await check(postern, { contentId, requesterId: acme.id });
  assert.equal(rateLimit.remaining, 4);
  assert.equal((await acme.get('/v1/me/decisions')).body.data[0].rateLimit, null);
  assert.deepEqual((await acme.get('/v1/me')).body.limits, []);
});

test('a token that ended, or whose requester is suspended or deleted, is refused at once', async () => {
  const acme = await newPartner();
  const path = `/v1/requesters/${acme.id}`;
  await postern.call('PATCH', path, { body: { status: 'suspended' } });
  assertError(await acme.get('/v1/me'), 'requester_suspended');
  await postern.call('PATCH', path, { body: { status: 'active' } });
  assertStatus(await acme.get('/v1/me'), 200);
  const expiring = await made(postern, `${path}/tokens`, { name: 'e', expiresAt: '2026-10-05T12:00:10Z' });
  const withIt = () => postern.call('GET', '/v1/me', { key: expiring.token });
  assertStatus(await withIt(), 200);
  clock.advance(10_000);
  assertError(await withIt(), 'invalid_requester_token');
  await postern.call('DELETE', `${path}/tokens/${acme.token.id}`);
  const revoked = await acme.get('/v1/me');
  assertError(revoked, 'invalid_requester_token');
  assert.match(revoked.body.error.message, /revoked/);
  const other = await made(postern, `${path}/tokens`, { name: 'o' });
  await postern.call('DELETE', path);
  assertError(await postern.call('GET', '/v1/me', { key: other.token }), 'invalid_requester_token');
});

test('an API key, a session or nothing at all: what to send instead', async () => {
  assertError(await postern.call('GET', '/v1/me', { key: null }), 'missing_requester_token');
  const withKey = await postern.call('GET', '/v1/me');
  assertError(withKey, 'invalid_requester_token');
  assert.match(withKey.body.error.message, /is an API key.*POST \/v1\/requesters/);
  const { token } = await newPartner();
  for (const text of [`${token.token.slice(0, -1)}!`, 'nonsense', `svc_rt_${'a'.repeat(49)}`]) {
    assertError(await postern.call('GET', '/v1/me', { key: text }), 'invalid_requester_token');
  }
  const elsewhere = await postern.call('GET', '/v1/content', { key: token.token });
  assertError(elsewhere, 'invalid_api_key');
  assert.match(elsewhere.body.error.message, /\/v1\/me only/);
});

test('may I have this? A thousand answers, with remedies and without rules; nothing is recorded', async () => {
  const { id: policyId } = await makePolicy(postern, [
    { action: 'allow', conditions: { licenseType: 'gold', requesterVerified: ['token'] } },
    { action: 'deny', conditions: { default: true } },
  ]);
  const sources = Array.from({ length: 40 }, (_, i) => `https://gold.example/${i}?a=${i}`);
  for (const source of sources) await made(postern, '/v1/content', item({ policyId, source }));
  await made(postern, '/v1/collections', { name: 'Blog', hosts: ['blog.example'], policyId: policy.id });
  const acme = await newPartner();
  const post = (checks: object[]) => postern.call('POST', '/v1/me/access', { key: acme.token.token, body: { checks } });
  const before = (await acme.get('/v1/me/decisions')).body.totalCount;
  const urls = Array.from({ length: 960 }, (_, i) => `https://blog.example/post/${i}`);
  const { body, text } = await post([...sources, ...urls].map((url) => ({ url, purpose: 'training' })));
  assert.equal(body.data.length, 1000, text.slice(0, 300));
  assert.deepEqual(
    body.data.map(({ url, allowed }: { url: string; allowed: boolean }) => [url, allowed]),
    [...sources.map((url) => [url, false]), ...urls.map((url) => [url, true])],
  );
  assert.deepEqual(body.data[0].remedies, [{ kind: 'license', licenseType: ['gold'], licenseFeatures: [] }]);
  await made(postern, '/v1/licenses', { requesterId: acme.id, type: 'gold' });
  assert.equal((await post([{ url: sources[0] as string }])).body.data[0].allowed, true);
  for (const hidden of [policyId, 'matchedRule', '"rule"', 'collectionId', 'cnt_']) {
    assert.ok(!text.includes(hidden), hidden);
  }
  const mixed = await post([
    { contentId: article.externalId, permission: 'commercial_use' },
    { contentId: 'none' },
    {},
  ]);
  assert.deepEqual(
    mixed.body.data.map((one: any) => one.error?.code ?? one.reason),
    ['permission_not_granted', 'content_not_found', 'invalid_request'],
  );
  assert.equal((await acme.get('/v1/me/decisions')).body.totalCount, before);
  for (const more of [{ requesterId: 'acme-1' }, { context: {} }, { license: { type: 'gold' } }, { dryRun: false }]) {
    const [refused] = (await post([{ contentId: article.id, ...more }])).body.data;
    assert.equal(refused.error.param, Object.keys(more)[0]);
  }
});

test('what it may have now, page by page', async () => {
  const { id: policyId } = await makePolicy(postern, [
    { action: 'allow', conditions: { contentTags: 'open', licenseType: 'reader' }, permissions: ['training'] },
  ]);
  const items = Array.from({ length: 450 }, (_, i) =>
    item({ policyId, title: `Item ${i}`, tags: i % 50 === 0 ? ['open'] : ['closed'] }),
  );
  await made(postern, '/v1/content/bulk-upsert', { items }, 200);
  const archived = await made(postern, '/v1/content', item({ policyId, tags: ['open'] }));
  await postern.call('PATCH', `/v1/content/${archived.id}`, { body: { status: 'archived' } });
  const acme = await newPartner({ type: 'reader', scope: { tags: ['open', 'closed'] } });
  const found: string[] = [];
  let cursor = '';
  for (let pages = 0; pages < 20; pages++) {
    const { body, text } = await acme.get(`/v1/me/content?limit=4&permission=training${cursor}`);
    assert.equal(body.totalCount, null, text);
    found.push(...body.data.map(({ title }: { title: string }) => title));
    if (!body.hasMore) break;
    cursor = `&cursor=${body.nextCursor}`;
    const other = await newPartner();
    assertError(await other.get(`/v1/me/content?permission=training${cursor}`), 'invalid_cursor', 'cursor');
    assert.doesNotMatch(Buffer.from(body.nextCursor, 'base64url').toString(), /cnt_/);
  }
  assert.deepEqual(
    found,
    Array.from({ length: 9 }, (_, i) => `Item ${400 - 50 * i}`),
  );
  assert.deepEqual((await acme.get('/v1/me/content?permission=commercial_use')).body.data, []);
  const list = { routeOptions: { url: '/v1/me/content' }, params: {}, query: {} };
  for (const position of ['x', 'a'.repeat(200), toCursor(`cnt_${'0'.repeat(26)}`)]) {
    assertError(await acme.get(`/v1/me/content?cursor=${bindCursor(list, position)}`), 'invalid_cursor', 'cursor');
  }
});
