/** The audit log records who changed what, when, from where, before and after. On a real socket. */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { hurry } from '../../kit/hurry.ts';
import { startTestService, testClock, testEngine } from '../../kit/service.ts';
import { until } from '../../kit/until.ts';
import { allowAll, assertError, assertStatus, ID, item, MOMENT, made, makeKey, next } from './given.ts';

hurry();

const DAY_MS = 86_400_000;
/** Tolerance of timestamps, ms: on a cluster they are the database's, as far as the node knows its clock. */
const CLOCK_MS = testEngine() === 'postgres' ? 100 : 0;
const postern = await startTestService({
  env: {
    POSTERN_WEBHOOK_ALLOW_PRIVATE: 'true',
    POSTERN_TRUSTED_PROXIES: '127.0.0.1',
    POSTERN_RECEIPTS: 'private',
    POSTERN_PUBLIC_URL: 'https://access.example.com',
  },
});
after(() => postern[Symbol.asyncDispose]());

async function entries(query = '', of = postern): Promise<any[]> {
  const answer = await of.call('GET', `/v1/audit-log?limit=100${query}`);
  assertStatus(answer, 200);
  return answer.body.data;
}

/** Routes that take a POST and change nothing. */
const READS = [
  'POST /v1/access/check',
  'POST /v1/access/check/batch',
  'POST /v1/proxy-probes',
  'POST /v1/policies/lint',
  'POST /v1/statements/preview',
  'POST /v1/statements/{id}/reconcile',
  'POST /v1/policies/simulate',
  'POST /v1/collections/match',
  'POST /v1/policies/{id}/impact',
];

type Record = any;

const policyBody = () => ({ name: 'P', rules: [allowAll] });
const newContent = (): Promise<Record> => made(postern, '/v1/content', item());
const newCollection = (): Promise<Record> => made(postern, '/v1/collections', { name: 'C', hosts: ['example.com'] });
const newPolicy = (): Promise<Record> => made(postern, '/v1/policies', policyBody());
async function withCandidate(): Promise<string> {
  const { id } = await newPolicy();
  await postern.call('PUT', `/v1/policies/${id}/candidate`, { body: { rules: [] } });
  return id;
}
const newRequester = (): Promise<Record> => made(postern, '/v1/requesters', { name: 'R' });
const newLicense = async (): Promise<Record> =>
  made(postern, '/v1/licenses', { requesterId: (await newRequester()).id, type: 'reader' });
const keyBody = { name: 'k', type: 'secret' };
const newKey = (): Promise<Record> => made(postern, '/v1/api-keys', keyBody);
const newUser = async (): Promise<Record> =>
  (await made(postern, '/v1/users/links', { name: `U${next()}`, role: 'viewer' })).user;
const hookBody = { url: 'http://127.0.0.1:9/', events: ['license.expired'] };
const newHook = (): Promise<Record> => made(postern, '/v1/webhooks', hookBody);

/** A request to a route: its path, and the entry that it leaves. */
type Plan = (path: string) => Promise<{
  path: string;
  body?: object | undefined;
  /** CSV. */
  raw?: string;
  kind: string;
  target?: string;
}>;

const makes =
  (kind: string, body: () => object | Promise<object>): Plan =>
  async (path) => ({ path, body: await body(), kind });
/** A request that names a record, which is made first. */
const changes =
  (kind: string, make: () => Promise<Record>, body?: object): Plan =>
  async (path) => {
    const { id } = await make();
    return { path: path.replace('{id}', id), body, kind, target: id };
  };

const changesToken =
  (kind: string): Plan =>
  async (path) => {
    const { id } = await newRequester();
    const { id: target } = await made(postern, `/v1/requesters/${id}/tokens`, { name: 'n' });
    return { path: path.replace('{id}', id).replace('{tokenId}', target), kind, target };
  };

const keyRoutes = (path: string): { [route: string]: Plan } => ({
  [`POST ${path}`]: makes('api_key.created', () => keyBody),
  [`DELETE ${path}/{id}`]: changes('api_key.revoked', newKey),
  [`POST ${path}/{id}/rotate`]: changes('api_key.rotated', newKey),
});

async function newRequest(): Promise<string> {
  const { id } = await made(postern, '/v1/requesters', {});
  const { token: key } = await made(postern, `/v1/requesters/${id}/tokens`, { name: 't' });
  return (await postern.call('POST', '/v1/me/requests', { key, body: { licenseType: 'x' } })).body.id;
}

/** For each route that changes something: a request that does. */
const CHANGES: { [route: string]: Plan } = {
  'POST /v1/content': makes('content.created', () => item()),
  'PATCH /v1/content/{id}': changes('content.updated', newContent, { title: 'T' }),
  'DELETE /v1/content/{id}': changes('content.deleted', newContent),
  'POST /v1/content/upsert': makes('content.created', () => item()),
  'POST /v1/content/bulk-upsert': makes('content.created', () => ({ items: [item()] })),
  'POST /v1/content/bulk-delete': async (path) => {
    const { id } = await newContent();
    return { path, body: { ids: [id] }, kind: 'content.deleted', target: id };
  },
  'POST /v1/collections': makes('collection.created', () => ({ name: 'C', hosts: ['example.com'] })),
  'PATCH /v1/collections/{id}': changes('collection.updated', newCollection, { name: 'N' }),
  'DELETE /v1/collections/{id}': changes('collection.deleted', newCollection),
  'POST /v1/policies': makes('policy.created', policyBody),
  'PATCH /v1/policies/{id}': changes('policy.updated', newPolicy, { name: 'N' }),
  'DELETE /v1/policies/{id}': changes('policy.deleted', newPolicy),
  'POST /v1/policies/{id}/rollback': async (path) => {
    const { id } = await newPolicy();
    await postern.call('PATCH', `/v1/policies/${id}`, { body: { name: 'N' } });
    return { path: path.replace('{id}', id), body: { version: 1 }, kind: 'policy.rolled_back', target: id };
  },
  'PUT /v1/offers/{licenseType}': async () => {
    const path = `/v1/offers/${Math.random()}`;
    return { path, body: { url: 'https://example.com/' }, kind: 'offer.created' };
  },
  'DELETE /v1/offers/{licenseType}': async () => {
    const path = `/v1/offers/${Math.random()}`;
    await postern.call('PUT', path, { body: { url: 'https://example.com/' } });
    return { path, kind: 'offer.deleted' };
  },
  'PUT /v1/sites/{host}': async () => ({
    path: `/v1/sites/s${next()}.example`,
    body: {},
    kind: 'site.created',
  }),
  'DELETE /v1/sites/{host}': async () => {
    const path = `/v1/sites/s${next()}.example`;
    await postern.call('PUT', path, { body: {} });
    return { path, kind: 'site.deleted' };
  },
  // Postern itself serves no robots.txt.
  'POST /v1/sites/{host}/signals/drift': async (path) => {
    const { host } = new URL(postern.url);
    await postern.call('PUT', `/v1/sites/${host}`, { body: {} });
    return { path: path.replace('{host}', host), kind: 'signals.drifted', target: host };
  },
  'PUT /v1/policies/{id}/candidate': async (path) => {
    const { id: target } = await newPolicy();
    return { path: path.replace('{id}', target), body: { rules: [] }, kind: 'policy_candidate.created', target };
  },
  'DELETE /v1/policies/{id}/candidate': async (path) => {
    const target = await withCandidate();
    return { path: path.replace('{id}', target), kind: 'policy_candidate.deleted', target };
  },
  'POST /v1/policies/{id}/candidate/publish': async (path) => {
    const target = await withCandidate();
    return { path: path.replace('{id}', target), kind: 'policy_candidate.deleted', target };
  },
  // Two policies change; the entry may be of either.
  'POST /v1/policies/{id}/make-default': async (path) => ({
    path: path.replace('{id}', (await newPolicy()).id),
    kind: 'policy.updated',
  }),
  'POST /v1/requesters': makes('requester.created', () => ({ name: 'R' })),
  'POST /v1/requesters/import': async (path) => ({ path, raw: 'name\nImported\n', kind: 'requester.created' }),
  'PATCH /v1/requesters/{id}': changes('requester.updated', newRequester, { name: 'S' }),
  'DELETE /v1/requesters/{id}': changes('requester.deleted', newRequester),
  'POST /v1/identity-lists/accept': async (path) => {
    const url = `https://example.com/${Math.random()}`;
    await postern.tamper({
      sql: `insert into identity_lists (url, texts, ranges, attempted_at, failures, held_texts, held_ranges, held_hash, held_at)
            values ('${url}', '[]', 0, 0, 0, '["192.0.2.0/24"]', 1, 'h', 1)`,
    });
    return { path, body: { url }, kind: 'identity.list_accepted', target: url };
  },
  'POST /v1/crawlers': async (path) => {
    const token = `bot${next()}`;
    return { path, body: { token, purpose: 'other' }, kind: 'crawler.created', target: token };
  },
  'DELETE /v1/crawlers/{token}': async (path) => {
    const token = `bot${next()}`;
    await made(postern, '/v1/crawlers', { token, purpose: 'other' });
    return { path: path.replace('{token}', token), kind: 'crawler.deleted', target: token };
  },
  'POST /v1/crawlers/register': makes('requester.created', () => ({ names: ['GPTBot'] })),
  'POST /v1/requesters/{id}/erase': changes('requester.deleted', newRequester),
  'POST /v1/requesters/{id}/tokens': async (path) => ({
    path: path.replace('{id}', (await newRequester()).id),
    body: { name: 'n' },
    kind: 'requester_token.created',
  }),
  'DELETE /v1/requesters/{id}/tokens/{tokenId}': changesToken('requester_token.revoked'),
  'POST /v1/requesters/{id}/tokens/{tokenId}/rotate': changesToken('requester_token.rotated'),
  'POST /v1/licenses': makes('license.created', async () => ({
    requesterId: (await newRequester()).id,
    type: 'reader',
  })),
  'PATCH /v1/licenses/{id}': changes('license.updated', newLicense, { features: ['x'] }),
  'DELETE /v1/licenses/{id}': changes('license.revoked', newLicense),
  'POST /v1/license-requests/{id}/grant': async (path) => {
    const id = await newRequest();
    return { path: path.replace('{id}', id), body: { free: true }, kind: 'license_request.granted', target: id };
  },
  'POST /v1/license-requests/{id}/decline': async (path) => {
    const id = await newRequest();
    return { path: path.replace('{id}', id), kind: 'license_request.declined', target: id };
  },
  'POST /v1/statements/{id}/finalize': async (path) => {
    const { id: requesterId } = await newRequester();
    const tiers = [{ upTo: null, unitPriceMicros: 1 }];
    const terms = { currency: 'EUR', timezone: 'UTC', period: 'month', unit: 'decision', tiers };
    const { id: licenseId } = await made(postern, '/v1/licenses', { requesterId, type: 'reader', terms });
    // Its first period has ended.
    await postern.tamper({ sql: `update license_terms set from_at = 1767225600000 where license_id = '${licenseId}'` });
    const { body } = await postern.call('GET', `/v1/statements?period=2026-01&licenseId=${licenseId}`);
    const [{ id }] = body.data;
    return { path: path.replace('{id}', id), kind: 'statement.finalized', target: id };
  },
  'POST /v1/licenses/{id}/revoke': changes('license.revoked', newLicense),
  ...keyRoutes('/v1/api-keys'),
  ...keyRoutes('/v1/api_keys'),
  'POST /v1/signing-keys/rotate': async (path) => {
    await made(postern, path, {}, 200);
    return { path, kind: 'signing_keys.rotated', target: 'signing_keys' };
  },
  'POST /v1/log-keys/rotate': async (path) => {
    await made(postern, path, undefined, 200);
    return { path, kind: 'log_keys.rotated', target: 'log_keys' };
  },
  'POST /v1/users/links': makes('user.link_created', () => ({ name: 'New', role: 'viewer' })),
  'POST /v1/users/{id}/suspend': changes('user.suspended', newUser),
  'POST /v1/users/{id}/reinstate': changes('user.reinstated', async () => {
    const user = await newUser();
    return made(postern, `/v1/users/${user.id}/suspend`, undefined, 200);
  }),
  'DELETE /v1/users/{id}': changes('user.deleted', newUser),
  'POST /v1/webhooks': makes('webhook.created', () => hookBody),
  'PATCH /v1/webhooks/{id}': changes('webhook.updated', newHook, { description: 'd' }),
  'DELETE /v1/webhooks/{id}': changes('webhook.deleted', newHook),
  'POST /v1/webhooks/{id}/rotate-secret': changes('webhook.secret_rotated', newHook),
  'POST /v1/webhooks/{id}/test': changes('webhook.test', newHook),
  'POST /v1/webhooks/{id}/deliveries/{deliveryId}/retry': async (path) => {
    const { id } = await newHook();
    const { id: target } = await made(postern, `/v1/webhooks/${id}/test`, undefined, 200);
    return { path: path.replace('{id}', id).replace('{deliveryId}', target), kind: 'webhook_delivery.retried', target };
  },
};

const { body: openapi } = await postern.call('GET', '/openapi.json', { key: null });
const routes = Object.entries(openapi.paths as { [path: string]: object })
  .flatMap(([path, methods]) => Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`))
  // The alias is not described.
  .flatMap((route) => (route.includes('/v1/api-keys') ? [route, route.replace('api-keys', 'api_keys')] : [route]))
  // Partners' requests for licenses have a test of their own: their actor is a token.
  .filter((route) => /^(POST|PUT|PATCH|DELETE) \/v1\/(?!me\/)/.test(route));

/** Sites are known by their hosts, crawlers by their tokens, and of signing keys there is one set. */
const nameOf = (record: Record): string =>
  record.id ?? record.host ?? record.token ?? record.userAgents?.[0] ?? record.object;

describe('every route that changes something leaves an entry', () => {
  const actor = { id: '' };
  for (const route of routes.filter((one) => !READS.includes(one))) {
    test(route, async () => {
      const plan = CHANGES[route];
      assert.ok(plan !== undefined, 'a new route: say here what it leaves in the audit log');
      const { path, body, raw, kind, target } = await plan(route.slice(route.indexOf(' ') + 1));
      const key = await made(postern, '/v1/api-keys', { name: route, type: 'secret' });
      actor.id = key.id;
      const requestId = `audit-${key.id}`;
      const before = Date.now();
      const answer = await postern.call(route.slice(0, route.indexOf(' ')), path, {
        ...(body === undefined ? {} : { body }),
        ...(raw === undefined ? {} : { raw }),
        key: key.key,
        headers: {
          ...(raw === undefined ? {} : { 'content-type': 'text/csv' }),
          'x-request-id': requestId,
          'x-forwarded-for': '203.0.113.9, 198.51.100.7',
        },
      });
      assert.ok(answer.status === 200 || answer.status === 201, answer.text);
      const all = await entries(`&actor=${key.id}`);
      assert.ok(all.length > 0, 'no entry');
      const entry = all.find((one) => one.kind === kind);
      assert.ok(entry !== undefined, JSON.stringify(all));
      assert.match(entry.id, ID('aud'));
      assert.equal(entry.object, 'audit_entry');
      assert.match(entry.created, MOMENT);
      const created = Date.parse(entry.created);
      assert.ok(created >= before - CLOCK_MS && created <= Date.now() + CLOCK_MS, entry.created);
      assert.deepEqual(entry.actor, { type: 'api_key', id: key.id, name: route.slice(0, 200) });
      assert.equal(entry.address, '198.51.100.7', 'the address before the trusted proxy');
      assert.equal(entry.requestId, requestId);
      assert.equal(entry.target.type, kind.slice(0, kind.indexOf('.')));
      if (target !== undefined) assert.equal(entry.target.id, target);
      if (kind.endsWith('.created')) assert.equal(entry.before, null);
      else assert.equal(nameOf(entry.before), entry.target.id);
      if (/\.deleted$|^(api_key|requester_token)\.revoked$/.test(kind)) assert.equal(entry.after, null);
      else assert.equal(nameOf(entry.after), entry.target.id);
      assert.ok(!/svc_[sp]k_\w{20}|whsec_/.test(JSON.stringify(all)), 'a secret');
      const records = [entry.before, entry.after].filter((one) => one !== null);
      assert.ok(records.every((one) => !('stats' in one)));
    });
  }

  test('those that only read leave none', async () => {
    const { key, id } = await made(postern, '/v1/api-keys', { name: 'reader', type: 'secret' });
    const content = await made(postern, '/v1/content', item());
    const made2 = await newPolicy();
    for (const [path, body] of [
      ['/v1/access/check', { contentId: content.id }],
      ['/v1/access/check/batch', { checks: [{ contentId: content.id }] }],
      ['/v1/policies/lint', { rules: [allowAll] }],
      ['/v1/policies/simulate', { policy: policyBody(), checks: [{ contentId: content.id }] }],
      [`/v1/policies/${made2.id}/impact`, { rules: [allowAll] }],
    ] as const) {
      const answer = await postern.call('POST', path, { body, key });
      assert.ok(answer.status < 500, answer.text);
    }
    for (const path of ['/v1/content', '/v1/events', '/v1/webhooks', '/v1/audit-log', '/v1/api-keys']) {
      assertStatus(await postern.call('GET', path, { key }), 200);
    }
    assert.deepEqual(await entries(`&actor=${id}`), []);
    for (const route of READS) assert.ok(routes.includes(route), `${route} is still there`);
  });
});

test('before and after are the whole record', async () => {
  const { stats: _, ...created } = (
    await postern.call('POST', '/v1/content', { body: item({ metadata: { z: 1, a: 2 } }) })
  ).body;
  const { stats: __, ...edited } = (
    await postern.call('PATCH', `/v1/content/${created.id}`, { body: { title: 'N', metadata: { z: null, b: [] } } })
  ).body;
  await postern.call('DELETE', `/v1/content/${created.id}`);
  const [deleted, updated, first] = await entries(`&object=${created.id}`);
  assert.deepEqual([first.before, first.after], [null, created]);
  assert.deepEqual([updated.before, updated.after], [created, edited]);
  assert.deepEqual([deleted.before, deleted.after], [edited, null]);
});

test('a statement was open before it was final, a license valid before it expired, a request not there', async () => {
  const clock = testClock(Date.parse('2026-10-20T12:00:00Z'));
  await using own = await startTestService({ clock });
  const { id: requesterId } = await made(own, '/v1/requesters', {});
  const tiers = [{ upTo: null, unitPriceMicros: 1 }];
  const terms = { currency: 'EUR', timezone: 'UTC', period: 'month', unit: 'decision', tiers };
  const license = { requesterId, type: 'reader', terms, expiresAt: '2026-11-20T00:00:00Z' };
  const { id: licenseId } = await made(own, '/v1/licenses', license);
  const { token: key } = await made(own, `/v1/requesters/${requesterId}/tokens`, { name: 't' });
  const { id: request } = (await own.call('POST', '/v1/me/requests', { key, body: { licenseType: 'x' } })).body;
  const [requested] = await entries(`&object=${request}`, own);
  assert.deepEqual([requested.before, requested.target], [null, { type: 'license_request', id: request }]);
  assert.deepEqual(await entries('&object=license_request', own), [requested]);
  assert.ok((await entries('&object=license', own)).every((one) => one.target.type === 'license'));
  clock.advance(30 * DAY_MS);
  const [open] = (await own.call('GET', '/v1/statements?period=2026-10')).body.data;
  const { body: final } = await own.call('POST', `/v1/statements/${open.id}/finalize`);
  const [finalized] = await entries('&kind=statement.finalized', own);
  assert.deepEqual([finalized.before, finalized.after], [open, final]);
  clock.advance(2 * DAY_MS);
  const [expired] = await until('the expiry', async () => {
    const found = await entries('&kind=license.expired', own);
    return found.length > 0 ? found : undefined;
  });
  assert.deepEqual([expired.target.id, expired.before.valid, expired.after.valid], [licenseId, true, false]);
});

test('a refused or repeated request leaves none', async () => {
  const { key, id } = await made(postern, '/v1/api-keys', { name: 'k', type: 'secret' });
  const body = item();
  const send = (more: object = {}) =>
    postern.call('POST', '/v1/content', { body, key, headers: { 'idempotency-key': 'a' }, ...more });
  await send();
  await send();
  assertStatus(await send({ headers: {} }), 409);
  assertStatus(await send({ body: {}, headers: {} }), 400);
  assertStatus(await postern.call('DELETE', '/v1/content/none', { key }), 404);
  assert.equal((await entries(`&actor=${id}`)).length, 1);
});

describe('reading it', () => {
  test('filters by actor, object, kind and time; pages; NDJSON of all', async () => {
    const clock = testClock();
    await using own = await startTestService({ clock });
    const { id: keyId, key } = await made(own, '/v1/api-keys', { name: 'editor', type: 'secret' });
    clock.advance(1000);
    const { id } = await made(own, '/v1/content', item());
    const second = new Date(clock.now()).toISOString();
    clock.advance(1000);
    await own.call('PATCH', `/v1/content/${id}`, { body: { title: 'x' }, key });
    clock.advance(1000);
    await made(own, '/v1/requesters', { id: 'r', name: 'R' });
    const kinds = async (query: string) => (await entries(query, own)).map(({ kind }) => kind);
    assert.deepEqual(await kinds(''), ['requester.created', 'content.updated', 'content.created', 'api_key.created']);
    assert.deepEqual(await kinds(`&actor=${keyId}`), ['content.updated']);
    assert.deepEqual(await kinds('&actor=system'), []);
    assert.deepEqual(await kinds('&object=content'), ['content.updated', 'content.created']);
    assert.deepEqual(await kinds(`&object=${id}`), ['content.updated', 'content.created']);
    assert.deepEqual(await kinds('&object=api_key'), ['api_key.created']);
    assert.deepEqual(await kinds('&kind=content.created'), ['content.created']);
    assert.deepEqual(await kinds(`&from=${second}&object=content`), ['content.updated', 'content.created']);
    assert.deepEqual(await kinds(`&to=${second}`), ['api_key.created']);
    assert.deepEqual(await kinds('&from=2026-11-21&to=2026-11-21'), await kinds(''));
    assert.deepEqual(await kinds('&from=2026-11-22'), []);
    assert.deepEqual(await kinds(`&object=content&actor=${keyId}&kind=content.updated&from=${second}`), [
      'content.updated',
    ]);
    const walked = [];
    for (let cursor = ''; ; ) {
      const { body } = await own.call('GET', `/v1/audit-log?limit=1&object=content${cursor && `&cursor=${cursor}`}`);
      assert.equal(body.totalCount, 2);
      walked.push(...body.data);
      if (!body.hasMore) break;
      cursor = body.nextCursor;
    }
    assert.deepEqual(walked, await entries('&object=content', own));
    // More than are read at once.
    for (let i = 0; i < 2; i++)
      await own.call('POST', '/v1/content/bulk-upsert', { body: { items: Array.from({ length: 700 }, () => item()) } });
    const ndjson = await own.call('GET', '/v1/audit-log?object=content', {
      headers: { accept: 'application/x-ndjson' },
    });
    assert.match(ndjson.headers.get('content-type') ?? '', /^application\/x-ndjson/);
    const lines = ndjson.text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    assert.equal(lines.length, 1402);
    assert.equal(new Set(lines.map((line) => line.id)).size, 1402);
    assert.deepEqual(lines.slice(-2), walked);
  });

  test('refusals', async () => {
    const get = (query: string, key?: string) =>
      postern.call('GET', `/v1/audit-log${query}`, key === undefined ? {} : { key });
    assertError(await get('?kind=content.made'), 'invalid_request', 'kind');
    assertError(await get('?kind=access.granted'), 'invalid_request', 'kind');
    assertError(await get('?who=x'), 'invalid_request', 'who');
    const unreadable = await get('?from=x');
    assertError(unreadable, 'invalid_request', 'from');
    assert.match(unreadable.body.error.message, /must be a date such as .*, or a time/);
    for (const path of ['/v1/audit-log', '/v1/events', '/v1/access/decisions']) {
      const answer = await postern.call('GET', `${path}?from=2026-11-22&to=2026-11-20`);
      assertError(answer, 'invalid_request', 'from');
    }
    assertError(await get('?cursor=x'), 'invalid_cursor');
    assertError(
      await get('', await makeKey(postern, { permissions: ['webhooks:manage'] })),
      'insufficient_permissions',
    );
    assertError(
      await postern.call('GET', '/v1/audit-log', {
        headers: { accept: 'application/x-ndjson' },
        key: await makeKey(postern, { permissions: ['content:read'] }),
      }),
      'insufficient_permissions',
    );
    const from = '?from=x';
    assertError(
      await postern.call('GET', `/v1/audit-log${from}`, { headers: { accept: 'application/x-ndjson' } }),
      'invalid_request',
      'from',
    );
  });

  test('a key that was revoked is still named', async () => {
    const { key, id } = await made(postern, '/v1/api-keys', { name: 'gone soon', type: 'secret' });
    await postern.call('POST', '/v1/content', { body: item(), key });
    await postern.call('DELETE', `/v1/api-keys/${id}`);
    assert.equal((await entries(`&actor=${id}`))[0].actor.name, 'gone soon');
  });

  test('an address that nobody may make up: X-Forwarded-For of strangers does not count', async () => {
    await using own = await startTestService();
    const answer = await own.call('POST', '/v1/content', {
      body: item(),
      headers: { 'x-forwarded-for': '203.0.113.9' },
    });
    const [entry] = await entries(`&object=${answer.body.id}`, own);
    assert.equal(entry.address, '127.0.0.1');
    assert.equal(entry.requestId, answer.headers.get('request-id'));
  });

  test('it is kept for POSTERN_AUDIT_DAYS', async () => {
    const clock = testClock();
    await using own = await startTestService({ clock, env: { POSTERN_AUDIT_DAYS: '30' } });
    await made(own, '/v1/content', item());
    clock.advance(30 * DAY_MS);
    const { id } = await made(own, '/v1/content', item());
    assert.equal((await entries('', own)).length, 2);
    clock.advance(1);
    const [kept, ...more] = await until('the old one to go', async () => {
      const all = await entries('', own);
      return all.length === 1 ? all : undefined;
    });
    assert.deepEqual([kept.target.id, more], [id, []]);
  });
});
