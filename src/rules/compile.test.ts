/** Values that are compiled once: limit ids, the matching license, the data that a check must read. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { pluck } from '../../kit/pluck.ts';
import { words } from '../../kit/words.ts';
import { type CompiledRule, compile } from './compile.ts';
import { Facts, type FactsInput, type LicenseFacts, UNPLACED } from './facts.ts';
import { DEFAULT_POLICY_ID, GRANTS, grants, POLICY_PREFIX, type Rule, SCOPES } from './policy.ts';

type Conditions = Record<string, unknown>;
const at = Date.parse('2026-11-21T09:30:00Z');
const iso = (offset: number): string => new Date(at + offset).toISOString();

const compiled = (rules: Rule[], no = 1) => compile({ no, id: 'pol_1', version: 2, rules, defaultAction: 'deny' });
const ruleOf = (rule: Rule, no?: number): CompiledRule => compiled([rule], no).rules[0] as CompiledRule;
const allow = (conditions: Conditions, more: Partial<Rule> = {}): Rule => ({ action: 'allow', conditions, ...more });
const deny = (conditions: Conditions, more: Partial<Rule> = {}): Rule => ({
  ...allow(conditions, more),
  action: 'deny',
});

const license = (more: Partial<LicenseFacts> = {}): LicenseFacts => ({
  id: 'lic_1',
  type: 'a',
  features: [],
  startsAt: null,
  expiresAt: null,
  active: true,
  scope: null,
  ...more,
});
const facts = (more: Partial<FactsInput> = {}): Facts =>
  new Facts({
    at,
    content: {
      no: 7,
      id: 'cnt_1',
      externalId: 'e',
      type: 'article',
      tags: [],
      metadata: {},
      policyId: 'pol_1',
      archived: false,
      ...UNPLACED,
    },
    requesterId: null,
    requester: null,
    permission: null,
    purpose: null,
    country: null,
    ip: null,
    userAgent: null,
    licenses: [],
    ...more,
  });

test('a rule as it was written, and as it is without what may be left out', () => {
  const { index, priority, action, permissions, message, limit, catchAll } = ruleOf({ action: 'allow' });
  assert.deepEqual(
    { index, priority, action, permissions, message, limit, catchAll },
    {
      index: 0,
      priority: 1,
      action: 'allow',
      permissions: ['full_access'],
      message: null,
      limit: null,
      catchAll: true,
    },
  );
  const full = ruleOf(deny({ purpose: 'a' }, { priority: 9, message: 'm', permissions: [] }));
  assert.deepEqual([full.priority, full.message, full.permissions, full.catchAll], [9, 'm', [], false]);
});

test('rules of one priority stay in their order; a catch-all that says so is last', () => {
  const rules = [
    allow({ default: true }),
    allow({}, { priority: 3 }),
    deny({}, { priority: 1 }),
    allow({ purpose: 'a' }, { priority: 3 }),
    deny({}, { priority: 3 }),
  ];
  assert.deepEqual(pluck(compiled(rules).rules, 'index'), [2, 1, 3, 4, 0]);
});

test('the metadata of an item is asked for by rules that name it', () => {
  const asks = (...rules: Rule[]): boolean => compiled(rules).asksMetadata;
  assert.equal(asks(), false);
  assert.equal(asks({ action: 'deny' }, allow({ requesterMetadata: { a: 1 } }), deny({ contentTags: 'a' })), false);
  assert.equal(asks({ action: 'deny' }, allow({ contentMetadata: { a: 1 } })), true);
  assert.equal(asks(deny({ contentMetadataNot: { a: 1 } }), allow({})), true);
});

test('the moment of a check is asked for by rules that name it', () => {
  const asks = (...rules: Rule[]): boolean => compiled(rules).asksTime;
  assert.equal(asks(allow({ hasValidLicense: true }), deny({})), false);
  assert.equal(asks(deny({}), allow({ time: { days: ['mon'] } })), true);
  assert.equal(asks(allow({ licenseExpiry: { after: 'now' } }), deny({})), true);
});

describe('the use of a limit is counted under one id', () => {
  const limited = (
    conditions: Conditions | undefined,
    rateLimit: Partial<Rule['rateLimit']> = {},
    more = {},
  ): Rule => ({
    action: 'allow',
    ...(conditions && { conditions }),
    rateLimit: { requests: 5, period: 'day', ...rateLimit },
    ...more,
  });
  const idOf = (rule: Rule, no?: number): string => ruleOf(rule, no).limit?.id ?? '';
  const base = { country: ['DE', 'AT'], contentMetadata: { a: 1, b: 'x' } };

  test('of allow rules alone, for each requester when nothing else is said', () => {
    const { limit } = ruleOf(limited(base));
    assert.deepEqual({ ...limit, id: '' }, { requests: 5, period: 'day', scope: 'requester', id: '' });
    assert.match(limit?.id ?? '', /^1\.[A-Za-z0-9_-]{16}$/);
    assert.equal(ruleOf({ ...limited(base), action: 'deny' }).limit, null);
    assert.equal(ruleOf(limited(base, { scope: 'global' })).limit?.scope, 'global');
  });
  test('whatever its number, message, name, priority and position, and however its conditions are written', () => {
    const id = idOf(limited(base));
    const same: Rule[] = [
      limited(base, { requests: 6 }),
      limited(base, { scope: 'requester' }),
      limited(base, {}, { message: 'm', priority: 7, permissions: ['training'] }),
      limited({ country: ['AT', 'DE'], contentMetadata: { b: ['x'], a: 1 } }),
      limited({ contentMetadata: { b: 'x', a: 1 }, country: ['AT', 'DE'] }),
    ];
    for (const rule of same) {
      assert.equal(idOf(rule), id, JSON.stringify(rule));
      assert.equal(compiled([{ action: 'deny' }, rule]).rules.find(({ index }) => index === 1)?.limit?.id, id);
    }
    assert.equal(idOf(limited({ country: 'DE' })), idOf(limited({ country: ['DE'] })));
    assert.equal(idOf(limited(undefined)), idOf(limited({})));
  });
  test('another for what counts apart', () => {
    const ids = [
      idOf(limited(base)),
      idOf(limited(base), 2),
      idOf(limited(base, { period: 'hour' })),
      idOf(limited(base, { scope: 'global' })),
      ...[
        {},
        { country: 'DE' },
        { country: 'AT' },
        { countryNot: 'DE' },
        { country: ['DE', 'AT'] },
        { purpose: 'DE' },
        { purpose: 'DE,AT' },
        { purpose: ['DE', 'AT'] },
        { hasValidLicense: true },
        { hasValidLicense: false },
        ...[1, '1', 2, true, null, [1, 2], [12], ['x', 'y'], ['xy'], 'null'].map((a) => ({ contentMetadata: { a } })),
        { contentMetadata: { a: 1, b: 1 } },
        { contentMetadata: { b: 1 } },
        { contentMetadata: { 'a":1,"b': 1 } },
        { time: { from: '09:00', to: '10:00' } },
        { time: { from: '10:00', to: '09:00' } },
        { time: { from: '09:00' } },
      ].map((conditions) => idOf(limited(conditions))),
    ];
    assert.equal(new Set(ids).size, ids.length);
  });
});

describe('licences', () => {
  test('only an allow rule that asks for one misses one', () => {
    const asks = ({ licenseNeed }: CompiledRule): boolean => licenseNeed !== null;
    for (const conditions of [
      { hasValidLicense: true },
      { hasValidLicense: false },
      { licenseType: 'a' },
      { licenseTypeNot: 'a' },
      { licenseFeatures: ['x'] },
      { licenseFeaturesNot: ['x'] },
      { licenseExpiry: { after: 'now' } },
    ]) {
      assert.equal(asks(ruleOf(allow(conditions))), true, JSON.stringify(conditions));
      assert.equal(asks(ruleOf(deny(conditions))), false);
      assert.equal(asks(ruleOf(allow({ ...conditions, default: false }))), false);
    }
    for (const conditions of [{}, { default: true }, { purpose: 'a' }]) {
      assert.equal(asks(ruleOf(allow(conditions))), false);
    }
  });
  test('the first valid one that meets all keys is the one that is meant', () => {
    const licenses = [
      license({ id: 'ended', features: ['x'], expiresAt: at }),
      license({ id: 'other', type: 'b', features: ['x'] }),
      license({ id: 'poor' }),
      license({ id: 'first', features: ['x'] }),
      license({ id: 'second', features: ['x'] }),
    ];
    const idOf = (rule: Rule): string | null | undefined => ruleOf(rule).licenseOf?.(facts({ licenses }))?.id;
    assert.equal(idOf(allow({ licenseType: 'a', licenseFeatures: ['x'] })), 'first');
    assert.equal(idOf(allow({ licenseType: 'a' })), 'poor');
    assert.equal(idOf(allow({ hasValidLicense: true })), 'other');
    assert.equal(idOf(allow({ licenseTypeNot: 'c' })), 'other');
    assert.equal(idOf(allow({ licenseType: 'c' })), undefined);
    for (const rule of [
      allow({ hasValidLicense: false }),
      allow({ hasValidLicense: false, licenseType: 'a' }),
      allow({ purpose: 'a' }),
      deny({ licenseType: 'a' }),
    ]) {
      assert.equal(ruleOf(rule).licenseOf, null);
    }
  });
  test('what is wanted of it is what the keys say', () => {
    const wanted = (conditions: Conditions) => ruleOf(allow(conditions)).licenseNeed?.wanted;
    const nothing = { types: null, typesNot: [], features: [], featuresNot: [], expiry: null };
    assert.deepEqual(wanted({ hasValidLicense: true }), nothing);
    assert.deepEqual(wanted({ licenseType: 'a', licenseFeaturesNot: ['x'] }), {
      ...nothing,
      types: ['a'],
      featuresNot: ['x'],
    });
  });
  test('a deny rule for those without one says so', () => {
    const requires = (rule: Rule): boolean => ruleOf(rule).requiresLicense;
    assert.equal(requires(deny({ hasValidLicense: false })), true);
    assert.equal(requires(deny({ hasValidLicense: true })), false);
    assert.equal(requires(deny({})), false);
    assert.equal(requires(allow({ hasValidLicense: false })), false);
  });
  test('one more would help if it can still be valid and end when it must', () => {
    const misses = (licenseExpiry: object): boolean =>
      ruleOf(allow({ licenseExpiry })).licenseNeed?.missesOnlyLicense(facts()) === true;
    assert.equal(misses({ before: iso(2) }), true);
    // It would have to end now, and so would not be valid.
    assert.equal(misses({ before: iso(1) }), false);
    assert.equal(misses({ before: 'now' }), false);
    assert.equal(misses({ after: iso(4), before: iso(5) }), true);
    assert.equal(misses({ after: iso(5), before: iso(5) }), false);
    assert.equal(misses({ after: 'now', before: iso(2) }), true);
    assert.equal(misses({ after: iso(9) }), true);
  });
});

test('the moments at which a rule’s time begins and ends', () => {
  const moments = (time?: object): readonly number[] => ruleOf(allow(time === undefined ? {} : { time })).moments;
  assert.deepEqual(moments({ after: iso(0), before: iso(5), days: ['mon'] }), [at, at + 5]);
  assert.deepEqual(moments({ before: iso(5) }), [at + 5]);
  assert.deepEqual(moments({ after: iso(5) }), [at + 5]);
  assert.deepEqual(moments({ days: ['mon'] }), []);
  assert.deepEqual(moments(), []);
});

describe('time is told to the minute', () => {
  const holds = (time: object, moment: string): boolean =>
    ruleOf(allow({ time })).holds(facts({ at: Date.parse(moment) }));
  const cases: [object, string, boolean][] = [
    [{ from: '09:30' }, '2026-11-21T09:29:59.999Z', false],
    [{ from: '09:30' }, '2026-11-21T09:30:00Z', true],
    [{ to: '09:30' }, '2026-11-21T09:29:59.999Z', true],
    [{ to: '09:30' }, '2026-11-21T09:30:00Z', false],
    [{ from: '22:15', to: '06:45' }, '2026-11-21T06:44:59Z', true],
    [{ from: '22:15', to: '06:45' }, '2026-11-21T06:45:00Z', false],
    [{ from: '22:15', to: '06:45' }, '2026-11-21T22:14:59Z', false],
    [{ from: '15:00', to: '15:01', timezone: 'Asia/Kolkata' }, '2026-11-21T09:30:00Z', true],
    [{ from: '15:00', to: '15:01', timezone: 'Asia/Kolkata' }, '2026-11-21T09:29:59Z', false],
    [{ from: '12:45', timezone: 'Pacific/Chatham' }, '2026-06-21T00:00:00Z', true],
    [{ days: ['wed'] }, '1969-12-31T23:59:59Z', true],
    [{ days: ['thu'] }, '1970-01-01T00:00:00Z', true],
    [{ days: ['sun'] }, '1969-12-21T12:00:00Z', true],
  ];
  for (const [time, moment, held] of cases) {
    test(`${JSON.stringify(time)} at ${moment}: ${held}`, () => assert.equal(holds(time, moment), held));
  }
});

test('the words that a policy knows', () => {
  assert.deepEqual(SCOPES, ['requester', 'content', 'collection', 'global']);
  assert.deepEqual(
    GRANTS,
    words(`
    full_access preview_only metadata_only commercial_use training fine_tuning inference redistribution
  `),
  );
  assert.equal(DEFAULT_POLICY_ID, 'pol_default');
  assert.ok(DEFAULT_POLICY_ID.startsWith(POLICY_PREFIX) && POLICY_PREFIX.length === 4);
  for (const one of GRANTS) {
    const isPart = ['full_access', 'preview_only', 'metadata_only'].includes(one);
    assert.deepEqual([grants(['full_access'], one), grants([one], one), grants([], one)], [isPart, true, false], one);
  }
});
