/** Test keys: what they may do, and that their checks are decided alike and counted apart. */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { pluck } from '../../kit/pluck.ts';
import { startTestService } from '../../kit/service.ts';
import {
  allowAll,
  assertError,
  assertStatus,
  check,
  item,
  made,
  makeItem,
  makeKey,
  makePolicy,
  next,
} from './given.ts';

const postern = await startTestService();
after(() => postern[Symbol.asyncDispose]());

const read = async (path: string, key?: string) => {
  const answer = await postern.call('GET', path, key === undefined ? {} : { key });
  assertStatus(answer, 200, path);
  return answer.body;
};
const testKey = await makeKey(postern, { mode: 'test' });

describe('a test key', () => {
  test('has a form and a prefix of its own, and keeps its mode', async () => {
    const key = await made(postern, '/v1/api-keys', { name: 'Staging', type: 'secret', mode: 'test' });
    assert.match(key.key, /^svc_sk_test_[0-9A-Za-z]{49}$/);
    assert.equal(key.mode, 'test');
    assert.equal(key.prefix, key.key.slice(0, 17));
    assert.deepEqual(key.permissions, ['content:read', 'policies:read', 'access:check', 'analytics:read']);
    const publicKey = await made(postern, '/v1/api-keys', { name: 'k', type: 'public', mode: 'test' });
    assert.match(publicKey.key, /^svc_pk_test_[0-9A-Za-z]{49}$/);
    const rotated = await made(postern, `/v1/api-keys/${key.id}/rotate`, {});
    assert.match(rotated.key, /^svc_sk_test_/);
    assert.equal(rotated.mode, 'test');
    assert.equal((await read(`/v1/api-keys/${rotated.id}`)).mode, 'test');
    const live = await made(postern, '/v1/api-keys', { name: 'k', type: 'secret' });
    assert.equal(live.mode, 'live');
    assert.match(live.key, /^svc_sk_[0-9A-Za-z]{49}$/);
    const { data } = await read('/v1/api-keys?limit=100');
    assert.equal(data.find(({ id }: { id: string }) => id === publicKey.id).mode, 'test');
  });

  test('changes nothing: it may hold no permission to write', async () => {
    for (const one of [
      '*',
      'content:write',
      'policies:write',
      'requesters:write',
      'webhooks:manage',
      'api_keys:manage',
    ]) {
      const body = { name: 'k', type: 'secret', mode: 'test', permissions: ['access:check', one] };
      assertError(await postern.call('POST', '/v1/api-keys', { body }), 'invalid_request', 'permissions[1]', one);
    }
    const permissions = ['content:read', 'policies:read', 'requesters:read', 'access:check', 'analytics:read'];
    const { key } = await made(postern, '/v1/api-keys', { name: 'k', type: 'secret', mode: 'test', permissions });
    assertStatus(await postern.call('GET', '/v1/requesters', { key }), 200);
  });

  test('has no other mode than live or test', async () => {
    const body = { name: 'k', type: 'secret', mode: 'sandbox' };
    assertError(await postern.call('POST', '/v1/api-keys', { body }), 'invalid_request', 'mode');
  });
});

describe('a check with a test key', () => {
  const limited = [{ ...allowAll, rateLimit: { requests: 2, period: 'day' } }];

  test('is answered as a live one, with its mode, and counts apart', async () => {
    const { id } = await makeItem(postern, limited);
    const body = { contentId: id, requesterId: `r${next()}` };
    const tests = [await check(postern, body, testKey), await check(postern, body, testKey)];
    assert.deepEqual(pluck(tests, 'mode'), ['test', 'test']);
    assert.deepEqual(
      tests.map(({ rateLimit }) => rateLimit.remaining),
      [1, 0],
    );
    assert.equal((await check(postern, body, testKey)).reason, 'rate_limit_exceeded');
    const live = await check(postern, body);
    assert.equal('mode' in live, false);
    assert.equal(live.rateLimit.remaining, 1);
    const { id: _, created: __, mode: ___, ...shown } = tests[0];
    const { id: ____, created: _____, ...liveShown } = live;
    assert.deepEqual({ ...shown, rateLimit: null }, { ...liveShown, rateLimit: null });
  });

  test('with a public test key peeks at the limits of tests', async () => {
    const { id } = await makeItem(postern, limited);
    const body = { contentId: id, requesterId: `r${next()}` };
    const key = await makeKey(postern, { type: 'public', mode: 'test', permissions: ['access:check'] });
    await check(postern, body);
    await check(postern, body);
    const peeked = await check(postern, body, key);
    assert.deepEqual([peeked.mode, peeked.recorded, peeked.allowed], ['test', false, true]);
  });

  test('keeps the answer of an Idempotency-Key', async () => {
    const { id } = await makeItem(postern, limited);
    const options = { body: { contentId: id }, key: testKey, headers: { 'idempotency-key': `k${next()}` } };
    const first = await postern.call('POST', '/v1/access/check', options);
    const again = await postern.call('POST', '/v1/access/check', options);
    assert.equal(again.headers.get('idempotent-replayed'), 'true');
    assert.equal(again.text, first.text);
    assert.equal(first.body.mode, 'test');
  });

  test('of a proxy says its mode in a header', async () => {
    const path = `/proxied-${next()}`;
    await makeItem(postern, [allowAll], { source: `https://tested.example${path}` });
    const ask = (key: string) =>
      postern.call('GET', '/v1/authorize', {
        key: null,
        headers: { 'x-postern-key': key, 'x-forwarded-host': 'tested.example', 'x-forwarded-uri': path },
      });
    const answer = await ask(testKey);
    assertStatus(answer, 200);
    assert.equal(answer.headers.get('x-postern-mode'), 'test');
    assert.equal((await ask(postern.key)).headers.get('x-postern-mode'), null);
  });

  test('by the token of a partner is in the log of tests only, for the partner too', async () => {
    const id = `partner-${next()}`;
    await made(postern, '/v1/requesters', { id, name: 'Partner' });
    const { token } = await made(postern, `/v1/requesters/${id}/tokens`, { name: 't' });
    const { id: contentId } = await makeItem(postern, [allowAll]);
    const decision = await check(postern, { contentId, visitor: { authorization: `Bearer ${token}` } }, testKey);
    assert.deepEqual([decision.requesterId, decision.verified, decision.mode], [id, 'token', 'test']);
    const own = await read('/v1/me/decisions?mode=test', token);
    assert.deepEqual([own.data.length, own.data[0].mode], [1, 'test']);
    const logged = await read(`/v1/access/decisions/${decision.id}`);
    assert.equal(logged.publicId, own.data[0].id);
    for (const one of [decision.id, logged.publicId]) {
      assert.equal((await read(`/v1/me/decisions/${one}`, token)).mode, 'test');
    }
    assert.equal((await read('/v1/me/decisions', token)).totalCount, 0);
    assert.equal((await read('/v1/me/usage', token)).summary.totalRequests, 0);
  });

  test('by a URL that nothing decides is not counted as unregistered', async () => {
    const url = `https://nowhere.example/a/${next()}`;
    assertError(await postern.call('POST', '/v1/access/check', { body: { url }, key: testKey }), 'content_not_found');
    await postern.call('POST', '/v1/access/check', { body: { url: 'https://somewhere.example/b' } });
    await postern.restart();
    const { data } = await read('/v1/analytics/unregistered');
    assert.deepEqual(pluck(data, 'host'), ['somewhere.example']);
  });
});

describe('the log of tests', () => {
  test('is found by the filters of the live log, and streamed', async () => {
    const requesterId = `r${next()}`;
    const { id: policyId } = await makePolicy(postern, [
      { action: 'deny', conditions: { purpose: 'training' } },
      { ...allowAll },
    ]);
    const { id: collectionId } = await made(postern, '/v1/collections', {
      name: 'c',
      hosts: [`h${next()}.example`],
      policyId,
      mode: 'observe',
    });
    const [host] = (await read(`/v1/collections/${collectionId}`)).hosts;
    const { id: contentId } = await made(postern, '/v1/content', item({ policyId }));
    const checks = [
      { contentId, requesterId },
      { contentId, requesterId, purpose: 'training', permission: 'training' },
      { url: `https://${host}/a/b`, requesterId, context: { userAgent: 'GPTBot/1.0', verified: 'ip' } },
    ];
    const answered: { id: string }[] = [];
    for (const body of checks) answered.push(await check(postern, body, testKey));
    await check(postern, checks[0] as object);
    const [first, second, third] = answered.map(({ id }) => id);
    const list = async (query: string, key?: string) =>
      pluck((await read(`/v1/access/decisions?mode=test&requesterId=${requesterId}${query}`, key)).data, 'id');
    assert.deepEqual(await list(''), [third, second, first]);
    const found: [string, (string | undefined)[]][] = [
      [`&contentId=${contentId}`, [second, first]],
      [`&policyId=${policyId}`, [third, second, first]],
      ['&allowed=false', [second]],
      ['&allowed=true', [third, first]],
      ['&reason=policy_denied', [second]],
      [`&url=https://${host}/a`, [third]],
      [`&url=${host}/b`, []],
      ['&spoofed=true', []],
      ['&spoofed=false', [third, second, first]],
      [`&collectionId=${collectionId}`, [third]],
      ['&crawler=GPTBot', [third]],
      ['&verified=true', [third]],
      ['&verified=false', [second, first]],
      ['&verified=ip', [third]],
      ['&verified=token', []],
      ['&purpose=training', [second]],
      ['&permission=training', [second]],
      ['&enforced=false', [third]],
      ['&licenseId=lic_0', []],
      ['&from=2020-01-01T00:00:00Z', [third, second, first]],
      ['&to=2020-01-01T00:00:00Z', []],
    ];
    for (const [query, ids] of found) assert.deepEqual(await list(query), ids, query);
    assert.deepEqual(await list('', testKey), [third, second, first]);

    const page = await read(`/v1/access/decisions?mode=test&requesterId=${requesterId}&limit=2`);
    assert.deepEqual([page.totalCount, page.hasMore], [3, true]);
    assert.deepEqual(await list(`&limit=2&cursor=${page.nextCursor}`), [first]);

    const lines = await postern.call('GET', `/v1/access/decisions?mode=test&requesterId=${requesterId}`, {
      headers: { accept: 'application/x-ndjson' },
    });
    const streamed = lines.text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    assert.deepEqual(pluck(streamed, 'id'), [third, second, first]);
    assert.deepEqual(pluck(streamed, 'mode'), ['test', 'test', 'test']);
  });

  test('is what a test key reads unless it asks for the live one; ids are of one log', async () => {
    const { id: contentId } = await makeItem(postern, [allowAll]);
    const tested = await check(postern, { contentId }, testKey);
    const live = await check(postern, { contentId });
    const ids = async (query: string, key: string) =>
      pluck((await read(`/v1/access/decisions?contentId=${contentId}${query}`, key)).data, 'id');
    assert.deepEqual(await ids('', testKey), [tested.id]);
    assert.deepEqual(await ids('&mode=live', testKey), [live.id]);
    assert.deepEqual(await ids('', postern.key), [live.id]);
    const one = await read(`/v1/access/decisions/${tested.id}?expand=names`);
    assert.deepEqual([one.id, one.mode, one.names.content], [tested.id, 'test', 'A title']);
    assert.equal('mode' in (await read(`/v1/access/decisions/${live.id}`)), false);
  });

  test('forgets what is about a deleted item', async () => {
    const { id: contentId } = await makeItem(postern, [allowAll]);
    const { id } = await check(postern, { contentId }, testKey);
    assertStatus(await postern.call('DELETE', `/v1/content/${contentId}`), 200);
    assertError(await postern.call('GET', `/v1/access/decisions/${id}`), 'decision_not_found');
    const { data } = await read('/v1/access/decisions?mode=test&limit=100');
    assert.ok(!pluck(data, 'id').includes(id));
  });
});
