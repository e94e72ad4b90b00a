/** The reasoning behind the warnings: what it names, what it does not claim, and that its meter bounds it. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { pluck } from '../../../kit/pluck.ts';
import { atOnce, type Steps } from '../../lib/slices.ts';
import type { Action, Rule } from '../policy.ts';
import { Meter, OutOfUnits } from './cells.ts';
import { lint } from './lint.ts';
import { findEvasions } from './silence.ts';
import { attempt, findUnreachable, place } from './unreachable.ts';

type Conditions = Record<string, unknown>;
const allow = (conditions: Conditions, more: Partial<Rule> = {}): Rule => ({ action: 'allow', conditions, ...more });
const deny = (conditions: Conditions, more: Partial<Rule> = {}): Rule => ({ action: 'deny', conditions, ...more });

const plenty = (): Meter => new Meter(1_000_000);
const unreachable = (...rules: Rule[]) => Object.fromEntries(atOnce(findUnreachable(atOnce(place(rules)), plenty())));
const evasions = (rules: Rule[], defaultAction: Action = 'deny') =>
  atOnce(findEvasions(atOnce(place(rules)), defaultAction, plenty()));
const keys = (name: string, count: number): Conditions =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`${name}${i}`, 1]));

const keyed = (a: number, b: number): Conditions => ({
  contentMetadataNot: keys('a', a),
  requesterMetadataNot: keys('b', b),
});

/** Returns an allow rule with a × b alternatives: each key may be the one that differs. */
const manifold = (a: number, b: number, more: Conditions = {}): Rule => allow({ ...keyed(a, b), ...more });

describe('a rule that never decides', () => {
  test('is reported with the rule that decides instead', () => {
    assert.deepEqual(unreachable(allow({ purpose: ['a', 'b'] }), allow({ purpose: 'a', country: 'DE' })), {
      1: { kind: 'covered', by: 0 },
    });
    // Two rules that cover a third between them are not compared with it.
    assert.deepEqual(unreachable(allow({ purpose: 'a' }), allow({ purpose: 'b' }), allow({ purpose: ['a', 'b'] })), {});
    assert.deepEqual(unreachable(allow({ default: false })), { 0: { kind: 'void', keys: ['default'] } });
    assert.deepEqual(unreachable(allow({ country: 'DE', purpose: 'a', purposeNot: 'a' })), {
      0: { kind: 'void', keys: ['purpose', 'purposeNot'] },
    });
  });
  test('rules are sorted by priority, equal ones in the order of the list', () => {
    const rules = [
      allow({}, { priority: 5 }),
      allow({ default: true }),
      allow({}),
      allow({}),
      deny({}, { priority: 3 }),
    ];
    // Priorities: 5, none (last), 3, 4 and 3.
    assert.deepEqual(pluck(atOnce(place(rules)), 'index'), [2, 4, 3, 0, 1]);
  });
});

describe('what is too complex to prove is not claimed', () => {
  // 8 × 8 alternatives are the most that are judged.
  const judged = manifold(8, 8);
  const tooMany = manifold(9, 8);
  test('of a rule itself', () => {
    assert.deepEqual(unreachable(allow({}), judged), { 1: { kind: 'covered', by: 0 } });
    assert.deepEqual(unreachable(allow({}), tooMany), {});
    assert.deepEqual(unreachable(manifold(8, 8, { default: false })), { 0: { kind: 'void', keys: ['default'] } });
    assert.deepEqual(unreachable(manifold(9, 8, { default: false })), {});
  });
  test('of an earlier rule; the others are judged all the same', () => {
    const narrow = allow({ purpose: 'a', country: 'DE' });
    assert.deepEqual(unreachable(tooMany, allow({ purpose: 'a' }), narrow), { 2: { kind: 'covered', by: 1 } });
  });
  test('of a rule that falls into too many pieces', () => {
    const five = { purpose: 'a', country: 'DE', userAgent: 'x', ip: '10.0.0.1', contentTags: 't' };
    assert.deepEqual(unreachable(allow(five), judged), {});
    assert.deepEqual(unreachable(allow(five), allow({}), judged), { 2: { kind: 'covered', by: 1 } });
  });
  test('of evasions', () => {
    const way = { index: 0, key: 'purpose', allowedBy: 1 };
    assert.deepEqual(evasions([deny({ purpose: 'a' }), allow({})]), [way]);
    assert.deepEqual(evasions([tooMany, deny({ purpose: 'a' }), allow({})]), []);
    assert.deepEqual(evasions([deny({ purpose: 'a' }), tooMany, allow({})]), []);
    assert.deepEqual(evasions([deny({ purpose: 'a' }), tooMany], 'allow'), []);
    assert.deepEqual(evasions([deny({ purpose: 'a' }), allow({}), tooMany]), [way]);
    // Too many pieces: where the rule decides, and where its checks go when they omit the value.
    const five = { country: 'DE', userAgent: 'x', ip: '10.0.0.1', contentTags: 't', requesterId: 'r' };
    const alternatives = deny({ ...keyed(8, 8), purpose: 'a' });
    const end = allow({ contentType: 'article' });
    assert.deepEqual(evasions([alternatives, end]), [{ index: 0, key: 'purpose', allowedBy: 1 }]);
    assert.deepEqual(
      evasions([deny(five), alternatives, end]).filter(({ index }) => index === 1),
      [],
    );
    assert.deepEqual(
      evasions([deny(five), deny({ contentTags: 'u' }), alternatives, end]).filter(({ index }) => index === 2),
      [],
    );
    assert.deepEqual(
      evasions([alternatives, deny(five), end]).filter(({ index }) => index === 0),
      [],
    );
    assert.deepEqual(
      evasions([alternatives, deny(five)], 'allow').filter(({ index }) => index === 0),
      [],
    );
  });
});

describe('a shorter meter reports less, and nothing else', () => {
  const values = (from: number, count = 5): string[] => Array.from({ length: count }, (_, i) => `v${from + i}`);
  const rules = [
    deny({ purpose: values(0) }),
    allow({ purpose: values(0, 3), country: 'DE' }),
    allow({ country: values(0), countryNot: values(0) }),
    allow({ purpose: values(3, 4) }),
    deny({ userAgent: ['bot'], purposeNot: values(0) }),
    allow({ purpose: values(4, 2) }),
    allow({
      contentTags: values(0),
      time: { days: ['mon'], after: '2026-11-21T00:00:00Z', before: '2026-11-20T00:00:00Z' },
    }),
    allow({ default: true }),
  ];
  test('unreachable rules', () => {
    const whole = unreachable(...rules);
    assert.deepEqual(Object.keys(whole), ['1', '2', '5', '6']);
    const counts = new Set<number>();
    for (let units = 0; units < 2000; units += 7) {
      const found = atOnce(findUnreachable(atOnce(place(rules)), new Meter(units)));
      counts.add(found.size);
      for (const [index, reason] of found) {
        // Only the keys of a rule that never holds may be missing.
        const isVoid = reason.kind === 'void' && reason.keys.length === 0;
        assert.deepEqual(isVoid ? { ...whole[index], keys: [] } : whole[index], reason);
      }
    }
    assert.ok(counts.has(0) && counts.has(4));
  });
  test('evasions', () => {
    const whole = evasions(rules, 'allow');
    assert.deepEqual(pluck(whole, 'index', 'key'), [
      [0, 'purpose'],
      [4, 'userAgent'],
    ]);
    for (let units = 0; units < 1000; units += 3) {
      const found = atOnce(findEvasions(atOnce(place(rules)), 'allow', new Meter(units)));
      for (const one of found) assert.ok(whole.some(({ index, key }) => index === one.index && key === one.key));
    }
  });
  test('a meter ends after its last unit', () => {
    const meter = new Meter(2);
    meter.spend(1);
    meter.spend(1);
    assert.throws(() => meter.spend(1), OutOfUnits);
  });
  test('a bug is not taken for an empty meter', () => {
    function* failing(error: Error): Steps<null> {
      yield;
      throw error;
    }
    assert.equal(atOnce(attempt(failing(new OutOfUnits()))), null);
    assert.throws(() => atOnce(attempt(failing(new RangeError('a fault')))), RangeError);
  });
});

describe('what one rule takes from another', () => {
  const covered = (...rules: Rule[]): number[] => Object.keys(unreachable(...rules)).map(Number);
  test('a metadata key of any name may be absent', () => {
    for (const key of ['a', 'time', 'licenses', 'contentType', 'contentTags.x']) {
      const not = { contentMetadataNot: { [key]: 1 } };
      assert.deepEqual(covered(allow(not), deny(not)), [], key);
      assert.deepEqual(covered(deny(not), allow(not)), [1], key);
    }
  });
  test('an item has two names, and several tags', () => {
    assert.deepEqual(covered(allow({ contentIdNot: 'b' }), allow({ contentId: 'a' })), []);
    assert.deepEqual(covered(allow({ contentTagsNot: 'b' }), allow({ contentTags: 'a' })), []);
    assert.deepEqual(covered(allow({ requesterTagsNot: 'b' }), allow({ requesterTags: 'a' })), []);
    assert.deepEqual(covered(allow({ purposeNot: 'b' }), allow({ purpose: 'a' })), [1]);
  });
  test('user agents are compared in lowercase, and ß is not SS', () => {
    assert.deepEqual(covered(allow({ userAgent: 'BOT' }), allow({ userAgent: 'gptBot' })), [1]);
    assert.deepEqual(covered(allow({ userAgent: 'strasse' }), allow({ userAgent: 'straße' })), []);
  });
  test('hours are compared to the minute', () => {
    const first = allow({ time: { from: '09:30', to: '10:30' } });
    assert.deepEqual(covered(first, allow({ time: { from: '10:00', to: '10:20' } })), [1]);
    assert.deepEqual(covered(first, allow({ time: { from: '11:00', to: '12:00' } })), []);
    assert.deepEqual(covered(first, allow({ time: { from: '10:00', to: '10:31' } })), []);
    assert.deepEqual(covered(first, allow({ time: { from: '09:29', to: '10:00' } })), []);
  });
});

describe('evasions', () => {
  test('an allow rule is not evaded', () => {
    assert.deepEqual(evasions([allow({ purpose: 'x' }), allow({ country: 'DE' })]), []);
    assert.deepEqual(evasions([allow({ purpose: 'x' })], 'allow'), []);
  });
  test('nothing is reported where nothing can be omitted', () => {
    assert.deepEqual(evasions([deny({ contentTags: 'x' })], 'allow'), []);
    assert.deepEqual(evasions([deny({ purpose: 'x' }), deny({ country: 'x' })]), []);
    assert.deepEqual(evasions([], 'allow'), []);
  });
  test('each names what allows it', () => {
    const rule = deny({ purpose: 'x', country: 'DE' });
    assert.deepEqual(evasions([rule], 'allow'), [
      { index: 0, key: 'purpose', allowedBy: null },
      { index: 0, key: 'country', allowedBy: null },
    ]);
    assert.deepEqual(evasions([allow({ country: 'DE' }, { priority: 9 }), deny({ purpose: 'x' })]), [
      { index: 1, key: 'purpose', allowedBy: 0 },
    ]);
  });
  test('a check without a requester is known to have no license', () => {
    assert.deepEqual(evasions([deny({ requesterId: 'r' }), deny({ hasValidLicense: false })], 'allow'), []);
  });
  test('an allow is a gain only if it grants a requested permission', () => {
    const asked = (permission: string | string[], permissions: string[]): number =>
      evasions([deny({ purpose: 'x', permission }), allow({ permission }, { permissions })]).filter(
        ({ key }) => key === 'purpose',
      ).length;
    assert.equal(asked('training', ['training']), 1);
    assert.equal(asked('training', ['inference']), 0);
    assert.equal(asked(['training', 'inference'], ['inference']), 1);
    assert.equal(asked(['training', 'inference'], ['full_access']), 0);
    assert.equal(asked(['training', 'preview_only'], ['full_access']), 1);
    // Any permission but one leaves others.
    assert.equal(evasions([deny({ purpose: 'x', permissionNot: 'training' }), allow({})]).length, 1);
    const others = [allow({ permissionNot: 'training' }, { permissions: ['inference'] })];
    assert.equal(evasions([deny({ purpose: 'x', contentType: 'image' }), ...others]).length, 1);
  });
});

describe('in words', () => {
  const says = (rules: Rule[], code: string, defaultAction: Action = 'deny'): string[] =>
    lint(rules, defaultAction)
      .filter((one) => one.code === code)
      .map(({ message, param }) => `${param}: ${message}`);
  test('a rule that never decides', () => {
    const never = (...rules: Rule[]): string[] => says(rules, 'unreachable_rule');
    assert.deepEqual(never(allow({ purpose: 'a' }), allow({ purpose: 'a', country: 'DE' })), [
      'rules[1]: This rule never decides: whenever it holds, rules[0] holds too and is evaluated before it. ' +
        'Without it, the same checks are allowed. If it should decide, narrow rules[0] or have this rule evaluated before it.',
    ]);
    assert.deepEqual(never(allow({ purpose: 'a' }), allow({ default: true, purpose: 'a' })), [
      'rules[1]: This rule never decides: whenever it holds, rules[0] holds too and is evaluated before it. ' +
        'Without it, the same checks are allowed. If it should decide, narrow rules[0].',
    ]);
  });
  test('a rule that never holds', () => {
    const never = (conditions: Conditions): string[] => says([allow(conditions)], 'unreachable_rule');
    assert.deepEqual(never({ default: false, purpose: 'a' }), [
      'rules[0].conditions.default: This rule never holds: `default: false` holds for no check. ' +
        'Replace it with the conditions that you mean, or remove the rule.',
    ]);
    assert.deepEqual(never({ purpose: 'a', purposeNot: 'a' }), [
      'rules[0].conditions.purposeNot: This rule never holds: `purpose` and `purposeNot` exclude each other. ' +
        'Correct them, or remove the rule.',
    ]);
    assert.deepEqual(never({ licenseExpiry: { before: 'now' } }), [
      'rules[0].conditions.licenseExpiry: This rule never holds: no check meets `licenseExpiry: {"before":"now"}`. ' +
        'Correct its value, or remove the rule.',
    ]);
    const span = { after: '2026-11-21T00:00:00Z', before: '2026-11-20T00:00:00Z', timezone: 'UTC' };
    const [long] = never({ time: { ...span, from: '09:00', to: '10:00' } });
    const text = JSON.stringify({ ...span, from: '09:00', to: '10:00' });
    assert.ok(text.length > 80 && JSON.stringify(span).length <= 100);
    assert.ok(long !== undefined);
    assert.ok(long.includes(`no check meets \`time: ${text.slice(0, 79)}…\``), long);
    const exact = { after: '2026-11-21T00:00:00.12Z', before: '2026-11-20T00:00:00Z', to: '09:00' };
    assert.equal(JSON.stringify(exact).length, 80);
    assert.ok(never({ time: exact })[0]?.includes(`no check meets \`time: ${JSON.stringify(exact)}\``));
    const value = { after: 'now', before: 'now' };
    assert.ok(never({ licenseExpiry: value })[0]?.includes(`\`licenseExpiry: ${JSON.stringify(value)}\``));
  });
  test('a rule whose exclusive keys are not worked out', () => {
    const values = (count: number): string[] => Array.from({ length: count }, (_, i) => `v${i}`);
    const lists = (count: number): Rule[] =>
      Array.from({ length: 100 }, () => allow({ country: 'DE', purpose: values(count), purposeNot: values(count) }));
    const messages = new Set<string>();
    for (let count = 186; count < 189; count++)
      for (const one of says(lists(count), 'unreachable_rule')) messages.add(one.replace(/\d+/, 'n'));
    assert.deepEqual([...messages].toSorted(), [
      'rules[n].conditions.purposeNot: This rule never holds: `purpose` and `purposeNot` exclude each other. Correct them, or remove the rule.',
      'rules[n].conditions: This rule never holds: its conditions exclude one another. Correct them, or remove the rule.',
    ]);
  });
  test('a license required from requesters without one', () =>
    assert.deepEqual(says([deny({ hasValidLicense: false, licenseFeatures: ['x'] })], 'license_contradiction'), [
      'rules[0].conditions.hasValidLicense: This rule never holds: a requester without a valid license has none that ' +
        'meets `licenseFeatures`. Remove `licenseFeatures` to match requesters without a license, or ' +
        '`hasValidLicense` to match those with one.',
    ]));
  test('a catch-all', () => {
    const catchAll = (...rules: Rule[]): string[] => says(rules, 'catch_all_before_others');
    assert.deepEqual(catchAll(allow({}), deny({ country: 'DE' })), [
      'rules[0]: This rule holds for every check, so rules[1], evaluated after it, never decides. ' +
        'If it should decide, mark this rule `default: true`, which has it evaluated last, or give it conditions.',
    ]);
    assert.deepEqual(catchAll(allow({ default: true }), deny({ default: true }), deny({ default: true })), [
      'rules[0]: This rule holds for every check, so rules[1] and rules[2], evaluated after it, never decide. ' +
        'If they should decide, give this rule more conditions.',
      'rules[1]: This rule holds for every check, so rules[2], evaluated after it, never decides. ' +
        'If it should decide, give this rule more conditions.',
    ]);
    const [several] = catchAll(allow({}), ...Array.from({ length: 7 }, () => deny({ country: 'DE' })));
    assert.match(several ?? '', /so rules\[1\], rules\[2\], rules\[3\], rules\[4\], rules\[5\] and 2 more, evaluated/);
    const [five] = catchAll(allow({}), ...Array.from({ length: 5 }, () => deny({ country: 'DE' })));
    assert.match(five ?? '', /so rules\[1\], rules\[2\], rules\[3\], rules\[4\] and rules\[5\], evaluated/);
  });
  test('a duplicate', () =>
    assert.deepEqual(says([deny({ country: 'DE' }), deny({ country: 'DE' })], 'duplicate_rule'), [
      'rules[1]: This rule says the same as rules[0], which is evaluated before it. Without it, the same checks are allowed.',
    ]));
  test('an evasion', () => {
    const evaded = (rules: Rule[], defaultAction?: Action): string[] =>
      says(rules, 'deny_evaded_by_silence', defaultAction);
    assert.deepEqual(evaded([deny({ country: 'DE' })], 'allow'), [
      'rules[0].conditions.country: A check without `country` is not denied by this rule, and the default action ' +
        'then allows it. If it should stay denied, add a deny rule with `countryNot` and the values you accept, which ' +
        'also holds when the value is missing, or make the default action `deny` and allow what you accept.',
    ]);
    assert.deepEqual(evaded([deny({ ip: '10.0.0.0/8' }), allow({})]), [
      'rules[0].conditions.ip: A check without `ip` is not denied by this rule, and rules[1] then allows it. ' +
        'If it should stay denied, add a deny rule before rules[1] with `ipNot: ["0.0.0.0/0", "::/0"]`, which holds only for checks ' +
        'without an address, or require `ip` in rules[1].',
    ]);
    assert.deepEqual(evaded([deny({ requesterTags: 'x' }), allow({})]), [
      'rules[0].conditions.requesterTags: A check without `requesterId` is not denied by this rule, and rules[1] ' +
        'then allows it. If it should stay denied, add a deny rule before rules[1] with `requesterTagsNot` and the values you accept, ' +
        'which also holds when the value is missing, or require `requesterTags` in rules[1].',
    ]);
  });
  test('what has no effect in a deny rule', () => {
    const rule = deny({ country: 'DE' }, { permissions: [], rateLimit: { requests: 1, period: 'day' } });
    assert.deepEqual(says([rule], 'permissions_on_deny'), [
      'rules[0].permissions: A deny rule grants nothing, so `permissions` have no effect. Remove them.',
    ]);
    assert.deepEqual(says([rule], 'rate_limit_on_deny'), [
      'rules[0].rateLimit: A deny rule admits no check, so `rateLimit` has no effect. Remove it.',
    ]);
  });
  test('a permission without a meaning', () => {
    assert.deepEqual(says([allow({}, { permissions: ['traning', 'x'] })], 'unknown_permission'), [
      'rules[0].permissions[0]: `traning` is not a permission that Postern knows. Did you mean `training`? If it is one of ' +
        'your own, checks must spell it the same way.',
      'rules[0].permissions[1]: `x` is not a permission that Postern knows. If it is one of your own, checks must spell it ' +
        'the same way.',
    ]);
    // A permission that a deny rule lists is not granted.
    const asked = [allow({ permission: 'own' }), deny({}, { permissions: ['own'] })];
    assert.deepEqual(
      lint(asked, 'deny')
        .filter(({ code }) => code === 'unknown_permission')
        .map(({ param }) => param),
      ['rules[0].conditions.permission', 'rules[1].permissions[0]'],
    );
  });
});
