/** No edit ignores a condition of its client: an operation evaluates it, or refuses it and changes nothing. */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { startTestService } from '../../kit/service.ts';
import { assertError, assertStatus, item, made } from './given.ts';

const postern = await startTestService();
after(() => postern[Symbol.asyncDispose]());

const there = await made(postern, '/v1/content', item({ title: 'Kept' }));
const fields = { externalId: there.externalId, title: 'Lost', type: there.type, source: there.source };
const hook = await made(postern, '/v1/webhooks', { url: 'https://example.com/hook', events: ['*'] });
const key = await made(postern, '/v1/api-keys', { name: 'k', type: 'secret' });
assertStatus(await postern.call('PUT', '/v1/sites/a.example', { body: { contact: 'mailto:a@a.example' } }), 201);

const changes = async (): Promise<number> => (await postern.call('GET', '/v1/audit-log')).body.totalCount;

describe('a condition that an operation does not evaluate is refused', () => {
  for (const [what, header, method, path, body] of [
    ['an upsert', 'If-Match', 'POST', '/v1/content/upsert', fields],
    ['a bulk upsert', 'If-Match', 'POST', '/v1/content/bulk-upsert', { items: [fields] }],
    ['a bulk deletion', 'If-Match', 'POST', '/v1/content/bulk-delete', { ids: [there.id] }],
    ['a creation', 'If-Match', 'POST', '/v1/content', item()],
    ['a record without an ETag', 'If-Match', 'PATCH', `/v1/webhooks/${hook.id}`, { description: 'd' }],
    ['its deletion', 'If-Match', 'DELETE', `/v1/webhooks/${hook.id}`, undefined],
    ['a key', 'If-Match', 'DELETE', `/v1/api-keys/${key.id}`, undefined],
    ['creation only', 'If-None-Match', 'PUT', '/v1/sites/a.example', {}],
    ['creation only, by upsert', 'If-None-Match', 'POST', '/v1/content/upsert', fields],
    ['an edit', 'If-None-Match', 'PATCH', `/v1/content/${there.id}`, { title: 'Lost' }],
  ] as const)
    test(`${what}: ${header} with ${method} ${path.replace(/_\w{26}/, '_…')}`, async () => {
      const before = await changes();
      for (const value of ['"1"', '*']) {
        const headers = { [header.toLowerCase()]: value };
        const answer = await postern.call(method, path, { headers, ...(body === undefined ? {} : { body }) });
        assertError(answer, 'invalid_request', header);
        assert.match(answer.body.error.message, /nothing was changed/);
      }
      assert.equal(await changes(), before);
      // It is the condition alone that is refused.
      if (method === 'POST' && path.startsWith('/v1/content/upsert'))
        assertStatus(await postern.call(method, path, { body: { ...fields, title: 'Kept' } }), 200);
    });
});

test('`If-Match` with PUT creates nothing where the record is gone', async () => {
  for (const [path, body] of [
    ['/v1/sites/b.example', {}],
    ['/v1/offers/training', { unitPriceMicros: 5000, currency: 'USD' }],
  ] as const) {
    const put = (headers = {}) => postern.call('PUT', path, { body, headers });
    const created = await put();
    assertStatus(created, 201);
    const etag = created.headers.get('etag') ?? '';
    assertStatus(await put({ 'if-match': etag }), 200);
    assertStatus(await postern.call('DELETE', path), 200);
    for (const value of [etag, '*'])
      assertError(await put({ 'if-match': value }), 'precondition_failed', undefined, path);
    assert.equal((await postern.call('GET', path)).status, 404);
  }
});
