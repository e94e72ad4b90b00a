/**
 * AuthZEN searches as the certification scenario asks for them, Core and Properties; and the promise on top: a result
 * is an evaluation that is allowed, and nothing else is.
 */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import type { Answer } from '../../kit/answer.ts';
import * as fc from '../../kit/fast-check.ts';
import { pluck } from '../../kit/pluck.ts';
import { startTestService } from '../../kit/service.ts';
import { assertError, assertErrorShape, assertStatus, item, made, makeKey, makePolicy } from './given.ts';

type Any = any;

const WHATS = ['subject', 'resource', 'action'] as const;

const postern = await startTestService();
after(() => postern[Symbol.asyncDispose]());

const names = (...permissions: string[]) => ({ permissions });
const { id: policyId } = await makePolicy(postern, [
  { action: 'allow', conditions: { permission: 'write', attributes: { 'subject.role': 'admin' } }, ...names('write') },
  { action: 'deny', conditions: { permission: 'write', attributes: { 'resource.status': 'archived' } } },
  { action: 'allow', conditions: { requesterId: 'alice', permission: ['read', 'write'] }, ...names('read', 'write') },
  { action: 'allow', conditions: { requesterId: ['bob', 'ghost'], permission: 'read' }, ...names('read') },
  { action: 'allow', conditions: { requesterTags: 'reader', ip: '203.0.113.0/24' }, ...names('read') },
]);
for (const externalId of ['record-1', 'record-2', 'https://e.example/record-3']) {
  await made(postern, '/v1/content', item({ externalId, policyId, tags: ['record'], source: 'https://e.example/r' }));
}
const observed = await made(postern, '/v1/collections', { name: 'O', paths: ['/observed/'], mode: 'observe' });
await made(postern, '/v1/content', item({ externalId: 'seen', source: 'https://e.example/observed/x' }));
for (const id of ['alice', 'bob']) await made(postern, '/v1/requesters', { id, type: 'user' });
await made(postern, '/v1/requesters', { id: 'carol', tags: ['reader', 'user'] });
await made(postern, '/v1/requesters', {
  id: 'proven',
  tags: ['reader'],
  userAgents: ['ProvenBot'],
  identities: [{ kind: 'ip', ranges: ['203.0.113.7'] }],
});

const search = (what: 'subject' | 'resource' | 'action', body: unknown, options: object = {}): Promise<Answer> =>
  postern.call('POST', `/access/v1/search/${what}`, { body, ...options });

async function results(what: 'subject' | 'resource' | 'action', body: object): Promise<Any[]> {
  const answer = await search(what, body);
  assertStatus(answer, 200, JSON.stringify(body));
  assert.equal(answer.body.page.count, answer.body.results.length);
  assert.equal(typeof answer.body.page.next_token, 'string');
  return answer.body.results;
}
const includes = (found: Any[], ...wanted: object[]): void => {
  for (const one of wanted)
    assert.ok(
      found.some((other) => JSON.stringify(other) === JSON.stringify(one)),
      JSON.stringify(found),
    );
};

const user = (id: string, properties?: object) => ({ type: 'user', id, ...(properties && { properties }) });
const record = (id: string, properties?: object) => ({ type: 'record', id, ...(properties && { properties }) });
const read = { name: 'read' };
const write = { name: 'write' };
const subjects = { subject: { type: 'user' }, action: read, resource: record('record-1') };
const resources = { subject: user('alice'), action: read, resource: { type: 'record' } };
const actions = { subject: user('alice'), resource: record('record-1') };
const context = { time: '2025-06-27T18:03-07:00', ip: '192.168.1.1' };

describe('level Search Core', () => {
  test('S1, S2 and S3, with and without a context and an id of what is searched', async () => {
    const found = await results('subject', subjects);
    includes(found, { type: 'user', id: 'alice' }, { type: 'user', id: 'bob' });
    assert.deepEqual(await results('subject', { ...subjects, context }), found);
    for (const id of ['alice', 7, null]) {
      assert.deepEqual(await results('subject', { ...subjects, subject: { type: 'user', id } }), found);
      const other = { ...resources, resource: { type: 'record', id } };
      assert.deepEqual(await results('resource', other), await results('resource', resources));
    }
    includes(await results('resource', { ...resources, context, unknown: 1 }), { type: 'record', id: 'record-1' });
    includes(await results('action', { ...actions, context }), read, write);
    assert.deepEqual(await results('action', { ...actions, action: { name: 'x' } }), [read, write]);
  });

  test('a page has a token of its search, and the last one an empty one', async () => {
    const first = await search('subject', { ...subjects, page: { limit: 1 } });
    assert.equal(first.body.results.length, 1);
    const token = first.body.page.next_token;
    assert.ok(token.length > 0);
    const second = await search('subject', { ...subjects, page: { token } });
    assert.equal(second.body.page.next_token, '');
    const all = await results('subject', subjects);
    assert.deepEqual([...first.body.results, ...second.body.results], all);
    for (const [what, body] of [
      ['subject', { ...subjects, action: write, page: { token } }],
      ['resource', { ...resources, page: { token } }],
      ['subject', { ...subjects, page: { token: 'x' } }],
      ['subject', { ...subjects, page: { token: `${token}.x` } }],
      ['subject', { ...subjects, page: { token: `!!${token}` } }],
    ] as const) {
      assertError(await search(what, body), 'invalid_request', 'page.token');
    }
    for (const [what, body] of [
      ['subject', subjects],
      ['resource', resources],
      ['action', actions],
    ] as const) {
      const none = await search(what, { ...body, page: { limit: 0 } });
      assert.deepEqual(none.body.results, []);
      const walked: Any[] = [];
      let next = none.body.page.next_token;
      while (next !== '') {
        const { body: page } = await search(what, { ...body, page: { limit: 1, token: next } });
        walked.push(...page.results);
        next = page.page.next_token;
      }
      assert.deepEqual(walked, await results(what, body), what);
    }
  });

  test('an unknown id and an unknown type lead to no results, everywhere', async () => {
    const none = { page: { next_token: '', count: 0 }, results: [] };
    for (const [what, body] of [
      ['subject', { ...subjects, subject: { type: 'spaceship' } }],
      ['subject', { ...subjects, resource: record('nothing') }],
      ['subject', { ...subjects, resource: { type: 'spaceship', id: 'record-1' } }],
      ['subject', { ...subjects, resource: record('https://nowhere.example/') }],
      ['resource', { ...resources, subject: user('nonexistent-user') }],
      ['resource', { ...resources, subject: { type: 'spaceship', id: 'alice' } }],
      ['resource', { ...resources, resource: { type: 'spaceship' } }],
      ['action', { ...actions, subject: user('nonexistent-user') }],
      ['action', { ...actions, subject: { type: 'spaceship', id: 'alice' } }],
      ['action', { ...actions, resource: record('nothing') }],
    ] as const) {
      const answer = await search(what, body);
      assertStatus(answer, 200);
      assert.deepEqual(answer.body, none, JSON.stringify(body));
    }
  });

  test('a missing or ill-typed field is 400, as are malformed JSON and another content type', async () => {
    const { subject, action, resource } = subjects;
    for (const [what, body] of [
      ['subject', { subject, resource }],
      ['resource', { action, resource: { type: 'record' } }],
      ['action', { subject: user('alice') }],
      ['subject', { subject, action, resource: { type: 'record' } }],
      ['resource', { subject, action, resource: { type: 'record' } }],
      ['action', { subject, resource }],
      ['action', { subject: user('alice'), resource: { type: 'record' } }],
      ['subject', { subject: {}, action, resource }],
      ['resource', { subject: user('alice'), action, resource: {} }],
      ['subject', { ...subjects, page: { limit: -1 } }],
      ['subject', { ...subjects, page: { token: 7 } }],
      ['subject', { ...subjects, context: { country: 1 } }],
      ['action', []],
    ] as const) {
      const answer = await search(what, body);
      assertErrorShape(answer);
      assert.equal(answer.status, 400, JSON.stringify(body));
    }
    for (const what of ['subject', 'resource', 'action']) {
      const send = (options: object) => postern.call('POST', `/access/v1/search/${what}`, options);
      assertError(await send({ raw: '{', headers: { 'content-type': 'application/json' } }), 'invalid_json');
      assertError(await send({ raw: '{}', headers: { 'content-type': 'text/plain' } }), 'invalid_request');
      const echoed = await send({ body: {}, headers: { 'x-request-id': 'mine' } });
      assert.equal(echoed.headers.get('x-request-id'), 'mine');
    }
  });
});

test('level Search Properties: S4, S5 and S6', async () => {
  const admin = { role: 'admin' };
  const archived = record('record-2', { status: 'archived' });
  const s4 = { subject: { type: 'user', properties: admin }, action: write, resource: archived };
  includes(await results('subject', s4), user('bob'));
  assert.deepEqual(await results('subject', { ...s4, subject: { type: 'user' } }), []);
  const s5 = { subject: user('bob', admin), action: write, resource: { type: 'record' } };
  includes(await results('resource', s5), record('record-2'));
  includes(await results('action', { subject: user('bob', admin), resource: archived }), write);
});

describe('a result is an evaluation that is allowed', () => {
  const types = { subject: ['user', 'requester'], resource: ['record', 'content', 'article'] };
  const contexts = [undefined, { ip: '203.0.113.7' }, { ip: '203.0.113.8', userAgent: 'ProvenBot' }];
  const properties = [undefined, { role: 'admin' }, { status: 'archived' }];
  const body = fc.record({
    subject: fc.record({ type: fc.constantFrom(...types.subject), properties: fc.constantFrom(...properties) }),
    action: fc.constantFrom(read, write, { name: 'full_access' }),
    resource: fc.record({ type: fc.constantFrom(...types.resource), properties: fc.constantFrom(...properties) }),
    context: fc.constantFrom(...contexts),
  });
  const requesterIds = ['alice', 'bob', 'carol', 'proven'];
  const items = ['record-1', 'record-2', 'seen'];

  test('for every requester, item and permission', async () => {
    const listed = (await postern.call('GET', '/v1/content')).body.data;
    const url: Any = listed.find(({ externalId }: Any) => externalId.startsWith('https'));
    const ids = [...items, url.id];
    const isOfType: Record<string, (id: string) => boolean> = {
      record: (id) => id !== 'seen',
      article: () => true,
      content: () => true,
      requester: () => true,
      user: (id) => id !== 'proven',
    };
    await fc.assert(
      fc.asyncProperty(body, fc.constantFrom(...requesterIds), fc.constantFrom(...ids), async (asked, who, what) => {
        const { subject, action, resource, context: facts } = asked;
        const decide = async (id: string, name: string, ref: string): Promise<boolean> => {
          const evaluation = { subject: { ...subject, id }, action: { name }, resource: { ...resource, id: ref } };
          return (await made(postern, '/access/v1/evaluation', { ...evaluation, context: facts }, 200)).decision;
        };
        const filter = async (all: string[], isWanted: (one: string) => Promise<boolean>): Promise<string[]> => {
          const wanted = await Promise.all(all.map(isWanted));
          return all.filter((_, i) => wanted[i]).toSorted();
        };
        const isSubject = isOfType[subject.type] as (id: string) => boolean;
        const isResource = isOfType[resource.type] as (id: string) => boolean;
        const found = await results('subject', { ...asked, resource: { ...resource, id: what } });
        const ofSubjects = isResource(what) ? requesterIds.filter(isSubject) : [];
        assert.deepEqual(
          pluck(found, 'id').toSorted(),
          await filter(ofSubjects, (id) => decide(id, action.name, what)),
        );
        const reached = await results('resource', { ...asked, subject: { ...subject, id: who } });
        const ofItems = isSubject(who) ? ids.filter(isResource) : [];
        assert.deepEqual(pluck(reached, 'id').toSorted(), await filter(ofItems, (id) => decide(who, action.name, id)));
        const able = await results('action', {
          subject: { ...subject, id: who },
          resource: { ...resource, id: what },
          context: facts,
        });
        // Permissions that no rule of the policy names are searched for only if they have a meaning.
        const known = what === 'seen' ? ['full_access', 'training'] : ['read', 'write', 'full_access', 'training'];
        const every = isSubject(who) && isResource(what) ? known : [];
        const among = pluck(able, 'name').filter((name) => every.includes(name as string));
        assert.deepEqual(among.toSorted(), await filter(every, (name) => decide(who, name, what)));
        if (every.length === 0) assert.deepEqual(able, []);
      }),
      { numRuns: Number(process.env.CASES ?? 60) },
    );
  });

  test('of a URL, by its item or its collection', async () => {
    const ask = { subject: { type: 'requester' }, action: read };
    const url = { type: 'content', id: 'https://e.example/observed/never-registered' };
    assert.equal((await results('subject', { ...ask, resource: url })).length, requesterIds.length);
    const enforced = { body: { mode: 'enforce' } };
    assertStatus(await postern.call('PATCH', `/v1/collections/${observed.id}`, enforced), 200);
    assert.deepEqual(await results('subject', { ...ask, resource: url }), []);
  });
});

test('nothing is recorded, both permissions are needed, and no public key will do', async () => {
  const recorded = async (): Promise<number> => (await postern.call('GET', '/v1/access/decisions')).body.totalCount;
  const before = await recorded();
  const key = await makeKey(postern, { permissions: ['policies:read', 'content:read'] });
  const checker = await makeKey(postern, { permissions: ['access:check', 'content:read'] });
  const anyKey = await makeKey(postern, { type: 'public', permissions: ['policies:read', 'content:read'] });
  for (const [what, body] of [
    ['subject', subjects],
    ['resource', resources],
    ['action', actions],
  ] as const) {
    assertStatus(await search(what, body, { key }), 200);
    assertError(await search(what, body, { key: null }), 'missing_api_key');
    for (const other of [checker, anyKey]) {
      assertError(await search(what, body, { key: other }), 'insufficient_permissions');
    }
  }
  assert.equal(await recorded(), before);
});

test('no body leads to a 5xx', async () => {
  const text = fc.oneof(fc.string({ maxLength: 12 }), fc.constantFrom('record-1', 'alice', 'read', 'user', 'http://%'));
  const value = fc.oneof(fc.jsonValue({ maxDepth: 2 }), text);
  const fields = (...keys: string[]) =>
    fc.record(Object.fromEntries(keys.map((key) => [key, fc.oneof(value, text)])), { requiredKeys: [] });
  const any = fc.record(
    {
      subject: fc.oneof(fields('type', 'id', 'properties'), value),
      action: fc.oneof(fields('name', 'properties'), value),
      resource: fc.oneof(fields('type', 'id', 'properties'), value),
      context: fc.oneof(fields('purpose', 'country', 'ip', 'userAgent'), value),
      page: fc.oneof(fields('token', 'limit'), value),
    },
    { requiredKeys: [] },
  );
  await fc.assert(
    fc.asyncProperty(fc.oneof(any, value), fc.constantFrom(...WHATS), async (body, what) => {
      const answer = await search(what, body);
      if (answer.status === 400) assertErrorShape(answer);
      else assertStatus(answer, 200, JSON.stringify(body));
    }),
    { numRuns: 200 },
  );
});
