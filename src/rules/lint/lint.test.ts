/** Every warning: where it is reported and where not. `properties.test.ts` has the generated cases. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { pluck } from '../../../kit/pluck.ts';
import type { Action, Rule } from '../policy.ts';
import { lint } from './lint.ts';
import { NOBODY } from './unverified.ts';
import { LINT_CODES } from './warning.ts';

type Conditions = Record<string, unknown>;

const allow = (conditions?: Conditions, more: Partial<Rule> = {}): Rule => ({
  action: 'allow',
  ...(conditions && { conditions }),
  ...more,
});
const deny = (conditions?: Conditions, more: Partial<Rule> = {}): Rule => ({
  ...allow(conditions, more),
  action: 'deny',
});

/** Returns "code param" of each warning with one of the codes. */
function warned(rules: Rule[], codes: string[], defaultAction: Action = 'deny'): string[] {
  return lint(rules, defaultAction)
    .filter(({ code }) => codes.includes(code))
    .map(({ code, param }) => (codes.length === 1 ? param : `${code} ${param}`));
}

const COLLECTION = 'col_01jd3v0000000000000000000a';
const OTHER = 'col_01jd3v0000000000000000000b';
const unreachable = (...rules: Rule[]): string[] =>
  warned(rules, ['unreachable_rule', 'license_contradiction']).map((text) => text.split(' ')[1] as string);

test('a rule whose own conditions exclude one another', () => {
  const cases: [Conditions, string][] = [
    [{ default: false }, 'default'],
    [{ country: 'DE', countryNot: ['DE', 'AT'] }, 'countryNot'],
    [{ countryNot: 'DE', purpose: 'training', country: ['DE'] }, 'country'],
    [{ contentType: ['article'], contentTypeNot: 'article' }, 'contentTypeNot'],
    [{ contentTags: ['a', 'b'], contentTagsNot: ['b', 'a', 'c'] }, 'contentTagsNot'],
    [{ contentId: 'x', contentIdNot: 'x' }, 'contentIdNot'],
    [{ userAgent: 'GPTBot', userAgentNot: 'bot' }, 'userAgentNot'],
    [{ collection: COLLECTION, collectionNot: [COLLECTION] }, 'collectionNot'],
    [{ host: ['www.a.example', 'B.a.example'], hostNot: '*.A.example' }, 'hostNot'],
    [{ path: ['/news/x', '/n*.pdf$'], pathNot: '/n' }, 'pathNot'],
    [{ path: '/%6Eews/?q=1', pathNot: '/news' }, 'pathNot'],
    [{ crawler: 'GPTBot', crawlerNot: ['GPTBot', 'CCBot'] }, 'crawlerNot'],
    [{ crawler: 'Googlebot', crawlerPurpose: 'training' }, 'crawlerPurpose'],
    [{ crawlerOperator: 'OpenAI', crawler: 'ClaudeBot' }, 'crawler'],
    [{ contentMetadata: { a: 1, b: [2, 3] }, contentMetadataNot: { b: [3, 2] } }, 'contentMetadataNot'],
    [{ requesterMetadata: { a: null }, requesterMetadataNot: { a: [null] } }, 'requesterMetadataNot'],
    [{ hasValidLicense: false, licenseType: 'basic' }, 'hasValidLicense'],
    [{ hasValidLicense: false, licenseExpiry: { after: 'now' } }, 'hasValidLicense'],
    [{ licenseType: 'basic', licenseTypeNot: ['basic'] }, 'licenseTypeNot'],
    [{ licenseFeatures: ['api', 'bulk'], licenseFeaturesNot: ['api'] }, 'licenseFeaturesNot'],
    [{ licenseExpiry: { before: 'now' } }, 'licenseExpiry'],
    [{ licenseExpiry: { after: '2027-01-01T00:00:00Z', before: '2027-01-01T00:00:00Z' } }, 'licenseExpiry'],
    [{ time: { after: '2027-01-02T00:00:00Z', before: '2027-01-01T00:00:00Z' } }, 'time'],
    [{ time: { from: '09:00', to: '09:00', days: ['mon'] } }, 'time'],
  ];
  for (const [conditions, key] of cases) {
    for (const rule of [allow(conditions), deny(conditions)]) {
      assert.deepEqual(unreachable(rule), [`rules[0].conditions.${key}`], JSON.stringify(rule));
    }
  }
  // A URL without an item has no type: the Not holds in a deny rule, and not in an allow rule.
  const noType = { contentTypeNot: ['article', 'report', 'image', 'dataset', 'video'] };
  assert.deepEqual(unreachable(allow(noType)), ['rules[0].conditions.contentTypeNot']);
  assert.deepEqual(unreachable(deny(noType)), []);
  // Every deny rule that names an address holds for one that cannot be read.
  for (const noAddress of [
    { ip: '10.1.0.0/16', ipNot: '10.0.0.0/8' },
    { ip: '10.0.0.0/8', ipNot: ['10.0.0.0/9', '::ffff:10.128.0.0/105'] },
  ]) {
    assert.deepEqual(unreachable(allow(noAddress)), ['rules[0].conditions.ipNot']);
    assert.deepEqual(unreachable(deny(noAddress)), []);
  }
  // The operator of `curl` is unknown.
  const noOperator = { crawler: 'curl', crawlerOperatorNot: 'OpenAI' };
  assert.deepEqual(unreachable(allow(noOperator)), ['rules[0].conditions.crawlerOperatorNot']);
  assert.deepEqual(unreachable(deny(noOperator)), []);
  // Only together.
  const three = allow({
    licenseType: ['a', 'b'],
    licenseTypeNot: 'a',
    licenseFeaturesNot: ['x'],
    licenseFeatures: ['x'],
  });
  assert.deepEqual(unreachable(three), ['rules[0].conditions.licenseFeatures']);
  // Without a license the Not holds in a deny rule, and not in an allow rule.
  const nobody = { hasValidLicense: false, licenseTypeNot: 'basic' };
  assert.deepEqual(unreachable(allow(nobody)), ['rules[0].conditions.licenseTypeNot']);
  assert.deepEqual(unreachable(deny(nobody)), []);
  const whole = { ipNot: ['0.0.0.0/0', '::/0'] };
  assert.deepEqual(unreachable(allow(whole)), ['rules[0].conditions.ipNot']);
  assert.deepEqual(unreachable(deny(whole)), []);
});

test('conditions that only look as if they excluded one another', () => {
  const cases: Conditions[] = [
    {},
    { country: ['DE', 'AT'], countryNot: 'AT' },
    { contentTags: ['a', 'b'], contentTagsNot: 'a' },
    { ip: '10.0.0.0/8', ipNot: '10.1.0.0/16' },
    { ip: '::/0', ipNot: '0.0.0.0/0' },
    { userAgent: 'bot', userAgentNot: 'GPTBot' },
    { contentMetadata: { a: '1' }, contentMetadataNot: { a: 1 } },
    { contentMetadata: { a: 1 }, contentMetadataNot: { a: 1, b: 2 } },
    { contentMetadata: { a: 1 }, requesterMetadataNot: { a: 1 } },
    // A license meets the positive keys and has fewer features than the excluded two.
    { licenseFeatures: ['api'], licenseFeaturesNot: ['api', 'bulk'] },
    { licenseType: ['a', 'b'], licenseTypeNot: 'a' },
    { hasValidLicense: true, licenseTypeNot: 'a', licenseFeaturesNot: ['x'] },
    { licenseExpiry: { after: 'now', before: '2027-01-01T00:00:00Z' } },
    { time: { from: '22:00', to: '06:00', days: ['mon'] } },
    {
      time: {
        after: '2026-11-23T00:00:00Z',
        before: '2026-11-23T06:00:00Z',
        days: ['mon'],
        timezone: 'America/New_York',
      },
    },
    { time: { timezone: 'UTC' } },
    { purpose: 'training', purposeNot: 'search', permission: 'training', permissionNot: 'inference' },
    { default: true, country: 'DE' },
    { userAgent: 'mutant' },
    { collectionNot: COLLECTION },
    { host: '*.a.example', hostNot: ['a.example', 'www.a.example', '*.a.example:8080'] },
    { path: '/news/', pathNot: ['/news/x', '/*.pdf$', '/news/?q=1', '/news/$'] },
    { crawler: ['GPTBot', 'Googlebot'], crawlerPurpose: 'search' },
    { crawlerNot: 'GPTBot', crawlerOperator: 'OpenAI' },
    { requesterVerified: false, crawler: 'GPTBot' },
    { requesterVerified: true, requesterIdNot: 'r' },
  ];
  for (const conditions of cases) {
    for (const rule of [allow(conditions), deny(conditions)])
      assert.deepEqual(unreachable(rule), [], JSON.stringify(rule));
  }
});

test('an earlier rule that holds whenever a later one does', () => {
  const cases: [Rule, Rule][] = [
    [allow({ country: 'DE' }), allow({ country: 'DE' })],
    [allow({ country: 'DE' }), deny({ country: ['DE'] })],
    [allow({ country: ['AT', 'DE', 'CH'] }), deny({ country: ['CH', 'DE'] })],
    [allow({ country: 'DE' }), deny({ purpose: 'training', country: 'DE' })],
    [allow({ country: 'DE' }), allow({ default: true, country: 'DE' })],
    [allow({ countryNot: 'DE' }), deny({ country: 'AT' })],
    [allow({ countryNot: 'DE' }), allow({ countryNot: ['DE', 'AT'] })],
    [deny({ countryNot: 'DE' }), allow({ countryNot: ['DE'] })],
    [deny({ countryNot: 'DE' }), deny({ countryNot: ['DE', 'AT'] })],
    [allow(), deny({ country: 'DE' })],
    [allow({}), deny()],
    // An allow whose limit is used up decides nevertheless.
    [allow({ country: 'DE' }, { rateLimit: { requests: 1, period: 'day' } }), allow({ country: 'DE' })],
    [allow({ ip: '10.0.0.0/8' }), allow({ ip: ['10.1.0.0/16', '10.200.0.1'] })],
    [deny({ ip: ['10.0.0.0/9', '10.128.0.0/9'] }), deny({ ip: '10.0.0.0/8' })],
    [deny({ ip: ['10.0.0.0/8', '10.1.0.0/16', '11.0.0.0/8'] }), allow({ ip: ['10.2.0.0/15', '11.0.0.1'] })],
    [allow({ ip: '::ffff:10.0.0.0/104' }), allow({ ip: '10.1.2.3' })],
    [deny({ ip: '10.0.0.0/8' }), deny({ ip: '203.0.113.9', ipNot: '203.0.113.0/24' })],
    [allow({ ipNot: '10.1.0.0/16' }), allow({ ipNot: '10.0.0.0/8' })],
    [deny({ userAgent: 'bot' }), allow({ userAgent: ['GPTBot', 'ClaudeBOT'] })],
    [allow({ userAgentNot: 'GPTBot' }), deny({ userAgent: 'curl', userAgentNot: 'bot' })],
    [allow({ contentTags: ['a', 'b'] }), deny({ contentTags: 'b' })],
    [allow({ contentTagsNot: 'a' }), allow({ contentTagsNot: ['a', 'b'] })],
    [allow({ contentId: ['x', 'y'] }), deny({ contentId: 'y' })],
    [allow({ collection: [COLLECTION, OTHER] }), deny({ collection: OTHER })],
    [allow({ collectionNot: COLLECTION }), deny({ collection: OTHER })],
    [allow({ host: '*.example' }), deny({ host: ['a.example', '*.b.example'], path: '/x' })],
    [allow({ path: '/*.pdf$' }), deny({ path: ['/news/*.pdf$', '/a/*/b.pdf$'] })],
    [allow({ path: ['/'] }), deny({ path: '/news/?q=*x' })],
    [allow({ crawlerPurpose: 'training' }), deny({ crawler: ['GPTBot', 'ClaudeBot'] })],
    [allow({ crawlerOperator: ['OpenAI', 'Anthropic'] }), deny({ crawler: 'GPTBot', country: 'DE' })],
    [deny({ crawlerPurposeNot: 'training' }), allow({ crawlerPurpose: 'search' })],
    [allow({ requesterVerified: true }), deny({ requesterVerified: ['ip', 'dns'] })],
    [allow({ requesterVerified: ['token', 'license', 'signature', 'ip', 'dns'] }), deny({ requesterVerified: true })],
    [allow({ contentTypeNot: ['image', 'video'] }), deny({ contentType: ['article', 'report', 'dataset'] })],
    [allow({ contentMetadata: { a: [1, 2] } }), deny({ contentMetadata: { a: 1, b: 1 } })],
    [deny({ contentMetadataNot: { a: 1, b: 1 } }), allow({ contentMetadataNot: { a: 1 } })],
    [deny({ contentMetadataNot: { a: 1, b: 1 } }), deny({ contentMetadata: { b: 2 } })],
    [allow({ hasValidLicense: true }), deny({ licenseType: 'basic' })],
    [allow({ hasValidLicense: true }), allow({ licenseTypeNot: 'basic' })],
    [deny({ licenseTypeNot: 'basic' }), allow({ hasValidLicense: false })],
    [allow({ licenseFeatures: ['api'] }), deny({ licenseFeatures: ['bulk', 'api'] })],
    [allow({ licenseType: ['a', 'b'] }), deny({ licenseType: 'a', licenseFeatures: ['x'] })],
    [
      allow({ licenseExpiry: { after: '2027-01-01T00:00:00Z' } }),
      deny({ licenseExpiry: { after: '2028-01-01T00:00:00+02:00' } }),
    ],
    [allow({ licenseExpiry: { after: 'now' } }), deny({ hasValidLicense: true })],
    [deny({ licenseTypeNot: ['a'] }), deny({ licenseTypeNot: ['a', 'b'] })],
    [
      allow({ time: { after: '2027-01-01T00:00:00Z' } }),
      deny({ time: { after: '2027-01-01T02:00:00+01:00', days: ['mon'] } }),
    ],
    [allow({ time: { from: '22:00', to: '06:00' } }), deny({ time: { to: '05:00', days: ['tue'], timezone: 'UTC' } })],
    [
      allow({ time: { days: ['sat', 'sun'], timezone: 'Europe/Berlin' } }),
      deny({ time: { days: ['sun'], timezone: 'europe/berlin' } }),
    ],
    // A registered requester has an id; an unregistered one has no type.
    [deny({ requesterTagsNot: 'a' }), allow({ requesterId: 'r', requesterTags: 'b', requesterTagsNot: 'a' })],
    [allow({ requesterIdNot: 'r' }), deny({ requesterIdNot: 'r', requesterType: 'person' })],
  ];
  for (const [first, second] of cases) {
    assert.deepEqual(unreachable(first, second), ['rules[1]'], JSON.stringify([first, second]));
  }
  assert.match(
    lint([allow({ country: 'DE' }), deny({ country: 'DE' })], 'deny')[0]?.message ?? '',
    /rules\[0\] holds too and is evaluated before it\. Without it, the same checks are allowed\. If it should decide, narrow rules\[0\] or have this rule evaluated before it\./,
  );
});

test('an earlier rule that leaves something to a later one', () => {
  const cases: [Rule, Rule][] = [
    [allow({ contentTagsNot: 'a' }), deny({ contentTagsNot: ['a', 'b'] })],
    [allow({ contentType: ['article', 'report', 'image', 'dataset', 'video'] }), deny({})],
    [allow({ collectionNot: COLLECTION }), deny({ collectionNot: OTHER })],
    [allow({ host: 'a.example' }), deny({ host: '*.example' })],
    [allow({ path: '/news/?q=' }), deny({ path: '/news/' })],
    [allow({ path: '/news/$' }), deny({ path: '/news/' })],
    [allow({ path: '/a*b' }), deny({ path: '/a*c' })],
    [allow({ crawler: 'GPTBot' }), deny({ crawlerPurpose: 'training' })],
    [deny({ crawlerPurposeNot: 'training' }), allow({ crawlerPurposeNot: 'search' })],
    [allow({ requesterVerified: ['ip', 'dns'] }), deny({ requesterVerified: true })],
    [allow({ country: 'DE' }), allow({ country: ['DE', 'AT'] })],
    [allow({ country: 'DE', purpose: 'search' }), deny({ country: 'DE' })],
    // Silence: a deny rule's Not holds when nothing is known, an allow rule's does not.
    [allow({ countryNot: 'DE' }), deny({ countryNot: 'DE' })],
    [allow({ country: 'DE' }), deny({ countryNot: 'DE' })],
    // A priority or `default: true` changes the order.
    [allow({ country: 'DE' }, { priority: 5 }), allow({ country: ['DE', 'AT'] })],
    [allow({ default: true }), deny({ country: 'DE' })],
    [allow({}, { priority: 3 }), deny({ country: 'DE' })],
    [allow({ ip: '10.1.0.0/16' }), deny({ ip: '10.0.0.0/8' })],
    [allow({ ip: '11.0.0.0/8' }), deny({ ip: '10.0.0.0/8' })],
    [allow({ ip: '2001:db9::/32' }), deny({ ip: '2001:db8::/32' })],
    [allow({ ip: '0.0.0.0/0' }), deny({ ip: '::/0' })],
    [allow({ userAgent: 'GPTBot' }), deny({ userAgent: 'bot' })],
    [allow({ userAgentNot: 'bot' }), deny({ userAgentNot: 'GPTBot' })],
    [allow({ contentTags: 'a' }), deny({ contentTags: ['a', 'b'] })],
    // Names that differ can be the id and the externalId of one item, or tags of one item.
    [allow({ contentTags: 'a' }), deny({ contentTags: 'b' })],
    [allow({ contentIdNot: 'x' }), deny({ contentIdNot: 'y' })],
    [allow({ contentMetadata: { a: 1, b: 1 } }), deny({ contentMetadata: { a: 1 } })],
    [allow({ contentMetadataNot: { a: 1 } }), allow({ contentMetadataNot: { a: 1, b: 1 } })],
    [allow({ contentMetadataNot: { a: 1, b: 1 } }), allow({ contentMetadataNot: { a: 1 } })],
    [deny({ contentMetadataNot: { a: 1 } }), allow({ contentMetadataNot: { a: 1, b: 1 } })],
    [allow({ contentMetadata: { a: 1 } }), deny({ contentMetadata: { a: '1' } })],
    [allow({ contentMetadata: { a: 1 } }), deny({ requesterMetadata: { a: 1 } })],
    [allow({ contentMetadata: { a: [true, false] } }), deny({ contentMetadataNot: { a: 'x' } })],
    [allow({ hasValidLicense: true }), deny({ licenseTypeNot: 'basic' })],
    [allow({ licenseType: 'a' }), deny({ licenseType: 'b' })],
    // Two licenses may have one feature each, and none both.
    [allow({ licenseFeatures: ['x', 'y'] }), deny({ licenseFeatures: ['x'], licenseType: 'a' })],
    [allow({ licenseType: 'a', licenseFeatures: ['x'] }), deny({ licenseType: 'a' })],
    [
      allow({ licenseExpiry: { after: '2028-01-01T00:00:00Z' } }),
      deny({ licenseExpiry: { after: '2027-01-01T00:00:00Z' } }),
    ],
    // A license without an end ends before nothing.
    [allow({ licenseExpiry: { before: '9999-01-01T00:00:00Z' } }), deny({ hasValidLicense: true })],
    [allow({ time: { days: ['sun'] } }), deny({ time: { days: ['sun'], timezone: 'Asia/Kolkata' } })],
    [allow({ time: { from: '09:00', to: '17:00' } }), deny({ time: { from: '09:00', to: '17:01' } })],
    [allow({ requesterTypeNot: 'a' }), deny({ requesterTagsNot: 'a' })],
    [allow({ requesterId: 'r' }), deny({ requesterType: 'a' })],
    // Three-valued: who is registered may have no type.
    [deny({ requesterTypeNot: 'a' }, { priority: 9 }), allow({ requesterTags: 'b', requesterType: 'a' })],
    [allow({ default: false }), allow({ country: 'DE' }, { message: 'x' })],
  ];
  for (const [first, second] of cases) {
    const found = unreachable(first, second).filter((param) => param.startsWith('rules[1]'));
    assert.deepEqual(found, [], JSON.stringify([first, second]));
  }
});

test('evaluation order decides which of two rules never does', () => {
  const narrow = { country: 'DE' };
  const wide = { country: ['DE', 'AT'] };
  assert.deepEqual(unreachable(allow(narrow, { priority: 2 }), deny(wide, { priority: 1 })), ['rules[0]']);
  assert.deepEqual(unreachable(allow(narrow), deny(wide, { priority: 1 })), []);
  assert.deepEqual(unreachable(allow(narrow), deny(wide, { priority: 0 })), ['rules[0]']);
  assert.deepEqual(unreachable(allow(narrow, { priority: 1 }), deny(wide, { priority: -1 })), ['rules[0]']);
  assert.deepEqual(unreachable(allow({ ...narrow, default: true }), deny(wide)), ['rules[0]']);
  assert.deepEqual(unreachable(deny({}, { priority: 10 }), allow(wide, { priority: 20 }), deny({ default: true })), [
    'rules[1]',
    'rules[2]',
  ]);
});

test('a catch-all before others', () => {
  const codes = ['catch_all_before_others'];
  assert.deepEqual(warned([allow(), deny({ country: 'DE' })], codes), ['rules[0]']);
  assert.deepEqual(warned([deny({ country: 'DE' }), allow({})], codes), []);
  assert.deepEqual(warned([deny({ country: 'DE' }), allow({}, { priority: 0 })], codes), ['rules[1]']);
  assert.deepEqual(warned([allow({ default: true }), deny({ country: 'DE' })], codes), []);
  assert.deepEqual(warned([allow({ default: true }), deny({ default: true })], codes), ['rules[0]']);
  assert.deepEqual(warned([allow({}), deny({ default: true })], codes), ['rules[0]']);
  assert.deepEqual(warned([allow({})], codes), []);
});

test('a priority or place that a rule with default: true has in vain', () => {
  const codes = ['default_rule_order'];
  const narrow = allow({ country: 'DE' });
  const at = (priority: number, conditions: Conditions = { default: true }): Rule => deny(conditions, { priority });
  // The usual catch-all: last in the list, or with the highest priority, wherever it is.
  for (const rules of [
    [narrow, deny({ default: true })],
    [allow({ country: 'DE' }, { priority: 100 }), deny({ default: true })],
    [narrow, narrow, at(99)],
    [at(99), narrow],
    [narrow, at(1)],
    [narrow, at(1, { default: true, purpose: 'x' })],
    [deny({ default: true }), deny({ default: true, purpose: 'x' })],
    [at(1), at(2), at(2)],
    [deny({ default: false }, { priority: 0 }), narrow],
    [deny({}, { priority: 0 }), narrow],
    [deny({ default: true })],
  ]) {
    assert.deepEqual(warned(rules, codes), [], JSON.stringify(rules));
  }
  const cases: [Rule[], string[]][] = [
    [[deny({ default: true }), narrow], ['rules[0]']],
    [[narrow, deny({ default: true, purpose: 'x' }), narrow], ['rules[1]']],
    [[narrow, at(0)], ['rules[1].priority']],
    [[at(1), allow({ country: 'DE' }, { priority: 1 })], ['rules[0].priority']],
    [[allow({ country: 'DE' }, { priority: 5 }), at(4)], ['rules[1].priority']],
    [[at(1), narrow, at(2)], ['rules[0].priority']],
    [
      [at(1), narrow, narrow, at(2)],
      ['rules[0].priority', 'rules[3].priority'],
    ],
  ];
  for (const [rules, params] of cases) assert.deepEqual(warned(rules, codes), params, JSON.stringify(rules));
  const [warning] = lint([narrow, narrow, at(1)], 'deny').filter(({ code }) => codes.includes(code));
  assert.equal(
    warning?.message,
    '`priority: 1` has no effect: a rule with `default: true` is evaluated last, so after rules[1]. ' +
      'Give it the highest. Before you move or remove a rule, give each rule a `priority`: without one, its place counts.',
  );
});

test('a duplicate says the same, however it is written', () => {
  const codes = ['duplicate_rule'];
  const rule = allow({ country: ['DE', 'AT'], contentMetadata: { a: 1 } }, { message: 'x' });
  const same = allow(
    { contentMetadata: { a: [1] }, country: ['AT', 'DE', 'DE'] },
    { priority: 9, permissions: ['full_access'] },
  );
  assert.deepEqual(warned([rule, same], codes), ['rules[1]']);
  assert.deepEqual(warned([rule, { ...rule, action: 'deny' }], codes), []);
  assert.deepEqual(warned([rule, { ...rule, permissions: [] }], codes), []);
  assert.deepEqual(
    warned([rule, { ...rule, conditions: { ...rule.conditions, contentMetadata: { a: '1' } } }], codes),
    [],
  );
  const limit = (scope?: 'requester' | 'global'): Rule =>
    allow({ country: 'DE' }, { rateLimit: { requests: 1, period: 'day', ...(scope && { scope }) } });
  assert.deepEqual(warned([limit(), limit('requester'), limit('global')], codes), ['rules[1]']);
  assert.deepEqual(warned([deny({ country: 'DE' }), deny({ country: 'DE' }, { permissions: ['training'] })], codes), [
    'rules[1]',
  ]);
  const proto = (): Rule => allow(JSON.parse('{"contentMetadata":{"__proto__":"x","constructor":"y"}}') as Conditions);
  assert.deepEqual(warned([proto(), proto()], codes), ['rules[1]']);
});

test('of two rules that say the same, the one that is evaluated later is warned of', () => {
  const codes = ['duplicate_rule'];
  const same = (priority?: number): Rule => deny({ country: 'DE' }, priority === undefined ? {} : { priority });
  // Without the first of them, the rule between them would allow.
  assert.deepEqual(warned([same(), allow({ country: 'DE', purpose: 'x' }), same()], codes), ['rules[2]']);
  assert.deepEqual(warned([same(9), allow({ purpose: 'x' }, { priority: 5 }), same(1)], codes), ['rules[0]']);
});

test('advice that moves rules says so where places count as priorities', () => {
  const along = (rules: Rule[]): boolean[] =>
    lint(rules, 'deny').map(({ message }) =>
      message.endsWith('give each rule a `priority`: without one, its place counts.'),
    );
  const twice = (first: object, second: object): Rule[] => [
    deny({ country: 'DE' }, first),
    deny({ country: 'DE' }, second),
  ];
  assert.deepEqual(along(twice({}, {})), [false, false]);
  assert.deepEqual(along(twice({ priority: 1 }, { priority: 2 })), [false, false]);
  assert.deepEqual(along(twice({}, { priority: 2 })), [true, true]);
});

test('what a deny rule cannot do', () => {
  const rule = deny({ default: true }, { permissions: ['full_access'], rateLimit: { requests: 1, period: 'day' } });
  assert.deepEqual(pluck(lint([rule], 'deny'), 'code', 'param'), [
    ['permissions_on_deny', 'rules[0].permissions'],
    ['rate_limit_on_deny', 'rules[0].rateLimit'],
  ]);
  assert.deepEqual(lint([{ ...rule, action: 'allow' }], 'deny'), []);
});

test('permissions without a meaning of their own', () => {
  const rules = [
    allow({ permission: ['training', 'print'] }, { permissions: ['full_access', 'comercial_use', 'print'] }),
    deny({ permissionNot: 'ful_access' }),
    deny({ permission: ['full_access', 'traning'] }),
  ];
  const warnings = lint(rules, 'deny').filter(({ code }) => code === 'unknown_permission');
  assert.deepEqual(pluck(warnings, 'param'), [
    'rules[0].permissions[1]',
    'rules[0].permissions[2]',
    'rules[1].conditions.permissionNot',
    'rules[2].conditions.permission[1]',
  ]);
  assert.match(warnings[0]?.message ?? '', /Did you mean `commercial_use`\?/);
  // An allow rule without `permissions` grants none of its own.
  assert.deepEqual(warned([allow({ permission: 'mutant' }), deny({ country: 'DE' })], ['unknown_permission']), [
    'rules[0].conditions.permission',
  ]);
});

test('a text that is nearly the name of a crawler', () => {
  const meant = (value: unknown, key = 'userAgent') =>
    lint([deny({ [key]: value }), allow({})], 'deny')
      .filter(({ code }) => code === 'unknown_user_agent')
      .map(({ message, param }) => [/mean `(.*)`/.exec(message)?.[1], param]);
  assert.deepEqual(meant('GTPBot'), [['GPTBot', 'rules[0].conditions.userAgent']]);
  assert.deepEqual(meant(['GPTBot', 'claudbot', 'Bytespidr'], 'userAgentNot'), [
    ['ClaudeBot', 'rules[0].conditions.userAgentNot[1]'],
    ['Bytespider', 'rules[0].conditions.userAgentNot[2]'],
  ]);
  for (const right of [
    'gptbot',
    'GPTBot/1.2',
    'gpt',
    'bot',
    'OurReader',
    'WgetBot',
    'Mozilla/5.0 (x)',
    'xyz',
    'Firefox',
  ])
    assert.deepEqual(meant(right), [], right);
  assert.ok(meant(Array(1000).fill('GTPBot')).length <= 50);
});

test('a deny on the proof of a requester is evaded without one', () => {
  const signed = deny({ requesterVerified: ['signature'], hasValidLicense: false });
  const codes = ['deny_evaded_by_silence'];
  const here = ['rules[0].conditions.requesterVerified'];
  assert.deepEqual(warned([signed, allow({ hasValidLicense: false })], codes, 'deny'), here);
  assert.deepEqual(warned([signed], codes, 'allow'), here);
  const [warning] = lint([signed], 'allow').filter(({ code }) => code === codes[0]);
  assert.match(warning?.message ?? '', /`requesterVerified: false`, which also holds without a requester/);
  // What it advises, and an allow rule that asks for the proof.
  assert.deepEqual(warned([signed, deny({ requesterVerified: false })], codes, 'allow'), []);
  assert.deepEqual(warned([signed, allow({ requesterVerified: true })], codes, 'deny'), []);
});

test('a deny that is evaded by silence', () => {
  const codes = ['deny_evaded_by_silence'];
  const open = (...rules: Rule[]): string[] => warned(rules, codes, 'allow');
  const closed = (...rules: Rule[]): string[] => warned(rules, codes, 'deny');
  const licensed = allow({ hasValidLicense: true });
  for (const [key, value] of Object.entries({
    purpose: 'training',
    country: ['KP'],
    ip: '203.0.113.0/24',
    userAgent: 'GPTBot',
    crawler: 'GPTBot',
    crawlerOperator: 'OpenAI',
    crawlerPurpose: ['training', 'index'],
    requesterId: 'r',
    requesterType: 'ai_crawler',
    requesterTags: ['x'],
    requesterMetadata: { tier: 1 },
  })) {
    const rule = deny({ [key]: value });
    const here = [`rules[0].conditions.${key}`];
    assert.deepEqual(open(rule), here, key);
    assert.deepEqual(closed(rule, allow({ default: true })), here, key);
    assert.deepEqual(closed(rule), [], key);
    // Licenses go with the requester, but stay without a purpose.
    assert.deepEqual(closed(rule, licensed), key.startsWith('requester') ? [] : here, key);
    // The same rule behind the allow, or closed by another.
    assert.deepEqual(closed(allow({ contentType: 'image' }), rule), [], key);
    assert.deepEqual(open(rule, deny({ [`${key}Not`]: value })), [], key);
    // An allow rule that asks for the value itself.
    assert.deepEqual(closed(rule, allow({ [`${key}Not`]: value })), [], key);
    // A Not in a deny rule holds for silence.
    assert.deepEqual(open(deny({ [`${key}Not`]: value })), [], key);
  }
  // A license goes with the requester.
  for (const [key, value] of Object.entries({
    hasValidLicense: true,
    licenseType: 'trial',
    licenseFeatures: ['beta'],
    licenseExpiry: { before: '2027-01-01T00:00:00Z' },
  })) {
    const rule = deny({ [key]: value });
    const here = [`rules[0].conditions.${key}`];
    assert.deepEqual(open(rule), here, key);
    assert.deepEqual(closed(rule, allow({ default: true })), here, key);
    assert.deepEqual(closed(rule, licensed), [], key);
    assert.deepEqual(open(rule, deny({ hasValidLicense: false })), [], key);
  }
  assert.deepEqual(open(deny({ hasValidLicense: false })), []);
  assert.match(
    lint([deny({ licenseType: 'trial' })], 'allow')[0]?.message ?? '',
    /^A check without `requesterId` .* add a deny rule with `hasValidLicense: false`/,
  );
  // The caller cannot omit the item's data.
  assert.deepEqual(
    open(deny({ contentTags: 'x' }), deny({ contentMetadata: { a: 1 } }), deny({ time: { days: ['mon'] } })),
    [],
  );
  // The rule never decides, so nothing is evaded.
  assert.deepEqual(open(deny({ country: 'DE' }), deny({ country: 'DE', purpose: 'x' })), [
    'rules[0].conditions.country',
  ]);
  // Each value that may be omitted is reported once; for the requester, its first key.
  assert.deepEqual(open(deny({ purpose: 'x', requesterTags: 'y', requesterType: 'z' })), [
    'rules[0].conditions.purpose',
    'rules[0].conditions.requesterTags',
  ]);
  // Without a user agent, neither it nor its crawler is known.
  assert.deepEqual(open(deny({ crawlerPurpose: 'training', userAgent: 'x' }), deny({ userAgentNot: 'y' })), []);
  const [warning] = lint([deny({ crawlerPurpose: 'training' })], 'allow');
  assert.match(warning?.message ?? '', /^A check without `userAgent` is not denied by this rule/);
  // Where a URL lies, and how a requester was verified, is not the caller's to omit.
  assert.deepEqual(open(deny({ host: 'a.example' }), deny({ path: '/x' }), deny({ requesterVerified: false })), []);
  // Other conditions exclude what would be allowed.
  assert.deepEqual(closed(deny({ purpose: 'x', hasValidLicense: false }), licensed), []);
  assert.deepEqual(closed(deny({ purpose: 'x', contentType: 'image' }), allow({ contentType: 'video' })), []);
  // The last rule requires an address.
  assert.deepEqual(open(deny({ ip: '203.0.113.0/24' }), deny({ ipNot: ['0.0.0.0/0', '::/0'] })), []);
});

test('leaving out the permission is a way around only to what is denied', () => {
  const codes = ['deny_evaded_by_silence'];
  const rule = deny({ permission: ['commercial_use', 'training'] });
  const here = ['rules[0].conditions.permission'];
  assert.deepEqual(warned([rule, allow({ default: true })], codes), []);
  assert.deepEqual(warned([rule, allow({ default: true }, { permissions: ['full_access', 'training'] })], codes), here);
  assert.deepEqual(warned([deny({ permission: 'preview_only' }), allow({ default: true })], codes), here);
  assert.deepEqual(warned([rule], codes, 'allow'), []);
  // A check for training gets nothing from a rule that does not grant it, with or without a purpose.
  const training = deny({ purpose: 'x', permission: 'training' });
  assert.deepEqual(warned([training, allow({ default: true })], codes), []);
  assert.deepEqual(warned([deny({ purpose: 'x' }), allow({ default: true }, { permissions: [] })], codes), []);
});

test('usual policies are without warnings', () => {
  const policies: [Rule[], Action][] = [
    [[], 'deny'],
    [[], 'allow'],
    [
      [
        allow(
          { licenseType: ['enterprise', 'research'] },
          { permissions: ['full_access', 'commercial_use'], rateLimit: { requests: 100, period: 'hour' } },
        ),
        deny({ hasValidLicense: false }, { message: 'Enterprise license required' }),
        deny({ default: true }),
      ],
      'deny',
    ],
    [[allow({ hasValidLicense: true }), allow({ default: true }, { permissions: ['preview_only'] })], 'deny'],
    [[deny({ purposeNot: ['search', 'reading'] }), allow({ default: true })], 'deny'],
    [[deny({ time: { before: '2027-01-01T00:00:00Z' }, licenseTypeNot: 'press' }), allow({ default: true })], 'deny'],
  ];
  for (const [rules, defaultAction] of policies)
    assert.deepEqual(lint(rules, defaultAction), [], JSON.stringify(rules));
});

test('every code is documented and every message is a sentence', () => {
  const rules = [
    allow({}, { priority: 50, permissions: ['x'] }),
    allow({}, { priority: 51, permissions: ['x'] }),
    deny({ country: 'DE' }, { permissions: [], rateLimit: { requests: 1, period: 'day' } }),
    deny({ hasValidLicense: false, licenseType: 'x' }),
    deny({ default: false }),
    deny({ default: true }, { priority: 1 }),
    allow({ requesterId: 'partner' }, { priority: 1 }),
    deny({ userAgent: 'GTPBot' }),
  ];
  const warnings = lint(rules, 'deny', { ...NOBODY, requesterIds: new Set(['partner']) });
  assert.deepEqual(new Set(warnings.map(({ code }) => code)), new Set(LINT_CODES));
  const page = readFileSync(new URL('../../../docs/policies.md', import.meta.url), 'utf8');
  for (const code of LINT_CODES) assert.ok(page.includes(`\`${code}\``), code);
  for (const { message } of warnings) assert.match(message, /^[A-Z`].*\.$/);
});

test('long policies of usual rules are read to the end', () => {
  const rules = Array.from({ length: 99 }, (_, i): Rule => {
    const conditions = { contentTags: `t${i % 98}`, purposeNot: ['training', 'search'], licenseType: ['a', 'b'] };
    return i % 2 === 0 ? allow(conditions) : deny(conditions);
  });
  assert.deepEqual(unreachable(...rules, deny({ default: true })), ['rules[98]']);
  const countries = Array.from({ length: 99 }, (_, i) => String.fromCharCode(65 + (i % 26), 65 + Math.floor(i / 26)));
  const each = countries.map((country, i) => (i % 2 === 0 ? allow({ country }) : deny({ country })));
  assert.deepEqual(unreachable(...each, allow({ country: countries.at(-1), purpose: 'training' })), ['rules[99]']);
});

test('a policy of the greatest size is read in reasonable time', () => {
  const values = (from: number): string[] => Array.from({ length: 1000 }, (_, i) => `v${from + i}`);
  const ranges = (rule: number): string[] => Array.from({ length: 1000 }, (_, i) => `10.${rule}.${i >> 8}.${i & 255}`);
  const shapes: ((i: number) => Conditions)[] = [
    (i) => ({ purpose: values(i), purposeNot: values(i + 500) }),
    (i) => ({ userAgent: values(i * 3), userAgentNot: values(i * 1000 + 999) }),
    (i) => ({ contentTags: values(i), requesterTagsNot: values(i) }),
    (i) => ({ ip: ranges(i), ipNot: ranges(i + 1) }),
    (i) => ({ licenseType: values(i), licenseFeatures: values(0), licenseFeaturesNot: values(i) }),
    (i) => ({
      contentMetadataNot: Object.fromEntries(
        values(i)
          .slice(0, 2)
          .map((key) => [key, values(i)]),
      ),
    }),
    (i) => ({ contentTags: `t${i}`, requesterTags: `t${i}`, country: 'DE', purposeNot: `p${i}`, userAgent: `u${i}` }),
    (i) => ({
      time: {
        after: `2026-11-${10 + (i % 9)}T00:00:00Z`,
        before: `2026-11-18T12:00:00Z`,
        days: ['thu'],
        timezone: 'Asia/Tokyo',
      },
    }),
  ];
  for (const shape of shapes) {
    const rules = Array.from({ length: 100 }, (_, i): Rule => (i % 2 === 0 ? deny(shape(i)) : allow(shape(i))));
    // Processor time, so that other work on the machine is not measured.
    const before = process.cpuUsage();
    lint(rules, 'allow');
    const { user, system } = process.cpuUsage(before);
    const took = (user + system) / 1000;
    if (process.env.SHOW) console.log(Math.round(took), JSON.stringify(shape(1)).slice(0, 60));
    assert.ok(took < 3000, `${took} ms`);
  }
});
