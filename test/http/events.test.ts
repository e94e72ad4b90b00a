/** Every operation writes the events that it names, with their data; the list; expiries. On a real socket. */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import type { Answer } from '../../kit/answer.ts';
import { pluck } from '../../kit/pluck.ts';
import { startReceiver } from '../../kit/receiver.ts';
import { startTestService, type TestService, testClock } from '../../kit/service.ts';
import { until } from '../../kit/until.ts';
import { EVENT_KINDS } from '../../src/api/changes/kinds.ts';
import { allowAll, assertError, assertStatus, check, ID, item, MOMENT, made, makeItem, makePolicy } from './given.ts';

/** The promised kinds. */
const KINDS = [
  ...['created', 'updated', 'archived', 'restored', 'deleted'].map((verb) => `content.${verb}`),
  ...['created', 'updated', 'deleted'].map((verb) => `collection.${verb}`),
  ...['created', 'updated', 'deleted'].map((verb) => `offer.${verb}`),
  ...['created', 'updated', 'rolled_back', 'deleted', 'candidate_diverged'].map((verb) => `policy.${verb}`),
  ...['created', 'updated', 'deleted', 'spoofed'].map((verb) => `requester.${verb}`),
  'denials.jumped',
  ...['created', 'deleted', 'first_seen'].map((verb) => `crawler.${verb}`),
  ...['created', 'rotated', 'revoked'].map((verb) => `requester_token.${verb}`),
  'identity.list_suspicious',
  ...['created', 'updated', 'revoked', 'expired', 'expiring', 'threshold_reached', 'quota_exceeded'].map(
    (verb) => `license.${verb}`,
  ),
  'license.requested',
  'license_request.granted',
  'license_request.declined',
  'statement.finalized',
  ...['created', 'updated', 'deleted'].map((verb) => `site.${verb}`),
  'signals.drifted',
  ...['created', 'rotated', 'revoked'].map((verb) => `api_key.${verb}`),
  ...['granted', 'denied', 'rate_limited'].map((verb) => `access.${verb}`),
];
const DAY_MS = 86_400_000;
const postern = await startTestService({ env: { POSTERN_WEBHOOK_ALLOW_PRIVATE: 'true' } });
after(() => postern[Symbol.asyncDispose]());

async function eventsOf(of: TestService, query: string): Promise<any[]> {
  const answer = await of.call('GET', `/v1/events?limit=100&${query}`);
  assertStatus(answer, 200);
  return answer.body.data;
}

const newest = async (of: TestService) => (await eventsOf(of, ''))[0];

/** Runs an operation and returns the events it announced, oldest first. */
async function announced(of: TestService, operation: () => Promise<unknown>) {
  const before = (await newest(of))?.id;
  await operation();
  const all = await eventsOf(of, '');
  const end = before === undefined ? all.length : all.findIndex(({ id }) => id === before);
  return all.slice(0, end).toReversed();
}

const ok = async (answer: Promise<Answer>): Promise<Answer> => {
  const got = await answer;
  assert.ok(got.status === 200 || got.status === 201, got.text);
  return got;
};

test('the kinds are the promised ones', () => {
  assert.deepEqual(EVENT_KINDS.toSorted(), KINDS.toSorted());
});

describe('each kind', () => {
  const patch = (path: string, body: object) => ok(postern.call('PATCH', path, { body }));
  const post = (path: string, body?: object) => ok(postern.call('POST', path, body === undefined ? {} : { body }));
  const remove = (path: string) => ok(postern.call('DELETE', path));
  const get = async (path: string) => (await ok(postern.call('GET', path))).body;
  const produced = new Set<string>();
  after(() => {
    const elsewhere = [
      'crawler.first_seen',
      'denials.jumped',
      'requester.spoofed',
      'identity.list_suspicious',
      'license.expired',
      'license.expiring',
      'license.threshold_reached',
      'license.quota_exceeded',
      'policy.candidate_diverged',
      'license.requested',
      'license_request.granted',
      'license_request.declined',
      'statement.finalized',
      'site.created',
      'site.updated',
      'site.deleted',
      'signals.drifted',
      'access.granted',
      'access.denied',
      'access.rate_limited',
    ];
    assert.deepEqual([...produced, ...elsewhere].toSorted(), KINDS.toSorted(), 'no kind is left out');
  });

  /** The one event of an operation on a record; `object` is the record after it, `previous` what changed. */
  async function one(kind: string, path: string, operation: () => Promise<unknown>, changed: string[] | null) {
    const before = changed === null ? undefined : await get(path);
    const events = await announced(postern, operation);
    assert.deepEqual(pluck(events, 'type'), [kind]);
    const [{ data, ...event }] = events;
    produced.add(kind);
    assert.match(event.id, ID('evt'));
    assert.match(event.created, MOMENT);
    assert.equal(event.object, 'event');
    assert.ok(!('stats' in data.object));
    if (before === undefined) assert.ok(!('previous' in data), 'nothing was before');
    else {
      assert.deepEqual(Object.keys(data.previous).toSorted(), [...(changed as string[])].toSorted());
      for (const name of changed ?? []) assert.deepEqual(data.previous[name], before[name], name);
    }
    return data.object;
  }
  const asNow = async (object: Record<string, unknown>, path: string) => {
    const { stats: _, ...now } = await get(path);
    assert.deepEqual(object, now);
  };

  test('content', async () => {
    let id = '';
    const path = () => `/v1/content/${id}`;
    const created = await one(
      'content.created',
      '',
      async () => ({ id } = await made(postern, '/v1/content', item({ metadata: { z: 1, a: { __proto__x: 2 } } }))),
      null,
    );
    await asNow(created, path());
    await asNow(
      await one('content.updated', path(), () => patch(path(), { title: 'New', metadata: { b: 2 } }), [
        'metadata',
        'title',
        'updated',
      ]),
      path(),
    );
    await asNow(
      await one('content.archived', path(), () => patch(path(), { status: 'archived' }), ['status', 'updated']),
      path(),
    );
    await asNow(
      await one('content.restored', path(), () => patch(path(), { status: 'active' }), ['status', 'updated']),
      path(),
    );
    const { stats: _, ...last } = await get(path());
    assert.deepEqual(await one('content.deleted', '', () => remove(path()), null), last, 'its last state');
    const { id: again } = await made(postern, '/v1/content', item({ externalId: 'ups' }));
    await one(
      'content.updated',
      `/v1/content/${again}`,
      () => post('/v1/content/upsert', item({ externalId: 'ups', title: 'U' })),
      ['title', 'updated'],
    );
  });

  test('content in bulk: one for each item that was written', async () => {
    const items = [item({ externalId: 'bulk-1' }), item({ externalId: 'bulk-2' }), { title: 'wrong' }];
    const events = await announced(postern, () => post('/v1/content/bulk-upsert', { items }));
    assert.deepEqual(
      events.map(({ type, data }) => [type, data.object.externalId]),
      [
        ['content.created', 'bulk-1'],
        ['content.created', 'bulk-2'],
      ],
    );
    const gone = await announced(postern, () => post('/v1/content/bulk-delete', { ids: ['bulk-1', 'none', 'bulk-2'] }));
    assert.deepEqual(
      gone.map(({ type, data }) => [type, data.object.externalId]),
      [
        ['content.deleted', 'bulk-1'],
        ['content.deleted', 'bulk-2'],
      ],
    );
  });

  test('policies', async () => {
    let id = '';
    const path = () => `/v1/policies/${id}`;
    const withoutWarnings = async (object: Record<string, unknown>) => {
      const { warnings: _, ...now } = await get(path());
      const { warnings: __, ...then } = object;
      assert.deepEqual(then, now);
    };
    await withoutWarnings(
      await one('policy.created', '', async () => ({ id } = await makePolicy(postern, [allowAll])), null),
    );
    await withoutWarnings(
      await one('policy.updated', path(), () => patch(path(), { name: 'New' }), ['name', 'updated', 'version']),
    );
    await withoutWarnings(
      await one('policy.rolled_back', path(), () => post(`${path()}/rollback`, { version: 1 }), [
        'name',
        'updated',
        'version',
      ]),
    );
    const made2 = await announced(postern, () => post(`${path()}/make-default`));
    assert.ok(made2.length > 0 && made2.every(({ type }) => type === 'policy.updated'));
    assert.ok(made2.some(({ data }) => data.object.id === id));
    await post('/v1/policies/pol_default/make-default');
    assert.equal((await one('policy.deleted', '', () => remove(path()), null)).id, id);
  });

  test('collections', async () => {
    let id = '';
    const path = () => `/v1/collections/${id}`;
    const create = async () => ({ id } = await made(postern, '/v1/collections', { name: 'C', paths: ['/'] }));
    await asNow(await one('collection.created', '', create, null), path());
    await asNow(
      await one('collection.updated', path(), () => patch(path(), { paths: ['/a'] }), ['paths', 'updated', 'version']),
      path(),
    );
    assert.equal((await one('collection.deleted', '', () => remove(path()), null)).id, id);
  });

  test("crawlers of one's own", async () => {
    const body = { token: 'eventbot', purpose: 'other' };
    const event = await one('crawler.created', '', () => made(postern, '/v1/crawlers', body), null);
    assert.deepEqual(event.userAgents, ['eventbot']);
    assert.deepEqual(await one('crawler.deleted', '', () => remove('/v1/crawlers/eventbot'), null), event);
  });

  test('offers', async () => {
    const path = '/v1/offers/commercial';
    const put = (body: object) => ok(postern.call('PUT', path, { body }));
    await asNow(await one('offer.created', '', () => put({ url: 'https://example.com/' }), null), path);
    const priced = { url: 'https://example.com/', unitPriceMicros: 5, currency: 'EUR' };
    await asNow(await one('offer.updated', path, () => put(priced), ['currency', 'unitPriceMicros', 'updated']), path);
    const last = await get(path);
    assert.deepEqual(await one('offer.deleted', '', () => remove(path), null), last, 'its last state');
  });

  test('requesters and licences', async () => {
    let id = '';
    let license = '';
    const path = () => `/v1/requesters/${id}`;
    const of = () => `/v1/licenses/${license}`;
    await asNow(
      await one(
        'requester.created',
        '',
        async () => ({ id } = await made(postern, '/v1/requesters', { name: 'R' })),
        null,
      ),
      path(),
    );
    await asNow(
      await one('requester.updated', path(), () => patch(path(), { tags: ['a'] }), ['tags', 'updated']),
      path(),
    );
    await asNow(
      await one(
        'license.created',
        '',
        async () => ({ id: license } = await made(postern, '/v1/licenses', { requesterId: id, type: 'research' })),
        null,
      ),
      of(),
    );
    await asNow(
      await one('license.updated', of(), () => patch(of(), { features: ['b'] }), ['features', 'updated']),
      of(),
    );
    await asNow(await one('license.revoked', of(), () => post(`${of()}/revoke`), ['status', 'updated', 'valid']), of());
    const { id: second } = await made(postern, '/v1/licenses', { requesterId: id, type: 'reader' });
    const deleted = await one('license.revoked', `/v1/licenses/${second}`, () => remove(`/v1/licenses/${second}`), [
      'status',
      'valid',
    ]);
    assert.deepEqual([deleted.id, deleted.valid], [second, false]);
    assert.equal((await one('requester.deleted', '', () => remove(path()), null)).id, id);
  });

  test('a requester takes its licences along, each announced', async () => {
    const { id } = await made(postern, '/v1/requesters', { name: 'R' });
    const licenses = [];
    for (const type of ['a', 'b', 'c'])
      licenses.push((await made(postern, '/v1/licenses', { requesterId: id, type })).id);
    await post(`/v1/licenses/${licenses[0]}/revoke`);
    const events = await announced(postern, () => remove(`/v1/requesters/${id}`));
    assert.deepEqual(
      events.map(({ type, data }) => [type, data.object.id]),
      [
        ['license.revoked', licenses[1]],
        ['license.revoked', licenses[2]],
        ['requester.deleted', id],
      ],
    );
    assert.equal(events[0].data.object.status, 'revoked');
    assert.equal(events[0].data.previous.status, 'active');
  });

  test('what is so already is not done again, and nothing is announced', async () => {
    const { id: requesterId } = await made(postern, '/v1/requesters', { name: 'R' });
    const { id } = await made(postern, '/v1/licenses', { requesterId, type: 'research' });
    const revoked = (await post(`/v1/licenses/${id}/revoke`)).body;
    const policy = await makePolicy(postern, [allowAll]);
    await post(`/v1/policies/${policy.id}/make-default`);
    const events = await announced(postern, async () => {
      assert.deepEqual((await post(`/v1/licenses/${id}/revoke`)).body, revoked);
      assert.equal((await post(`/v1/policies/${policy.id}/make-default`)).body.isDefault, true);
    });
    assert.deepEqual(events, []);
    await post('/v1/policies/pol_default/make-default');
    await remove(`/v1/policies/${policy.id}`);
  });

  test('keys', async () => {
    let key = { id: '', key: '' };
    const created = await one(
      'api_key.created',
      '',
      async () => (key = await made(postern, '/v1/api-keys', { name: 'k', type: 'secret' })),
      null,
    );
    await asNow(created, `/v1/api-keys/${key.id}`);
    let next = { id: '', key: '' };
    const rotated = await announced(
      postern,
      async () => (next = (await post(`/v1/api-keys/${key.id}/rotate`, { graceSeconds: 60 })).body),
    );
    produced.add('api_key.rotated');
    assert.deepEqual(
      rotated.map(({ type, data }) => [type, data.object.id]),
      [
        ['api_key.created', next.id],
        ['api_key.rotated', key.id],
      ],
    );
    assert.deepEqual(Object.keys(rotated[1].data.previous), ['expiresAt']);
    assert.equal((await one('api_key.revoked', '', () => remove(`/v1/api-keys/${next.id}`), null)).id, next.id);
    const text = JSON.stringify(await eventsOf(postern, 'type=api_key.*'));
    assert.ok(!text.includes(key.key) && !text.includes(next.key));
  });

  test('tokens of requesters, which end with them', async () => {
    const { id: requesterId } = await made(postern, '/v1/requesters', { name: 'R' });
    const path = `/v1/requesters/${requesterId}/tokens`;
    let token = { id: '', token: '' };
    const created = await one(
      'requester_token.created',
      '',
      async () => (token = await made(postern, path, { name: 'n' })),
      null,
    );
    await asNow(created, `${path}/${token.id}`);
    let next = { id: '', token: '' };
    const rotated = await announced(
      postern,
      async () => (next = (await post(`${path}/${token.id}/rotate`, { graceSeconds: 60 })).body),
    );
    produced.add('requester_token.rotated');
    assert.deepEqual(
      rotated.map(({ type, data }) => [type, data.object.id]),
      [
        ['requester_token.created', next.id],
        ['requester_token.rotated', token.id],
      ],
    );
    assert.ok(Object.keys(rotated[1].data.previous).includes('expiresAt'));
    const revoked = await one('requester_token.revoked', '', () => remove(`${path}/${next.id}`), null);
    assert.deepEqual([revoked.id, revoked.requesterId], [next.id, requesterId]);
    const ended = await announced(postern, () => remove(`/v1/requesters/${requesterId}`));
    assert.deepEqual(
      ended.map(({ type, data }) => [type, data.object.id]),
      [
        ['requester_token.revoked', token.id],
        ['requester.deleted', requesterId],
      ],
    );
    const text = JSON.stringify(await eventsOf(postern, 'type=requester_token.*'));
    assert.ok(!text.includes(token.token) && !text.includes(next.token));
  });

  test('webhooks are nobody’s event', async () => {
    const events = await announced(postern, async () => {
      const { id } = await made(postern, '/v1/webhooks', { url: 'http://127.0.0.1:9/', events: ['license.expired'] });
      await patch(`/v1/webhooks/${id}`, { description: 'd' });
      await post(`/v1/webhooks/${id}/rotate-secret`);
      await remove(`/v1/webhooks/${id}`);
    });
    assert.deepEqual(events, []);
  });

  test('none for what was refused, repeated, read or tried', async () => {
    const content = await made(postern, '/v1/content', item({ externalId: 'taken' }));
    const headers = { 'idempotency-key': 'once' };
    const body = item({ externalId: 'once' });
    await ok(postern.call('POST', '/v1/content', { body, headers }));
    const path = `/v1/content/${content.id}`;
    const events = await announced(postern, async () => {
      assertStatus(await postern.call('POST', '/v1/content', { body: item({ externalId: 'taken' }) }), 409);
      assertStatus(await postern.call('POST', '/v1/content', { body: { title: 'x' } }), 400);
      assertStatus(await postern.call('PATCH', path, { body: { title: 'x' }, headers: { 'if-match': '"old"' } }), 412);
      assertStatus(await postern.call('DELETE', path, { headers: { 'if-match': '"old"' } }), 412);
      assertStatus(await postern.call('DELETE', '/v1/policies/pol_default'), 409);
      assertStatus(await postern.call('DELETE', '/v1/content/none'), 404);
      assertStatus(await postern.call('POST', '/v1/content', { body, headers }), 201);
      assertStatus(await postern.call('POST', '/v1/content', { body: item(), key: null }), 401);
      assertStatus(await postern.call('POST', '/v1/policies/lint', { body: { rules: [allowAll] } }), 200);
      await check(postern, { contentId: content.id });
      await get('/v1/content');
    });
    assert.deepEqual(events, []);
  });
});

describe('the list', () => {
  test('newest first, filters, pages, one by id', async () => {
    const clock = testClock();
    await using own = await startTestService({ clock });
    const made1 = await made(own, '/v1/content', item());
    clock.advance(1000);
    await made(own, '/v1/requesters', { id: 'r', name: 'R' });
    clock.advance(1000);
    await own.call('PATCH', `/v1/content/${made1.id}`, { body: { title: 'x' } });
    const all = await own.call('GET', '/v1/events');
    assert.deepEqual(
      [all.body.object, all.body.totalCount, all.body.hasMore, all.body.nextCursor],
      ['list', 3, false, null],
    );
    const types = async (query: string) => (await eventsOf(own, query)).map(({ type }) => type);
    assert.deepEqual(await types(''), ['content.updated', 'requester.created', 'content.created']);
    assert.deepEqual(await types('type=content.*'), ['content.updated', 'content.created']);
    assert.deepEqual(await types('type=content.created,requester.created'), ['requester.created', 'content.created']);
    assert.deepEqual(await types(`objectId=${made1.id}`), ['content.updated', 'content.created']);
    assert.deepEqual(await types('objectId=r'), ['requester.created']);
    const at = (ms: number) => new Date(clock.now() - ms).toISOString();
    assert.deepEqual(await types(`from=${at(1000)}`), ['content.updated', 'requester.created']);
    assert.deepEqual(await types(`to=${at(1000)}`), ['content.created']);
    assert.deepEqual(await types('to=2026-11-21'), await types(''));
    const walked: string[] = [];
    for (let cursor = ''; ; ) {
      const { body } = await own.call('GET', `/v1/events?limit=1${cursor && `&cursor=${cursor}`}`);
      walked.push(body.data[0].id);
      if (!body.hasMore) break;
      cursor = body.nextCursor;
    }
    assert.deepEqual(
      walked,
      all.body.data.map(({ id }: { id: string }) => id),
    );
    for (const event of all.body.data) assert.deepEqual((await own.call('GET', `/v1/events/${event.id}`)).body, event);
  });

  test('newest first by created, ties by id, also where commits came in another order; pages agree', async () => {
    await using own = await startTestService();
    for (let i = 0; i < 7; i++) await made(own, '/v1/content', item());
    const list = async (query = '') => (await own.call('GET', `/v1/events?limit=100${query}`)).body;
    const before = (await list()).data.map(({ id }: { id: string }) => id);
    assert.equal(before.length, 7);
    await own.tamper({ sql: 'update events set seq = 1000 - seq' });
    const { data } = await list();
    assert.deepEqual(pluck(data, 'id'), before);
    const place = ({ created, id }: { created: string; id: string }) => `${created} ${id}`;
    const sorted = data.toSorted((a: (typeof data)[0], b: (typeof data)[0]) => (place(a) < place(b) ? 1 : -1));
    assert.deepEqual(data, sorted);
    const walked: string[] = [];
    for (let cursor = ''; ; ) {
      const { body } = await own.call('GET', `/v1/events?limit=2${cursor && `&cursor=${cursor}`}`);
      walked.push(...body.data.map(({ id }: { id: string }) => id));
      if (body.nextCursor === null) break;
      cursor = body.nextCursor;
    }
    assert.deepEqual(walked, before);
  });

  test('refusals', async () => {
    const get = (query: string) => postern.call('GET', `/v1/events${query}`);
    assertError(await get('?type=content.made'), 'invalid_request', 'type');
    assert.match((await get('?type=content.create')).body.error.message, /content\.created/);
    assertError(await get('?kind=content.created'), 'invalid_request', 'kind');
    assertError(await get('?from=yesterday'), 'invalid_request', 'from');
    assertError(await get('?cursor=x'), 'invalid_cursor');
    for (const id of ['evt_00000000000000000000000000', 'x', 'dec_00000000000000000000000000']) {
      assertError(await get(`/${id}`), 'event_not_found');
    }
  });

  test('the last 30 days', async () => {
    const clock = testClock();
    await using own = await startTestService({ clock });
    await made(own, '/v1/content', item());
    const { id } = await newest(own);
    clock.advance(30 * DAY_MS - 1);
    assertStatus(await own.call('GET', `/v1/events/${id}`), 200);
    await made(own, '/v1/content', item());
    clock.advance(1);
    assertError(await own.call('GET', `/v1/events/${id}`), 'event_not_found');
    assert.equal((await own.call('GET', '/v1/events')).body.totalCount, 1);
  });
});

describe('license.expired', () => {
  const expired = (of: TestService, id: string) => eventsOf(of, `type=license.expired&objectId=${id}`);
  const license = async (of: TestService, expiresInMs: number, now: number) => {
    await of.call('POST', '/v1/requesters', { body: { id: 'r', name: 'R' } });
    return (
      await made(of, '/v1/licenses', {
        requesterId: 'r',
        type: 'reader',
        expiresAt: new Date(now + expiresInMs).toISOString(),
      })
    ).id;
  };
  /** Waits until the service has looked for expired licenses: one that is due now has been announced. */
  async function looked(of: TestService, clock: { now(): number; advance(ms: number): void }) {
    const id = await license(of, 1, clock.now());
    clock.advance(1);
    await until('the probe', async () => (await expired(of, id)).length === 1);
  }

  test('at its time, not before, once', async () => {
    const clock = testClock();
    await using own = await startTestService({ clock });
    const id = await license(own, 60_000, clock.now());
    clock.advance(60_000 - 2);
    await looked(own, clock);
    assert.equal((await expired(own, id)).length, 0);
    clock.advance(1);
    const [event] = await until('the expiry', async () => {
      const all = await expired(own, id);
      return all.length > 0 ? all : undefined;
    });
    assert.deepEqual([event.data.object.id, event.data.object.valid], [id, false]);
    clock.advance(DAY_MS);
    await looked(own, clock);
    await own.restart();
    await looked(own, clock);
    assert.equal((await expired(own, id)).length, 1);
    // The audit log has it as the service's own.
    const { body } = await own.call('GET', `/v1/audit-log?kind=license.expired&object=${id}`);
    assert.deepEqual(
      body.data.map(({ actor, address, requestId }: { actor: object; address: null; requestId: null }) => [
        actor,
        address,
        requestId,
      ]),
      [[{ type: 'system', id: null, name: null }, null, null]],
    );
  });

  test('after downtime, once for each', async () => {
    const clock = testClock();
    await using own = await startTestService({ clock });
    const ids = [];
    for (let i = 1; i <= 5; i++) ids.push(await license(own, i * 1000 * 3600, clock.now()));
    const restart = own.restart();
    clock.advance(DAY_MS);
    await restart;
    for (const id of ids) await until(id, async () => (await expired(own, id)).length === 1);
    await own.restart();
    await looked(own, clock);
    for (const id of ids) assert.equal((await expired(own, id)).length, 1);
  });

  test('again after it was moved; not at the old time; never for a revoked one, one without end, or one that began expired', async () => {
    const clock = testClock();
    await using own = await startTestService({ clock });
    const moved = await license(own, 60_000, clock.now());
    const revoked = await license(own, 60_000, clock.now());
    const endless = await license(own, 60_000, clock.now());
    const gone = await license(own, 60_000, clock.now());
    const past = await license(own, -60_000, clock.now());
    const patch = (id: string, body: object) => ok(own.call('PATCH', `/v1/licenses/${id}`, { body }));
    const in2min = new Date(clock.now() + 120_000).toISOString();
    await patch(moved, { expiresAt: in2min });
    await patch(endless, { expiresAt: null });
    await ok(own.call('POST', `/v1/licenses/${revoked}/revoke`));
    await patch(revoked, { expiresAt: in2min });
    await ok(own.call('DELETE', `/v1/licenses/${gone}`));
    clock.advance(60_000);
    await looked(own, clock);
    for (const id of [moved, revoked, endless, gone, past]) assert.equal((await expired(own, id)).length, 0, id);
    clock.advance(60_000);
    await until('the new time', async () => (await expired(own, moved)).length === 1);
    await patch(moved, { metadata: { a: 1 } });
    await looked(own, clock);
    assert.equal((await expired(own, moved)).length, 1, 'an edit of something else is no new expiry');
    await patch(moved, { expiresAt: new Date(clock.now() + 60_000).toISOString() });
    clock.advance(60_000);
    await until('again', async () => (await expired(own, moved)).length === 2);
    await looked(own, clock);
    for (const id of [revoked, endless, gone, past]) assert.equal((await expired(own, id)).length, 0, id);
  });
});

test('access events are found by the decision they are about', async () => {
  await made(postern, '/v1/webhooks', { url: 'http://127.0.0.1:9/', events: ['access.granted'] });
  const { id } = await makeItem(postern, [allowAll]);
  const decision = await check(postern, { contentId: id });
  const [event, ...more] = await eventsOf(postern, `objectId=${decision.id}`);
  assert.deepEqual([event.type, event.data.object.id, more.length], ['access.granted', decision.id, 0]);
});

test('decisions of deleted items are told all the same: listed as before, delivered once the endpoint is back', async () => {
  const clock = testClock();
  await using own = await startTestService({ clock, env: { POSTERN_WEBHOOK_ALLOW_PRIVATE: 'true' } });
  await using receiver = await startReceiver();
  receiver.status(503);
  const hook = await made(own, '/v1/webhooks', { url: receiver.url, events: ['access.*'] });
  const one = await makeItem(own, [{ ...allowAll, rateLimit: { requests: 2, period: 'day' } }]);
  const other = await makeItem(own, [{ action: 'deny', conditions: {} }], { externalId: 'ünïcode/2' });
  const kept = await makeItem(own, [allowAll]);
  const asked = { requesterId: 'r', purpose: 'training', context: { ip: '192.0.2.1', country: 'DE' } };
  const decided: string[] = [];
  for (const contentId of [one.id, one.id, one.id, other.id, kept.id]) {
    decided.push((await check(own, { contentId, ...asked })).id);
  }
  const told = async () => JSON.stringify(await eventsOf(own, 'type=access.*'));
  const before = await told();
  const events = JSON.parse(before);
  assert.equal(events.length, 5);
  await until('each was tried', () => new Set(receiver.received.map(({ event }) => event.id)).size === 5);

  assertStatus(await own.call('DELETE', `/v1/content/${one.id}`), 200);
  const bulk = await own.call('POST', '/v1/content/bulk-delete', { body: { ids: [other.id] } });
  assert.equal(bulk.body.deleted, 1);
  const goneElsewhere = async (): Promise<void> => {
    const { body: log } = await own.call('GET', '/v1/access/decisions');
    assert.deepEqual([log.totalCount, log.data[0].contentId], [1, kept.id]);
    assertError(await own.call('GET', `/v1/access/decisions/${decided[0]}`), 'decision_not_found');
    const { body: usage } = await own.call('GET', '/v1/analytics/usage?period=all');
    assert.equal(usage.summary.totalRequests, 1);
  };
  await goneElsewhere();
  assert.equal(await told(), before, 'while the decisions are still in the store');
  await until(
    'the decisions have left the store',
    async () => {
      const [purges, decisions] = [await own.rowsOf('purges'), await own.rowsOf('decisions')];
      return purges.length === 0 && decisions.length === 1;
    },
    30_000,
  );
  await goneElsewhere();
  assert.equal(await told(), before, 'without the decisions');
  assert.equal((await own.call('GET', '/v1/events?type=access.*')).body.totalCount, 5);
  for (const event of events) assert.deepEqual((await own.call('GET', `/v1/events/${event.id}`)).body, event);
  assert.equal((await eventsOf(own, `objectId=${decided[0]}`)).length, 1);

  const beforeReturn = receiver.received.length;
  receiver.status(200);
  clock.advance(10_000);
  await until('all are delivered', () => receiver.received.length >= beforeReturn + 5);
  const bodies = receiver.received.slice(beforeReturn).map(({ event }) => event);
  assert.deepEqual(
    new Map(bodies.map((body) => [body.id, body])),
    new Map(events.map((body: never) => [body['id'], body])),
  );
  const succeeded = `/v1/webhooks/${hook.id}/deliveries?status=succeeded`;
  await until('all have succeeded', async () => (await own.call('GET', succeeded)).body.totalCount === 5);

  clock.advance(30 * DAY_MS);
  assert.deepEqual(await eventsOf(own, 'type=access.*'), []);
  await until(
    'nothing is left of them',
    async () => {
      const left = [...(await own.rowsOf('events')), ...(await own.rowsOf('change_data'))] as { id: string }[];
      return !left.some(({ id }) => id.startsWith('item-') || decided.includes(`dec_${id}`));
    },
    30_000,
  );
});
