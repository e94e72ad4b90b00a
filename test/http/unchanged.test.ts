/** An edit that changes nothing writes nothing: no version, no entry in the audit log, no event, no new `updated`. */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import type { Answer } from '../../kit/answer.ts';
import { startTestService } from '../../kit/service.ts';
import { assertError, assertStatus, item, made, makePolicy } from './given.ts';

const postern = await startTestService();
after(() => postern[Symbol.asyncDispose]());

type Record = any;

const total = async (path: string): Promise<number> => {
  const { body } = await postern.call('GET', path);
  return body.totalCount;
};
/** Everything that an edit leaves behind. */
const traces = async () => [await total('/v1/audit-log'), await total('/v1/events')];

/** Sends what is stored already; the record must come back as it is, and nothing else may happen. */
async function assertUnchanged(
  path: string,
  body: object | undefined,
  method = 'PATCH',
  status = 200,
): Promise<Answer> {
  const before = await traces();
  const answer = await postern.call(method, path, body === undefined ? {} : { body });
  assertStatus(answer, status, path);
  assert.deepEqual(await traces(), before, `${method} ${path} ${JSON.stringify(body)} left a trace`);
  return answer;
}

const terms = {
  currency: 'EUR',
  timezone: 'UTC',
  period: 'month',
  unit: 'decision',
  tiers: [
    { upTo: 10, unitPriceMicros: 5 },
    { upTo: null, unitPriceMicros: 4 },
  ],
};
const license = {
  terms,
  features: ['a', 'b'],
  scope: { tags: ['t'] },
  expiresAt: '2030-01-01T00:00:00Z',
};
const rules = [
  { action: 'allow', conditions: { requesterType: ['a', 'b'], contentMetadata: { x: 1, y: 2 } }, priority: 1 },
  { action: 'deny', conditions: { default: true }, message: 'No.' },
];

/** For every PATCH of the API: a record, bodies that say what is stored, and bodies that say something else. */
const KINDS: Record = {
  '/v1/content/{id}': {
    make: () => made(postern, '/v1/content', item({ tags: ['a', 'b'], metadata: { b: { x: [1, 2], y: 2 }, a: null } })),
    same: [
      { title: 'A title' },
      { tags: ['a', 'b', 'a'] },
      { metadata: { b: { y: 2, x: [1, 2] } } },
      // As it was sent and stored; alone, a null removes its key.
      { metadata: { b: { x: [1, 2], y: 2 }, a: null } },
      { metadata: { gone: null } },
      { metadata: {} },
      { metadata: { a: null, b: { x: [1, 2], y: 2 } }, metadataReplace: true, title: 'A title' },
      { metadataReplace: true },
      { policyId: null },
      { policyId: null, status: 'active', source: 'https://example.com/a' },
    ],
    other: [
      { tags: ['b', 'a'] },
      { metadata: { b: { x: [2, 1], y: 2 } } },
      { metadata: { a: null } },
      { policyId: 'pol_default' },
    ],
  },
  '/v1/policies/{id}': {
    make: () => makePolicy(postern, rules, { description: 'd' }),
    same: [
      { name: 'A policy' },
      { description: 'd', defaultAction: 'deny' },
      { rules },
      {
        rules: [
          { priority: 1, conditions: { contentMetadata: { y: 2, x: 1 }, requesterType: ['a', 'b'] }, action: 'allow' },
          rules[1],
        ],
      },
    ],
    other: [
      { rules: rules.toReversed() },
      { rules: [{ ...rules[0], conditions: { ...rules[0]?.conditions, requesterType: ['b', 'a'] } }, rules[1]] },
      { rules: [rules[0], { ...rules[1], priority: 2 }] },
    ],
  },
  '/v1/collections/{id}': {
    make: () =>
      made(postern, '/v1/collections', {
        name: 'C',
        hosts: ['a.example'],
        paths: ['/a', '/b'],
        metadata: { b: 1, a: { x: 1, y: 2 } },
      }),
    same: [
      { name: 'C', description: null },
      { paths: ['/a', '/b', '/a'], policyId: null },
      { metadata: { a: { y: 2, x: 1 } } },
      { contentTypes: [], contentTags: [] },
    ],
    other: [{ paths: ['/b', '/a'] }, { policyId: 'pol_default' }, { contentTags: ['t'] }],
  },
  '/v1/requesters/{id}': {
    make: () =>
      made(postern, '/v1/requesters', {
        type: 't',
        tags: ['a'],
        userAgents: ['Bot'],
        identities: [{ kind: 'dns', suffixes: ['a.example'] }],
        metadata: { __proto__: 1, k: [] },
      }),
    same: [
      { type: 't' },
      { tags: ['a'], userAgents: ['Bot', 'Bot'] },
      { identities: [{ suffixes: ['a.example'], kind: 'dns' }] },
      { status: 'active', metadata: { k: [] } },
      { metadata: { none: null } },
    ],
    other: [{ userAgents: ['bot'] }, { identities: [] }, { type: null }, { metadata: { k: {} } }],
  },
  '/v1/licenses/{id}': {
    make: async () => {
      const { id } = await made(postern, '/v1/requesters', {});
      return made(postern, '/v1/licenses', { requesterId: id, type: 't', ...license });
    },
    same: [
      { type: 't', features: ['a', 'b'] },
      { scope: { tags: ['t'] } },
      { expiresAt: '2030-01-01T01:00:00.000+01:00' },
      { startsAt: null, status: 'active' },
      { terms: { ...terms, tiers: terms.tiers.map((tier) => ({ ...tier })) }, effective: 'now' },
    ],
    other: [
      { terms: { ...terms, currency: 'USD' } },
      { terms: null },
      { features: ['b', 'a'] },
      { scope: null },
      { expiresAt: '2030-01-01T00:00:00.001Z' },
    ],
  },
  '/v1/webhooks/{id}': {
    make: () =>
      made(postern, '/v1/webhooks', {
        url: 'https://example.com/hook',
        events: ['policy.rolled_back'],
        metadata: { a: 1 },
      }),
    same: [
      { url: 'https://example.com/hook' },
      { events: ['policy.rolled_back', 'policy.rolled_back'] },
      { description: null, status: 'active', metadata: { a: 1, b: null } },
    ],
    other: [{ events: ['policy.*'] }, { description: '' }, { status: 'disabled' }],
  },
};

test('every PATCH of the API is here', async () => {
  const { body } = await postern.call('GET', '/openapi.json');
  const paths = Object.entries<object>(body.paths).flatMap(([path, methods]) => ('patch' in methods ? [path] : []));
  assert.deepEqual(paths.toSorted(), Object.keys(KINDS).toSorted());
});

for (const [kind, { make, same, other }] of Object.entries<Record>(KINDS)) {
  describe(`PATCH ${kind}`, () => {
    test('with what is stored answers with the record as it is', async () => {
      const { id } = await make();
      const path = kind.replace('{id}', encodeURIComponent(id));
      const stored = await postern.call('GET', path);
      const etag = stored.headers.get('etag');
      const { stats: _, ...record } = stored.body;
      for (const body of same) {
        const { warnings: _w, ...answer } = (await assertUnchanged(path, body)).body;
        assert.deepEqual(answer, record, JSON.stringify(body));
        const read = await postern.call('GET', path);
        assert.equal(read.text, stored.text);
        assert.equal(read.headers.get('etag'), etag);
      }
    });

    test('with anything else is an edit, told as one', async () => {
      for (const body of other) {
        const { id } = await make();
        const path = kind.replace('{id}', encodeURIComponent(id));
        const [entries] = await traces();
        assertStatus(await postern.call('PATCH', path, { body }), 200);
        assert.equal((await traces())[0], (entries as number) + 1, JSON.stringify(body));
      }
    });
  });
}

test('ETag and If-Match: the tag stays, and a stale one is refused all the same', async () => {
  for (const kind of ['/v1/content/{id}', '/v1/policies/{id}']) {
    const { id } = await KINDS[kind].make();
    const path = kind.replace('{id}', id);
    const body = KINDS[kind].same[0];
    const etag = (await postern.call('GET', path)).headers.get('etag') ?? '';
    const answer = await postern.call('PATCH', path, { body, headers: { 'if-match': etag } });
    assertStatus(answer, 200);
    assert.equal(answer.headers.get('etag'), etag);
    assertError(await postern.call('PATCH', path, { body, headers: { 'if-match': '"9"' } }), 'precondition_failed');
  }
});

describe('upsert', () => {
  test('of the same item writes it once; of another metadata key it adds that', async () => {
    const body = item({ tags: ['a'], metadata: { a: 1, b: 2 } });
    const first = await made(postern, '/v1/content/upsert', body);
    const again = await assertUnchanged('/v1/content/upsert', { ...body, metadata: { b: 2, a: 1 } }, 'POST');
    assert.deepEqual(again.body, first);
    const { text } = await assertUnchanged('/v1/content/upsert', { ...body, metadata: { b: 2 } }, 'POST');
    assert.equal(text, again.text);
    const edited = await postern.call('POST', '/v1/content/upsert', { body: { ...body, metadata: { c: 3 } } });
    assert.deepEqual(edited.body.metadata, { a: 1, b: 2, c: 3 });
    assert.notEqual(edited.headers.get('etag'), again.headers.get('etag'));
  });

  test('leaves an archived item archived, without a trace', async () => {
    const body = item();
    const { id } = await made(postern, '/v1/content', body);
    await postern.call('PATCH', `/v1/content/${id}`, { body: { status: 'archived' } });
    assert.equal((await assertUnchanged('/v1/content/upsert', body, 'POST')).body.status, 'archived');
  });
});

describe('bulk-upsert', () => {
  test('1,000 identical items are unchanged: nothing is written', async () => {
    const items = Array.from({ length: 1000 }, () => item({ metadata: { n: [1, { b: 1, a: 2 }] } }));
    const first = await made(postern, '/v1/content/bulk-upsert', { items }, 200);
    assert.deepEqual([first.created, first.updated, first.unchanged], [1000, 0, 0]);
    const { body } = await assertUnchanged('/v1/content/bulk-upsert', { items }, 'POST');
    assert.deepEqual(body, {
      object: 'bulk_upsert',
      created: 0,
      updated: 0,
      unchanged: 1000,
      failed: 0,
      errors: [],
    });
  });

  test('counts each item once: created, updated, unchanged or failed', async () => {
    const [same, other, fresh, bad] = [item(), item(), item(), item({ title: '' })];
    await made(postern, '/v1/content/bulk-upsert', { items: [same, other] }, 200);
    const [entries = 0] = await traces();
    const items = [same, { ...other, title: 'B' }, fresh, fresh, { ...fresh, title: 'C' }, bad];
    const { body } = await postern.call('POST', '/v1/content/bulk-upsert', { body: { items } });
    assert.deepEqual([body.created, body.updated, body.unchanged, body.failed], [1, 2, 2, 1]);
    assert.equal((await traces())[0], entries + 3);
    assert.equal((await postern.call('GET', `/v1/content/${fresh?.externalId}`)).body.title, 'C');
  });

  test('an import that changed nothing leaves the impact preview all it knew', async () => {
    const { id } = await makePolicy(postern, [{ action: 'allow' }]);
    const items = [item({ policyId: id })];
    await made(postern, '/v1/content/bulk-upsert', { items }, 200);
    for (let i = 0; i < 3; i++) await made(postern, '/v1/access/check', { contentId: items[0]?.externalId }, 200);
    await made(postern, '/v1/content/bulk-upsert', { items }, 200);
    const impact = await made(postern, `/v1/policies/${id}/impact`, { policy: { rules: [{ action: 'deny' }] } }, 200);
    assert.deepEqual([impact.decisions, impact.allowToDeny], [3, 3], JSON.stringify(impact));
  });
});

describe('what is done already', () => {
  test('revoking again answers with the license as it is', async () => {
    const { id } = await KINDS['/v1/licenses/{id}'].make();
    const path = `/v1/licenses/${id}`;
    const { text } = await postern.call('POST', `${path}/revoke`);
    assert.equal((await assertUnchanged(`${path}/revoke`, undefined, 'POST')).text, text);
    assert.equal((await assertUnchanged(path, { type: 't' })).text, text);
  });

  test('making the default policy the default again', async () => {
    const { text } = await postern.call('GET', '/v1/policies/pol_default');
    assert.equal((await assertUnchanged('/v1/policies/pol_default/make-default', undefined, 'POST')).text, text);
  });

  test('a rollback writes a version all the same: it is in the history that it was asked for', async () => {
    const { id } = await makePolicy(postern, rules);
    const answer = await postern.call('POST', `/v1/policies/${id}/rollback`, { body: { version: 1 } });
    assert.equal(answer.body.version, 2);
  });
});
