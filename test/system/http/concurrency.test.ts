/** Many at once: nothing is lost, nothing happens twice. */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import type { Answer } from '../../../kit/answer.ts';
import { startTestService } from '../../../kit/service.ts';
import {
  allowAll,
  assertError,
  assertErrorShape,
  assertStatus,
  item,
  made,
  makeItem,
  makePolicy,
} from '../../http/given.ts';

const postern = await startTestService();
after(() => postern[Symbol.asyncDispose]());

const times = <T>(count: number, one: (index: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => one(index)));
const byStatus = (answers: Answer[]) => {
  const counts: Record<number, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
};

test('64 concurrent PATCHes of a policy leave versions 1 to 65 without a gap', async () => {
  const { id } = await makePolicy(postern, []);
  const answers = await times(64, (i) => postern.call('PATCH', `/v1/policies/${id}`, { body: { name: `N${i}` } }));
  for (const answer of answers) assertStatus(answer, 200);
  const versions = answers.map((one) => one.body.version).toSorted((a, b) => a - b);
  assert.deepEqual(
    versions,
    Array.from({ length: 64 }, (_, i) => i + 2),
  );
  const { body } = await postern.call('GET', `/v1/policies/${id}`);
  assert.equal(body.version, 65);
  assert.equal(body.name, answers.find((one) => one.body.version === 65)?.body.name);
});

test('concurrent creates of one externalId: exactly one 201', async () => {
  const body = item();
  const answers = await times(40, () => postern.call('POST', '/v1/content', { body }));
  assert.deepEqual(byStatus(answers), { 201: 1, 409: 39 });
  for (const one of answers.filter((each) => each.status === 409)) assertError(one, 'external_id_exists');
  assert.equal((await postern.call('GET', `/v1/content?externalId=${body.externalId}`)).body.totalCount, 1);
});

test('concurrent upserts of one externalId: one creates, the others update, no metadata is lost', async () => {
  const body = item();
  const answers = await times(40, (i) =>
    postern.call('POST', '/v1/content/upsert', { body: { ...body, metadata: { [`k${i}`]: i } } }),
  );
  assert.deepEqual(byStatus(answers), { 200: 39, 201: 1 });
  assert.equal(new Set(answers.map((one) => one.body.id)).size, 1);
  const { metadata } = (await postern.call('GET', `/v1/content/${body.externalId}`)).body;
  assert.equal(Object.keys(metadata).length, 40);
});

test('concurrent bulk upserts of the same items create each once', async () => {
  const items = Array.from({ length: 50 }, () => item());
  const answers = await times(8, () => postern.call('POST', '/v1/content/bulk-upsert', { body: { items } }));
  const sum = (key: string) => answers.reduce((total, one) => total + one.body[key], 0);
  assert.deepEqual([sum('created'), sum('updated'), sum('unchanged'), sum('failed')], [50, 0, 350, 0]);
});

test('upserts beside bulk upserts of the same items: each is registered once, and nobody is refused', async () => {
  for (let round = 0; round < 5; round++) {
    const items = Array.from({ length: 60 }, () => item());
    const bulk = postern.call('POST', '/v1/content/bulk-upsert', { body: { items } });
    const singles = await times(4 * items.length, (i) =>
      postern.call('POST', '/v1/content/upsert', { body: { ...items[i % items.length], metadata: { [`k${i}`]: i } } }),
    );
    const { body } = await bulk;
    assert.equal(body.failed, 0);
    const counts = byStatus(singles);
    assert.equal((counts[201] ?? 0) + body.created, items.length);
    assert.equal((counts[200] ?? 0) + (counts[201] ?? 0), singles.length, JSON.stringify(counts));
  }
});

test('concurrent PATCHes each add their own metadata key, and all of them stay', async () => {
  const { id } = await made(postern, '/v1/content', item());
  const answers = await times(40, (i) =>
    postern.call('PATCH', `/v1/content/${id}`, { body: { metadata: { [`k${i}`]: i } } }),
  );
  assert.deepEqual(byStatus(answers), { 200: 40 });
  assert.equal(Object.keys((await postern.call('GET', `/v1/content/${id}`)).body.metadata).length, 40);
});

describe('If-Match', () => {
  const kinds: [string, () => Promise<string>, (i: number) => object][] = [
    [
      'content',
      async () => `/v1/content/${(await made(postern, '/v1/content', item())).id}`,
      (i) => ({ title: `T${i}` }),
    ],
    ['policy', async () => `/v1/policies/${(await makePolicy(postern, [])).id}`, (i) => ({ name: `T${i}` })],
  ];
  for (const [kind, make, body] of kinds) {
    test(`${kind}: of 20 that read the same state one wins, and its words stay`, async () => {
      const path = await make();
      const etag = (await postern.call('GET', path)).headers.get('etag') ?? '';
      const answers = await times(20, (i) =>
        postern.call('PATCH', path, { body: body(i), headers: { 'if-match': etag } }),
      );
      assert.deepEqual(byStatus(answers), { 200: 1, 412: 19 });
      const winner = answers.find((one) => one.status === 200)?.body;
      const { body: now } = await postern.call('GET', path);
      assert.equal(now.title ?? now.name, winner.title ?? winner.name);
    });
    test(`${kind}: a counter kept with If-Match loses no step`, async () => {
      const path = await make();
      let steps = 0;
      await times(6, async () => {
        for (let mine = 0; mine < 4; ) {
          const got = await postern.call('GET', path);
          const value = Number((got.body.source ?? got.body.description ?? '').match(/\d+$/)?.[0] ?? 0);
          const next = kind === 'content' ? { source: `https://a.b/${value + 1}` } : { description: `${value + 1}` };
          const answer = await postern.call('PATCH', path, {
            body: next,
            headers: { 'if-match': got.headers.get('etag') ?? '' },
          });
          if (answer.status === 200) {
            mine += 1;
            steps += 1;
          } else assertStatus(answer, 412);
        }
      });
      const { body: now } = await postern.call('GET', path);
      assert.equal(Number((now.source ?? now.description).match(/\d+$/)[0]), 24);
      assert.equal(steps, 24);
    });
  }
});

test('concurrent deletes: one 200, the others 404', async () => {
  const { id } = await made(postern, '/v1/content', item());
  assert.deepEqual(byStatus(await times(10, () => postern.call('DELETE', `/v1/content/${id}`))), { 200: 1, 404: 9 });
  const { id: policy } = await makePolicy(postern, []);
  assert.deepEqual(byStatus(await times(10, () => postern.call('DELETE', `/v1/policies/${policy}`))), {
    200: 1,
    404: 9,
  });
});

test('a policy is never deleted under content that is just being put on it', async () => {
  for (let round = 0; round < 15; round++) {
    const { id } = await makePolicy(postern, []);
    const old = await made(postern, '/v1/content', item());
    const [created, moved, bulk, gone] = await Promise.all([
      postern.call('POST', '/v1/content', { body: item({ policyId: id }) }),
      postern.call('PATCH', `/v1/content/${old.id}`, { body: { policyId: id } }),
      postern.call('POST', '/v1/content/bulk-upsert', { body: { items: [item({ policyId: id })] } }),
      postern.call('DELETE', `/v1/policies/${id}`),
    ]);
    for (const answer of [created, moved, bulk, gone]) assert.ok(answer.status < 500, answer.text);
    const left = (await postern.call('GET', `/v1/content?policyId=${id}`)).body.totalCount;
    if (gone.status === 200) assert.equal(left, 0);
    else assertError(gone, 'policy_in_use');
    for (const answer of [created, moved]) if (answer.status >= 400) assertError(answer, 'invalid_request', 'policyId');
  }
});

test('content deleted while it is being checked leaves nothing behind', async () => {
  for (let round = 0; round < 10; round++) {
    const { id, externalId } = await makeItem(postern, [allowAll]);
    const before = (await postern.call('GET', '/v1/analytics/usage')).body.summary.totalRequests;
    const checks = times(30, () => postern.call('POST', '/v1/access/check', { body: { contentId: externalId } }));
    const batch = postern.call('POST', '/v1/access/check/batch', {
      body: { checks: Array.from({ length: 50 }, () => ({ contentId: id })) },
    });
    const gone = postern.call('DELETE', `/v1/content/${id}`);
    for (const answer of await checks) {
      if (answer.status === 200) continue;
      assertErrorShape(answer);
      assertStatus(answer, 404);
    }
    assertStatus(await batch, 200);
    assertStatus(await gone, 200);
    assert.equal((await postern.call('GET', '/v1/analytics/usage')).body.summary.totalRequests, before);
    for (const answer of (await checks).filter((one) => one.status === 200)) {
      assertError(await postern.call('GET', `/v1/access/decisions/${answer.body.id}`), 'decision_not_found');
    }
    const lines = await postern.call('GET', '/v1/access/decisions', { headers: { accept: 'application/x-ndjson' } });
    assert.ok(!lines.text.includes(id));
  }
});

test('a policy edited while checks run: each answer names a version, and the decision is that version’s', async () => {
  const { id, policyId } = await makeItem(postern, [allowAll]);
  const edits = (async () => {
    for (let i = 0; i < 20; i++) {
      const rules = i % 2 === 0 ? [] : [allowAll];
      assertStatus(await postern.call('PATCH', `/v1/policies/${policyId}`, { body: { rules } }), 200);
      const { body } = await postern.call('POST', '/v1/access/check', { body: { contentId: id } });
      assert.deepEqual([body.policyVersion, body.allowed], [i + 2, i % 2 === 1], 'an acknowledged edit holds at once');
    }
  })();
  const answers = (
    await times(10, () => times(10, () => postern.call('POST', '/v1/access/check', { body: { contentId: id } })))
  ).flat();
  await edits;
  for (const { body } of answers)
    assert.equal(body.allowed, body.policyVersion % 2 === 1, `version ${body.policyVersion}`);
});

test('two admin keys that revoke each other leave one', async () => {
  for (let round = 0; round < 3; round++) {
    await using own = await startTestService();
    const first = (await own.call('GET', '/v1/api-keys')).body.data[0].id;
    const second = await made(own, '/v1/api-keys', { name: 'k', type: 'secret' });
    const answers = await Promise.all([
      own.call('DELETE', `/v1/api-keys/${first}`, { key: second.key }),
      own.call('DELETE', `/v1/api-keys/${second.id}`),
    ]);
    const alive = await Promise.all([
      own.call('GET', '/v1/api-keys'),
      own.call('GET', '/v1/api-keys', { key: second.key }),
    ]);
    assert.equal(alive.filter((one) => one.status === 200).length, 1, JSON.stringify(answers.map((one) => one.status)));
  }
});

test('after all that the counts agree', async () => {
  const { body: usage } = await postern.call('GET', '/v1/analytics/usage?period=all');
  const { body: log } = await postern.call('GET', '/v1/access/decisions?limit=1');
  assert.equal(usage.summary.totalRequests, log.totalCount);
});
