// Cases by hand that show the second implementation of the decision right. Each names the sentence it stands for.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as fc from '../../kit/fast-check.ts';
import { ALL_KEYS, CORE_KEYS, inputArbitrary } from './arbitrary.ts';
import { type OracleInput, type OracleLicense, oracleDecide } from './decide.ts';

const AT = Date.parse('2026-11-20T09:00:00.000Z'); // a Friday
const DAY = 86_400_000;
const YEAR_END = Date.parse('2026-12-31T00:00:00Z');

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
const holding = (...licenses: OracleLicense[]): Changes => ({ licenses });
const from = (ip: string): Changes => ({ context: { ip } });
const allow = (conditions?: any, more: any = {}) => rule('allow', conditions, more);
const deny = (conditions?: any, more: any = {}) => rule('deny', conditions, more);

function rule(action: string, conditions: any, more: any) {
  return conditions === undefined ? { action, ...more } : { action, conditions, ...more };
}

/** `outcome`: "allowed" or the reason, and the index of the rule that decided; then what differs from a plain check. */
type Case = [name: string, rules: any[], outcome: string, changes?: Changes];

function run(title: string, cases: Case[]) {
  describe(title, () => {
    for (const [name, rules, outcome, changes] of cases) {
      test(name, () => {
        const { allowed, reason, permissions, matchedRule } = check(rules, changes);
        const decider = matchedRule === null ? '' : ` by ${matchedRule.index}`;
        assert.equal(`${reason ?? 'allowed'}${decider}`, outcome);
        assert.equal(allowed, reason === null);
        if (!allowed) assert.deepEqual(permissions, []);
      });
    }
  });
}

const allowLicensed = allow({ hasValidLicense: true });
const denyUnlicensed = deny({ hasValidLicense: false });
const suspended: OracleInput['requester'] = { type: null, tags: [], metadata: {}, status: 'suspended' };

run('step 1: archived content, suspended requester', [
  ['archived content is denied content_archived', [allow()], 'content_archived', { content: { status: 'archived' } }],
  ['a suspended requester is denied requester_suspended', [allow()], 'requester_suspended', { requester: suspended }],
  [
    'archived is asked before suspended',
    [allow()],
    'content_archived',
    { requester: suspended, content: { status: 'archived' } },
  ],
]);

run('step 2: order', [
  ['no rule holds: defaultAction deny', [], 'policy_denied'],
  ['no rule holds: defaultAction allow', [], 'allowed', { defaultAction: 'allow' }],
  ['ascending priority', [deny({}, { priority: 5 }), allow({}, { priority: -1 })], 'allowed by 1'],
  ['ties by position', [deny({}, { priority: 5 }), allow({}, { priority: 5 })], 'policy_denied by 0'],
  ['a missing priority is the place in the list, from 1', [allow({}, { priority: 3 }), deny()], 'policy_denied by 1'],
  ['a missing priority ties by position', [allow({}, { priority: 2 }), deny()], 'allowed by 0'],
  ['default: true comes after all others', [deny({ default: true }, { priority: -9 }), allow()], 'allowed by 1'],
  [
    'catch-alls keep the same order among themselves',
    [deny({ default: true }, { priority: 2 }), allow({ default: true }, { priority: 1 })],
    'allowed by 1',
  ],
  [
    'a rule without conditions is not moved to the end',
    [deny({}), allow({ contentType: 'article' })],
    'policy_denied by 0',
  ],
  ['default: false never holds', [allow({ default: false })], 'policy_denied'],
  [
    'all keys of a rule must hold, beside default: true as well',
    [allow({ default: true, contentType: 'report' })],
    'policy_denied',
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
    'rate_limit_exceeded by 0',
    { usedUp: () => true },
  ],
  ['a rule without rateLimit has none to use up', [allow()], 'allowed by 0', { usedUp: () => true }],
  [
    'a permission that is not granted never falls through to a later rule',
    [allow({}, { permissions: ['preview_only'] }), allow({}, { permissions: ['training'] })],
    'permission_not_granted by 0',
    { permission: 'training' },
  ],
  [
    'the permission is asked before any limit',
    [allow({}, { permissions: [], rateLimit: { requests: 1, period: 'hour' } })],
    'permission_not_granted by 0',
    { permission: 'training', usedUp: () => true },
  ],
  ['full_access implies preview_only', [allow()], 'allowed by 0', { permission: 'preview_only' }],
  ['full_access implies metadata_only', [allow()], 'allowed by 0', { permission: 'metadata_only' }],
  ['full_access implies no right of use', [allow()], 'permission_not_granted by 0', { permission: 'training' }],
  [
    'preview_only does not imply full_access',
    [allow({}, { permissions: ['preview_only'] })],
    'permission_not_granted by 0',
    { permission: 'full_access' },
  ],
  [
    'the default action grants full_access alone',
    [],
    'permission_not_granted',
    { defaultAction: 'allow', permission: 'commercial_use' },
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
  ['(a) a deny rule with hasValidLicense: false decided', [denyUnlicensed], 'no_license by 0'],
  ['(a) also for an anonymous requester', [denyUnlicensed], 'no_license by 0', { requesterId: null, requester: null }],
  [
    '(a) needs the deny rule itself to say so; a deny by another condition is policy_denied',
    [allow({ licenseType: 'basic' }), deny({ contentType: 'article' })],
    'policy_denied by 1',
  ],
  ['(b) catch-all by default: true', [allow({ licenseType: 'basic' }), deny({ default: true })], 'no_license by 1'],
  ['(b) catch-all by empty conditions', [allow({ hasValidLicense: true }), deny({})], 'no_license by 1'],
  ['(b) catch-all by missing conditions', [allow({ licenseFeatures: ['x'] }), deny()], 'no_license by 1'],
  ['(b) the default action', [allow({ licenseExpiry: { after: '2027-01-01' } })], 'no_license'],
  [
    '(b) one more of the right kind beside another',
    [allow({ licenseType: 'enterprise' })],
    'no_license',
    holding(license()),
  ],
  [
    '(b) the allow rule must be evaluated before the catch-all',
    [deny({}, { priority: 1 }), allow({ licenseType: 'basic' }, { priority: 2 })],
    'policy_denied by 0',
  ],
  [
    '(b) near miss: another condition of the rule fails too',
    [allow({ licenseType: 'basic', contentType: 'report' })],
    'policy_denied',
  ],
  ['(b) near miss: no licence key at all', [allow({ contentType: 'report' })], 'policy_denied'],
  [
    '(b) hasValidLicense: false beside a positive licence key never holds',
    [allow({ hasValidLicense: false, licenseType: 'basic' })],
    'policy_denied',
  ],
  [
    '(b) an end that can not come any more does not help',
    [allow({ licenseExpiry: { before: 'now' } })],
    'policy_denied',
  ],
  [
    '(b) an end between both limits is of the right kind',
    [allow({ licenseExpiry: { after: '2026-12-01', before: '2026-12-31' } })],
    'no_license',
  ],
  [
    '(b) a deny rule that one more licence would make hold does not count',
    [deny({ hasValidLicense: true }), deny({ default: true })],
    'policy_denied by 1',
  ],
  ['(b) licenseTypeNot: one of another type would do', [allow({ licenseTypeNot: 'basic' })], 'no_license'],
  [
    '(b) licenseTypeNot: no further licence mends a valid one of that type',
    [allow({ licenseTypeNot: 'basic' })],
    'policy_denied',
    holding(license()),
  ],
]);

run('denial reasons: license_expired', [
  ['(a) any licence that ran out', [denyUnlicensed], 'license_expired by 0', holding(expired())],
  ['(a) now = expiresAt has run out', [denyUnlicensed], 'license_expired by 0', holding(license({ expiresAt: AT }))],
  ['(a) not a revoked one', [denyUnlicensed], 'no_license by 0', holding(expired({ status: 'revoked' }))],
  [
    '(a) not one whose scope misses the item',
    [denyUnlicensed],
    'no_license by 0',
    holding(expired({ scope: { contentTypes: ['report'] } })),
  ],
  ['(a) not one that has yet to begin', [denyUnlicensed], 'no_license by 0', holding(license({ startsAt: AT + 1 }))],
  ['(b) one that would have done', [allow({ licenseType: 'basic' })], 'license_expired', holding(expired())],
  [
    '(b) one of the wrong type leaves no_license',
    [allow({ licenseType: 'enterprise' })],
    'no_license',
    holding(expired()),
  ],
  [
    '(b) its licenseExpiry aside',
    [allow({ licenseType: 'basic', licenseExpiry: { after: '2027-01-01' } }), deny({ default: true })],
    'license_expired by 1',
    holding(expired()),
  ],
  [
    '(b) a wrong one that ran out is not excused by a valid one that ends too early',
    [allow({ licenseType: 'enterprise', licenseExpiry: { after: '2027-01-01' } })],
    'no_license',
    holding(license({ type: 'enterprise', expiresAt: AT + DAY }), expired()),
  ],
  [
    'a deny for another cause stays policy_denied',
    [deny({ contentType: 'article' })],
    'policy_denied by 0',
    holding(expired()),
  ],
]);

run('valid licences', [
  ['startsAt = now is valid', [allowLicensed], 'allowed by 0', holding(license({ startsAt: AT }))],
  [
    'now < expiresAt by a millisecond is valid',
    [allowLicensed],
    'allowed by 0',
    holding(license({ expiresAt: AT + 1 })),
  ],
  ['scope by external id', [allowLicensed], 'allowed by 0', holding(license({ scope: { contentIds: ['ext-1'] } }))],
  [
    'every given scope list must cover the item',
    [allowLicensed],
    'no_license',
    holding(license({ scope: { contentIds: ['cnt_1'], tags: ['b'] } })),
  ],
  [
    'the positive licence keys must be met by one licence',
    [allow({ licenseType: 'enterprise', licenseFeatures: ['x'] })],
    'no_license',
    holding(enterprise, license({ features: ['x'] })),
  ],
  [
    'licenseFeatures: all of them',
    [allow({ licenseFeatures: ['x', 'y'] })],
    'allowed by 0',
    holding(license({ features: ['y', 'x', 'z'] })),
  ],
  [
    'licenseFeaturesNot: holds unless a valid licence has all of them',
    [allow({ licenseFeaturesNot: ['x', 'y'] })],
    'allowed by 0',
    holding(license({ features: ['x'] }), license({ features: ['y'] })),
  ],
  [
    'licenseTypeNot over all valid licences',
    [deny({ licenseTypeNot: 'basic' }), allow()],
    'allowed by 1',
    holding(enterprise, license()),
  ],
  [
    'licenseExpiry after is inclusive',
    [allow({ licenseExpiry: { after: '2026-12-31T00:00:00Z' } })],
    'allowed by 0',
    holding(license({ expiresAt: YEAR_END })),
  ],
  [
    'licenseExpiry before is exclusive',
    [allow({ licenseExpiry: { before: '2026-12-31T00:00:00Z' } })],
    'no_license',
    holding(license({ expiresAt: YEAR_END })),
  ],
  [
    'licenseExpiry after now holds for any valid licence',
    [allow({ licenseExpiry: { after: 'now' } })],
    'allowed by 0',
    holding(license()),
  ],
]);

const stranger: Changes = { requester: null };

run('silence', [
  ['a positive condition does not hold (allow)', [allow({ purpose: 'search' })], 'policy_denied'],
  ['a positive condition does not hold (deny)', [deny({ country: 'US' }), allow()], 'allowed by 1'],
  ['a Not condition does not hold in an allow rule', [allow({ purposeNot: 'training' })], 'policy_denied'],
  ['a Not condition holds in a deny rule', [deny({ countryNot: 'US' }), allow()], 'policy_denied by 0'],
  [
    'a known value: Not is the plain negation',
    [allow({ purposeNot: 'training' })],
    'allowed by 0',
    { purpose: 'search' },
  ],
  [
    'licenseTypeNot without any valid licence, allow',
    [allow({ licenseTypeNot: 'basic' })],
    'no_license',
    holding(expired()),
  ],
  [
    'licenseTypeNot without any valid licence, deny',
    [deny({ licenseTypeNot: 'basic' }), allow()],
    'policy_denied by 0',
  ],
  ['an unregistered requester: type unknown', [allow({ requesterTypeNot: 'x' })], 'policy_denied', stranger],
  ['an unregistered requester: tags unknown', [allow({ requesterTagsNot: 'a' })], 'policy_denied', stranger],
  ['an unregistered requester: its id is known', [allow({ requesterIdNot: 'r2' })], 'allowed by 0', stranger],
  [
    'an anonymous requester: its id is unknown',
    [deny({ requesterIdNot: 'r2' }), allow()],
    'policy_denied by 0',
    { requesterId: null, requester: null },
  ],
  ['a registered requester without tags is known to have none', [allow({ requesterTagsNot: 'a' })], 'allowed by 0'],
  [
    'an item without tags is known to have none',
    [allow({ contentTagsNot: ['a', 'b'] })],
    'allowed by 0',
    { content: { tags: [] } },
  ],
  ['an absent metadata key is unknown', [allow({ contentMetadataNot: { tier: 1 } })], 'policy_denied'],
  ['names of inherited members are absent', [allow({ contentMetadataNot: { constructor: 'x' } })], 'policy_denied'],
]);

run('the other conditions', [
  ['contentId with the externalId', [allow({ contentId: ['ext-1', 'z'] })], 'allowed by 0'],
  ['contentIdNot with the id', [allow({ contentIdNot: 'cnt_1' })], 'policy_denied'],
  ['tags: any of', [allow({ contentTags: ['c', 'a'] })], 'allowed by 0'],
  [
    'metadata: value or list, top-level equality',
    [allow({ contentMetadata: { section: ['sport', 'news'] } })],
    'allowed by 0',
  ],
  [
    'metadata: no conversion',
    [allow({ contentMetadata: { n: '1' } })],
    'policy_denied',
    { content: { metadata: { n: 1 } } },
  ],
  [
    'permission is what the check asked for',
    [allow({ permission: 'preview_only' })],
    'allowed by 0',
    { permission: 'preview_only' },
  ],
  [
    'userAgent: case-insensitive substring',
    [allow({ userAgent: 'GPTBOT' })],
    'allowed by 0',
    { context: { userAgent: 'x gptBot/1' } },
  ],
  ['ip in an IPv4 range', [allow({ ip: ['10.1.2.0/25'] })], 'allowed by 0', from('10.1.2.127')],
  ['ip outside of it by one', [allow({ ip: ['10.1.2.0/25'] })], 'policy_denied', from('10.1.2.128')],
  ['a mapped address is its IPv4 address', [allow({ ip: '10.0.0.0/8' })], 'allowed by 0', from('::ffff:10.9.8.7')],
  ['a mapped address in the condition as well', [allow({ ip: '::ffff:10.9.8.7' })], 'allowed by 0', from('10.9.8.7')],
  ['a mapped address in hexadecimal too', [allow({ ip: '10.9.8.7' })], 'allowed by 0', from('::ffff:a09:807')],
  ['a mapped range is the IPv4 range', [allow({ ip: '::ffff:10.0.0.0/104' })], 'allowed by 0', from('10.200.8.7')],
  ['outside of a mapped range', [allow({ ip: '::ffff:10.0.0.0/104' })], 'policy_denied', from('11.0.0.0')],
  ['ip in an IPv6 range', [allow({ ip: '2001:db8::/32' })], 'allowed by 0', from('2001:db8:ffff::1')],
  ['ip outside of it', [allow({ ip: '2001:db8::/32' })], 'policy_denied', from('2001:db9::')],
  ['0.0.0.0/0 holds no IPv6 address', [allow({ ip: '0.0.0.0/0' })], 'policy_denied', from('::1')],
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
