/** The same edit through two nodes at once, from outside. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import type { Answer } from '../../../kit/answer.ts';
import { testPostgres } from '../../../kit/postgres.ts';
import { startTestService, type TestService } from '../../../kit/service.ts';
import { allowAll, item, made, makeItem, makePolicy, next } from '../../http/given.ts';

const stack = new AsyncDisposableStack();
const { url } = stack.use(await (await testPostgres()).newDatabase());
async function startNode(): Promise<TestService> {
  const dataDir = mkdtempSync(join(tmpdir(), 'postern-node-'));
  stack.defer(() => rmSync(dataDir, { recursive: true, force: true }));
  const env = { POSTERN_DATABASE_URL: url, POSTERN_WEBHOOK_ALLOW_PRIVATE: 'true' };
  return stack.use(await startTestService({ dataDir, env }));
}
const here = await startNode();
const there = await startNode();
after(() => stack.disposeAsync());

/** So that some of them meet. */
const ROUNDS = 8;

interface Request {
  path: string;
  body?: object;
  method?: string;
  headers?: Record<string, string>;
}

/** Through both nodes at once, with the same headers. */
const both = ({ path, body, method = 'POST', headers = {} }: Request): Promise<[Answer, Answer]> => {
  const options = { key: here.key, headers, ...(body === undefined ? {} : { body }) };
  return Promise.all([here.call(method, path, options), there.call(method, path, options)]);
};

describe('without an Idempotency-Key', () => {
  const byStatus = (answers: Answer[]): number[] => answers.map(({ status }) => status).toSorted();

  test('an upsert registers or edits: it is never told that the item exists', async () => {
    for (let round = 0; round < 30; round++) {
      const body = item();
      const answers = await both({ path: '/v1/content/upsert', body });
      assert.deepEqual(byStatus(answers), [200, 201], answers.map(({ text }) => text).join());
      const edits = await Promise.all([
        here.call('POST', '/v1/content/upsert', { body: { ...body, metadata: { a: 1 } } }),
        there.call('POST', '/v1/content/upsert', { body: { ...body, metadata: { b: 2 } }, key: here.key }),
      ]);
      assert.deepEqual(byStatus(edits), [200, 200]);
      assert.deepEqual((await here.call('GET', `/v1/content/${body.externalId}`)).body.metadata, { a: 1, b: 2 });
    }
  });

  test('upserts beside bulk-upserts of the same items', async () => {
    for (let round = 0; round < 5; round++) {
      const items = Array.from({ length: 20 }, () => item());
      const [bulk, ...singles] = await Promise.all([
        there.call('POST', '/v1/content/bulk-upsert', { body: { items }, key: here.key }),
        ...items.map((body) => here.call('POST', '/v1/content/upsert', { body })),
      ]);
      assert.deepEqual([bulk?.status, bulk?.body.failed], [200, 0], bulk?.text);
      for (const one of singles) assert.ok(one.status === 200 || one.status === 201, one.text);
      const created = singles.filter(({ status }) => status === 201).length + bulk?.body.created;
      assert.equal(created, items.length, 'each is registered once');
    }
  });

  test('a create, a deletion: one of two has the effect, the other is told the truth', async () => {
    const body = item();
    assert.deepEqual(byStatus(await both({ path: '/v1/content', body })), [201, 409]);
    assert.deepEqual(byStatus(await both({ path: `/v1/content/${body.externalId}`, method: 'DELETE' })), [200, 404]);
    assert.deepEqual(byStatus(await both({ path: '/v1/requesters', body: { id: `r${next()}` } })), [201, 409]);
  });
});

/** For every kind of edit: a request that would be refused, or answered otherwise, if it was asked again. */
const EDITS: Record<string, () => Promise<Request>> = {
  'POST /v1/content': async () => ({ path: '/v1/content', body: item() }),
  'POST /v1/content/upsert': async () => ({ path: '/v1/content/upsert', body: item() }),
  'POST /v1/content/bulk-upsert': async () => ({
    path: '/v1/content/bulk-upsert',
    body: { items: [item(), item(), { externalId: 'bad' }] },
  }),
  'POST /v1/content/bulk-delete': async () => ({
    path: '/v1/content/bulk-delete',
    body: { ids: [(await made(here, '/v1/content', item())).id] },
  }),
  'PATCH /v1/content/{id}': async () => {
    const { id } = await made(here, '/v1/content', item());
    const etag = (await here.call('GET', `/v1/content/${id}`)).headers.get('etag') ?? '';
    return { path: `/v1/content/${id}`, method: 'PATCH', body: { title: 'B' }, headers: { 'if-match': etag } };
  },
  'POST /v1/policies': async () => ({ path: '/v1/policies', body: { name: `p${next()}`, rules: [] } }),
  'PATCH /v1/policies/{id}': async () => ({
    path: `/v1/policies/${(await makePolicy(here, [])).id}`,
    method: 'PATCH',
    body: { name: 'B' },
    headers: { 'if-match': '"1"' },
  }),
  'POST /v1/policies/{id}/rollback': async () => ({
    path: `/v1/policies/${(await makePolicy(here, [])).id}/rollback`,
    body: { version: 1 },
    headers: { 'if-match': '"1"' },
  }),
  'POST /v1/policies/{id}/make-default': async () => ({
    path: `/v1/policies/${(await makePolicy(here, [])).id}/make-default`,
  }),
  'POST /v1/requesters': async () => ({ path: '/v1/requesters', body: { id: `same-${next()}` } }),
  'PATCH /v1/requesters/{id}': async () => ({
    path: `/v1/requesters/${(await made(here, '/v1/requesters', {})).id}`,
    method: 'PATCH',
    body: { name: 'B' },
  }),
  'POST /v1/licenses': async () => ({
    path: '/v1/licenses',
    body: { requesterId: (await made(here, '/v1/requesters', {})).id, type: 't' },
  }),
  'PATCH /v1/licenses/{id}': async () => ({
    path: `/v1/licenses/${await licenseId()}`,
    method: 'PATCH',
    body: { type: 'u' },
  }),
  'POST /v1/licenses/{id}/revoke': async () => ({ path: `/v1/licenses/${await licenseId()}/revoke` }),
  'POST /v1/api-keys': async () => ({ path: '/v1/api-keys', body: { name: 'k', type: 'secret' } }),
  'POST /v1/api-keys/{id}/rotate': async () => ({
    path: `/v1/api-keys/${(await made(here, '/v1/api-keys', { name: 'k', type: 'secret' })).id}/rotate`,
    body: {},
  }),
  'POST /v1/webhooks': async () => ({
    path: '/v1/webhooks',
    body: { url: 'http://127.0.0.1:9/', events: ['policy.*'] },
  }),
  'PATCH /v1/webhooks/{id}': async () => ({
    path: `/v1/webhooks/${await webhookId()}`,
    method: 'PATCH',
    body: { status: 'disabled' },
  }),
  'POST /v1/webhooks/{id}/rotate-secret': async () => ({ path: `/v1/webhooks/${await webhookId()}/rotate-secret` }),
  'POST /v1/webhooks/{id}/test': async () => ({ path: `/v1/webhooks/${await webhookId()}/test` }),
  'POST /v1/access/check': async () => ({ path: '/v1/access/check', body: { contentId: (await limited()).id } }),
  'POST /v1/access/check/batch': async () => {
    const { id } = await limited();
    return { path: '/v1/access/check/batch', body: { checks: [{ contentId: id }, { contentId: 'none' }] } };
  },
};
const licenseId = async (): Promise<string> =>
  (await made(here, '/v1/licenses', { requesterId: (await made(here, '/v1/requesters', {})).id, type: 't' })).id;
const webhookId = async (): Promise<string> =>
  (await made(here, '/v1/webhooks', { url: 'http://127.0.0.1:9/', events: ['policy.*'] })).id;
const limited = () => makeItem(here, [{ ...allowAll, rateLimit: { requests: 1, period: 'day' } }]);

/** Records with an ETag: how one is made, and two edits of it. */
const TAGGED: Record<string, { make: () => Promise<string>; edits: [object, object] }> = {
  'an item': {
    make: async () => `/v1/content/${(await made(here, '/v1/content', item())).id}`,
    edits: [{ title: 'B' }, { tags: ['c'] }],
  },
  'a policy': {
    make: async () => `/v1/policies/${(await makePolicy(here, [])).id}`,
    edits: [{ name: 'B' }, { description: 'C' }],
  },
  'a requester': {
    make: async () => `/v1/requesters/${(await made(here, '/v1/requesters', {})).id}`,
    edits: [{ name: 'B' }, { tags: ['c'] }],
  },
  'a license': { make: async () => `/v1/licenses/${await licenseId()}`, edits: [{ type: 'u' }, { features: ['c'] }] },
};

describe('with the same If-Match: one has an effect, the other finds another state', () => {
  for (const [what, { make, edits }] of Object.entries(TAGGED)) {
    for (const method of ['PATCH', 'DELETE']) {
      test(`an edit of ${what}, and a ${method} on the other node`, async () => {
        for (let round = 0; round < 2 * ROUNDS; round++) {
          const path = await make();
          const headers = { 'if-match': (await here.call('GET', path)).headers.get('etag') ?? '' };
          const body = method === 'PATCH' ? { body: edits[1] } : {};
          const [edited, other] = await Promise.all([
            here.call('PATCH', path, { headers, body: edits[0] }),
            there.call(method, path, { headers, key: here.key, ...body }),
          ]);
          const outcomes = ['200 412', method === 'PATCH' ? '412 200' : '404 200'];
          assert.ok(outcomes.includes(`${edited.status} ${other.status}`), `${edited.text} ${other.text}`);
        }
      });
    }
  }
});

describe('with the same Idempotency-Key: a replay, or told to repeat it', () => {
  for (const [edit, make] of Object.entries(EDITS)) {
    test(edit, async () => {
      for (let round = 0; round < ROUNDS; round++) {
        const { headers, ...request } = await make();
        const keyed = { ...request, headers: { ...headers, 'idempotency-key': `${edit} ${round}` } };
        const answers = await both(keyed);
        const told: string[] = [];
        for (const answer of answers) {
          if (answer.status === 409) {
            assert.equal(answer.body.error.code, 'idempotency_key_in_use', answer.text);
            assert.match(answer.headers.get('retry-after') ?? '', /^\d+$/);
          } else {
            assert.ok(answer.status === 200 || answer.status === 201, answer.text);
            told.push(answer.text);
          }
        }
        assert.ok(told.length > 0, 'one is answered');
        const [again] = await both(keyed);
        assert.equal(again.headers.get('idempotent-replayed'), 'true', again.text);
        for (const text of told) assert.equal(text, again.text);
      }
    });
  }

  test('with another body: whichever comes first has the effect, the other is refused', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const path = '/v1/content';
      const { externalId } = item();
      const headers = { 'idempotency-key': `body ${round}` };
      const [one, other] = await Promise.all([
        here.call('POST', path, { headers, body: item({ externalId }) }),
        there.call('POST', path, { headers, body: item({ externalId, title: 'B' }), key: here.key }),
      ]);
      const codes = [one, other].map(({ status, body }) => body.error?.code ?? status).toSorted();
      assert.equal(codes[0], 201, codes.join());
      assert.ok(['idempotency_key_reused', 'idempotency_key_in_use'].includes(codes[1]), codes.join());
    }
  });
});
