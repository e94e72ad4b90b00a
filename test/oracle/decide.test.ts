// Cases by hand that show the second implementation of the decision right. Each names the sentence it stands for.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as fc from '../../kit/fast-check.ts';
import { ALL_KEYS, CORE_KEYS, inputArbitrary } from './arbitrary.ts';
import { type OracleInput, type OracleLicense, oracleDecide } from './decide.ts';

const AT = Date.parse('2026-11-20T09:00:00.000Z'); // a Friday
const DAY = 86_400_000;

type Changes = Partial<Omit<OracleInput, 'policy' | 'content'>> & {
  content?: Partial<OracleInput['content']>;
  defaultAction?: 'allow' | 'deny';
};

function check(rules: any[], changes: Changes = {}) {
  const { content, defaultAction = 'deny', ...rest } = changes;
  return oracleDecide({
    at: AT,
    policy: { rules, defaultAction },
    content: {
      id: 'cnt_1',
      externalId: 'ext-1',
      type: 'article',
      tags: ['a'],
      metadata: { section: 'news' },
      status: 'active',
      policyId: 'pol_1',
      ...content,
    },
    requesterId: 'r1',
    requester: { type: 'person', tags: [], metadata: {}, status: 'active' },
    licenses: [],
    permission: null,
    purpose: null,
    context: {},
    usedUp: () => false,
    ...rest,
  });
}

function license(changes: Partial<OracleLicense> = {}): OracleLicense {
  return { type: 'basic', features: [], startsAt: null, expiresAt: null, status: 'active', scope: {}, ...changes };
}

const expired = (changes: Partial<OracleLicense> = {}) => license({ expiresAt: AT - DAY, ...changes });
const allow = (conditions?: any, more: any = {}) => rule('allow', conditions, more);
const deny = (conditions?: any, more: any = {}) => rule('deny', conditions, more);

function rule(action: string, conditions: any, more: any) {
  return conditions === undefined ? { action, ...more } : { action, conditions, ...more };
}

/** Name, the rules, what differs from the plain check, the verdict: "allowed" or the reason, and the rule's index. */
type Case = [name: string, rules: any[], changes: Changes, outcome: string, index: number | null];

function run(title: string, cases: Case[]) {
  describe(title, () => {
    for (const [name, rules, changes, outcome, index] of cases) {
      test(name, () => {
        const verdict = check(rules, changes);
        assert.equal(verdict.reason ?? 'allowed', outcome);
        assert.equal(verdict.allowed, outcome === 'allowed');
        assert.equal(verdict.matchedRule?.index ?? null, index);
        if (!verdict.allowed) assert.deepEqual(verdict.permissions, []);
      });
    }
  });
}

const suspended: OracleInput['requester'] = { type: null, tags: [], metadata: {}, status: 'suspended' };

run('step 1: archived content, suspended requester', [
  [
    'archived content is denied content_archived',
    [allow()],
    { content: { status: 'archived' } },
    'content_archived',
    null,
  ],
  [
    'a suspended requester is denied requester_suspended',
    [allow()],
    { requester: suspended },
    'requester_suspended',
    null,
  ],
  [
    'archived is asked before suspended',
    [allow()],
    { requester: suspended, content: { status: 'archived' } },
    'content_archived',
    null,
  ],
]);

run('step 2: order', [
  ['no rule holds: defaultAction deny', [], {}, 'policy_denied', null],
  ['no rule holds: defaultAction allow', [], { defaultAction: 'allow' }, 'allowed', null],
  ['ascending priority', [deny({}, { priority: 5 }), allow({}, { priority: -1 })], {}, 'allowed', 1],
  ['ties by position', [deny({}, { priority: 5 }), allow({}, { priority: 5 })], {}, 'policy_denied', 0],
  ['a missing priority is the place in the list, from 1', [allow({}, { priority: 3 }), deny()], {}, 'policy_denied', 1],
  ['a missing priority ties by position', [allow({}, { priority: 2 }), deny()], {}, 'allowed', 0],
  ['default: true comes after all others', [deny({ default: true }, { priority: -9 }), allow()], {}, 'allowed', 1],
  [
    'catch-alls keep the same order among themselves',
    [deny({ default: true }, { priority: 2 }), allow({ default: true }, { priority: 1 })],
    {},
    'allowed',
    1,
  ],
  [
    'a rule without conditions is not moved to the end',
    [deny({}), allow({ contentType: 'article' })],
    {},
    'policy_denied',
    0,
  ],
  ['default: false never holds', [allow({ default: false })], {}, 'policy_denied', null],
  [
    'all keys of a rule must hold, beside default: true as well',
    [allow({ default: true, contentType: 'report' })],
    {},
    'policy_denied',
    null,
  ],
]);

test('matchedRule gives the index in the stored list and the priority that applied', () => {
  assert.deepEqual(check([deny({ default: true }), allow()]).matchedRule, { index: 1, priority: 2 });
  assert.deepEqual(check([allow({}, { priority: -3 })]).matchedRule, { index: 0, priority: -3 });
});

run('steps 3 and 4: limits and permissions', [
  [
    'a used-up limit never falls through to a later rule',
    [allow({}, { rateLimit: { requests: 1, period: 'hour' } }), allow()],
    { usedUp: () => true },
    'rate_limit_exceeded',
    0,
  ],
  ['a rule without rateLimit has none to use up', [allow()], { usedUp: () => true }, 'allowed', 0],
  [
    'a permission that is not granted never falls through to a later rule',
    [allow({}, { permissions: ['preview_only'] }), allow({}, { permissions: ['training'] })],
    { permission: 'training' },
    'permission_not_granted',
    0,
  ],
  [
    'the permission is asked before any limit',
    [allow({}, { permissions: [], rateLimit: { requests: 1, period: 'hour' } })],
    { permission: 'training', usedUp: () => true },
    'permission_not_granted',
    0,
  ],
  ['full_access implies preview_only', [allow()], { permission: 'preview_only' }, 'allowed', 0],
  ['full_access implies metadata_only', [allow()], { permission: 'metadata_only' }, 'allowed', 0],
  ['full_access implies no right of use', [allow()], { permission: 'training' }, 'permission_not_granted', 0],
  [
    'preview_only does not imply full_access',
    [allow({}, { permissions: ['preview_only'] })],
    { permission: 'full_access' },
    'permission_not_granted',
    0,
  ],
  [
    'the default action grants full_access alone',
    [],
    { defaultAction: 'allow', permission: 'commercial_use' },
    'permission_not_granted',
    null,
  ],
]);

test('an allow without permissions grants full_access, an empty list nothing, a list what it lists', () => {
  assert.deepEqual(check([allow()]).permissions, ['full_access']);
  assert.deepEqual(check([], { defaultAction: 'allow' }).permissions, ['full_access']);
  assert.deepEqual(check([allow({}, { permissions: [] })]).permissions, []);
  assert.deepEqual(check([allow({}, { permissions: ['training', 'x_y'] })]).permissions, ['training', 'x_y']);
});

const enterprise = license({ type: 'enterprise' });

run('denial reasons: no_license', [
  ['(a) a deny rule with hasValidLicense: false decided', [deny({ hasValidLicense: false })], {}, 'no_license', 0],
  [
    '(a) also for an anonymous requester',
    [deny({ hasValidLicense: false })],
    { requesterId: null, requester: null },
    'no_license',
    0,
  ],
  [
    '(a) needs the deny rule itself to say so; a deny by another condition is policy_denied',
    [allow({ licenseType: 'basic' }), deny({ contentType: 'article' })],
    {},
    'policy_denied',
    1,
  ],
  ['(b) catch-all by default: true', [allow({ licenseType: 'basic' }), deny({ default: true })], {}, 'no_license', 1],
  ['(b) catch-all by empty conditions', [allow({ hasValidLicense: true }), deny({})], {}, 'no_license', 1],
  ['(b) catch-all by missing conditions', [allow({ licenseFeatures: ['x'] }), deny()], {}, 'no_license', 1],
  ['(b) the default action', [allow({ licenseExpiry: { after: '2027-01-01' } })], {}, 'no_license', null],
  [
    '(b) one more of the right kind beside another',
    [allow({ licenseType: 'enterprise' })],
    { licenses: [license()] },
    'no_license',
    null,
  ],
  [
    '(b) the allow rule must be evaluated before the catch-all',
    [deny({}, { priority: 1 }), allow({ licenseType: 'basic' }, { priority: 2 })],
    {},
    'policy_denied',
    0,
  ],
  [
    '(b) near miss: another condition of the rule fails too',
    [allow({ licenseType: 'basic', contentType: 'report' })],
    {},
    'policy_denied',
    null,
  ],
  ['(b) near miss: no licence key at all', [allow({ contentType: 'report' })], {}, 'policy_denied', null],
  [
    '(b) hasValidLicense: false beside a positive licence key never holds',
    [allow({ hasValidLicense: false, licenseType: 'basic' })],
    {},
    'policy_denied',
    null,
  ],
  [
    '(b) an end that can not come any more does not help',
    [allow({ licenseExpiry: { before: 'now' } })],
    {},
    'policy_denied',
    null,
  ],
  [
    '(b) an end between both limits is of the right kind',
    [allow({ licenseExpiry: { after: '2026-12-01', before: '2026-12-31' } })],
    {},
    'no_license',
    null,
  ],
  [
    '(b) a deny rule that one more licence would make hold does not count',
    [deny({ hasValidLicense: true }), deny({ default: true })],
    {},
    'policy_denied',
    1,
  ],
  ['(b) licenseTypeNot: one of another type would do', [allow({ licenseTypeNot: 'basic' })], {}, 'no_license', null],
  [
    '(b) licenseTypeNot: no further licence mends a valid one of that type',
    [allow({ licenseTypeNot: 'basic' })],
    { licenses: [license()] },
    'policy_denied',
    null,
  ],
]);

run('denial reasons: license_expired', [
  ['(a) any licence that ran out', [deny({ hasValidLicense: false })], { licenses: [expired()] }, 'license_expired', 0],
  [
    '(a) now = expiresAt has run out',
    [deny({ hasValidLicense: false })],
    { licenses: [license({ expiresAt: AT })] },
    'license_expired',
    0,
  ],
  [
    '(a) not a revoked one',
    [deny({ hasValidLicense: false })],
    { licenses: [expired({ status: 'revoked' })] },
    'no_license',
    0,
  ],
  [
    '(a) not one whose scope misses the item',
    [deny({ hasValidLicense: false })],
    { licenses: [expired({ scope: { contentTypes: ['report'] } })] },
    'no_license',
    0,
  ],
  [
    '(a) not one that has yet to begin',
    [deny({ hasValidLicense: false })],
    { licenses: [license({ startsAt: AT + 1 })] },
    'no_license',
    0,
  ],
  [
    '(b) one that would have done',
    [allow({ licenseType: 'basic' })],
    { licenses: [expired()] },
    'license_expired',
    null,
  ],
  [
    '(b) one of the wrong type leaves no_license',
    [allow({ licenseType: 'enterprise' })],
    { licenses: [expired()] },
    'no_license',
    null,
  ],
  [
    '(b) its licenseExpiry aside',
    [allow({ licenseType: 'basic', licenseExpiry: { after: '2027-01-01' } }), deny({ default: true })],
    { licenses: [expired()] },
    'license_expired',
    1,
  ],
  [
    '(b) a wrong one that ran out is not excused by a valid one that ends too early',
    [allow({ licenseType: 'enterprise', licenseExpiry: { after: '2027-01-01' } })],
    { licenses: [license({ type: 'enterprise', expiresAt: AT + DAY }), expired()] },
    'no_license',
    null,
  ],
  [
    'a deny for another cause stays policy_denied',
    [deny({ contentType: 'article' })],
    { licenses: [expired()] },
    'policy_denied',
    0,
  ],
]);

run('valid licences', [
  [
    'startsAt = now is valid',
    [allow({ hasValidLicense: true })],
    { licenses: [license({ startsAt: AT })] },
    'allowed',
    0,
  ],
  [
    'now < expiresAt by a millisecond is valid',
    [allow({ hasValidLicense: true })],
    { licenses: [license({ expiresAt: AT + 1 })] },
    'allowed',
    0,
  ],
  [
    'scope by external id',
    [allow({ hasValidLicense: true })],
    { licenses: [license({ scope: { contentIds: ['ext-1'] } })] },
    'allowed',
    0,
  ],
  [
    'every given scope list must cover the item',
    [allow({ hasValidLicense: true })],
    { licenses: [license({ scope: { contentIds: ['cnt_1'], tags: ['b'] } })] },
    'no_license',
    null,
  ],
  [
    'the positive licence keys must be met by one licence',
    [allow({ licenseType: 'enterprise', licenseFeatures: ['x'] })],
    { licenses: [enterprise, license({ features: ['x'] })] },
    'no_license',
    null,
  ],
  [
    'licenseFeatures: all of them',
    [allow({ licenseFeatures: ['x', 'y'] })],
    { licenses: [license({ features: ['y', 'x', 'z'] })] },
    'allowed',
    0,
  ],
  [
    'licenseFeaturesNot: holds unless a valid licence has all of them',
    [allow({ licenseFeaturesNot: ['x', 'y'] })],
    { licenses: [license({ features: ['x'] }), license({ features: ['y'] })] },
    'allowed',
    0,
  ],
  [
    'licenseTypeNot over all valid licences',
    [deny({ licenseTypeNot: 'basic' }), allow()],
    { licenses: [enterprise, license()] },
    'allowed',
    1,
  ],
  [
    'licenseExpiry after is inclusive',
    [allow({ licenseExpiry: { after: '2026-12-31T00:00:00Z' } })],
    { licenses: [license({ expiresAt: Date.parse('2026-12-31T00:00:00Z') })] },
    'allowed',
    0,
  ],
  [
    'licenseExpiry before is exclusive',
    [allow({ licenseExpiry: { before: '2026-12-31T00:00:00Z' } })],
    { licenses: [license({ expiresAt: Date.parse('2026-12-31T00:00:00Z') })] },
    'no_license',
    null,
  ],
  [
    'licenseExpiry after now holds for any valid licence',
    [allow({ licenseExpiry: { after: 'now' } })],
    { licenses: [license()] },
    'allowed',
    0,
  ],
]);

const stranger: Changes = { requester: null };

run('silence', [
  ['a positive condition does not hold (allow)', [allow({ purpose: 'search' })], {}, 'policy_denied', null],
  ['a positive condition does not hold (deny)', [deny({ country: 'US' }), allow()], {}, 'allowed', 1],
  ['a Not condition does not hold in an allow rule', [allow({ purposeNot: 'training' })], {}, 'policy_denied', null],
  ['a Not condition holds in a deny rule', [deny({ countryNot: 'US' }), allow()], {}, 'policy_denied', 0],
  [
    'a known value: Not is the plain negation',
    [allow({ purposeNot: 'training' })],
    { purpose: 'search' },
    'allowed',
    0,
  ],
  [
    'licenseTypeNot without any valid licence, allow',
    [allow({ licenseTypeNot: 'basic' })],
    { licenses: [expired()] },
    'no_license',
    null,
  ],
  [
    'licenseTypeNot without any valid licence, deny',
    [deny({ licenseTypeNot: 'basic' }), allow()],
    {},
    'policy_denied',
    0,
  ],
  ['an unregistered requester: type unknown', [allow({ requesterTypeNot: 'x' })], stranger, 'policy_denied', null],
  ['an unregistered requester: tags unknown', [allow({ requesterTagsNot: 'a' })], stranger, 'policy_denied', null],
  ['an unregistered requester: its id is known', [allow({ requesterIdNot: 'r2' })], stranger, 'allowed', 0],
  [
    'an anonymous requester: its id is unknown',
    [deny({ requesterIdNot: 'r2' }), allow()],
    { requesterId: null, requester: null },
    'policy_denied',
    0,
  ],
  ['a registered requester without tags is known to have none', [allow({ requesterTagsNot: 'a' })], {}, 'allowed', 0],
  [
    'an item without tags is known to have none',
    [allow({ contentTagsNot: ['a', 'b'] })],
    { content: { tags: [] } },
    'allowed',
    0,
  ],
  ['an absent metadata key is unknown', [allow({ contentMetadataNot: { tier: 1 } })], {}, 'policy_denied', null],
  [
    'names of inherited members are absent',
    [allow({ contentMetadataNot: { constructor: 'x' } })],
    {},
    'policy_denied',
    null,
  ],
]);

run('the other conditions', [
  ['contentId with the externalId', [allow({ contentId: ['ext-1', 'z'] })], {}, 'allowed', 0],
  ['contentIdNot with the id', [allow({ contentIdNot: 'cnt_1' })], {}, 'policy_denied', null],
  ['tags: any of', [allow({ contentTags: ['c', 'a'] })], {}, 'allowed', 0],
  [
    'metadata: value or list, top-level equality',
    [allow({ contentMetadata: { section: ['sport', 'news'] } })],
    {},
    'allowed',
    0,
  ],
  [
    'metadata: no conversion',
    [allow({ contentMetadata: { n: '1' } })],
    { content: { metadata: { n: 1 } } },
    'policy_denied',
    null,
  ],
  [
    'permission is what the check asked for',
    [allow({ permission: 'preview_only' })],
    { permission: 'preview_only' },
    'allowed',
    0,
  ],
  [
    'userAgent: case-insensitive substring',
    [allow({ userAgent: 'GPTBOT' })],
    { context: { userAgent: 'x gptBot/1' } },
    'allowed',
    0,
  ],
  ['ip in an IPv4 range', [allow({ ip: ['10.1.2.0/25'] })], { context: { ip: '10.1.2.127' } }, 'allowed', 0],
  [
    'ip outside of it by one',
    [allow({ ip: ['10.1.2.0/25'] })],
    { context: { ip: '10.1.2.128' } },
    'policy_denied',
    null,
  ],
  [
    'a mapped address is its IPv4 address',
    [allow({ ip: '10.0.0.0/8' })],
    { context: { ip: '::ffff:10.9.8.7' } },
    'allowed',
    0,
  ],
  [
    'a mapped address in the condition as well',
    [allow({ ip: '::ffff:10.9.8.7' })],
    { context: { ip: '10.9.8.7' } },
    'allowed',
    0,
  ],
  [
    'a mapped address in hexadecimal too',
    [allow({ ip: '10.9.8.7' })],
    { context: { ip: '::ffff:a09:807' } },
    'allowed',
    0,
  ],
  [
    'a mapped range is the IPv4 range',
    [allow({ ip: '::ffff:10.0.0.0/104' })],
    { context: { ip: '10.200.8.7' } },
    'allowed',
    0,
  ],
  [
    'outside of a mapped range',
    [allow({ ip: '::ffff:10.0.0.0/104' })],
    { context: { ip: '11.0.0.0' } },
    'policy_denied',
    null,
  ],
  ['ip in an IPv6 range', [allow({ ip: '2001:db8::/32' })], { context: { ip: '2001:db8:ffff::1' } }, 'allowed', 0],
  ['ip outside of it', [allow({ ip: '2001:db8::/32' })], { context: { ip: '2001:db9::' } }, 'policy_denied', null],
  ['0.0.0.0/0 holds no IPv6 address', [allow({ ip: '0.0.0.0/0' })], { context: { ip: '::1' } }, 'policy_denied', null],
]);

describe('time', () => {
  const cases: [name: string, at: string, time: any, holds: boolean][] = [
    ['after is inclusive', '2026-11-20T09:00:00.000Z', { after: '2026-11-20T09:00:00Z' }, true],
    ['before is exclusive', '2026-11-20T09:00:00.000Z', { before: '2026-11-20T09:00:00Z' }, false],
    ['from is inclusive', '2026-11-20T09:00:00.000Z', { from: '09:00', to: '17:00' }, true],
    ['a millisecond before from', '2026-11-20T08:59:59.999Z', { from: '09:00', to: '17:00' }, false],
    ['to is exclusive', '2026-11-20T17:00:00.000Z', { from: '09:00', to: '17:00' }, false],
    ['past midnight, late', '2026-11-20T23:59:59.999Z', { from: '22:00', to: '06:00' }, true],
    ['past midnight, early', '2026-11-20T05:59:00.000Z', { from: '22:00', to: '06:00' }, true],
    ['past midnight, by day', '2026-11-20T06:00:00.000Z', { from: '22:00', to: '06:00' }, false],
    ['days', '2026-11-20T09:00:00.000Z', { days: ['mon', 'fri'] }, true],
    ['days in a time zone', '2026-11-21T02:00:00.000Z', { days: ['fri'], timezone: 'America/New_York' }, true],
    ['the hour 00 in a time zone', '2026-11-20T18:30:00.000Z', { to: '00:01', timezone: 'Asia/Kolkata' }, true],
    ['summer time', '2026-03-08T07:00:00.000Z', { from: '03:00', to: '03:01', timezone: 'America/New_York' }, true],
  ];
  for (const [name, at, time, holds] of cases) {
    test(name, () => assert.equal(check([allow({ time })], { at: Date.parse(at) }).allowed, holds));
  }
});

describe('over random policies and checks', () => {
  const REASONS = [
    'no_license',
    'license_expired',
    'rate_limit_exceeded',
    'permission_not_granted',
    'content_archived',
    'requester_suspended',
    'policy_denied',
  ];
  for (const [name, keys] of Object.entries({ CORE_KEYS, ALL_KEYS })) {
    test(`denial reasons are closed (${name})`, () => {
      fc.assert(
        fc.property(inputArbitrary(keys), fc.boolean(), (input, used) => {
          const verdict = oracleDecide({ ...input, usedUp: () => used });
          if (verdict.allowed) assert.equal(verdict.reason, null);
          else assert.ok(REASONS.includes(verdict.reason!));
        }),
        { numRuns: 500 },
      );
    });
  }

  test('with Not conditions only, silence never widens access', () => {
    const keys = ALL_KEYS.filter((key) => key.endsWith('Not') && !key.startsWith('license'));
    fc.assert(
      fc.property(inputArbitrary(keys), (input) => {
        const told = { ...input, permission: null, usedUp: () => false };
        const silent = { ...told, purpose: null, context: {}, requester: null, licenses: [] };
        if (told.requester?.status === 'suspended') return;
        if (oracleDecide(silent).allowed) assert.ok(oracleDecide(told).allowed);
      }),
      { numRuns: 2000 },
    );
  });
});
