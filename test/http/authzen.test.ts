/**
 * AuthZEN 1.0 as its certification scenario asks for it, level by level; and the promises of Postern on top:
 * evaluations are decisions like any other, and a refused request leaves none.
 */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import type { Answer } from '../../kit/answer.ts';
import * as fc from '../../kit/fast-check.ts';
import { startTestService } from '../../kit/service.ts';
import { allowAll, assertError, assertErrorShape, assertStatus, ID, item, made, makeKey, makePolicy } from './given.ts';

const PUBLIC_URL = 'https://access.example.com';
const postern = await startTestService({ env: { POSTERN_PUBLIC_URL: `${PUBLIC_URL}/` } });
after(() => postern[Symbol.asyncDispose]());

const names = (...permissions: string[]) => ({ permissions });
const { id: policyId } = await makePolicy(postern, [
  { action: 'allow', conditions: { permission: 'write', attributes: { 'subject.role': 'admin' } }, ...names('write') },
  { action: 'deny', conditions: { permission: 'write', attributes: { 'resource.status': 'archived' } } },
  { action: 'allow', conditions: { requesterId: 'alice', permission: ['read', 'write'] }, ...names('read', 'write') },
  {
    action: 'allow',
    conditions: { requesterId: 'alice', permission: 'delete', attributes: { 'action.soft': true } },
    ...names('delete'),
  },
  { action: 'allow', conditions: { requesterId: 'bob', permission: 'read' }, ...names('read') },
]);
for (const externalId of ['record-1', 'record-2']) {
  await made(
    postern,
    '/v1/content',
    item({ externalId, policyId, tags: ['record'], source: `https://e.example/${externalId}` }),
  );
}
for (const id of ['alice', 'bob']) await made(postern, '/v1/requesters', { id, type: 'user' });

const entity = (type: string, id: string, properties?: object) => ({ type, id, ...(properties && { properties }) });
const user = (id: string, properties?: object) => entity('user', id, properties);
const record = (id: string, properties?: object) => entity('record', id, properties);
const action = (name: string, properties?: object) => ({ name, ...(properties && { properties }) });
const alice = user('alice');
const record1 = record('record-1');

const evaluation = (body: unknown, headers: Record<string, string> = {}): Promise<Answer> =>
  postern.call('POST', '/access/v1/evaluation', { body, headers });
const evaluations = (body: unknown): Promise<Answer> => postern.call('POST', '/access/v1/evaluations', { body });
const recorded = async (): Promise<number> => (await postern.call('GET', '/v1/access/decisions')).body.totalCount;

async function decide(body: object): Promise<boolean> {
  const answer = await evaluation(body);
  assertStatus(answer, 200);
  assert.match(answer.headers.get('content-type') ?? '', /^application\/json/);
  return answer.body.decision;
}

async function decideAll(body: object): Promise<boolean[]> {
  const answer = await evaluations(body);
  assertStatus(answer, 200);
  assert.deepEqual(Object.keys(answer.body), ['evaluations']);
  return answer.body.evaluations.map((one: { decision: boolean }) => one.decision);
}

describe('level Basic', () => {
  const ROWS: [boolean, object, object, object][] = [
    [true, alice, action('read'), record1],
    [true, alice, action('write'), record1],
    [true, user('bob'), action('read'), record1],
    [false, user('bob'), action('write'), record1],
    [false, alice, action('write'), record('record-2', { status: 'archived' })],
    [true, user('bob', { role: 'admin' }), action('write'), record('record-2', { status: 'archived' })],
    [true, alice, action('delete', { soft: true }), record1],
    [false, alice, action('delete', { soft: false }), record1],
  ];
  for (const [expected, subject, does, resource] of ROWS) {
    test(`${JSON.stringify([subject, does, resource])} is ${expected}, each time`, async () => {
      for (let i = 0; i < 3; i++) assert.equal(await decide({ subject, action: does, resource }), expected);
      const context = { time: '2025-06-27T18:03-07:00', ip: '192.168.1.1' };
      assert.equal(await decide({ subject, action: does, resource, context, foo: 'bar', next: { a: [1] } }), expected);
    });
  }

  test('more properties are accepted, whatever they hold', async () => {
    const more = { department: 'Sales', roles: ['a'], owner: { name: 'bob' }, none: null };
    assert.equal(
      await decide({ subject: user('alice', more), action: action('read', more), resource: record('record-1', more) }),
      true,
    );
  });

  const REFUSED: Record<string, unknown> = {
    'no subject': { action: action('read'), resource: record1 },
    'no action': { subject: alice, resource: record1 },
    'no resource': { subject: alice, action: action('read') },
    'no subject.type': { subject: { id: 'alice' }, action: action('read'), resource: record1 },
    'no subject.id': { subject: { type: 'user' }, action: action('read'), resource: record1 },
    'no action.name': { subject: alice, action: {}, resource: record1 },
    'no resource.type': { subject: alice, action: action('read'), resource: { id: 'record-1' } },
    'no resource.id': { subject: alice, action: action('read'), resource: { type: 'record' } },
    'a subject that is a text': { subject: 'alice', action: action('read'), resource: record1 },
    'a name that is a number': { subject: alice, action: { name: 123 }, resource: record1 },
    'properties that are a list': { subject: user('alice', []), action: action('read'), resource: record1 },
    'a country that is none': { subject: alice, action: action('read'), resource: record1, context: { country: 1 } },
    'a list': [],
    null: null,
  };
  for (const [what, body] of Object.entries(REFUSED)) {
    test(`${what}: 400, and no decision`, async () => {
      const before = await recorded();
      const answer = await evaluation(body);
      assertErrorShape(answer);
      assert.equal(answer.status, 400);
      assert.equal(await recorded(), before);
    });
  }

  test('malformed JSON, no body and another content type are 400', async () => {
    const raw = JSON.stringify({ subject: alice, action: action('read'), resource: record1 });
    for (const path of ['/access/v1/evaluation', '/access/v1/evaluations']) {
      const send = (options: object) => postern.call('POST', path, options);
      assertError(await send({ raw: '{"subject":', headers: { 'content-type': 'application/json' } }), 'invalid_json');
      assertStatus(await send({ raw: '', headers: { 'content-type': 'application/json' } }), 400);
      assertStatus(await send({}), 400);
      for (const type of ['text/plain', 'application/xml', 'application/x-www-form-urlencoded']) {
        assertError(await send({ raw, headers: { 'content-type': type } }), 'invalid_request');
      }
    }
  });

  test('X-Request-ID comes back, also with a refusal', async () => {
    const headers = { 'x-request-id': 'bfe9eb29-ab87-4ca3-be83-a1d5d8305716' };
    const body = { subject: alice, action: action('read'), resource: record1 };
    for (const answer of [
      await evaluation(body, headers),
      await evaluation({}, headers),
      await postern.call('POST', '/access/v1/evaluations', { key: null, body, headers }),
      await evaluation(body, { 'x-request-id': 'with spaces, and {more}' }),
    ]) {
      assert.match(
        answer.headers.get('x-request-id') ?? '',
        /^(bfe9eb29-ab87-4ca3-be83-a1d5d8305716|with spaces, and {more})$/,
      );
    }
    assert.equal((await evaluation(body)).headers.get('x-request-id'), null);
  });
});

describe('level Batch', () => {
  test('defaults are replaced as a whole, in the order of the request', async () => {
    const archived = { status: 'archived' };
    const rows: [object, boolean[]][] = [
      [
        {
          subject: user('bob'),
          resource: record1,
          evaluations: [{ action: action('read') }, { action: action('write') }],
        },
        [true, false],
      ],
      [
        {
          subject: alice,
          action: action('write'),
          evaluations: [
            { resource: record('record-1', { status: 'active' }) },
            { resource: record('record-2', archived) },
          ],
        },
        [true, false],
      ],
      [
        {
          action: action('write'),
          resource: record('record-2', archived),
          evaluations: [{ subject: alice }, { subject: user('bob', { role: 'admin' }) }],
        },
        [false, true],
      ],
      [
        {
          evaluations: [
            { subject: alice, action: action('read'), resource: record1 },
            { subject: user('bob'), action: action('write'), resource: record1 },
          ],
        },
        [true, false],
      ],
      // Properties of a default are not merged into the entity that replaces it; its type is.
      [
        {
          subject: alice,
          action: action('write'),
          resource: { type: 'record', properties: archived },
          evaluations: [{ resource: { id: 'record-1' } }, { resource: record('record-2', archived) }],
        },
        [true, false],
      ],
      [{ subject: alice, action: action('read'), resource: record1, evaluations: [{}, {}] }, [true, true]],
    ];
    for (const [body, expected] of rows) assert.deepEqual(await decideAll(body), expected, JSON.stringify(body));
  });

  test('an evaluation that lacks something is an answer of its own', async () => {
    const before = await recorded();
    const { body } = await evaluations({
      subject: alice,
      action: action('read'),
      evaluations: [{ resource: record1 }, {}, 7, { resource: 'record-1' }, { resource: record('nowhere') }],
    });
    assert.deepEqual(
      body.evaluations.map((one: { decision: boolean }) => one.decision),
      [true, false, false, false, false],
    );
    assert.deepEqual(body.evaluations[1].context, { error: { status: 400, message: '`resource` is required.' } });
    assert.equal(body.evaluations[3].context.error.status, 400);
    assert.equal(body.evaluations[4].context.reason, 'content_not_found');
    assert.equal(await recorded(), before + 1);
  });

  test('without evaluations it is one evaluation', async () => {
    const body = { subject: alice, action: action('read'), resource: record1 };
    for (const more of [{}, { evaluations: [] }]) {
      const answer = await evaluations({ ...body, ...more });
      assertStatus(answer, 200);
      assert.equal(answer.body.decision, true);
    }
    assertError(await evaluations({ subject: alice }), 'invalid_request', 'action');
  });

  test('short circuits end the list, and only what came before is recorded', async () => {
    const subject = user('bob');
    const [read, write] = [{ action: action('read') }, { action: action('write') }];
    const ask = async (semantic: string | undefined, list: object[]) => {
      const before = await recorded();
      const options = semantic === undefined ? {} : { options: { evaluations_semantic: semantic } };
      const decisions = await decideAll({ subject, resource: record1, evaluations: list, ...options });
      assert.equal(await recorded(), before + decisions.length);
      return decisions;
    };
    assert.deepEqual(await ask('deny_on_first_deny', [read, write, read]), [true, false]);
    assert.deepEqual(await ask('permit_on_first_permit', [write, read, write]), [false, true]);
    assert.deepEqual(await ask('execute_all', [write, read, write]), [false, true, false]);
    assert.deepEqual(await ask('deny_on_first_deny', [read, read]), [true, true]);
    assertError(
      await evaluations({ subject, resource: record1, evaluations: [read], options: { evaluations_semantic: 'x' } }),
      'invalid_request',
    );
  });

  test('at most 1,000 at once', async () => {
    const list = (count: number) => Array.from({ length: count }, () => ({}));
    const all = { subject: alice, action: action('read'), resource: record1 };
    assert.equal((await decideAll({ ...all, evaluations: list(1000) })).length, 1000);
    assertError(await evaluations({ ...all, evaluations: list(1001) }), 'invalid_request');
  });
});

describe('level Discovery', () => {
  const CONFIGURATION = '/.well-known/authzen-configuration';
  test('the metadata name the addresses below the public URL', async () => {
    const answer = await postern.call('GET', CONFIGURATION, { key: null });
    assertStatus(answer, 200);
    assert.equal(answer.body.policy_decision_point, PUBLIC_URL);
    for (const [name, url] of Object.entries(answer.body as Record<string, string>)) {
      if (!name.endsWith('_endpoint')) continue;
      assert.ok(url.startsWith(`${PUBLIC_URL}/access/v1/`), url);
      // Each is there.
      assertStatus(await postern.call('POST', url.slice(PUBLIC_URL.length), { key: null, body: {} }), 401);
    }
  });
  test('without a public URL there are none', async () => {
    await using other = await startTestService();
    const answer = await other.call('GET', CONFIGURATION, { key: null });
    assertError(answer, 'route_not_found');
    assert.match(answer.body.error.message, /POSTERN_PUBLIC_URL/);
  });
});

describe('an evaluation is a decision', () => {
  test('recorded with its inputs, and explained to who asks', async () => {
    const answer = await evaluation({
      subject: user('alice', { role: 'guest' }),
      action: action('write', { soft: true }),
      resource: record('record-2', { status: 'archived', size: 3, list: [1] }),
      context: { purpose: 'editing', country: 'DE', ip: '203.0.113.7', userAgent: 'Gate/1', other: 1 },
    });
    const { id, ...context } = answer.body.context;
    assert.match(id, /^dec_/);
    assert.deepEqual(context, {
      reason: 'policy_denied',
      reason_user: { en: 'The policy of this content denies access.' },
    });
    const { body } = await postern.call('GET', `/v1/access/decisions/${id}`);
    assert.deepEqual(
      [body.requesterId, body.externalId, body.permission, body.purpose, body.matchedRule.index],
      ['alice', 'record-2', 'write', 'editing', 1],
    );
    const attributes = {
      'subject.role': 'guest',
      'action.soft': true,
      'resource.status': 'archived',
      'resource.size': 3,
    };
    assert.deepEqual(body.context, { ip: '203.0.113.7', country: 'DE', userAgent: 'Gate/1', attributes });
  });

  test('of URLs, with limits, remedies and collections that only observe', async () => {
    const limited = { action: 'allow', rateLimit: { requests: 1, period: 'month' } };
    const licensed = { action: 'allow', conditions: { licenseType: 'press', permission: 'full_access' } };
    const { id: press } = await makePolicy(postern, [licensed]);
    const { id: once } = await makePolicy(postern, [limited]);
    const collection = (host: string, policy: string, more: object = {}) =>
      made(postern, '/v1/collections', { name: host, hosts: [host], policyId: policy, ...more });
    await collection('press.example', press);
    await collection('once.example', once);
    await collection('watched.example', press, { mode: 'observe' });
    const ask = async (host: string) => {
      const resource = entity('page', `https://${host}/a`);
      return evaluation({ subject: user('reader'), action: action('full_access'), resource });
    };
    const denied = await ask('press.example');
    assert.equal(denied.body.decision, false);
    assert.equal(denied.body.context.reason, 'no_license');
    assert.deepEqual(denied.body.context.remedies[0].licenseType, ['press']);
    const first = await ask('once.example');
    assert.equal(first.body.decision, true);
    assert.match(first.headers.get('ratelimit') ?? '', /r=0/);
    const second = await ask('once.example');
    assert.deepEqual([second.body.decision, second.body.context.reason], [false, 'rate_limit_exceeded']);
    assert.equal(second.body.context.remedies[0].kind, 'wait');
    const watched = await ask('watched.example');
    assert.deepEqual(
      [watched.body.decision, watched.body.context.enforced, watched.body.context.allowed],
      [true, false, false],
    );
    const before = await recorded();
    const nowhere = await ask('nowhere.example');
    assert.deepEqual([nowhere.body.decision, nowhere.body.context.reason], [false, 'content_not_found']);
    assert.equal(await recorded(), before);
  });

  test('an item that is spelled in several ways is one item, with one limit', async () => {
    const limited = { action: 'allow', rateLimit: { requests: 2, period: 'day', scope: 'content' } };
    const { id: policy } = await makePolicy(postern, [limited]);
    for (const name of ['list', 'one-by-one']) {
      const source = `https://spelled.example/Record/${name}`;
      const { id } = await made(postern, '/v1/content', item({ externalId: name, source, policyId: policy }));
      const asked = [
        name,
        id,
        source,
        `HTTPS://SPELLED.EXAMPLE/Record/${name}`,
        `http://spelled.example:80/Record/${name}`,
        `https://spelled.example/%52ecord/${name}?a=b`,
      ].map((resource) => ({ subject: user('reader'), action: action('full_access'), resource: record(resource) }));
      const answers = [];
      if (name === 'list') answers.push(...(await evaluations({ evaluations: asked })).body.evaluations);
      else for (const one of asked) answers.push((await evaluation(one)).body);
      assert.deepEqual(
        answers.map(({ decision }) => decision),
        asked.map((_, i) => i < 2),
      );
      for (const { context } of answers) {
        assert.equal((await postern.call('GET', `/v1/access/decisions/${context.id}`)).body.contentId, id);
      }
    }
  });

  test('it needs access:check; a public key states no attributes and records nothing', async () => {
    const body = { subject: alice, action: action('read'), resource: record1 };
    for (const path of ['/access/v1/evaluation', '/access/v1/evaluations']) {
      assertError(await postern.call('POST', path, { key: null, body }), 'missing_api_key');
      const reader = await makeKey(postern, { permissions: ['policies:read'] });
      assertError(await postern.call('POST', path, { key: reader, body: 7 }), 'insufficient_permissions');
      const key = await makeKey(postern, { type: 'public', permissions: ['access:check'] });
      const before = await recorded();
      const open = await postern.call('POST', path, { key, body });
      assert.deepEqual([open.body.decision, open.body.context.id], [true, null]);
      const stated = { ...body, subject: user('alice', { role: 'admin' }) };
      assertError(await postern.call('POST', path, { key, body: stated }), 'invalid_request', 'subject.properties');
      assert.equal(await recorded(), before);
    }
  });

  test('a refusal names the fields that were sent', async () => {
    const properties = { long: 'x'.repeat(300) };
    const readOnly = await makeKey(postern, { type: 'public', permissions: ['access:check'] });
    const rows: [string, object, string?][] = [
      ['resource.id', { resource: record('https://e.example/open/%2e%2e/a') }],
      ['resource.id', { resource: record('https://') }],
      ['resource.id', { resource: record('x'.repeat(300)) }],
      ['subject.id', { subject: user('not an id') }],
      ['action.name', { action: action('Not a name') }],
      ['context.country', { context: { country: 'x' } }],
      ['subject.properties.long', { subject: user('alice', properties) }],
      ['action.properties.long', { action: action('read', properties) }],
      ['resource.properties.long', { resource: record('record-1', properties) }],
      ['resource.properties', { resource: record('record-1', { a: 1 }) }, readOnly],
    ];
    for (const [param, changed, key] of rows) {
      const body = { subject: alice, action: action('read'), resource: record1, ...changed };
      const ask = (path: string, sent: object) =>
        postern.call('POST', `/access/v1/${path}`, { body: sent, ...(key && { key }) });
      const answer = await ask('evaluation', body);
      assertError(answer, 'invalid_request', param);
      assert.equal(answer.body.error.details[0].param, param);
      assertError(await ask('evaluations', body), 'invalid_request', param);
      const [one] = (await ask('evaluations', { evaluations: [body] })).body.evaluations;
      assert.equal(one.context.error.message, answer.body.error.message);
      assert.doesNotMatch(one.context.error.message, /`(?:url|contentId|context\.attributes)/);
    }
    const unclear = { subject: alice, action: action('read'), resource: record('https://e.example/open/%2e%2e/a') };
    for (const what of ['subject', 'action']) {
      const answer = await postern.call('POST', `/access/v1/search/${what}`, { body: unclear });
      assertError(answer, 'invalid_request', 'resource.id');
    }
  });

  test('whatever a body holds, there is no 5xx, and no decision of a refused request', async () => {
    const { id } = await makePolicy(postern, [allowAll]);
    await made(postern, '/v1/content', item({ externalId: 'fuzzed', policyId: id }));
    const text = fc.oneof(
      fc.string({ maxLength: 12 }),
      fc.constantFrom('fuzzed', 'alice', 'read', 'user', 'https://[', 'http://%'),
    );
    const value = fc.oneof(fc.jsonValue({ maxDepth: 2 }), text);
    const fields = (...keys: string[]) =>
      fc.record(Object.fromEntries(keys.map((key) => [key, fc.oneof(value, text, text)])), { requiredKeys: [] });
    const entities = {
      subject: fc.oneof(fields('type', 'id', 'properties'), value),
      action: fc.oneof(fields('name', 'properties'), value),
      resource: fc.oneof(fields('type', 'id', 'properties'), value),
      context: fc.oneof(fields('purpose', 'country', 'ip', 'userAgent', 'x'), value),
    };
    const one = fc.record(entities, { requiredKeys: [] });
    const list = fc.record(
      { ...entities, evaluations: fc.oneof(fc.array(fc.oneof(one, value), { maxLength: 4 }), value), options: value },
      { requiredKeys: [] },
    );
    await fc.assert(
      fc.asyncProperty(fc.oneof(one, list, value), async (body) => {
        const before = await recorded();
        const answers = [await evaluation(body), await evaluations(body)];
        let decisions = 0;
        for (const answer of answers) {
          if (answer.status === 400) {
            assertErrorShape(answer);
            continue;
          }
          assertStatus(answer, 200, JSON.stringify(body));
          for (const { decision, context } of answer.body.evaluations ?? [answer.body]) {
            assert.equal(typeof decision, 'boolean');
            if (context.id !== undefined) decisions++;
          }
        }
        assert.equal(await recorded(), before + decisions);
      }),
      { numRuns: 150 },
    );
  });
});

test('ids of decisions are those of the log', async () => {
  const { body } = await evaluation({ subject: alice, action: action('read'), resource: record1 });
  assert.match(body.context.id, ID('dec'));
});
