/** Idempotency-Key: one effect however often a request is repeated, and never the wrong answer. */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import type { Answer } from '../../kit/answer.ts';
import { startTestService, testClock } from '../../kit/service.ts';
import {
  allowAll,
  assertError,
  assertStatus,
  bytes,
  item,
  made,
  makeItem,
  makeKey,
  makePolicy,
  next,
} from './given.ts';

const clock = testClock();
const postern = await startTestService({ clock });
after(() => postern[Symbol.asyncDispose]());

/** Sends a request under an idempotency key; `to` is a path to POST to, or a method and a path. */
const send = (key: string, to: string, body: object, apiKey = postern.key): Promise<Answer> => {
  const [method, path] = to.startsWith('/') ? ['POST', to] : (to.split(' ') as [string, string]);
  return postern.call(method, path, { body, key: apiKey, headers: { 'idempotency-key': key } });
};
const count = async (externalId: unknown) =>
  (await postern.call('GET', `/v1/content?externalId=${externalId}`)).body.totalCount;

function assertReplay(first: Answer, second: Answer): void {
  assert.equal(second.status, first.status, second.text);
  assert.equal(second.text, first.text);
  assert.equal(first.headers.get('idempotent-replayed'), null);
  assert.equal(second.headers.get('idempotent-replayed'), 'true');
  assert.ok(second.headers.get('request-id'));
}

describe('a repeat gets the stored answer and has no second effect', () => {
  test('POST /v1/content', async () => {
    const body = item();
    const first = await send(`k${next()}`, '/v1/content', body);
    assertStatus(first, 201);
    const key = `k${next()}`;
    const one = item();
    assertReplay(await send(key, '/v1/content', one), await send(key, '/v1/content', one));
    assert.equal(await count(one.externalId), 1);
  });
  test('PATCH /v1/content/{id}', async () => {
    const { id } = await made(postern, '/v1/content', item());
    const path = `/v1/content/${id}`;
    const first = await send('p1', `PATCH ${path}`, { metadata: { a: 1 } });
    await postern.call('PATCH', path, { body: { metadata: { a: 2 } } });
    assertReplay(first, await send('p1', `PATCH ${path}`, { metadata: { a: 1 } }));
    assert.deepEqual((await postern.call('GET', path)).body.metadata, { a: 2 });
  });
  test('policies: no second policy, no second version', async () => {
    const body = { name: `n${next()}`, rules: [] };
    const first = await send('pol', '/v1/policies', body);
    assertReplay(first, await send('pol', '/v1/policies', body));
    const path = `/v1/policies/${first.body.id}`;
    assertReplay(await send('pol', `PATCH ${path}`, { name: 'B' }), await send('pol', `PATCH ${path}`, { name: 'B' }));
    assert.equal((await postern.call('GET', path)).body.version, 2);
    const names = (await postern.call('GET', '/v1/policies?limit=100')).body.data.map((one: { id: string }) => one.id);
    assert.equal(names.filter((id: string) => id === first.body.id).length, 1);
  });
  test('upsert, bulk-upsert and bulk-delete', async () => {
    const one = item();
    assertReplay(await send('up', '/v1/content/upsert', one), await send('up', '/v1/content/upsert', one));
    const items = { items: [item(), item()] };
    const first = await send('bulk', '/v1/content/bulk-upsert', items);
    assert.equal(first.body.created, 2);
    assertReplay(first, await send('bulk', '/v1/content/bulk-upsert', items));
    const ids = { ids: [one.externalId] };
    assertReplay(await send('del', '/v1/content/bulk-delete', ids), await send('del', '/v1/content/bulk-delete', ids));
  });
  test('a check and a batch', async () => {
    const { id } = await makeItem(postern, [allowAll]);
    const body = { contentId: id };
    assertReplay(await send('c', '/v1/access/check', body), await send('c', '/v1/access/check', body));
    const batch = { checks: [body, body, { contentId: 'none' }] };
    assertReplay(await send('c', '/v1/access/check/batch', batch), await send('c', '/v1/access/check/batch', batch));
    assert.equal((await postern.call('GET', `/v1/content/${id}`)).body.stats.totalRequests, 3);
    assert.equal((await postern.call('GET', `/v1/access/decisions?contentId=${id}`)).body.totalCount, 3);
    assert.equal((await postern.call('GET', `/v1/analytics/usage?contentId=${id}`)).body.summary.totalRequests, 3);
  });
  test('keys: no second key', async () => {
    const before = (await postern.call('GET', '/v1/api-keys')).body.totalCount;
    const body = { name: 'k', type: 'secret' };
    const first = await send('key', '/v1/api-keys', body);
    assertStatus(first, 201);
    const second = await send('key', '/v1/api-keys', body);
    assert.equal((await postern.call('GET', '/v1/api-keys')).body.totalCount, before + 1);
    assert.equal(second.body.id, first.body.id);
    assert.equal(second.headers.get('idempotent-replayed'), 'true');
    const path = `/v1/api-keys/${first.body.id}/rotate`;
    const rotated = await send('key', path, { graceSeconds: 60 });
    const again = await send('key', path, { graceSeconds: 60 });
    assert.equal(again.body.id, rotated.body.id);
    assert.equal((await postern.call('GET', '/v1/content', { key: rotated.body.key })).status, 200);
  });
  test('after a restart too', async () => {
    await using own = await startTestService();
    const body = item();
    const options = { body, headers: { 'idempotency-key': 'r' } };
    const first = await own.call('POST', '/v1/content', options);
    await own.restart();
    assertReplay(first, await own.call('POST', '/v1/content', options));
  });
});

describe('answers without an effect are not stored', () => {
  const receipts = async () => (await postern.rowsOf('receipts')).length;
  /** Insists that a repeated request runs again, with any body, and that no answer is kept. */
  async function assertNotKept(path: string, body: object, apiKey = postern.key, method = 'POST'): Promise<void> {
    const before = await receipts();
    const key = `n${next()}`;
    for (let i = 0; i < 3; i++) {
      const answer = await send(key, `${method} ${path}`, body, apiKey);
      assert.ok(answer.status < 400, answer.text);
      assert.equal(answer.headers.get('idempotent-replayed'), null);
    }
    assert.equal(await receipts(), before, path);
  }
  test('dry runs, checks of public keys, lint, simulations, previews', async () => {
    const { id, policyId } = await makeItem(postern, [allowAll]);
    const open = await makeKey(postern, { type: 'public', permissions: ['access:check', 'policies:read'] });
    const policy = { rules: [allowAll] };
    await assertNotKept('/v1/access/check', { contentId: id, dryRun: true });
    await assertNotKept('/v1/access/check/batch', { checks: [{ contentId: id, dryRun: true }, { contentId: 'none' }] });
    await assertNotKept('/v1/access/check', { contentId: id, explain: true }, open);
    await assertNotKept('/v1/access/check/batch', { checks: [{ contentId: id }] }, open);
    await assertNotKept('/v1/policies/lint', { name: 'n', ...policy }, open);
    await assertNotKept('/v1/policies/simulate', { policy, checks: [{ contentId: id }] });
    await assertNotKept(`/v1/policies/${policyId}/impact`, { policy });
  });
  test('bulk edits of which nothing came', async () => {
    await assertNotKept('/v1/content/bulk-upsert', { items: [{ externalId: 'x' }] });
    await assertNotKept('/v1/content/bulk-delete', { ids: ['none'] });
  });
  test('a batch with one recorded check is kept whole', async () => {
    const { id } = await makeItem(postern, [allowAll]);
    const body = { checks: [{ contentId: id, dryRun: true }, { contentId: id }] };
    const key = `k${next()}`;
    assertReplay(await send(key, '/v1/access/check/batch', body), await send(key, '/v1/access/check/batch', body));
  });
});

describe('what is kept is bounded', () => {
  test('a batch whose answer is too long is refused before anything is recorded; without the key it is answered', async () => {
    const conditions = { userAgent: Array.from({ length: 600 }, (_, i) => `agent-${i}`.padEnd(40, '.')) };
    const { id } = await makeItem(postern, [{ action: 'deny', conditions }, allowAll]);
    const checks = Array.from({ length: 200 }, () => ({ contentId: id, explain: true }));
    const refused = await send('long', '/v1/access/check/batch', { checks });
    assertError(refused, 'invalid_request', 'Idempotency-Key');
    assert.equal((await postern.call('GET', `/v1/access/decisions?contentId=${id}`)).body.totalCount, 0);
    const fewer = { checks: checks.slice(0, 20) };
    assertReplay(
      await send('long', '/v1/access/check/batch', fewer),
      await send('long', '/v1/access/check/batch', fewer),
    );
    assertStatus(await postern.call('POST', '/v1/access/check/batch', { body: { checks } }), 200);
    assert.equal((await postern.call('GET', `/v1/access/decisions?contentId=${id}`)).body.totalCount, 220);
  });
  test('a batch of 1,000 with long messages and names is kept', async () => {
    const rule = { ...allowAll, message: '\u{1F4DC}'.repeat(250) };
    const { id } = await makeItem(postern, [rule], { externalId: `${next()}${'\u{1F4DC}'.repeat(120)}` });
    const body = { checks: Array.from({ length: 1000 }, () => ({ contentId: id, requesterId: 'r'.repeat(128) })) };
    assertReplay(
      await send('most', '/v1/access/check/batch', body),
      await send('most', '/v1/access/check/batch', body),
    );
  });
  test('an externalId that is far too long is not given back whole', async () => {
    const items = [item(), { ...item(), externalId: 'x'.repeat(900_000) }];
    const { body } = await send('echo', '/v1/content/bulk-upsert', { items });
    assert.deepEqual([body.created, body.failed, body.errors[0].index], [1, 1, 1]);
    assert.ok(body.errors[0].externalId.length <= 1000);
  });
});

test('it is kept 24 hours', async () => {
  const body = item();
  const first = await send('day', '/v1/content', body);
  clock.advance(86_400_000 - 1000);
  assertReplay(first, await send('day', '/v1/content', body));
  clock.advance(2000);
  assertError(await send('day', '/v1/content', body), 'external_id_exists');
});

test('another body under the same key is refused and has no effect', async () => {
  const [one, two] = [item(), item()];
  await send('other', '/v1/content', one);
  const refused = await send('other', '/v1/content', two);
  assertError(refused, 'idempotency_key_reused');
  assert.equal(refused.headers.get('idempotent-replayed'), null);
  assert.equal(await count(two.externalId), 0);
});

test('its scope is API key, method and path', async () => {
  const key = await makeKey(postern, {});
  const [one, two] = [item(), item()];
  assertStatus(await send('scope', '/v1/content', one), 201);
  assertStatus(await send('scope', '/v1/content', two, key), 201);
  const three = item();
  assertStatus(await send('scope', '/v1/content/upsert', three), 201);
  const path = `/v1/content/${encodeURIComponent(String(three.externalId))}`;
  assertStatus(await send('scope', `PATCH ${path}`, { title: 'x' }), 200);
  const { id } = await made(postern, '/v1/content', item());
  assertStatus(await send('scope', `PATCH /v1/content/${id}`, { title: 'y' }), 200);
});

describe('refusals are not stored', () => {
  test('400: the same key with a better body', async () => {
    const body = item();
    assertError(await send('bad', '/v1/content', { ...body, title: '' }), 'invalid_request');
    assertStatus(await send('bad', '/v1/content', body), 201);
  });
  test('404: the same request once the item is there', async () => {
    const { externalId } = item();
    const path = `/v1/content/${externalId}`;
    assertError(await send('later', `PATCH ${path}`, { title: 'x' }), 'content_not_found');
    assertError(await send('later', '/v1/access/check', { contentId: externalId }), 'content_not_found');
    await made(postern, '/v1/content', item({ externalId }));
    assertStatus(await send('later', `PATCH ${path}`, { title: 'x' }), 200);
    assertStatus(await send('later', '/v1/access/check', { contentId: externalId }), 200);
  });
  test('409: the same request once the conflict is gone', async () => {
    const { id, externalId } = await made(postern, '/v1/content', item());
    const body = item({ externalId });
    assertError(await send('conflict', '/v1/content', body), 'external_id_exists');
    await postern.call('DELETE', `/v1/content/${id}`);
    assertStatus(await send('conflict', '/v1/content', body), 201);
  });
  test('412: the same request with the fresh tag', async () => {
    const { id } = await makePolicy(postern, []);
    const patch = (match: string) =>
      postern.call('PATCH', `/v1/policies/${id}`, {
        body: { name: 'B' },
        headers: { 'idempotency-key': 'm', 'if-match': match },
      });
    assertError(await patch('"9"'), 'precondition_failed');
    assertStatus(await patch('"1"'), 200);
  });
});

describe('answers without an effect are not stored', () => {
  const once = async (path: string, body: object, method = 'POST') => {
    for (let i = 0; i < 2; i++) {
      const answer = await send('no effect', `${method} ${path}`, body);
      assertStatus(answer, 200);
      assert.equal(answer.headers.get('idempotent-replayed'), null, path);
    }
  };
  test('an edit that changed nothing: the same key can be used for one that does', async () => {
    const { id } = await made(postern, '/v1/content', item());
    const path = `/v1/content/${id}`;
    await once(path, { title: 'A title' }, 'PATCH');
    const edit = await send('no effect', `PATCH ${path}`, { title: 'Another' });
    assert.equal(edit.body.title, 'Another');
    assertReplay(edit, await send('no effect', `PATCH ${path}`, { title: 'Another' }));
  });
  test('bulk edits that changed nothing, dry runs, lint', async () => {
    const one = await made(postern, '/v1/content', item());
    await once('/v1/content/bulk-delete', { ids: ['no-such-item'] });
    await once('/v1/content/bulk-upsert', { items: [{}] });
    await once('/v1/access/check', { contentId: one.id, dryRun: true });
    await once('/v1/policies/lint', { rules: [] });
  });
});

test('a replay is for those who may: the permission still counts', async () => {
  const key = await makeKey(postern, { permissions: ['content:write'] });
  const body = item();
  assertStatus(await send('mine', '/v1/content', body, key), 201);
  const { id } = (await postern.call('GET', '/v1/api-keys')).body.data[0];
  assertStatus(await postern.call('DELETE', `/v1/api-keys/${id}`), 200);
  assertError(await send('mine', '/v1/content', body, key), 'invalid_api_key');
});

describe('the key itself', () => {
  test('has 1 to 255 characters of printable ASCII', async () => {
    for (const key of ['a', 'x'.repeat(254), 'x'.repeat(255), '!~', 'a b', '"']) {
      assertStatus(await send(key, '/v1/content', item()), 201, key.slice(0, 10));
    }
    for (const key of ['x'.repeat(256), 'é', 'a\tb', 'x'.repeat(3000)]) {
      assertError(await send(key, '/v1/content', item()), 'invalid_request', undefined, key.slice(0, 10));
    }
  });
  test('an empty one is refused', async () => {
    const body = JSON.stringify(item());
    const head = `POST /v1/content HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${postern.key}\r\nContent-Type: application/json\r\n`;
    const answer = await bytes(
      postern,
      `${head}Content-Length: ${body.length}\r\nIdempotency-Key:\r\nConnection: close\r\n\r\n${body}`,
    );
    assert.match(answer, /^HTTP\/1\.1 400 /);
  });
});

describe('in parallel', () => {
  const cases: [string, string, () => Promise<object>, (effect: number) => Promise<number>][] = [
    [
      'POST /v1/content',
      '/v1/content',
      async () => item({ externalId: 'parallel' }),
      async () => (await postern.call('GET', '/v1/content?externalId=parallel')).body.totalCount,
    ],
    [
      'a check',
      '/v1/access/check',
      async () => {
        await made(postern, '/v1/content', item({ externalId: 'parallel-check' }));
        return { contentId: 'parallel-check' };
      },
      async () => (await postern.call('GET', '/v1/content/parallel-check')).body.stats.totalRequests,
    ],
    [
      'a policy',
      '/v1/policies',
      async () => ({ name: 'parallel', rules: [] }),
      async () =>
        (await postern.call('GET', '/v1/policies?limit=100')).body.data.filter(
          (one: { name: string }) => one.name === 'parallel',
        ).length,
    ],
    [
      'a batch',
      '/v1/access/check/batch',
      async () => {
        await made(postern, '/v1/content', item({ externalId: 'parallel-batch' }));
        return { checks: [{ contentId: 'parallel-batch' }] };
      },
      async () => (await postern.call('GET', '/v1/content/parallel-batch')).body.stats.totalRequests,
    ],
  ];
  for (const [what, path, prepare, effects] of cases) {
    test(`50 repeats of ${what} have one effect`, async () => {
      const body = await prepare();
      const answers = await Promise.all(Array.from({ length: 50 }, () => send('parallel', path, body)));
      let firsts = 0;
      for (const answer of answers) {
        if (answer.status === 409) {
          assertError(answer, 'idempotency_key_in_use');
          assert.ok(Number(answer.headers.get('retry-after')) >= 1);
        } else {
          assert.ok(answer.status === 200 || answer.status === 201, answer.text);
          if (answer.headers.get('idempotent-replayed') !== 'true') firsts += 1;
        }
      }
      assert.equal(firsts, 1);
      assert.equal(new Set(answers.filter((one) => one.status < 400).map((one) => one.text)).size, 1);
      assert.equal(await effects(1), 1);
    });
  }
});
