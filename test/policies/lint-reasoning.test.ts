/** The reasoning behind the warnings: what it names, what it does not claim, and that it stops where its meter ends. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { lint } from '../../src/policies/lint.ts';
import { Meter, OutOfUnits } from '../../src/policies/lint-cells.ts';
import { attempt, findUnreachable, place } from '../../src/policies/lint-reach.ts';
import { findEvasions } from '../../src/policies/lint-silence.ts';
import type { Action, Rule } from '../../src/policies/policy.ts';

type Conditions = Record<string, unknown>;
const allow = (conditions: Conditions, more: Partial<Rule> = {}): Rule => ({ action: 'allow', conditions, ...more });
const deny = (conditions: Conditions, more: Partial<Rule> = {}): Rule => ({ action: 'deny', conditions, ...more });

const plenty = (): Meter => new Meter(1_000_000);
const unreachable = (...rules: Rule[]) => Object.fromEntries(findUnreachable(place(rules), plenty(), plenty()));
const evasions = (rules: Rule[], defaultAction: Action = 'deny') => findEvasions(place(rules), defaultAction, plenty());
const keys = (name: string, count: number): Conditions =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`${name}${i}`, 1]));

const keyed = (a: number, b: number): Conditions => ({
  contentMetadataNot: keys('a', a),
  requesterMetadataNot: keys('b', b),
});

/** An allow rule of so many alternatives: each key may be the one that differs. */
const manifold = (a: number, b: number, more: Conditions = {}): Rule => allow({ ...keyed(a, b), ...more });

describe('who never decides', () => {
  test('is told with the rules that decide instead', () => {
    assert.deepEqual(unreachable(allow({ purpose: ['a', 'b'] }), allow({ purpose: 'a', country: 'DE' })), {
      1: { kind: 'covered', by: [0] },
    });
    assert.deepEqual(unreachable(allow({ purpose: 'a' }), allow({ purpose: 'b' }), allow({ purpose: ['a', 'b'] })), {
      2: { kind: 'covered', by: [0, 1] },
    });
    assert.deepEqual(unreachable(allow({ default: false })), { 0: { kind: 'void', keys: ['default'] } });
    assert.deepEqual(unreachable(allow({ country: 'DE', purpose: 'a', purposeNot: 'a' })), {
      0: { kind: 'void', keys: ['purpose', 'purposeNot'] },
    });
  });
  test('without the rules that are not needed, the later ones spared first', () => {
    const purposes = [['1'], ['1', '2'], ['2', '3'], ['1', '2', '3']];
    assert.deepEqual(unreachable(...purposes.map((purpose) => allow({ purpose }))), {
      3: { kind: 'covered', by: [0, 2] },
    });
    const twelve = Array.from({ length: 12 }, (_, i) => `p${i}`);
    const others = [allow({ purpose: 'other', country: 'DE' }), allow({ purposeNot: twelve })];
    const rules = [...others, ...twelve.map((purpose) => allow({ purpose })), allow({ purpose: twelve })];
    assert.deepEqual(unreachable(...rules), { 14: { kind: 'covered', by: twelve.map((_, i) => i + 2) } });
  });
  test('up to ten of them; of more, those that are not needed are not sought', () => {
    const covering = (count: number): unknown => {
      // The second takes what the first takes.
      const purposes = Array.from({ length: count }, (_, i) => `p${i}`);
      const rules = purposes.map((purpose, i) => allow({ purpose: i === 1 ? ['p0', 'p1'] : purpose }));
      return unreachable(...rules, allow({ purpose: purposes }))[count];
    };
    const from = (first: number, to: number): number[] => Array.from({ length: to - first }, (_, i) => first + i);
    assert.deepEqual(covering(10), { kind: 'covered', by: from(1, 10) });
    assert.deepEqual(covering(11), { kind: 'covered', by: from(0, 11) });
  });
  test('in the order in which they are asked, equal ones in the order of the list', () => {
    const rules = [
      allow({}, { priority: 5 }),
      allow({ default: true }),
      allow({}),
      allow({}),
      deny({}, { priority: 3 }),
    ];
    // Of the priorities 5, none as it is last, 3, 4 and 3.
    assert.deepEqual(
      place(rules).map(({ index }) => index),
      [2, 4, 3, 0, 1],
    );
  });
});

describe('what is too much to reason about is not claimed', () => {
  // As the last alternative but one is judged and the next is not: 8 × 8 and 9 × 8.
  const judged = manifold(8, 8);
  const tooMany = manifold(9, 8);
  test('of a rule itself', () => {
    assert.deepEqual(unreachable(allow({}), judged), { 1: { kind: 'covered', by: [0] } });
    assert.deepEqual(unreachable(allow({}), tooMany), {});
    assert.deepEqual(unreachable(manifold(8, 8, { default: false })), { 0: { kind: 'void', keys: ['default'] } });
    assert.deepEqual(unreachable(manifold(9, 8, { default: false })), {});
  });
  test('of an earlier rule; the others are judged all the same', () => {
    const narrow = allow({ purpose: 'a', country: 'DE' });
    assert.deepEqual(unreachable(tooMany, allow({ purpose: 'a' }), narrow), { 2: { kind: 'covered', by: [1] } });
    const both = [allow({ purpose: 'a' }), allow({ purpose: 'b' }), allow({ purpose: ['a', 'b'] })];
    assert.deepEqual(unreachable(tooMany, ...both), { 3: { kind: 'covered', by: [1, 2] } });
  });
  test('of a rule that falls into too many pieces', () => {
    const five = { purpose: 'a', country: 'DE', userAgent: 'x', ip: '10.0.0.1', contentTags: 't' };
    assert.deepEqual(unreachable(allow(five), judged), {});
    assert.deepEqual(unreachable(allow(five), allow({ country: 'DE' }), judged), {});
    assert.deepEqual(unreachable(allow(five), allow({ country: 'DE' }), allow({}), judged), {
      3: { kind: 'covered', by: [2] },
    });
  });
  test('of evasions', () => {
    const way = { index: 0, key: 'purpose', allowedBy: 1 };
    assert.deepEqual(evasions([deny({ purpose: 'a' }), allow({})]), [way]);
    assert.deepEqual(evasions([tooMany, deny({ purpose: 'a' }), allow({})]), []);
    assert.deepEqual(evasions([deny({ purpose: 'a' }), tooMany, allow({})]), []);
    assert.deepEqual(evasions([deny({ purpose: 'a' }), tooMany], 'allow'), []);
    assert.deepEqual(evasions([deny({ purpose: 'a' }), allow({}), tooMany]), [way]);
    // Too many pieces: of where the rule decides, and of what is left of it on the way to what allows.
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

describe('with less on the meter less is told, and nothing else', () => {
  const values = (from: number, count = 5): string[] => Array.from({ length: count }, (_, i) => `v${from + i}`);
  const rules = [
    deny({ purpose: values(0) }),
    allow({ purpose: values(0, 3), country: 'DE' }),
    allow({ country: values(0), countryNot: values(0) }),
    allow({ purpose: values(3, 4) }),
    deny({ userAgent: ['bot'], purposeNot: values(0) }),
    allow({ purpose: values(2, 4) }),
    allow({
      contentTags: values(0),
      time: { days: ['mon'], after: '2026-11-20T00:00:00Z', before: '2026-11-21T00:00:00Z' },
    }),
    allow({ default: true }),
  ];
  test('unreachable rules', () => {
    const whole = unreachable(...rules);
    assert.deepEqual(Object.keys(whole), ['1', '2', '5', '6']);
    const counts = new Set<number>();
    for (let units = 0; units < 2000; units += 7) {
      for (const [near, far] of [
        [units, units],
        [5000, units],
        [units, 5000],
      ] as const) {
        const found = findUnreachable(place(rules), new Meter(near), new Meter(far));
        counts.add(found.size);
        for (const [index, reason] of found) {
          const full = whole[index];
          assert.equal(reason.kind, full?.kind);
          const [some, all] = reason.kind === 'void' ? [reason.keys, full?.kind === 'void' ? full.keys : []] : [[], []];
          assert.ok(some.length === 0 || some.join() === all.join(), String(some));
          // Rules that are not needed may be named, those that are needed always are.
          if (reason.kind === 'covered' && full?.kind === 'covered') {
            for (const one of full.by) assert.ok(reason.by.includes(one));
          }
        }
      }
    }
    assert.ok(counts.has(0) && counts.has(4));
  });
  test('evasions', () => {
    const whole = evasions(rules, 'allow');
    assert.deepEqual(
      whole.map(({ index, key }) => [index, key]),
      [
        [0, 'purpose'],
        [4, 'userAgent'],
      ],
    );
    for (let units = 0; units < 1000; units += 3) {
      const found = findEvasions(place(rules), 'allow', new Meter(units));
      for (const one of found) assert.ok(whole.some(({ index, key }) => index === one.index && key === one.key));
    }
  });
  test('a meter ends after its last unit', () => {
    const meter = new Meter(2);
    meter.spend(1);
    meter.spend(1);
    assert.throws(() => meter.spend(1), OutOfUnits);
  });
  test('a fault of ours is not taken for an empty meter', () => {
    assert.equal(
      attempt(() => {
        throw new OutOfUnits();
      }),
      null,
    );
    assert.throws(
      () =>
        attempt(() => {
          throw new RangeError('a fault');
        }),
      RangeError,
    );
  });
});

describe('what is no contradiction and what is one', () => {
  const covered = (...rules: Rule[]): number[] => Object.keys(unreachable(...rules)).map(Number);
  test('who has a type, tags or metadata has an id, and is registered', () => {
    const ids = [allow({ requesterIdNot: 'x' }), allow({ requesterId: 'x' })];
    for (const conditions of [{ requesterType: 't' }, { requesterTags: 't' }, { requesterMetadata: { a: 1 } }]) {
      assert.deepEqual(covered(...ids, allow(conditions)), [2]);
    }
    assert.deepEqual(covered(...ids, allow({ requesterMetadata: { a: 1 } }), allow({ purpose: 'a' })), [2]);
    const tags = [allow({ requesterTagsNot: 'a' }), allow({ requesterTags: 'a' })];
    assert.deepEqual(covered(...tags, allow({ requesterType: 't' }), allow({ requesterId: 'x' })), [2]);
  });
  test('who is anonymous has none of them', () => {
    const other = [allow({ requesterIdNot: 'x' }), deny({ requesterTypeNot: 'u' })];
    assert.deepEqual(covered(...other, deny({ requesterIdNot: 'x', requesterTypeNot: 't' })), [2]);
    assert.deepEqual(covered(...other, deny({ requesterIdNot: 'x', requesterTagsNot: 't' })), [2]);
    assert.deepEqual(covered(...other, deny({ requesterTypeNot: 't' })), []);
  });
  test('a metadata key may be absent, whatever its name', () => {
    for (const key of ['a', 'time', 'licenses', 'contentType', 'contentTags.x']) {
      const both = [allow({ contentMetadata: { [key]: 1 } }), allow({ contentMetadataNot: { [key]: 1 } })];
      assert.deepEqual(covered(...both, allow({ purpose: 'a' })), [], key);
    }
  });
  test('an item has two names, and several tags', () => {
    assert.deepEqual(covered(allow({ contentIdNot: 'b' }), allow({ contentId: 'a' })), []);
    assert.deepEqual(covered(allow({ contentTagsNot: 'b' }), allow({ contentTags: 'a' })), []);
    assert.deepEqual(covered(allow({ requesterTagsNot: 'b' }), allow({ requesterTags: 'a' })), []);
    assert.deepEqual(covered(allow({ purposeNot: 'b' }), allow({ purpose: 'a' })), [1]);
  });
  test('capitals are small letters in user agents, and ß is not SS', () => {
    assert.deepEqual(covered(allow({ userAgent: 'BOT' }), allow({ userAgent: 'gptBot' })), [1]);
    assert.deepEqual(covered(allow({ userAgent: 'strasse' }), allow({ userAgent: 'straße' })), []);
  });
  test('hours are told to the minute', () => {
    const first = allow({ time: { from: '09:30', to: '10:30' } });
    assert.deepEqual(covered(first, allow({ time: { from: '10:00', to: '10:20' } })), [1]);
    assert.deepEqual(covered(first, allow({ time: { from: '11:00', to: '12:00' } })), []);
    assert.deepEqual(covered(first, allow({ time: { from: '10:00', to: '10:31' } })), []);
    assert.deepEqual(covered(first, allow({ time: { from: '09:29', to: '10:00' } })), []);
  });
  test('a span in which no hour fits, but not of times when clocks were not whole minutes from UTC', () => {
    const hours = { from: '00:00', to: '00:01', timezone: 'Africa/Monrovia' };
    const of = (day: string) => ({ after: `${day}T00:44:10Z`, before: `${day}T00:44:50Z` });
    assert.deepEqual(covered(allow({ time: { ...hours, ...of('1971-06-01') } })), []);
    assert.deepEqual(covered(allow({ time: { ...hours, ...of('2026-06-01') } })), [0]);
    const newYear = { after: '1973-01-01T00:00:00Z', before: '1973-01-01T01:00:00Z', days: ['tue'] };
    assert.deepEqual(covered(allow({ time: newYear })), [0]);
  });
  test('up to eight days, even when the clocks skip the hour', () => {
    const skipped = { days: ['sun'], from: '02:00', to: '02:30', timezone: 'Europe/Berlin' };
    const eight = { after: '2027-03-21T12:00:00Z', before: '2027-03-29T12:00:00Z' };
    assert.deepEqual(covered(allow({ time: { ...skipped, ...eight } })), [0]);
    assert.deepEqual(covered(allow({ time: { ...skipped, ...eight, before: '2027-03-29T12:00:00.001Z' } })), []);
  });
  test('an open span hides no other contradiction', () => {
    const open = { after: '2026-11-21T00:00:00Z' };
    assert.deepEqual(covered(allow({ time: open, country: 'DE', countryNot: 'DE' })), [0]);
  });
});

describe('who evades', () => {
  test('an allow rule is not evaded', () => {
    assert.deepEqual(evasions([allow({ purpose: 'x' }), allow({ country: 'DE' })]), []);
    assert.deepEqual(evasions([allow({ purpose: 'x' })], 'allow'), []);
  });
  test('nothing is told where nothing can be left out', () => {
    assert.deepEqual(evasions([deny({ contentTags: 'x' })], 'allow'), []);
    assert.deepEqual(evasions([deny({ purpose: 'x' }), deny({ country: 'x' })]), []);
    assert.deepEqual(evasions([], 'allow'), []);
  });
  test('each with what allows it', () => {
    const rule = deny({ purpose: 'x', country: 'DE' });
    assert.deepEqual(evasions([rule], 'allow'), [
      { index: 0, key: 'purpose', allowedBy: null },
      { index: 0, key: 'country', allowedBy: null },
    ]);
    assert.deepEqual(evasions([allow({ country: 'DE' }, { priority: 9 }), deny({ purpose: 'x' })]), [
      { index: 1, key: 'purpose', allowedBy: 0 },
    ]);
  });
  test('who leaves out the requester has no licence, which is known', () => {
    assert.deepEqual(evasions([deny({ requesterId: 'r' }), deny({ hasValidLicense: false })], 'allow'), []);
  });
  test('an allow is a gain only if it grants one of the permissions that are asked for', () => {
    const asked = (permission: string | string[], permissions: string[]): number =>
      evasions([deny({ purpose: 'x', permission }), allow({ permission }, { permissions })]).filter(
        ({ key }) => key === 'purpose',
      ).length;
    assert.equal(asked('training', ['training']), 1);
    assert.equal(asked('training', ['inference']), 0);
    assert.equal(asked(['training', 'inference'], ['inference']), 1);
    assert.equal(asked(['training', 'inference'], ['full_access']), 0);
    assert.equal(asked(['training', 'preview_only'], ['full_access']), 1);
    // Any permission but one: there are others.
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
  const purposes = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];

  test('a rule that never decides', () => {
    const never = (...rules: Rule[]): string[] => says(rules, 'unreachable_rule');
    assert.deepEqual(never(allow({ purpose: 'a' }), allow({ purpose: 'a', country: 'DE' })), [
      'rules[1]: This rule never decides: whenever it holds, rules[0] holds too and is asked before it. ' +
        'Remove it, narrow rules[0], or give this rule a lower `priority`.',
    ]);
    assert.deepEqual(never(allow({ purpose: 'a' }), allow({ purpose: 'b' }), allow({ purpose: ['a', 'b'] })), [
      'rules[2]: This rule never decides: whenever it holds, one of rules[0] and rules[1] holds and is asked before it. ' +
        'Remove it, narrow one of those, or give this rule a lower `priority`.',
    ]);
    assert.deepEqual(never(allow({ purpose: 'a' }), allow({ default: true, purpose: 'a' })), [
      'rules[1]: This rule never decides: whenever it holds, rules[0] holds too and is asked before it. ' +
        'Remove it or narrow rules[0].',
    ]);
    const [several] = never(...purposes.map((purpose) => allow({ purpose })), allow({ purpose: purposes }));
    assert.match(several ?? '', /one of rules\[0\], rules\[1\], rules\[2\], rules\[3\], rules\[4\] and 2 more holds/);
    const five = purposes.slice(0, 5);
    const [all] = never(...five.map((purpose) => allow({ purpose })), allow({ purpose: five }));
    assert.match(all ?? '', /one of rules\[0\], rules\[1\], rules\[2\], rules\[3\] and rules\[4\] holds/);
  });
  test('a rule that never holds', () => {
    const never = (conditions: Conditions): string[] => says([allow(conditions)], 'unreachable_rule');
    assert.deepEqual(never({ default: false, purpose: 'a' }), [
      'rules[0].conditions.default: This rule never holds: `default: false` holds for no check. ' +
        'Remove the rule, or the condition.',
    ]);
    assert.deepEqual(never({ purpose: 'a', purposeNot: 'a' }), [
      'rules[0].conditions.purposeNot: This rule never holds: `purpose` and `purposeNot` exclude each other. ' +
        'Remove one of them.',
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
  test('a rule of which it is not worked out what excludes what', () => {
    const values = (count: number): string[] => Array.from({ length: count }, (_, i) => `v${i}`);
    const lists = (count: number): Rule[] =>
      Array.from({ length: 100 }, () => allow({ country: 'DE', purpose: values(count), purposeNot: values(count) }));
    const told = new Set<string>();
    for (let count = 186; count < 189; count++)
      for (const one of says(lists(count), 'unreachable_rule')) told.add(one.replace(/\d+/, 'n'));
    assert.deepEqual([...told].sort(), [
      'rules[n].conditions.purposeNot: This rule never holds: `purpose` and `purposeNot` exclude each other. Remove one of them.',
      'rules[n].conditions: This rule never holds: its conditions exclude one another. Remove one of them.',
    ]);
  });
  test('a licence that is asked of those who have none', () =>
    assert.deepEqual(says([deny({ hasValidLicense: false, licenseFeatures: ['x'] })], 'license_contradiction'), [
      'rules[0].conditions.hasValidLicense: This rule never holds: who has no valid licence has none that meets ' +
        '`licenseFeatures`. Remove `licenseFeatures` to speak of those without a licence, or `hasValidLicense` to ' +
        'speak of those with one.',
    ]));
  test('a catch-all', () => {
    const catchAll = (...rules: Rule[]): string[] => says(rules, 'catch_all_before_others');
    assert.deepEqual(catchAll(allow({}), deny({ country: 'DE' })), [
      'rules[0]: This rule holds for every check, so rules[1], asked after it, never decides. ' +
        'Mark it `default: true` to have it asked last, or give it conditions.',
    ]);
    assert.deepEqual(catchAll(allow({ default: true }), deny({ default: true }), deny({ default: true })), [
      'rules[0]: This rule holds for every check, so rules[1] and rules[2], asked after it, never decide. ' +
        'Keep one rule that is just `default: true`.',
      'rules[1]: This rule holds for every check, so rules[2], asked after it, never decides. ' +
        'Keep one rule that is just `default: true`.',
    ]);
  });
  test('a duplicate', () =>
    assert.deepEqual(says([deny({ country: 'DE' }), deny({ country: 'DE' })], 'duplicate_rule'), [
      'rules[1]: This rule says the same as rules[0]. Remove one of them.',
    ]));
  test('an evasion', () => {
    const evaded = (rules: Rule[], defaultAction?: Action): string[] =>
      says(rules, 'deny_evaded_by_silence', defaultAction);
    assert.deepEqual(evaded([deny({ country: 'DE' })], 'allow'), [
      'rules[0].conditions.country: A check that leaves out `country` is not denied by this rule, and the default action ' +
        'then allows it. If it should stay denied, add a deny rule with `countryNot` and the values you accept, which ' +
        'also holds when nothing is said, or make the default action `deny` and allow what you accept.',
    ]);
    assert.deepEqual(evaded([deny({ ip: '10.0.0.0/8' }), allow({})]), [
      'rules[0].conditions.ip: A check that leaves out `ip` is not denied by this rule, and rules[1] then allows it. ' +
        'If it should stay denied, add a deny rule with `ipNot: ["0.0.0.0/0", "::/0"]`, which holds only for checks ' +
        'without an address, or ask for `ip` in rules[1].',
    ]);
    assert.deepEqual(evaded([deny({ requesterTags: 'x' }), allow({})]), [
      'rules[0].conditions.requesterTags: A check that leaves out `requesterId` is not denied by this rule, and rules[1] ' +
        'then allows it. If it should stay denied, add a deny rule with `requesterTagsNot` and the values you accept, ' +
        'which also holds when nothing is said, or ask for `requesterTags` in rules[1].',
    ]);
  });
  test('what has no effect in a deny rule', () => {
    const rule = deny({ country: 'DE' }, { permissions: [], rateLimit: { requests: 1, period: 'day' } });
    assert.deepEqual(says([rule], 'permissions_on_deny'), [
      'rules[0].permissions: A deny rule grants nothing. Remove `permissions`, or make the action `allow`.',
    ]);
    assert.deepEqual(says([rule], 'rate_limit_on_deny'), [
      'rules[0].rateLimit: A deny rule admits nobody, so there is nothing to count. Remove `rateLimit`, or make the ' +
        'action `allow`.',
    ]);
  });
  test('a permission without a meaning', () => {
    assert.deepEqual(says([allow({}, { permissions: ['traning', 'x'] })], 'unknown_permission'), [
      'rules[0].permissions[0]: `traning` is no permission that Postern knows. Did you mean `training`? If it is one of ' +
        'your own, checks must name it exactly so.',
      'rules[0].permissions[1]: `x` is no permission that Postern knows. If it is one of your own, checks must name it ' +
        'exactly so.',
    ]);
    // One that a deny rule lists is not granted.
    const asked = [allow({ permission: 'own' }), deny({}, { permissions: ['own'] })];
    assert.deepEqual(
      lint(asked, 'deny')
        .filter(({ code }) => code === 'unknown_permission')
        .map(({ param }) => param),
      ['rules[0].conditions.permission', 'rules[1].permissions[0]'],
    );
  });
});
