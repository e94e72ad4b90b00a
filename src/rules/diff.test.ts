/** A diff lists every difference and nothing else: applied to the older version, it makes the newer one. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from '../../kit/fast-check.ts';
import { ALL_KEYS, policyArbitrary } from '../../test/oracle/arbitrary.ts';
import { type Comparable, diff, type FieldChange, type PolicyDiff, type RuleChange } from './diff.ts';
import type { Rule } from './policy.ts';

const policy = (rules: Rule[], more: Partial<Comparable> = {}): Comparable => ({
  name: 'p',
  description: null,
  defaultAction: 'deny',
  rules,
  ...more,
});
const rulesOf = (a: Rule[], b: Rule[]): RuleChange[] => diff(policy(a), policy(b)).rules;
/** "moved 2>0" of each change. */
const brief = (a: Rule[], b: Rule[]): string[] =>
  rulesOf(a, b).map(({ change, from, to }) => `${change} ${from ?? '-'}>${to ?? '-'}`);

const germany: Rule = { action: 'allow', conditions: { country: ['DE'] }, message: 'DE' };
const training: Rule = { action: 'deny', conditions: { purpose: 'training' } };
const licensed: Rule = {
  action: 'allow',
  conditions: { hasValidLicense: true },
  rateLimit: { requests: 5, period: 'day' },
};
const rest: Rule = { action: 'deny', conditions: { default: true } };

test('what became of each rule', () => {
  const four = [germany, training, licensed, rest];
  assert.deepEqual(brief(four, four), []);
  assert.deepEqual(brief([], []), []);
  assert.deepEqual(brief([], [germany]), ['added ->0']);
  assert.deepEqual(brief([germany], []), ['removed 0>-']);
  // The others only make room.
  assert.deepEqual(brief(four, [germany, licensed, rest]), ['removed 1>-']);
  assert.deepEqual(brief([germany, licensed, rest], four), ['added ->1']);
  assert.deepEqual(brief(four, [rest, germany, training, licensed]), ['moved 3>0']);
  assert.deepEqual(brief(four, [training, licensed, rest, germany]), ['moved 0>3']);
  assert.deepEqual(brief(four, [germany, rest, training, licensed]), ['moved 3>1']);
  assert.equal(brief(four, four.toReversed()).length, 3);
  // Another thing altogether is another rule; another value is the same rule.
  assert.deepEqual(brief([germany], [training]), ['removed 0>-', 'added ->0']);
  assert.deepEqual(brief([training], [{ ...training, action: 'allow' }]), ['changed 0>0']);
  assert.deepEqual(brief([{ action: 'deny' }, training], [training, rest]), ['moved_and_changed 0>1']);
  assert.deepEqual(brief([training], [{ ...training, conditions: { purpose: ['search'] } }]), ['changed 0>0']);
  const changed = { ...germany, conditions: { country: ['DE', 'AT'] } };
  assert.deepEqual(brief(four, [training, licensed, rest, changed]), ['moved_and_changed 0>3']);
  assert.deepEqual(brief(four, [{ ...rest, priority: 1 }, changed, training, licensed]), [
    'moved_and_changed 3>0',
    'changed 0>1',
  ]);
});

test('identical rules stay where they can', () => {
  assert.deepEqual(brief([germany, training, germany], [training, germany]), ['removed 0>-']);
  assert.deepEqual(brief([germany, germany], [germany, germany, germany]).length, 1);
  assert.deepEqual(brief([germany, training], [training, germany, germany]).length, 2);
});

test('as many rules as possible stay in their order, whichever of identical ones they are', () => {
  const letters: Record<string, Rule> = {
    x: { action: 'allow', conditions: { country: 'DE' }, message: 'x' },
    y: { action: 'deny', conditions: { purpose: 'a' }, permissions: [] },
    z: { action: 'deny', conditions: { ip: '::1', userAgent: 'z' }, priority: 3 },
  };
  let all = [''];
  for (let i = 0; i < 4; i++) all = ['', ...all.flatMap((word) => [...'xyz'].map((one) => word + one))];
  assert.equal(all.length, 1 + 3 + 9 + 27 + 81);
  const longestOf = (a: string, b: string): number => {
    if (a === '' || b === '') return 0;
    if (a[0] === b[0]) return 1 + longestOf(a.slice(1), b.slice(1));
    return Math.max(longestOf(a.slice(1), b), longestOf(a, b.slice(1)));
  };
  const rulesFor = (word: string): Rule[] => [...word].map((letter) => letters[letter] as Rule);
  for (const a of all) {
    for (const b of all) {
      const counts = { removed: 0, added: 0, moved: 0, changed: 0, moved_and_changed: 0 };
      for (const { change } of rulesOf(rulesFor(a), rulesFor(b))) counts[change]++;
      const common = [...'xyz'].reduce((sum, one) => sum + Math.min(a.split(one).length, b.split(one).length) - 1, 0);
      assert.deepEqual(
        counts,
        {
          removed: a.length - common,
          added: b.length - common,
          moved: common - longestOf(a, b),
          changed: 0,
          moved_and_changed: 0,
        },
        `${a} ${b}`,
      );
    }
  }
});

test('half alike is the same rule changed, less is another', () => {
  const is = (a: Rule, b: Rule): string => brief([a], [b]).join();
  const [same, other] = ['changed 0>0', 'removed 0>-,added ->0'];
  const bare: Rule = { action: 'deny' };
  const everything = { priority: 1, permissions: [], rateLimit: { requests: 1, period: 'day' as const }, message: 'x' };
  // No conditions are a catch-all written another way.
  assert.equal(is(bare, { action: 'allow', conditions: { default: true }, ...everything }), same);
  assert.equal(is(bare, { action: 'allow', conditions: { default: false }, ...everything }), other);
  const on = (conditions: object, more: object = {}): Rule => ({ action: 'deny', conditions, ...more }) as Rule;
  assert.equal(is(on({ country: 'DE' }), on({ purpose: 'x' })), other);
  // One condition of three in common: then all else must be equal.
  const [a, b] = [
    { country: 'DE', purpose: 'x' },
    { country: 'DE', ip: '::1' },
  ];
  assert.equal(is(on(a), on(b)), same);
  assert.equal(is(on(a, everything), on(b, everything)), same);
  for (const key of Object.keys(everything) as (keyof typeof everything)[]) {
    const { [key]: _, ...others } = everything;
    assert.equal(is(on(a, everything), on(b, others)), other, key);
  }
  assert.equal(is(on(a, { message: 'x' }), on(b, { message: 'y' })), other);
  assert.equal(is(on(a), { ...on(b), action: 'allow' }), other);
  // Of lists, what they have in common counts.
  const lists = (one: string[], two: string[]): string =>
    is(on({ country: one, purpose: 'x' }), on({ country: two, ip: '::1' }));
  assert.equal(lists(['a', 'b'], ['b', 'c']), other);
  assert.equal(lists(['a', 'b'], ['b', 'a']), same);
  const many = Array.from({ length: 150 }, (_, i) => `c${i + 100}`);
  assert.equal(lists(many, many.toReversed()), same);
  assert.equal(lists(many, many.toSpliced(60, 70)), other);
  // Of longer ones the first hundred stand for all.
  const longer = (tail: string): string[] => [...many.slice(0, 100), ...many.map((_, i) => `${tail}${i}`)];
  assert.equal(lists(longer('x'), longer('y')), same);
});

test('of rules that are equally alike the nearest', () => {
  const bot = (userAgent: string): Rule => ({ action: 'deny', conditions: { userAgent } });
  assert.deepEqual(brief([bot('a')], [bot('b'), bot('c')]), ['changed 0>0', 'added ->1']);
  assert.deepEqual(brief([rest, germany, bot('a')], [rest, bot('b'), bot('c')]), [
    'removed 1>-',
    'added ->1',
    'changed 2>2',
  ]);
  assert.deepEqual(brief([bot('b'), bot('c')], [bot('a')]), ['changed 0>0', 'removed 1>-']);
  assert.deepEqual(brief([bot('a'), bot('b')], [bot('c'), bot('d')]), ['changed 0>0', 'changed 1>1']);
});

test('the order of the keys of a value says nothing, and every name is a name', () => {
  const on = (conditions: object): Rule[] => [{ action: 'deny', conditions }] as Rule[];
  const nested = (contentMetadata: object) => on({ contentMetadata, country: 'DE' });
  assert.deepEqual(brief(nested({ a: 1, b: [1, 2], c: null }), nested({ c: null, b: [1, 2], a: 1 })), []);
  assert.deepEqual(brief(nested({ a: 1, b: [1, 2] }), nested({ a: 1, b: [2, 1] })), ['changed 0>0']);
  assert.deepEqual(brief(nested({ a: '1' }), nested({ a: 1 })), ['changed 0>0']);
  assert.deepEqual(rulesOf(on({ country: 'DE', constructor: 'x' }), on({ country: 'DE' }))[0]?.fields, [
    { path: 'conditions.constructor', from: 'x', to: null },
  ]);
});

test('the most similar rule is the one that changed', () => {
  const bots = (...userAgent: string[]): Rule => ({ action: 'deny', conditions: { userAgent } });
  const a = [bots('a', 'b', 'c'), bots('x', 'y', 'z')];
  const b = [bots('x', 'y'), bots('a', 'b')];
  const [first, second] = rulesOf(a, b);
  assert.deepEqual(new Set([first?.from, second?.from]), new Set([0, 1]));
  for (const { from, to } of [first, second] as RuleChange[]) assert.notEqual(from, to);
});

test('the fields of a rule that changed', () => {
  const fields = (a: Rule, b: Rule): FieldChange[] | undefined => rulesOf([a], [b])[0]?.fields;
  const base: Rule = { action: 'allow', conditions: { country: 'DE', purpose: 'x', contentType: 'image' } };
  assert.deepEqual(fields(base, { ...base, conditions: { ...base.conditions, country: ['DE', 'AT'] }, message: 'm' }), [
    { path: 'conditions.country', from: 'DE', to: ['DE', 'AT'] },
    { path: 'message', from: null, to: 'm' },
  ]);
  const { purpose: _, ...fewer } = base.conditions ?? {};
  assert.deepEqual(fields(base, { ...base, action: 'deny', conditions: { ...fewer, ip: '::1' } }), [
    { path: 'action', from: 'allow', to: 'deny' },
    { path: 'conditions.purpose', from: 'x', to: null },
    { path: 'conditions.ip', from: null, to: '::1' },
  ]);
  assert.deepEqual(fields(licensed, { ...licensed, rateLimit: { requests: 6, period: 'day', scope: 'global' } }), [
    { path: 'rateLimit.requests', from: 5, to: 6 },
    { path: 'rateLimit.scope', from: null, to: 'global' },
  ]);
  const { rateLimit, ...unlimited } = licensed;
  assert.deepEqual(fields(licensed, unlimited), [{ path: 'rateLimit', from: rateLimit, to: null }]);
  assert.deepEqual(fields({ action: 'allow' }, { action: 'allow', conditions: {} }), [
    { path: 'conditions', from: null, to: {} },
  ]);
  // Lists are kept as they were written; the order of keys says nothing.
  assert.deepEqual(fields({ ...rest, permissions: ['a', 'b'] }, { ...rest, permissions: ['b', 'a'] }), [
    { path: 'permissions', from: ['a', 'b'], to: ['b', 'a'] },
  ]);
  assert.deepEqual(
    brief([{ action: 'deny', conditions: { a: 1, b: 2 } }], [{ conditions: { b: 2, a: 1 }, action: 'deny' }]),
    [],
  );
  const hostile = (value: string): Rule =>
    JSON.parse(`{"action":"deny","conditions":{"contentMetadata":{"__proto__":"${value}"}}}`);
  assert.equal(fields(hostile('x'), hostile('y'))?.[0]?.path, 'conditions.contentMetadata');
});

test('the policy’s own fields', () => {
  assert.deepEqual(diff(policy([]), policy([], { name: 'q', description: 'd', defaultAction: 'allow' })), {
    fields: [
      { path: 'name', from: 'p', to: 'q' },
      { path: 'description', from: null, to: 'd' },
      { path: 'defaultAction', from: 'deny', to: 'allow' },
    ],
    rules: [],
  });
});

// ---------------------------------------------------------------------------------------------------------------------

/** Two policies that have much in common: the second is the first with rules changed, moved, added and removed. */
const related: fc.Arbitrary<[Comparable, Comparable]> = fc
  .record({
    a: policyArbitrary(ALL_KEYS),
    b: policyArbitrary(ALL_KEYS),
    keep: fc.array(fc.nat(11), { maxLength: 9 }),
    strip: fc.array(fc.constantFrom('conditions', 'message', 'priority', 'permissions', 'none'), { maxLength: 6 }),
    names: fc.tuple(fc.constantFrom('p', 'q'), fc.constantFrom('p', 'q')),
    descriptions: fc.tuple(fc.constantFrom(null, 'x'), fc.constantFrom(null, 'x')),
  })
  .map(({ a, b, keep, strip, names, descriptions }) => {
    const both = [...(a.rules as Rule[]), ...(b.rules as Rule[])];
    const rules = keep
      .filter((i) => i < both.length)
      .map((i, place) => {
        const { [strip[place] as 'message']: _, ...rule } = both[i] as Rule;
        return place % 2 === 0 ? (both[i] as Rule) : rule;
      });
    return [
      { ...(a as Comparable), name: names[0], description: descriptions[0] },
      { ...(b as Comparable), rules, name: names[1], description: descriptions[1] },
    ];
  });

/** Applies a diff by hand. */
function apply(a: Comparable, { fields, rules }: PolicyDiff): Comparable {
  const b = { ...a, ...Object.fromEntries(fields.map(({ path, to }) => [path, to])) };
  const gone = new Set(rules.map(({ from }) => from));
  const placed = new Map<number, Rule>();
  for (const { to, from, rule, fields: changed = [] } of rules) {
    if (to === null) continue;
    placed.set(to, from === null ? (rule as Rule) : changedRule(a.rules[from] as Rule, changed));
  }
  // The others follow one another in the places that are left.
  const others = a.rules.filter((_, from) => !gone.has(from));
  const length = others.length + placed.size;
  const list = Array.from({ length }, (_, to) => placed.get(to) ?? (others.shift() as Rule));
  return { ...b, rules: list };
}

function changedRule(rule: Rule, fields: readonly FieldChange[]): Rule {
  const copy = structuredClone(rule) as unknown as Record<string, unknown>;
  for (const { path, to } of fields) {
    const [key = '', inner] = path.split('.');
    const record = inner === undefined ? copy : (copy[key] as Record<string, unknown>);
    if (to === null) delete record[inner ?? key];
    else record[inner ?? key] = to;
  }
  return copy as unknown as Rule;
}

const mirrored = ({ fields, rules }: PolicyDiff): PolicyDiff => {
  const back = (list: FieldChange[]): FieldChange[] =>
    list.map(({ path, from, to }) => ({ path, from: to, to: from })).toSorted((x, y) => (x.path < y.path ? -1 : 1));
  const opposite = {
    added: 'removed',
    removed: 'added',
    moved: 'moved',
    changed: 'changed',
    moved_and_changed: 'moved_and_changed',
  } as const;
  return {
    fields: back(fields),
    rules: rules
      .map((one) => ({
        ...one,
        change: opposite[one.change],
        from: one.to,
        to: one.from,
        ...(one.fields && { fields: back(one.fields) }),
      }))
      .toSorted(byPlace),
  };
};
const byPlace = (x: RuleChange, y: RuleChange): number =>
  (x.from ?? 999) - (y.from ?? 999) || (x.to ?? 999) - (y.to ?? 999);

test('a version does not differ from itself', () => {
  fc.assert(
    fc.property(related, ([a, b]) => {
      for (const one of [a, b]) assert.deepEqual(diff(one, structuredClone(one)), { fields: [], rules: [] });
    }),
    { numRuns: 500 },
  );
});

test('applied to the older version a diff makes the newer one', () => {
  const seen = new Map<string, number>();
  fc.assert(
    fc.property(related, ([a, b]) => {
      const changes = diff(a, b);
      assert.deepEqual(apply(a, changes), b);
      for (const { change } of changes.rules) seen.set(change, (seen.get(change) ?? 0) + 1);
    }),
    { numRuns: 3000 },
  );
  assert.equal(seen.size, 5);
  for (const [change, count] of seen) assert.ok(count >= 20, `${change} ${count} times`);
});

test('with swapped arguments it says the opposite', () => {
  fc.assert(
    fc.property(related, ([a, b]) => {
      const there = diff(a, b);
      const back = mirrored(diff(b, a));
      const sorted = (list: FieldChange[]): FieldChange[] => list.toSorted((x, y) => (x.path < y.path ? -1 : 1));
      const rules = there.rules
        .map((one) => ({ ...one, ...(one.fields && { fields: sorted(one.fields) }) }))
        .toSorted(byPlace);
      assert.deepEqual({ fields: sorted(there.fields), rules }, back);
    }),
    { numRuns: 2000 },
  );
});

test('no more rules move than must', () => {
  const distinct = Array.from({ length: 7 }, (_, i): Rule => ({ action: 'deny', conditions: { purpose: `p${i}` } }));
  fc.assert(
    fc.property(fc.shuffledSubarray(distinct, { minLength: 7 }), (shuffled) => {
      const changes = rulesOf(distinct, shuffled);
      assert.ok(changes.every(({ change }) => change === 'moved'));
      assert.equal(changes.length, 7 - longestRise(shuffled.map((rule) => distinct.indexOf(rule))));
    }),
    { numRuns: 300 },
  );
});

/** By looking at all 128 choices. */
function longestRise(list: readonly number[]): number {
  let longest = 0;
  for (let choice = 0; choice < 1 << list.length; choice++) {
    const chosen = list.filter((_, i) => (choice >> i) & 1);
    if (chosen.every((one, i) => i === 0 || (chosen[i - 1] as number) < one))
      longest = Math.max(longest, chosen.length);
  }
  return longest;
}

test('the greatest policies are compared in reasonable time', () => {
  const values = (from: number): string[] => Array.from({ length: 1000 }, (_, i) => `v${(from * 37 + i * 7) % 5000}`);
  const make = (offset: number): Rule[] =>
    Array.from({ length: 100 }, (_, i): Rule => ({ action: 'deny', conditions: { purpose: values(i + offset) } }));
  const start = performance.now();
  const changes = rulesOf(make(0), make(1));
  const took = performance.now() - start;
  if (process.env.SHOW) console.log(Math.round(took), 'ms');
  assert.ok(took < 3000 && changes.length > 0, `${took} ms`);
});
