/** Policies: every operation and every limit; what a rule may say. */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import type { Answer } from '../../kit/answer.ts';
import { pluck } from '../../kit/pluck.ts';
import { startTestService, type TestService, testClock } from '../../kit/service.ts';
import { words } from '../../kit/words.ts';
import { assertError, assertStatus, check, ID, item, MOMENT, made, makeItem, makePolicy } from './given.ts';

const clock = testClock();
const postern = await startTestService({ clock });
after(() => postern[Symbol.asyncDispose]());

const create = (body: object) => postern.call('POST', '/v1/policies', { body });
const patch = (id: string, body: object) => postern.call('PATCH', `/v1/policies/${id}`, { body });
const withRule = (more: object) => create({ name: 'x', rules: [{ action: 'allow', conditions: {}, ...more }] });
const withCondition = (conditions: object) => withRule({ conditions });

describe('the default policy', () => {
  test('is there from the first start', async () => {
    await using fresh = await startTestService();
    const { body } = await fresh.call('GET', '/v1/policies/pol_default');
    assert.deepEqual(
      [body.id, body.object, body.rules, body.defaultAction, body.version, body.isDefault],
      ['pol_default', 'policy', [], 'deny', 1, true],
    );
    assert.match(body.created, MOMENT);
    assert.equal((await fresh.call('GET', '/v1/policies')).body.totalCount, 1);
  });
  test('can be edited, not deleted', async () => {
    await using fresh = await startTestService();
    const edited = await fresh.call('PATCH', '/v1/policies/pol_default', { body: { defaultAction: 'allow' } });
    assertStatus(edited, 200);
    assert.deepEqual([edited.body.version, edited.body.isDefault], [2, true]);
    assertError(await fresh.call('DELETE', '/v1/policies/pol_default'), 'default_policy');
    const { id } = await made(fresh, '/v1/content', item());
    assert.equal((await check(fresh, { contentId: id })).allowed, true);
    await fresh.restart();
    assert.equal((await fresh.call('GET', '/v1/policies/pol_default')).body.version, 2);
  });
});

/** Warnings that need to know who the requesters are. */
describe('a rule that allows by a name, of a requester with identities', () => {
  const identities = [{ kind: 'ip', ranges: ['192.0.2.0/24'] }];
  const paramsOf = ({ body }: Answer): string[] =>
    body.warnings
      .filter(({ code }: { code: string }) => code === 'identities_not_required')
      .map(({ param }: { param: string }) => param);
  const allow = (conditions: object) => ({ action: 'allow', conditions });
  const asked = async (service: TestService, conditions: object) =>
    paramsOf(await service.call('POST', '/v1/policies/lint', { body: { rules: [allow(conditions)] } }));

  test('is warned about where rules are written: lint, create, edit, rollback, candidate, publish', async () => {
    await made(postern, '/v1/requesters', { id: 'provable', identities });
    await made(postern, '/v1/requesters', { id: 'unprovable' });
    const rules = [allow({ requesterId: 'unprovable' }), allow({ requesterId: ['unprovable', 'provable'] })];
    const expected = ['rules[1].conditions.requesterId'];
    assert.deepEqual(paramsOf(await postern.call('POST', '/v1/policies/lint', { body: { rules } })), expected);
    const first = await create({ name: 'x', rules });
    assert.deepEqual(paramsOf(first), expected);
    const { id } = first.body;
    assert.deepEqual(paramsOf(await patch(id, { rules: [allow({ requesterVerified: true })] })), []);
    assert.deepEqual(paramsOf(await patch(id, { rules })), expected);
    assert.deepEqual(paramsOf(await patch(id, { rules })), expected, 'nothing changes');
    const rollback = { body: { version: 1 } };
    assert.deepEqual(paramsOf(await postern.call('POST', `/v1/policies/${id}/rollback`, rollback)), expected);
    const put = () => postern.call('PUT', `/v1/policies/${id}/candidate`, { body: { rules } });
    assert.deepEqual([paramsOf(await put()), paramsOf(await put())], [expected, expected]);
    assert.deepEqual(paramsOf(await postern.call('POST', `/v1/policies/${id}/candidate/publish`)), expected);
  });

  test('counts crawlers, and licenses that count now or later, as of the last edit', async () => {
    await using fresh = await startTestService({ clock });
    const gptbot = { crawler: 'GPTBot' };
    assert.deepEqual(await asked(fresh, gptbot), ['rules[0].conditions.crawler']);
    assert.deepEqual(await asked(fresh, { ...gptbot, crawlerVerified: true }), []);
    await made(fresh, '/v1/crawlers/register', { names: ['GPTBot'] }, 200);
    assert.deepEqual(await asked(fresh, gptbot), ['rules[0].conditions.crawler']);
    assert.deepEqual(await asked(fresh, { hasValidLicense: true }), []);

    const expiresAt = new Date(clock.now() + 1000).toISOString();
    await made(fresh, '/v1/licenses', { requesterId: 'gptbot', type: 'ended', expiresAt });
    clock.advance(2000);
    const { id } = await made(fresh, '/v1/licenses', { requesterId: 'gptbot', type: 'training' });
    await made(fresh, '/v1/requesters', { id: 'other' });
    await made(fresh, '/v1/licenses', { requesterId: 'other', type: 'archive' });
    const licenses = { training: 1, archive: 0, ended: 0 };
    for (const [licenseType, count] of Object.entries(licenses)) {
      assert.equal((await asked(fresh, { licenseType })).length, count, licenseType);
    }
    await fresh.restart();
    assert.equal((await asked(fresh, { hasValidLicense: true })).length, 1);
    assertStatus(await fresh.call('POST', `/v1/licenses/${id}/revoke`), 200);
    assert.deepEqual(await asked(fresh, { hasValidLicense: true }), []);
    assertStatus(await fresh.call('PATCH', '/v1/requesters/gptbot', { body: { identities: [] } }), 200);
  });

  test('counts the types and tags of requesters', async () => {
    await using fresh = await startTestService();
    await made(fresh, '/v1/requesters', { id: 'plain', type: 'media', tags: ['news'], userAgents: ['CCBot'] });
    assert.deepEqual(await asked(fresh, { requesterTags: 'news' }), []);
    const body = { id: 'openai', type: 'ai', tags: ['big'], userAgents: ['gptbot'], identities };
    await made(fresh, '/v1/requesters', body);
    for (const [conditions, count] of [
      [{ requesterType: 'ai' }, 1],
      [{ requesterType: ['media'] }, 0],
      [{ requesterTags: ['news', 'big'] }, 1],
      [{ requesterTags: 'news' }, 0],
      [{ requesterType: 'ai', requesterVerified: ['ip'] }, 0],
    ] as const) {
      assert.equal((await asked(fresh, conditions)).length, count, JSON.stringify(conditions));
    }
  });
});

describe('create', () => {
  test('gives the policy', async () => {
    const answer = await create({ name: 'N', description: 'D', rules: [], defaultAction: 'allow' });
    assertStatus(answer, 201);
    const { id, created, updated, ...rest } = answer.body;
    assert.match(id, ID('pol'));
    assert.equal(created, updated);
    delete rest.warnings;
    const expected = {
      object: 'policy',
      name: 'N',
      description: 'D',
      rules: [],
      defaultAction: 'allow',
      version: 1,
      isDefault: false,
    };
    assert.deepEqual(rest, expected);
    const { warnings: _, ...read } = (await postern.call('GET', `/v1/policies/${id}`)).body;
    assert.deepEqual(read, { id, created, updated, ...expected });
  });
  test('denies by default', async () =>
    assert.equal((await create({ name: 'N', rules: [] })).body.defaultAction, 'deny'));
  test('asks for name and rules', async () => {
    assertError(await create({ rules: [] }), 'invalid_request', 'name');
    assertError(await create({ name: 'N' }), 'invalid_request', 'rules');
    for (const rules of [null, {}, 'x', 5]) assertError(await create({ name: 'N', rules }), 'invalid_request', 'rules');
    for (const rule of [null, 5, 'x', []])
      assertError(await create({ name: 'N', rules: [rule] }), 'invalid_request', 'rules[0]');
    assertError(await create({ name: 'N', rules: [], defaultAction: 'maybe' }), 'invalid_request', 'defaultAction');
    for (const field of ['id', 'version', 'isDefault', 'created', 'warnings']) {
      assertError(await create({ name: 'N', rules: [], [field]: 1 }), 'invalid_request', field);
    }
  });
});

describe('limits', () => {
  const rules = (count: number) =>
    Array.from({ length: count }, () => ({ action: 'deny', conditions: { purpose: 'x' } }));
  test('name 1 to 200', async () => {
    for (const n of [1, 199, 200]) assertStatus(await create({ name: 'x'.repeat(n), rules: [] }), 201);
    for (const n of [0, 201]) assertError(await create({ name: 'x'.repeat(n), rules: [] }), 'invalid_request', 'name');
  });
  test('description to 2,000', async () => {
    for (const n of [0, 1999, 2000])
      assertStatus(await create({ name: 'x', description: 'x'.repeat(n), rules: [] }), 201);
    assertError(
      await create({ name: 'x', description: 'x'.repeat(2001), rules: [] }),
      'invalid_request',
      'description',
    );
  });
  test('at most 100 rules', async () => {
    for (const n of [0, 99, 100]) assertStatus(await create({ name: 'x', rules: rules(n) }), 201);
    assertError(await create({ name: 'x', rules: rules(101) }), 'invalid_request', 'rules');
    const { id } = await makePolicy(postern, []);
    assertStatus(await patch(id, { rules: rules(100) }), 200);
    assertError(await patch(id, { rules: rules(101) }), 'invalid_request', 'rules');
  });
  test('message to 500', async () => {
    for (const n of [1, 499, 500]) assertStatus(await withRule({ message: 'x'.repeat(n) }), 201);
    assertError(await withRule({ message: 'x'.repeat(501) }), 'invalid_request', 'rules[0].message');
  });
  test('a condition list of at most 1,000', async () => {
    const list = (n: number) => Array.from({ length: n }, (_, i) => `v${i}`);
    for (const key of ['purpose', 'requesterIdNot', 'userAgent', 'licenseType', 'contentTags']) {
      for (const n of [1, 999, 1000]) assertStatus(await withCondition({ [key]: list(n) }), 201, `${key} ${n}`);
      const answer = await withCondition({ [key]: list(1001) });
      assertError(answer, 'invalid_request', undefined, key);
      assert.ok(answer.body.error.param.startsWith(`rules[0].conditions.${key}`), answer.body.error.param);
    }
  });
  test('permissions: the known ones and any other small word', async () => {
    const known = words(`
      full_access preview_only metadata_only commercial_use training fine_tuning inference redistribution
    `);
    assertStatus(await withRule({ permissions: known }), 201);
    for (const one of ['a', 'a1_', 'x'.repeat(63), 'x'.repeat(64)])
      assertStatus(await withRule({ permissions: [one] }), 201, one);
    for (const one of ['', 'A', '1a', '_a', 'a-b', 'a b', 'é', 'x'.repeat(65), 5, null, '*']) {
      const answer = await withRule({ permissions: [one] });
      assertError(answer, 'invalid_request', undefined, String(one));
      assert.ok(answer.body.error.param.startsWith('rules[0].permissions'), answer.body.error.param);
    }
  });
  test('rateLimit: at least one request, a known period, a known scope', async () => {
    for (const period of ['second', 'minute', 'hour', 'day', 'week', 'month']) {
      for (const scope of [undefined, 'requester', 'content', 'global']) {
        assertStatus(await withRule({ rateLimit: { requests: 1, period, scope } }), 201, `${period} ${scope}`);
      }
    }
    const wrong: [object, string][] = [
      [{ requests: 0, period: 'hour' }, '.requests'],
      [{ requests: -1, period: 'hour' }, '.requests'],
      [{ requests: 1.5, period: 'hour' }, '.requests'],
      [{ requests: '5', period: 'hour' }, '.requests'],
      [{ period: 'hour' }, '.requests'],
      [{ requests: 1 }, '.period'],
      [{ requests: 1, period: 'year' }, '.period'],
      [{ requests: 1, period: 'Hour' }, '.period'],
      [{ requests: 1, period: 'hour', scope: 'all' }, '.scope'],
    ];
    for (const [rateLimit, where] of wrong) {
      assertError(
        await withRule({ rateLimit }),
        'invalid_request',
        `rules[0].rateLimit${where}`,
        JSON.stringify(rateLimit),
      );
    }
  });
  test('action and priority', async () => {
    for (const action of ['Allow', '', null, 'throttle'])
      assertError(await withRule({ action }), 'invalid_request', 'rules[0].action');
    assertError(await create({ name: 'x', rules: [{ conditions: {} }] }), 'invalid_request', 'rules[0].action');
    for (const priority of [1.5, '1', null, 9007199254740992]) {
      assertError(await withRule({ priority }), 'invalid_request', 'rules[0].priority', String(priority));
    }
    for (const priority of [1, 5, 1000]) assertStatus(await withRule({ priority }), 201);
  });
});

describe('conditions', () => {
  const fine: object[] = [
    {},
    { default: true },
    { default: false },
    { hasValidLicense: true },
    { hasValidLicense: false },
    { licenseType: 'a' },
    { licenseType: ['a', 'b'], licenseTypeNot: 'c' },
    { requesterId: 'gptbot', requesterIdNot: ['a', 'b'] },
    { purpose: 'search', purposeNot: ['training'] },
    { permission: 'training', permissionNot: 'x' },
    { contentType: 'article', contentTypeNot: ['image', 'video'] },
    { contentTags: 'a', contentTagsNot: ['b'] },
    { country: 'DE', countryNot: ['US', 'GB'] },
    { ip: '10.0.0.1', ipNot: ['10.0.0.0/8', '2001:db8::/32', '::1'] },
    { userAgent: 'GPTBot', userAgentNot: ['curl', 'wget'] },
  ];
  for (const conditions of fine) {
    test(`${JSON.stringify(conditions)} is taken and echoed`, async () => {
      const answer = await withCondition(conditions);
      assertStatus(answer, 201);
      assert.deepEqual(answer.body.rules, [{ action: 'allow', conditions }]);
    });
  }
  const wrong: [string, unknown][] = [
    ['defaultNot', true],
    ['hasValidLicenseNot', true],
    ['default', 'true'],
    ['default', 1],
    ['default', null],
    ['hasValidLicense', 'yes'],
    ['hasValidLicense', null],
    ['hasValidLicense', [true]],
    ['licenseType', 5],
    ['licenseType', ['a', 5]],
    ['licenseType', { a: 1 }],
    ['licenseType', null],
    ['purpose', true],
    ['country', 'DEU'],
    ['country', 'D'],
    ['country', ['DE', 'Germany']],
    ['country', 'D1'],
    ['ip', 'x'],
    ['ip', '999.1.1.1'],
    ['ip', '10.0.0.0/33'],
    ['ip', '::/129'],
    ['ip', '10.0.0.0/'],
    ['ip', '010.0.0.1'],
    ['ip', '0x0a.0.0.1'],
    ['ip', '10.1'],
    ['ipNot', ['10.0.0.1', '']],
    ['userAgent', 5],
    ['nope', 1],
    ['', 1],
  ];
  for (const [key, value] of wrong) {
    test(`${JSON.stringify({ [key]: value })} is refused`, async () => {
      const answer = await withCondition({ [key]: value });
      assertError(answer, 'invalid_request');
      assert.ok(
        answer.body.error.param.startsWith(`rules[0].conditions${key === '' ? '' : `.${key}`}`),
        answer.body.error.param,
      );
    });
  }
  test('conditions are an object', async () => {
    for (const conditions of [[], 'x', 5, null])
      assertError(await withRule({ conditions }), 'invalid_request', 'rules[0].conditions');
  });
});

describe('update', () => {
  test('makes a version of each change; created stays', async () => {
    const before = await makePolicy(postern, [{ action: 'deny', conditions: {} }], { description: 'D' });
    let version = 1;
    for (const body of [
      { name: 'B' },
      { name: 'C' },
      { description: 'E' },
      { rules: [] },
      { defaultAction: 'allow' },
    ]) {
      clock.advance(1000);
      const answer = await patch(before.id, body);
      assertStatus(answer, 200);
      version += 1;
      assert.equal(answer.body.version, version);
      assert.equal(answer.body.created, before.created);
      assert.equal(answer.body.updated, new Date(clock.now()).toISOString());
    }
    const { body } = await postern.call('GET', `/v1/policies/${before.id}`);
    assert.deepEqual(
      [body.name, body.description, body.rules, body.defaultAction, body.version],
      ['C', 'E', [], 'allow', 6],
    );
  });
  test('{} is refused and no version', async () => {
    const { id } = await makePolicy(postern, []);
    assertError(await patch(id, {}), 'invalid_request');
    assertError(await patch(id, { name: '' }), 'invalid_request', 'name');
    assertError(await patch(id, { rules: [{ action: 'no' }] }), 'invalid_request');
    assertError(await patch(id, { version: 5 }), 'invalid_request', 'version');
    assert.equal((await postern.call('GET', `/v1/policies/${id}`)).body.version, 1);
  });
  test('acts on the next check, which names its version', async () => {
    const { id, policyId } = await makeItem(postern, [{ action: 'allow', conditions: {} }]);
    assert.deepEqual([(await check(postern, { contentId: id })).allowed], [true]);
    await patch(policyId, { rules: [] });
    const next = await check(postern, { contentId: id });
    assert.deepEqual([next.allowed, next.policyVersion, next.policyId], [false, 2, policyId]);
  });
  test('unknown policies are not found', async () => {
    for (const id of ['none', 'pol_', 'pol_00000000000000000000000000', '%20', 'x'.repeat(300)]) {
      assertError(await patch(id, { name: 'x' }), 'policy_not_found');
      assertError(await postern.call('GET', `/v1/policies/${id}`), 'policy_not_found');
      assertError(await postern.call('DELETE', `/v1/policies/${id}`), 'policy_not_found');
    }
  });
});

describe('delete', () => {
  test('of one that nothing points to', async () => {
    const { id } = await makePolicy(postern, []);
    assert.deepEqual((await postern.call('DELETE', `/v1/policies/${id}`)).body, {
      id,
      object: 'policy',
      deleted: true,
    });
    assertError(await postern.call('GET', `/v1/policies/${id}`), 'policy_not_found');
    assertError(await postern.call('DELETE', `/v1/policies/${id}`), 'policy_not_found');
    assertError(
      await postern.call('POST', '/v1/content', { body: item({ policyId: id }) }),
      'invalid_request',
      'policyId',
    );
  });
  test('is refused while content points to it, archived too', async () => {
    const content = await makeItem(postern, []);
    const path = `/v1/policies/${content.policyId}`;
    assertError(await postern.call('DELETE', path), 'policy_in_use');
    await postern.call('PATCH', `/v1/content/${content.id}`, { body: { status: 'archived' } });
    assertError(await postern.call('DELETE', path), 'policy_in_use');
    await postern.call('PATCH', `/v1/content/${content.id}`, { body: { policyId: null } });
    assertStatus(await postern.call('DELETE', path), 200);
  });
  test('of one whose content was deleted, after decisions under it', async () => {
    const content = await makeItem(postern, []);
    await check(postern, { contentId: content.id });
    assertStatus(await postern.call('DELETE', `/v1/content/${content.id}`), 200);
    assertStatus(await postern.call('DELETE', `/v1/policies/${content.policyId}`), 200);
  });
  test('of one under which another policy’s content was once decided keeps those decisions', async () => {
    const content = await makeItem(postern, []);
    const { id, policyId } = await check(postern, { contentId: content.id });
    await postern.call('PATCH', `/v1/content/${content.id}`, { body: { policyId: null } });
    assertStatus(await postern.call('DELETE', `/v1/policies/${policyId}`), 200);
    const read = await postern.call('GET', `/v1/access/decisions/${id}`);
    assertStatus(read, 200);
    assert.equal(read.body.policyId, policyId);
    assert.equal((await postern.call('GET', `/v1/content/${content.id}`)).body.stats.totalRequests, 1);
  });
});

describe('list', () => {
  test('is newest first', async () => {
    await using own = await startTestService({ clock: testClock() });
    const ids = [];
    for (let i = 0; i < 5; i++) ids.unshift((await makePolicy(own, [])).id);
    const { body } = await own.call('GET', '/v1/policies');
    assert.deepEqual(pluck(body.data, 'id'), [...ids, 'pol_default']);
    assert.deepEqual([body.totalCount, body.hasMore, body.nextCursor], [6, false, null]);
  });
});

test('checks are answered while a policy is linted that takes long', async () => {
  const { id: contentId } = await makeItem(postern, [{ action: 'allow' }]);
  const keys = (name: string, rule: number) =>
    Object.fromEntries(Array.from({ length: 8 }, (_, i) => [`${name}${i}`, rule]));
  const rules = Array.from({ length: 100 }, (_, rule) => ({
    action: rule % 2 === 0 ? 'deny' : 'allow',
    conditions: { contentMetadataNot: keys('a', rule), requesterMetadataNot: keys('b', rule) },
  }));
  let isLinted = false;
  const linted = postern.call('POST', '/v1/policies/lint', { body: { rules } }).finally(() => (isLinted = true));
  let answered = 0;
  for (; !isLinted; answered++) await made(postern, '/v1/access/check', { contentId, dryRun: true }, 200);
  assert.equal((await linted).status, 200);
  assert.ok(answered >= 5, String(answered));
});
