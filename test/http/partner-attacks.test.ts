/**
 * Attacks with the token of one requester on the data of another, beside partner-isolation: cursors of the publisher's
 * lists, idempotency keys, conditional requests, headers of refusals, and the other's checks with a test key.
 */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startTestService } from '../../kit/service.ts';
import { assertError, assertStatus, check, item, made, makeKey, makePolicy, PRICED } from './given.ts';

const postern = await startTestService();
after(() => postern[Symbol.asyncDispose]());

const { id: policyId } = await makePolicy(postern, [
  {
    action: 'allow',
    conditions: { hasValidLicense: true },
    rateLimit: { requests: 50, period: 'day', scope: 'global' },
  },
]);
const { id: contentId } = await made(postern, '/v1/content', item({ policyId }));
const TERMS = { ...PRICED, quota: { units: 40, onExceed: 'deny' } };

async function newParty(id: string) {
  await made(postern, '/v1/requesters', { id, name: `${id} name` });
  for (const type of ['a', 'b']) {
    await made(postern, '/v1/licenses', { requesterId: id, type: `${id}-${type}`, terms: TERMS });
  }
  const { token } = await made(postern, `/v1/requesters/${id}/tokens`, { name: id });
  for (const wish of ['x', 'y']) {
    const body = { licenseType: `${id}-${wish}` };
    assertStatus(await postern.call('POST', '/v1/me/requests', { key: token, body }), 201);
  }
  const decisions: string[] = [];
  for (let i = 0; i < 3; i++) decisions.push((await check(postern, { contentId, requesterId: id })).id);
  return { id, token, decisions };
}
const victim = await newParty('victim');
const attacker = await newParty('attacker');

const call = (method: string, path: string, more: { body?: unknown; headers?: Record<string, string> } = {}) =>
  postern.call(method, path, { key: attacker.token, ...more });
const OWN_LISTS = ['licenses', 'requests', 'statements', 'decisions', 'content'].map((name) => `/v1/me/${name}`);
const own = OWN_LISTS.concat('/v1/me', '/v1/me/usage');

test("cursors of the publisher's lists, narrowed to another, open nothing of it", async () => {
  const lists = ['licenses', 'license-requests', 'statements', 'access/decisions'].map(
    (name) => `/v1/${name}?requesterId=${victim.id}&limit=1`,
  );
  let tried = 0;
  for (const list of [...lists, '/v1/content?limit=1', '/v1/requesters?limit=1', '/v1/events?limit=1']) {
    const { nextCursor } = (await postern.call('GET', list)).body;
    if (nextCursor === null) continue;
    for (const path of OWN_LISTS) {
      const answer = await call('GET', `${path}?limit=100&cursor=${encodeURIComponent(nextCursor)}`);
      assert.ok([200, 400].includes(answer.status), `${path} ${answer.text}`);
      assert.ok(!answer.text.includes(victim.id), `${path} with the cursor of ${list}`);
      for (const id of victim.decisions) assert.ok(!answer.text.includes(id), `${path} ${list}`);
      tried++;
    }
  }
  assert.ok(tried >= 20, String(tried));
});

test('an idempotency key is of one token', async () => {
  const headers = { 'idempotency-key': 'same' };
  const body = { licenseType: 'secret-wish' };
  const first = await postern.call('POST', '/v1/me/requests', { key: victim.token, headers, body });
  assertStatus(first, 201);
  const same = await call('POST', '/v1/me/requests', { headers, body });
  assertStatus(same, 201);
  assert.notEqual(same.body.id, first.body.id);
  assert.equal(same.body.requesterId ?? attacker.id, attacker.id);
  assert.equal(same.headers.get('idempotent-replayed'), null);
  const again = await postern.call('POST', '/v1/me/requests', { key: victim.token, headers, body });
  assert.deepEqual([again.headers.get('idempotent-replayed'), again.body.id], ['true', first.body.id]);
  const other = { 'idempotency-key': 'other' };
  await postern.call('POST', '/v1/me/requests', { key: victim.token, headers: other, body });
  assertStatus(await call('POST', '/v1/me/requests', { headers: other, body: { licenseType: 'z' } }), 201, 'no 422');
});

test('refusals of what is of another have the headers of what never existed', async () => {
  const headersOf = async (path: string): Promise<[string, string][]> => {
    const { headers } = await call('GET', path);
    return [...headers].filter(([name]) => !['request-id', 'date'].includes(name));
  };
  const [victims] = (await postern.call('GET', `/v1/licenses?requesterId=${victim.id}`)).body.data;
  const never = '0'.repeat(26);
  for (const [theirs, fake] of [
    [`/v1/me/decisions/${victim.decisions[0]}`, `/v1/me/decisions/dec_${never}`],
    [`/v1/me/licenses/${victims.id}/usage`, `/v1/me/licenses/lic_${never}/usage`],
  ] as const) {
    assertStatus(await call('GET', theirs), 404);
    assert.deepEqual(await headersOf(theirs), await headersOf(fake), theirs);
  }
});

test('no answer tells limits, versions or events of another', async () => {
  const { etag = '"1"' } = Object.fromEntries((await postern.call('GET', `/v1/content/${contentId}`)).headers);
  const SENT = [
    ['if-none-match', etag],
    ['if-none-match', '*'],
    ['last-event-id', 'evt_1'],
  ] as const;
  for (const path of own) {
    for (const [name, value] of SENT) {
      const answer = await call('GET', path, { headers: { [name]: value } });
      assertStatus(answer, 200, path);
      for (const one of ['ratelimit', 'ratelimit-policy']) assert.equal(answer.headers.get(one), null, path);
    }
  }
  const stream = await call('GET', '/v1/events/stream', { headers: { 'last-event-id': 'evt_1' } });
  assertError(stream, 'invalid_api_key');
  const [asked] = (await call('POST', '/v1/me/access', { body: { checks: [{ contentId }] } })).body.data;
  assert.deepEqual([asked.allowed, asked.rateLimit], [true, null], 'the limit is shared');
  assert.equal(asked.quota.used, 3, 'the quota is its own');
});

test('checks of another with a test key change nothing that it reads, nor what the publisher counts', async () => {
  const key = await makeKey(postern, { mode: 'test', permissions: ['access:check'] });
  const read = async () => {
    const texts: string[] = [];
    for (const path of own) texts.push((await call('GET', path)).text);
    for (const path of ['/v1/attention', '/v1/events?type=denials.*,license.*', '/v1/analytics/demand']) {
      texts.push((await postern.call('GET', path)).text);
    }
    return texts.map((text) => text.replace(/"(startDate|endDate|asOf|created)":"[^"]*"/g, ''));
  };
  const before = await read();
  for (let i = 0; i < 60; i++) await check(postern, { contentId, requesterId: victim.id }, key);
  for (let i = 0; i < 30; i++) await check(postern, { contentId, requesterId: `nobody-${i % 2}` }, key);
  const context = { userAgent: 'CCBot/2.0' };
  await check(postern, { contentId, context, visitor: {} }, key);
  assert.deepEqual(await read(), before);
  const mine = (await call('GET', '/v1/me/decisions?mode=test')).body;
  assert.deepEqual([mine.data, mine.totalCount], [[], 0]);
});
