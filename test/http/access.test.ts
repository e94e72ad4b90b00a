/** Checks: which rule decides, why, what is granted, what is counted, and limits of every period and scope. */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { pluck } from '../../kit/pluck.ts';
import { startTestService, type TestService, testClock } from '../../kit/service.ts';
import { words } from '../../kit/words.ts';
import {
  assertError,
  assertStatus,
  check,
  ID,
  item,
  MOMENT,
  made,
  makeItem,
  makeKey,
  makePolicy,
  next,
} from './given.ts';

const clock = testClock();
const postern = await startTestService({ clock });
after(() => postern[Symbol.asyncDispose]());

const allow = (conditions: object, more: object = {}) => ({ action: 'allow', conditions, ...more });
const deny = (conditions: object, more: object = {}) => ({ action: 'deny', conditions, ...more });
const iso = (ms: number) => new Date(clock.now() + ms).toISOString();
const licensed = (type: string, more: object = {}) => ({ license: { type, ...more } });
const stats = async (id: string, of: TestService = postern) => (await of.call('GET', `/v1/content/${id}`)).body.stats;
const NONE = { totalRequests: 0, allowedRequests: 0, deniedRequests: 0 };

/** Returns the answer to a check of new content under these rules. */
const decided = async (rules: object[], asked: object = {}, policy: object = {}) => {
  const { id } = await makeItem(postern, rules, {}, policy);
  return check(postern, { contentId: id, ...asked });
};

describe('the answer', () => {
  const KEYS = words('id object allowed action reason message permissions contentId externalId requesterId');
  const MORE = ['policyId', 'policyVersion', 'matchedRule', 'licenseId', 'rateLimit', 'recorded', 'created'];
  const PLACE = words('url collectionId crawler verified quota enforced');
  test('to a denial', async () => {
    const content = await makeItem(postern, [allow({ purpose: 'no' }), deny({}, { priority: 99, message: 'Not you' })]);
    const got = await check(postern, { contentId: content.externalId, requesterId: 'bot' });
    assert.deepEqual(Object.keys(got).toSorted(), [...KEYS, ...MORE, ...PLACE].toSorted());
    assert.match(got.id, ID('dec'));
    assert.match(got.created, MOMENT);
    const { id: _, created: __, ...rest } = got;
    assert.deepEqual(rest, {
      object: 'access_decision',
      allowed: false,
      action: 'deny',
      reason: 'policy_denied',
      message: 'Not you',
      permissions: [],
      contentId: content.id,
      externalId: content.externalId,
      url: null,
      collectionId: null,
      requesterId: 'bot',
      crawler: null,
      verified: null,
      policyId: content.policyId,
      policyVersion: 1,
      matchedRule: { index: 1, priority: 99 },
      licenseId: null,
      rateLimit: null,
      quota: null,
      enforced: true,
      recorded: true,
    });
  });
  test('to an allowed check', async () => {
    const got = await decided([allow({}, { permissions: ['training', 'my_own'] })]);
    assert.deepEqual(
      [got.allowed, got.action, got.reason, got.permissions, got.requesterId],
      [true, 'allow', null, ['training', 'my_own'], null],
    );
    assert.deepEqual([got.matchedRule, got.rateLimit, got.recorded], [{ index: 0, priority: 1 }, null, true]);
    assert.ok(got.message.length > 0);
  });
  test('of the default action has no rule, and a sentence', async () => {
    const denied = await decided([]);
    assert.deepEqual([denied.allowed, denied.matchedRule, denied.reason], [false, null, 'policy_denied']);
    assert.ok(denied.message.length > 0);
    const allowed = await decided([], {}, { defaultAction: 'allow' });
    assert.deepEqual(
      [allowed.allowed, allowed.matchedRule, allowed.reason, allowed.permissions],
      [true, null, null, ['full_access']],
    );
  });
  test('is counted at once', async () => {
    const { id } = await makeItem(postern, [allow({ purpose: 'a' })]);
    await check(postern, { contentId: id, purpose: 'a' });
    assert.deepEqual(await stats(id), { totalRequests: 1, allowedRequests: 1, deniedRequests: 0 });
    await check(postern, { contentId: id });
    assert.deepEqual(await stats(id), { totalRequests: 2, allowedRequests: 1, deniedRequests: 1 });
  });
  test('has an explanation only when asked', async () => {
    assert.equal('explanation' in (await decided([allow({ purpose: 'a' })])), false);
    assert.equal('explanation' in (await decided([allow({ purpose: 'a' })], { explain: false })), false);
    const got = await decided([allow({ purpose: 'a' }, { priority: 2 }), deny({ country: 'DE' }, { priority: 1 })], {
      explain: true,
    });
    assert.ok(got.explanation);
    assert.deepEqual(pluck(got.explanation.rules, 'index'), [1, 0]);
  });
});

describe('what may be asked', () => {
  const ask = (body: object) => postern.call('POST', '/v1/access/check', { body });
  test('contentId is required and must be known', async () => {
    assertError(await ask({}), 'invalid_request', 'contentId');
    assertError(await ask({ contentId: 5 }), 'invalid_request', 'contentId');
    assertError(await ask({ contentId: `none-${next()}` }), 'content_not_found');
  });
  test('requesterId: 1 to 128 of its characters', async () => {
    const { id } = await makeItem(postern, []);
    for (const requesterId of ['a', 'A-z_0.9:@/-', 'x'.repeat(127), 'x'.repeat(128)]) {
      assert.equal((await check(postern, { contentId: id, requesterId })).requesterId, requesterId);
    }
    for (const requesterId of ['', 'x'.repeat(129), 'a b', 'a\tb', 'ä', 'a,b', 'a?b', 'a#', '<a>', 5, {}, 'a\n']) {
      assertError(
        await ask({ contentId: id, requesterId }),
        'invalid_request',
        'requesterId',
        JSON.stringify(requesterId),
      );
    }
  });
  test('context, license, purpose and permission have forms', async () => {
    const { id } = await makeItem(postern, []);
    const wrong: [object, string][] = [
      [{ context: { ip: 'x' } }, 'context.ip'],
      [{ context: { ip: '1.2.3' } }, 'context.ip'],
      [{ context: { ip: '010.0.0.1' } }, 'context.ip'],
      [{ context: { ip: '10.0.0.0/8' } }, 'context.ip'],
      [{ context: { country: 'DEU' } }, 'context.country'],
      [{ context: { country: 5 } }, 'context.country'],
      [{ context: { method: '' } }, 'context.method'],
      [{ context: { method: 'GET /' } }, 'context.method'],
      [{ context: { method: 'X'.repeat(33) } }, 'context.method'],
      [{ context: { userAgent: 5 } }, 'context.userAgent'],
      [{ context: 'x' }, 'context'],
      [{ license: {} }, 'license.type'],
      [{ license: { type: 5 } }, 'license.type'],
      [{ license: { type: 'a', features: 'x' } }, 'license.features'],
      [{ license: { type: 'a', expiresAt: 'soon' } }, 'license.expiresAt'],
      [{ purpose: 5 }, 'purpose'],
      [{ permission: 'Full Access' }, 'permission'],
      [{ permission: 5 }, 'permission'],
      [{ explain: 'yes' }, 'explain'],
      [{ dryRun: 1 }, 'dryRun'],
    ];
    for (const [more, param] of wrong)
      assertError(await ask({ contentId: id, ...more }), 'invalid_request', param, JSON.stringify(more));
    assert.deepEqual(await stats(id), NONE);
  });
});

describe('the order of rules', () => {
  const cases: [string, object[], object, [boolean, number | null, number | null]][] = [
    ['the list, when none has a priority', [deny({}), allow({})], {}, [false, 0, 1]],
    ['ascending priority', [deny({}, { priority: 2 }), allow({}, { priority: 1 })], {}, [true, 1, 1]],
    [
      'a missing priority is the place in the list',
      [allow({}, { priority: 3 }), deny({}), allow({})],
      {},
      [false, 1, 2],
    ],
    ['ties by position', [allow({}, { priority: 2 }), deny({})], {}, [true, 0, 2]],
    ['a tie the other way', [deny({}), allow({}, { priority: 1 })], {}, [false, 0, 1]],
    [
      'default rules come last',
      [deny({ default: true }, { priority: 1 }), allow({}, { priority: 50 })],
      {},
      [true, 1, 50],
    ],
    [
      'default rules among themselves',
      [deny({ default: true }, { priority: 9 }), allow({ default: true }, { priority: 3 })],
      {},
      [true, 1, 3],
    ],
    ['default: false never holds', [allow({ default: false }), deny({})], {}, [false, 1, 2]],
    [
      'a default rule has to hold all its conditions',
      [allow({ default: true, purpose: 'x' }), deny({ default: true })],
      {},
      [false, 1, 2],
    ],
    [
      'all conditions of a rule',
      [allow({ purpose: 'a', country: 'DE' })],
      { purpose: 'a', context: { country: 'FR' } },
      [false, null, null],
    ],
    [
      'the first that holds',
      [allow({ purpose: 'b' }), deny({ purpose: 'a' }), allow({})],
      { purpose: 'a' },
      [false, 1, 2],
    ],
  ];
  for (const [what, rules, asked, [allowed, index, priority]] of cases) {
    test(what, async () => {
      const got = await decided(rules, asked);
      assert.equal(got.allowed, allowed);
      assert.deepEqual(got.matchedRule, index === null ? null : { index, priority });
    });
  }
});

describe('conditions', () => {
  const context = (more: object) => ({ context: more });
  /** conditions, what is asked, whether an allow rule of them holds, whether a deny rule does. */
  const cases: [object, object, boolean, boolean][] = [
    [{}, {}, true, true],
    [{ default: true }, {}, true, true],
    [{ default: false }, {}, false, false],
    [{ hasValidLicense: true }, {}, false, false],
    [{ hasValidLicense: true }, licensed('a'), true, true],
    [{ hasValidLicense: false }, {}, true, true],
    [{ hasValidLicense: false }, licensed('a'), false, false],
    [{ hasValidLicense: true }, licensed('a', { expiresAt: '2020-01-01T00:00:00Z' }), false, false],
    [{ hasValidLicense: false }, licensed('a', { expiresAt: '2020-01-01T00:00:00Z' }), true, true],
    [{ hasValidLicense: true }, licensed('a', { expiresAt: '2099-01-01T00:00:00Z' }), true, true],
    [{ licenseType: 'a' }, licensed('a'), true, true],
    [{ licenseType: 'a' }, licensed('A'), false, false],
    [{ licenseType: ['b', 'a'] }, licensed('a'), true, true],
    [{ licenseType: 'a' }, {}, false, false],
    [{ licenseTypeNot: 'a' }, licensed('a'), false, false],
    [{ licenseTypeNot: 'a' }, licensed('b'), true, true],
    [{ licenseTypeNot: ['a', 'b'] }, licensed('b'), false, false],
    [{ licenseTypeNot: 'a' }, {}, false, true],
    [{ hasValidLicense: false, licenseType: 'a' }, {}, false, false],
    [{ hasValidLicense: false, licenseType: 'a' }, licensed('a'), false, false],
    [{ requesterId: 'bot' }, { requesterId: 'bot' }, true, true],
    [{ requesterId: 'bot' }, { requesterId: 'Bot' }, false, false],
    [{ requesterId: ['a', 'bot'] }, { requesterId: 'bot' }, true, true],
    [{ requesterId: 'bot' }, {}, false, false],
    [{ requesterIdNot: 'bot' }, { requesterId: 'bot' }, false, false],
    [{ requesterIdNot: 'bot' }, { requesterId: 'x' }, true, true],
    [{ requesterIdNot: 'bot' }, {}, false, true],
    [{ purpose: 'a' }, { purpose: 'a' }, true, true],
    [{ purpose: ['b', 'a'] }, { purpose: 'a' }, true, true],
    [{ purpose: 'a' }, { purpose: 'b' }, false, false],
    [{ purpose: 'a' }, {}, false, false],
    [{ purposeNot: 'a' }, { purpose: 'b' }, true, true],
    [{ purposeNot: ['a', 'b'] }, { purpose: 'b' }, false, false],
    [{ purposeNot: 'a' }, {}, false, true],
    [{ permission: 'full_access' }, { permission: 'full_access' }, true, true],
    [{ permission: 'full_access' }, {}, false, false],
    [{ permissionNot: 'training' }, { permission: 'full_access' }, true, true],
    [{ permissionNot: 'training' }, {}, false, true],
    [{ contentType: 'article' }, {}, true, true],
    [{ contentType: ['image', 'video'] }, {}, false, false],
    [{ contentTypeNot: 'article' }, {}, false, false],
    [{ contentTypeNot: ['image'] }, {}, true, true],
    [{ contentTags: 'news' }, {}, true, true],
    [{ contentTags: ['x', 'sport'] }, {}, true, true],
    [{ contentTags: 'new' }, {}, false, false],
    [{ contentTagsNot: 'news' }, {}, false, false],
    [{ contentTagsNot: ['x', 'sport'] }, {}, false, false],
    [{ contentTagsNot: ['x', 'y'] }, {}, true, true],
    [{ country: 'DE' }, context({ country: 'DE' }), true, true],
    [{ country: ['US', 'DE'] }, context({ country: 'DE' }), true, true],
    [{ country: 'DE' }, context({}), false, false],
    [{ countryNot: 'DE' }, context({ country: 'FR' }), true, true],
    [{ countryNot: 'DE' }, context({ country: 'DE' }), false, false],
    [{ countryNot: 'DE' }, {}, false, true],
    [{ ip: '10.0.0.0/8' }, context({ ip: '10.255.0.1' }), true, true],
    [{ ip: '10.0.0.0/8' }, context({ ip: '11.0.0.0' }), false, false],
    [{ ip: '10.0.0.1' }, context({ ip: '10.0.0.1' }), true, true],
    [{ ip: ['::1', '2001:db8::/32'] }, context({ ip: '2001:db8:1::' }), true, true],
    [{ ip: '2001:db8::1' }, context({ ip: '2001:0db8:0:0:0:0:0:1' }), true, true],
    [{ ip: '2001:db8::/32' }, context({ ip: '2001:db9::' }), false, false],
    [{ ip: '0.0.0.0/0' }, context({ ip: '2001:db8::1' }), false, false],
    [{ ip: '10.0.0.0/8' }, {}, false, false],
    [{ ipNot: '10.0.0.0/8' }, context({ ip: '11.0.0.1' }), true, true],
    [{ ipNot: ['10.0.0.0/8', '11.0.0.0/8'] }, context({ ip: '11.0.0.1' }), false, false],
    [{ ipNot: '10.0.0.0/8' }, {}, false, true],
    [{ userAgent: 'gptbot' }, context({ userAgent: 'Mozilla/5.0 (compatible; GPTBot/1.1)' }), true, true],
    [{ userAgent: ['GPTBot', 'x.y'] }, context({ userAgent: 'gptbot' }), true, true],
    [{ userAgent: 'g.tbot' }, context({ userAgent: 'gptbot' }), false, false],
    [{ userAgent: '.*' }, context({ userAgent: 'gptbot' }), false, false],
    [{ userAgent: 'gptbot' }, {}, false, false],
    [{ userAgentNot: 'gptbot' }, context({ userAgent: 'curl' }), true, true],
    [{ userAgentNot: ['curl', 'gptbot'] }, context({ userAgent: 'CURL/8' }), false, false],
    [{ userAgentNot: 'gptbot' }, {}, false, true],
  ];
  for (const [conditions, asked, allows, denies] of cases) {
    test(`${JSON.stringify(conditions)} with ${JSON.stringify(asked)}: ${allows}, ${denies}`, async () => {
      const tags = { tags: ['news', 'sport'] };
      const one = await makeItem(postern, [allow(conditions)], tags);
      assert.equal((await check(postern, { contentId: one.id, ...asked })).allowed, allows, 'as an allow rule');
      const two = await makeItem(postern, [deny(conditions)], tags, { defaultAction: 'allow' });
      assert.equal(
        (await check(postern, { contentId: two.id, ...asked })).matchedRule !== null,
        denies,
        'as a deny rule',
      );
    });
  }
  test('an item without tags is known to have none', async () => {
    assert.equal((await decided([allow({ contentTagsNot: 'a' })])).allowed, true);
    assert.equal((await decided([allow({ contentTags: 'a' })])).allowed, false);
  });
  test('a licence runs out at the millisecond of its expiresAt', async () => {
    const rules = [allow({ hasValidLicense: true })];
    assert.equal((await decided(rules, licensed('a', { expiresAt: iso(1) }))).allowed, true);
    assert.equal((await decided(rules, licensed('a', { expiresAt: iso(0) }))).allowed, false);
    assert.equal((await decided(rules, licensed('a', { expiresAt: null }))).allowed, true);
  });
});

describe('permissions', () => {
  const grants = (permissions: string[] | undefined, permission?: string) =>
    decided(
      [allow({}, permissions === undefined ? {} : { permissions })],
      permission === undefined ? {} : { permission },
    );
  test('an allow without permissions grants full access, an empty list nothing', async () => {
    assert.deepEqual((await grants(undefined)).permissions, ['full_access']);
    const empty = await grants([]);
    assert.deepEqual([empty.allowed, empty.permissions], [true, []]);
    assert.equal((await grants([], 'metadata_only')).reason, 'permission_not_granted');
  });
  test('full_access implies preview and metadata, and no right of use', async () => {
    for (const one of ['full_access', 'preview_only', 'metadata_only'])
      assert.equal((await grants(undefined, one)).allowed, true, one);
    for (const one of ['commercial_use', 'training', 'fine_tuning', 'inference', 'redistribution', 'my_own']) {
      const got = await grants(['full_access'], one);
      assert.deepEqual(
        [got.allowed, got.action, got.reason, got.permissions],
        [false, 'deny', 'permission_not_granted', []],
        one,
      );
      assert.deepEqual(got.matchedRule, { index: 0, priority: 1 });
    }
  });
  test('nothing else implies anything', async () => {
    assert.equal((await grants(['preview_only'], 'metadata_only')).allowed, false);
    assert.equal((await grants(['preview_only'], 'full_access')).allowed, false);
    assert.equal((await grants(['commercial_use'], 'full_access')).allowed, false);
    assert.equal((await grants(['my_own', 'training'], 'my_own')).allowed, true);
  });
  test('the default action grants full access and no right of use', async () => {
    const policy = { defaultAction: 'allow' };
    assert.equal((await decided([], { permission: 'preview_only' }, policy)).allowed, true);
    const got = await decided([], { permission: 'training' }, policy);
    assert.deepEqual([got.allowed, got.reason, got.matchedRule], [false, 'permission_not_granted', null]);
  });
  test('it never falls through to a later rule, and touches no limit', async () => {
    const rateLimit = { requests: 1, period: 'day' };
    const rules = [allow({}, { permissions: ['preview_only'], rateLimit }), allow({}, { permissions: ['training'] })];
    const { id } = await makeItem(postern, rules);
    for (let i = 0; i < 3; i++) {
      assert.equal(
        (await check(postern, { contentId: id, requesterId: 'r', permission: 'training' })).reason,
        'permission_not_granted',
      );
    }
    const fine = await check(postern, { contentId: id, requesterId: 'r', permission: 'preview_only' });
    assert.deepEqual([fine.allowed, fine.rateLimit.remaining], [true, 0]);
    assert.equal(
      (await check(postern, { contentId: id, requesterId: 'r', permission: 'training' })).reason,
      'permission_not_granted',
    );
  });
});

describe('reasons', () => {
  const over = { expiresAt: '2020-01-01T00:00:00Z' };
  const enterprise = allow({ licenseType: 'enterprise' });
  const cases: [string, object[], object, string][] = [
    ['a deny rule', [deny({ purpose: 'a' })], { purpose: 'a' }, 'policy_denied'],
    ['a bare default', [], {}, 'policy_denied'],
    ['(a) a deny rule with hasValidLicense: false', [deny({ hasValidLicense: false })], {}, 'no_license'],
    ['(a) with other conditions', [deny({ hasValidLicense: false, purpose: 'a' })], { purpose: 'a' }, 'no_license'],
    ['(a) with an expired licence', [deny({ hasValidLicense: false })], licensed('any', over), 'license_expired'],
    ['(b) a catch-all deny after an allow with a licence key', [enterprise, deny({ default: true })], {}, 'no_license'],
    ['(b) without conditions', [enterprise, deny({})], {}, 'no_license'],
    ['(b) the default action', [enterprise], {}, 'no_license'],
    ['(b) with a licence of another type', [enterprise, deny({ default: true })], licensed('basic'), 'no_license'],
    [
      '(b) with an expired one that would have done',
      [enterprise, deny({ default: true })],
      licensed('enterprise', over),
      'license_expired',
    ],
    ['(b) the same by the default action', [enterprise], licensed('enterprise', over), 'license_expired'],
    ['(b) with an expired one that would not', [enterprise], licensed('basic', over), 'no_license'],
    [
      'an allow rule whose other conditions fail',
      [allow({ licenseType: 'a', purpose: 'x' }), deny({})],
      { purpose: 'y' },
      'policy_denied',
    ],
    [
      'the same with an expired licence',
      [allow({ licenseType: 'a', purpose: 'x' })],
      { purpose: 'y', ...licensed('a', over) },
      'policy_denied',
    ],
    ['an allow rule that comes after the catch-all', [deny({}), enterprise], {}, 'policy_denied'],
    ['an allow rule without a licence key', [allow({ purpose: 'x' }), deny({})], {}, 'policy_denied'],
    ['a deny rule with conditions after it', [enterprise, deny({ contentType: 'article' })], {}, 'policy_denied'],
    [
      'hasValidLicense: false beside a positive key never holds',
      [allow({ hasValidLicense: false, licenseType: 'a' }), deny({})],
      {},
      'policy_denied',
    ],
  ];
  for (const [what, rules, asked, reason] of cases) {
    test(`${what}: ${reason}`, async () => {
      const got = await decided(rules, asked);
      assert.deepEqual([got.allowed, got.reason], [false, reason]);
    });
  }
  test('archived content before everything', async () => {
    const { id } = await makeItem(postern, [allow({})]);
    await postern.call('PATCH', `/v1/content/${id}`, { body: { status: 'archived' } });
    const got = await check(postern, { contentId: id, permission: 'training' });
    assert.deepEqual(
      [got.reason, got.matchedRule, got.permissions, got.recorded],
      ['content_archived', null, [], true],
    );
    assert.equal((await stats(id)).deniedRequests, 1);
  });
});

describe('dryRun', () => {
  test('answers the same, is not recorded and uses up nothing', async () => {
    const { id } = await makeItem(postern, [allow({}, { rateLimit: { requests: 1, period: 'day' } })]);
    const asked = { contentId: id, requesterId: 'dry' };
    for (let i = 0; i < 3; i++) {
      const got = await check(postern, { ...asked, dryRun: true });
      assert.deepEqual([got.allowed, got.recorded], [true, false]);
    }
    assert.deepEqual(await stats(id), NONE);
    assert.equal((await postern.call('GET', `/v1/access/decisions?contentId=${id}`)).body.totalCount, 0);
    assert.equal((await postern.call('GET', `/v1/analytics/usage?contentId=${id}`)).body.summary.totalRequests, 0);
    const real = await check(postern, { ...asked, dryRun: false });
    assert.deepEqual([real.allowed, real.recorded, real.rateLimit.remaining], [true, true, 0]);
    const dry = await check(postern, { ...asked, dryRun: true });
    assert.deepEqual([dry.allowed, dry.reason, dry.recorded], [false, 'rate_limit_exceeded', false]);
    assert.equal((await stats(id)).totalRequests, 1);
  });
});

describe('a public key', () => {
  test('checks without recording or using up, and vouches for nothing', async () => {
    const key = await makeKey(postern, { type: 'public', permissions: ['access:check'] });
    const rules = [allow({ licenseType: 'a' }), allow({ purpose: 'p' }, { rateLimit: { requests: 1, period: 'day' } })];
    const { id } = await makeItem(postern, rules);
    for (let i = 0; i < 3; i++) {
      const got = await check(postern, { contentId: id, requesterId: 'pub', purpose: 'p' }, key);
      assert.deepEqual([got.allowed, got.recorded], [true, false]);
    }
    const body = { contentId: id, license: { type: 'a' } };
    const refused = await postern.call('POST', '/v1/access/check', { body, key });
    assert.ok(refused.status === 400 || refused.status === 403, refused.text);
    const batch = await postern.call('POST', '/v1/access/check/batch', {
      body: { checks: [body, { contentId: id }] },
      key,
    });
    if (batch.status === 200) {
      assert.ok(batch.body.data[0].error);
      assert.equal(batch.body.data[1].recorded, false);
    }
    assert.deepEqual(await stats(id), NONE);
    assert.equal((await check(postern, { contentId: id, requesterId: 'pub', purpose: 'p' })).allowed, true);
  });
});

describe('batch', () => {
  const batch = (checks: unknown) => postern.call('POST', '/v1/access/check/batch', { body: { checks } });
  test('1 to 1,000 checks', async () => {
    const { id } = await makeItem(postern, []);
    for (const count of [1, 999, 1000]) {
      const answer = await batch(Array.from({ length: count }, () => ({ contentId: id })));
      assertStatus(answer, 200);
      assert.equal(answer.body.data.length, count);
      assert.equal(new Set(answer.body.data.map((one: { id: string }) => one.id)).size, count);
    }
    assert.equal((await stats(id)).totalRequests, 2000);
    for (const checks of [[], Array.from({ length: 1001 }, () => ({ contentId: id })), {}, null, 'x', undefined]) {
      const answer = await batch(checks);
      assertError(answer, 'invalid_request', 'checks');
    }
    assert.equal((await stats(id)).totalRequests, 2000);
  });
  test('answers in the order of the request, errors in their places', async () => {
    const [a, b] = [await makeItem(postern, [allow({})]), await makeItem(postern, [])];
    const checks = [
      { contentId: a.id },
      { contentId: 'none' },
      { contentId: b.externalId },
      null,
      5,
      'x',
      [],
      {},
      { contentId: a.id, nope: 1 },
      { contentId: a.id, context: { ip: 'x' } },
      { contentId: a.id, dryRun: true },
      { contentId: a.externalId },
    ];
    const answer = await batch(checks);
    assertStatus(answer, 200);
    const kinds = answer.body.data.map(
      (one: { error?: { code: string }; allowed?: boolean }) => one.error?.code ?? one.allowed,
    );
    const bad = 'invalid_request';
    assert.deepEqual(kinds, [true, 'content_not_found', false, bad, bad, bad, bad, bad, bad, bad, true, true]);
    assert.deepEqual([answer.body.data[0].contentId, answer.body.data[2].contentId], [a.id, b.id]);
    assert.equal(answer.body.data[10].recorded, false);
    assert.deepEqual(Object.keys(answer.body.data[1]), ['error']);
    for (const key of ['code', 'message', 'type']) assert.equal(typeof answer.body.data[1].error[key], 'string');
    assert.equal((await stats(a.id)).totalRequests, 2);
  });
  for (const [what, text] of [
    ['a NUL', '"\\u0000"'],
    ['a lone surrogate', '"\\ud800"'],
    ['a number beyond 2^53', '9007199254740993'],
  ] as const) {
    test(`an item with ${what} fails alone`, async () => {
      const { id } = await makeItem(postern, [allow({})]);
      const raw = `{"checks":[{"contentId":"${id}","purpose":${text}},{"contentId":"${id}"}]}`;
      const answer = await postern.call('POST', '/v1/access/check/batch', { raw });
      assertStatus(answer, 200);
      assert.deepEqual([answer.body.data[0].error.code, answer.body.data[1].allowed], ['invalid_request', true]);
    });
  }
  test('items are decided in order: the first ones get what the limit leaves', async () => {
    const { id } = await makeItem(postern, [allow({}, { rateLimit: { requests: 3, period: 'day' } })]);
    const one = { contentId: id, requesterId: 'b' };
    const answer = await batch([one, { ...one, dryRun: true }, one, one, one, { ...one, requesterId: 'c' }, one]);
    assert.deepEqual(pluck(answer.body.data, 'allowed'), [true, true, true, true, false, true, false]);
    const remaining = [0, 2, 3].map((at) => answer.body.data[at].rateLimit.remaining);
    assert.deepEqual(remaining, [2, 1, 0]);
  });
  test('a dry run among them sees what those before it leave, and not what those after it use', async () => {
    const { id } = await makeItem(postern, [allow({}, { rateLimit: { requests: 2, period: 'hour' } })]);
    const one = { contentId: id, requesterId: 'd' };
    const dry = { ...one, dryRun: true };
    const { body } = await batch([dry, one, dry, { ...dry, requesterId: 'e' }, one, dry, one]);
    type Each = { allowed: boolean; recorded: boolean; rateLimit: { remaining: number; retryAfter?: number } };
    assert.deepEqual(
      body.data.map(({ allowed, recorded, rateLimit }: Each) => [allowed, recorded, rateLimit.remaining]),
      [
        [true, false, 2],
        [true, true, 1],
        [true, false, 1],
        [true, false, 2],
        [true, true, 0],
        [false, false, 0],
        [false, true, 0],
      ],
    );
    assert.ok(body.data[5].rateLimit.retryAfter > 0);
  });
});

describe('rate limits', () => {
  const HOUR = 3_600_000;
  const LENGTH: Record<string, number> = { second: 1000, minute: 60_000, hour: HOUR };
  const limited = async (requests: number, period: string, scope?: string) => {
    const rateLimit = { requests, period, ...(scope === undefined ? {} : { scope }) };
    const rules = [allow({ purpose: 'p' }, { rateLimit, message: 'm' }), allow({})];
    return makeItem(postern, rules);
  };
  const ask = (contentId: string, requesterId = 'r') => check(postern, { contentId, requesterId, purpose: 'p' });

  for (const period of ['second', 'minute', 'hour', 'day', 'week', 'month']) {
    test(`${period}: the answers, and a used-up limit never falls through to a later rule`, async () => {
      const { id } = await limited(3, period);
      for (const remaining of [2, 1, 0]) {
        const got = await ask(id);
        assert.equal(got.allowed, true);
        assert.deepEqual(Object.keys(got.rateLimit).toSorted(), ['limit', 'period', 'remaining', 'resetAt']);
        assert.deepEqual([got.rateLimit.limit, got.rateLimit.remaining, got.rateLimit.period], [3, remaining, period]);
        assert.match(got.rateLimit.resetAt, MOMENT);
      }
      const denied = await ask(id);
      assert.deepEqual(
        [denied.allowed, denied.action, denied.reason, denied.permissions],
        [false, 'deny', 'rate_limit_exceeded', []],
      );
      assert.deepEqual(denied.matchedRule, { index: 0, priority: 1 });
      const { limit, remaining, retryAfter, resetAt } = denied.rateLimit;
      assert.deepEqual([limit, remaining, denied.rateLimit.period], [3, 0, period]);
      assert.ok(Number.isInteger(retryAfter) && retryAfter >= 1, `${retryAfter}`);
      assert.ok(Date.parse(resetAt) > clock.now());
      assert.deepEqual(await stats(id), { totalRequests: 4, allowedRequests: 3, deniedRequests: 1 });
    });
    test(`${period}: who waits retryAfter seconds is let in`, async () => {
      const { id } = await limited(2, period);
      await ask(id);
      await ask(id);
      const { retryAfter } = (await ask(id)).rateLimit;
      clock.advance(retryAfter * 1000);
      assert.equal((await ask(id)).allowed, true);
    });
    test(`${period}: who waits until resetAt is let in`, async () => {
      const { id } = await limited(1, period);
      await ask(id);
      const { resetAt } = (await ask(id)).rateLimit;
      clock.advance(Date.parse(resetAt) - clock.now());
      assert.equal((await ask(id)).allowed, true);
    });
  }

  for (const period of ['second', 'minute', 'hour']) {
    test(`${period}: never more than the limit in any span of that length`, async () => {
      const length = LENGTH[period] as number;
      const { id } = await limited(5, period);
      const allowedAt: number[] = [];
      const steps = [
        0, 0, 0.3, 0.3, 0.3, 0.05, 0.06, 0.2, 0.49, 0.001, 0, 0.499, 0.5, 0, 0, 0, 0, 0, 0.999, 0, 0.001, 0, 0, 0, 0, 0,
      ];
      for (let round = 0; round < 6; round++) {
        for (const [at, step] of steps.entries()) {
          clock.advance(Math.round(step * length * (1 + ((round * 7 + at) % 5) / 10)));
          if ((await ask(id)).allowed) allowedAt.push(clock.now());
        }
      }
      for (let at = 5; at < allowedAt.length; at++) {
        const span = (allowedAt[at] as number) - (allowedAt[at - 5] as number);
        assert.ok(span >= length, `6 within ${span} ms`);
      }
      assert.ok(allowedAt.length > 20);
      clock.advance(2 * length);
      for (let i = 0; i < 5; i++) assert.equal((await ask(id)).allowed, true);
    });
  }

  for (const [period, end] of [
    ['day', '2026-11-22T00:00:00.000Z'],
    ['week', '2026-11-23T00:00:00.000Z'],
    ['month', '2026-12-01T00:00:00.000Z'],
  ] as const) {
    test(`${period}: a calendar quota in UTC that ends at ${end}`, async () => {
      const time = testClock();
      await using own = await startTestService({ clock: time });
      const { id } = await makeItem(own, [allow({}, { rateLimit: { requests: 2, period } })]);
      const one = { contentId: id, requesterId: 'r' };
      const first = await check(own, one);
      assert.equal(first.rateLimit.resetAt, end);
      time.advance(Date.parse(end) - time.now() - 1);
      assert.equal((await check(own, one)).allowed, true);
      const denied = await check(own, one);
      assert.deepEqual(
        [denied.reason, denied.rateLimit.resetAt, denied.rateLimit.retryAfter],
        ['rate_limit_exceeded', end, 1],
      );
      time.advance(1);
      const again = await check(own, one);
      assert.deepEqual([again.allowed, again.rateLimit.remaining], [true, 1]);
    });
  }

  test('scope requester: each requester its own, over all content of the policy', async () => {
    const one = await limited(2, 'day');
    const two = await made(postern, '/v1/content', item({ policyId: one.policyId }));
    assert.equal((await ask(one.id, 'a')).rateLimit.remaining, 1);
    assert.equal((await ask(two.id, 'a')).rateLimit.remaining, 0);
    assert.equal((await ask(one.id, 'a')).allowed, false);
    assert.equal((await ask(one.id, 'b')).rateLimit.remaining, 1);
  });
  test('scope content: each item its own, over all requesters', async () => {
    const one = await limited(2, 'day', 'content');
    const two = await made(postern, '/v1/content', item({ policyId: one.policyId }));
    await ask(one.id, 'a');
    await ask(one.id, 'b');
    assert.equal((await ask(one.id, 'c')).allowed, false);
    assert.equal((await ask(two.id, 'a')).rateLimit.remaining, 1);
  });
  test('scope global: one for all', async () => {
    const one = await limited(2, 'day', 'global');
    const two = await made(postern, '/v1/content', item({ policyId: one.policyId }));
    await ask(one.id, 'a');
    await ask(two.id, 'b');
    assert.equal((await ask(one.id, 'c')).allowed, false);
    assert.equal((await ask(two.id, 'a')).allowed, false);
    const other = await limited(2, 'day', 'global');
    assert.equal((await ask(other.id, 'a')).allowed, true);
  });
  test('only allowed checks use it up', async () => {
    const time = testClock();
    await using own = await startTestService({ clock: time });
    const { id } = await makeItem(own, [
      deny({ country: 'DE' }),
      allow({}, { rateLimit: { requests: 1, period: 'minute' } }),
    ]);
    const one = { contentId: id, requesterId: 'r' };
    await check(own, { ...one, context: { country: 'DE' } });
    assert.equal((await check(own, one)).allowed, true);
    for (let i = 0; i < 10; i++) {
      time.advance(5000);
      assert.equal((await check(own, one)).allowed, false);
    }
    time.advance(15_000);
    assert.equal((await check(own, one)).allowed, true);
  });
  for (const period of ['minute', 'hour', 'month']) {
    test(`${period}: survives a restart`, async () => {
      const time = testClock();
      await using own = await startTestService({ clock: time });
      const { id } = await makeItem(own, [allow({}, { rateLimit: { requests: 2, period } })]);
      const one = { contentId: id, requesterId: 'r' };
      assert.equal((await check(own, one)).allowed, true);
      await own.restart();
      assert.equal((await check(own, one)).rateLimit.remaining, 0);
      await own.restart();
      assert.equal((await check(own, one)).reason, 'rate_limit_exceeded');
    });
  }
  test('survives edits of the rule’s number, message, name of the policy, and position', async () => {
    const rule = (requests: number, more: object = {}) =>
      allow({ purpose: 'p' }, { rateLimit: { requests, period: 'day' }, ...more });
    const { id, policyId } = await makeItem(postern, [rule(3)]);
    const edit = (body: object) => postern.call('PATCH', `/v1/policies/${policyId}`, { body });
    for (let i = 0; i < 3; i++) assert.equal((await ask(id)).allowed, true);
    assert.equal((await ask(id)).allowed, false);
    await edit({ name: 'Other' });
    assert.equal((await ask(id)).allowed, false, 'after a new name');
    await edit({ rules: [rule(3, { message: 'Other' })] });
    assert.equal((await ask(id)).allowed, false, 'after a new message');
    await edit({ rules: [deny({ country: 'DE' }), rule(3)] });
    assert.equal((await ask(id)).allowed, false, 'after a new position');
    await edit({ rules: [rule(5), deny({ country: 'DE' })] });
    assert.deepEqual(
      [(await ask(id)).rateLimit.remaining, (await ask(id)).rateLimit.remaining],
      [1, 0],
      'after a higher number',
    );
    assert.equal((await ask(id)).allowed, false);
    await edit({ rules: [rule(2)] });
    const lower = await ask(id);
    assert.deepEqual(
      [lower.allowed, lower.rateLimit.limit, lower.rateLimit.remaining],
      [false, 2, 0],
      'after a lower number',
    );
  });
  test('50 checks at once get exactly what is there', async () => {
    const { id } = await limited(10, 'hour', 'global');
    const batch = { checks: Array.from({ length: 10 }, () => ({ contentId: id, purpose: 'p', requesterId: 'x' })) };
    const singles = Array.from({ length: 50 }, (_, i) => ask(id, `r${i}`).then((got) => [got.allowed]));
    const many = postern
      .call('POST', '/v1/access/check/batch', { body: batch })
      .then((got) => got.body.data.map((one: { allowed: boolean }) => one.allowed));
    const all = (await Promise.all([...singles, many])).flat();
    assert.equal(all.length, 60);
    assert.equal(all.filter(Boolean).length, 10);
    assert.deepEqual(await stats(id), { totalRequests: 60, allowedRequests: 10, deniedRequests: 50 });
  });
  test('a replay uses up nothing', async () => {
    const { id } = await limited(2, 'day');
    const call = () =>
      postern.call('POST', '/v1/access/check', {
        body: { contentId: id, requesterId: 'r', purpose: 'p' },
        headers: { 'idempotency-key': `once-${id}` },
      });
    const [first, second] = [await call(), await call()];
    assert.equal(first.text, second.text);
    assert.equal(second.headers.get('idempotent-replayed'), 'true');
    assert.equal((await ask(id)).rateLimit.remaining, 0);
    assert.equal((await stats(id)).totalRequests, 2);
  });
  test('two rules with the same limit: each its own', async () => {
    const policy = await makePolicy(postern, [
      allow({ purpose: 'a' }, { rateLimit: { requests: 1, period: 'day' } }),
      allow({ purpose: 'b' }, { rateLimit: { requests: 1, period: 'day' } }),
    ]);
    const { id } = await made(postern, '/v1/content', item({ policyId: policy.id }));
    for (const purpose of ['a', 'b'])
      assert.equal((await check(postern, { contentId: id, purpose, requesterId: 'r' })).allowed, true);
    for (const purpose of ['a', 'b'])
      assert.equal((await check(postern, { contentId: id, purpose, requesterId: 'r' })).allowed, false);
  });
});
