/**
 * The laws of a decision, each tried on random policies and checks: what an added rule, a tie, a catch-all, a fault, an
 * archived item and an explanation may and may not do. Those that need the service are in
 * test/system/http/laws.test.ts.
 */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import * as fc from '../kit/fast-check.ts';
import { factsOf, policyOf } from '../kit/oracle.ts';
import { pluck } from '../kit/pluck.ts';
import { runSeed } from '../kit/random.ts';
import { explain } from '../src/decisions/explain/explain.ts';
import type { CompiledPolicy } from '../src/rules/compile.ts';
import { decide, type Verdict } from '../src/rules/decide.ts';
import { Facts } from '../src/rules/facts.ts';
import type { Rule } from '../src/rules/policy.ts';
import type { Reason } from '../src/rules/reason.ts';
import { ALL_KEYS, inputArbitrary, policyArbitrary } from './oracle/arbitrary.ts';
import type { OracleInput } from './oracle/decide.ts';

const RUNS = Number(process.env.LAW_RUNS ?? 5_000);

type Input = Omit<OracleInput, 'usedUp'>;
type Policy = OracleInput['policy'];

/** Checks in which the rules are asked. */
const inputs: fc.Arbitrary<Input> = inputArbitrary(ALL_KEYS).map((input) => ({
  ...input,
  content: { ...input.content, status: 'active' },
  requester: input.requester && { ...input.requester, status: 'active' },
}));
const oneRule: fc.Arbitrary<Rule> = policyArbitrary(ALL_KEYS)
  .filter(({ rules }) => rules.length > 0)
  .map(({ rules }) => rules[0] as Rule);

function law(name: string, tried: (t: TestContext) => fc.IProperty<unknown>): void {
  test(name, (t) => {
    t.diagnostic(`seed ${runSeed} (again with SEED=${runSeed})`);
    fc.assert(tried(t), { numRuns: RUNS });
  });
}

const decided = (input: Input, policy: Policy = input.policy): Verdict =>
  decide(policyOf({ ...input, policy }), factsOf(input));

/** Picks the visible parts of a verdict. */
const shown = ({ reason, rule, permissions }: Verdict) => ({
  reason,
  permissions: [...permissions],
  rule: rule && { index: rule.index, priority: rule.priority, limit: rule.limit?.id ?? null },
});

const holdsAlone = (input: Input, rule: Rule): boolean =>
  decided(input, { rules: [rule], defaultAction: 'deny' }).rule !== null;

/** A missing priority is the place in the list: written out, the places may change. */
const writtenOut = (rules: readonly Rule[]): Rule[] =>
  rules.map((rule, index) => ({ ...rule, priority: rule.priority ?? index + 1 }));

const isDefault = (rule: Rule): boolean => rule.conditions?.default === true;
const isCatchAll = (rule: Rule): boolean => isDefault(rule) || Object.keys(rule.conditions ?? {}).length === 0;

/** Is the rule at `a` asked before the one at `b`? Both with their priorities written out. */
function isBefore(rules: readonly Rule[], a: number, b: number): boolean {
  const key = (at: number): number[] => {
    const rule = rules[at] as Rule;
    return [isDefault(rule) ? 1 : 0, rule.priority ?? 0, at];
  };
  const [one, other] = [key(a), key(b)];
  const differs = one.findIndex((value, i) => value !== other[i]);
  return (one[differs] as number) < (other[differs] as number);
}

const SAYS_OF_LICENSES: readonly (Reason | null)[] = ['policy_denied', 'no_license', 'license_expired'];

/** Catch-all denials and the default action (`decider` is null) report a near miss of a license in earlier rules. */
function reportsLicenseOf(rules: readonly Rule[], place: number, decider: number | null): boolean {
  if (decider === null) return true;
  const rule = rules[decider] as Rule;
  const denies = isCatchAll(rule) && rule.conditions?.hasValidLicense !== false;
  return denies && isBefore(writtenOut(rules), place, decider);
}

law('a rule that does not hold changes nothing, but for the word it adds on a licence that would have helped', () =>
  fc.property(inputs, oneRule, fc.nat(), fc.boolean(), (generated, added, where, append) => {
    // Written out unless it comes last: in between it would move the places that missing priorities take.
    const rules: Rule[] = append ? generated.policy.rules : writtenOut(generated.policy.rules);
    fc.pre(!holdsAlone(generated, added));
    const place = append ? rules.length : where % (rules.length + 1);
    const { defaultAction } = generated.policy;
    const more = [...rules.slice(0, place), added, ...rules.slice(place)];
    const before = shown(decided(generated, { rules, defaultAction }));
    const after = shown(decided(generated, { rules: more, defaultAction }));

    const expected = structuredClone(before);
    if (expected.rule !== null && expected.rule.index >= place) expected.rule.index++;
    if (SAYS_OF_LICENSES.includes(before.reason) && reportsLicenseOf(more, place, expected.rule?.index ?? null)) {
      const alone = decided(generated, { rules: [added], defaultAction: 'deny' }).reason;
      const most = Math.max(SAYS_OF_LICENSES.indexOf(before.reason), SAYS_OF_LICENSES.indexOf(alone));
      expected.reason = SAYS_OF_LICENSES[most] as Reason;
    }
    assert.deepEqual(after, expected);
  }),
);

law('of rules with one priority the first in the list that holds decides', () =>
  fc.property(inputs, fc.integer({ min: -2, max: 2 }), (input, priority) => {
    const rules: Rule[] = input.policy.rules.filter((rule) => !isDefault(rule)).map((rule) => ({ ...rule, priority }));
    const first = rules.findIndex((rule) => holdsAlone(input, rule));
    const { rule } = decided(input, { ...input.policy, rules });
    assert.equal(rule?.index ?? -1, first);
  }),
);

law('a missing priority is the place in the list, and ties with the same number written out', () =>
  fc.property(inputs, fc.array(fc.boolean(), { minLength: 6, maxLength: 6 }), (input, written) => {
    const { policy } = input;
    const rules = policy.rules.map((rule, i) => (written[i] ? { ...rule, priority: rule.priority ?? i + 1 } : rule));
    assert.deepEqual(shown(decided(input, { ...policy, rules })), shown(decided(input)));
  }),
);

law('a rule with default: true decides only where no other holds, whatever the priorities', () =>
  fc.property(inputs, (input) => {
    const { rules } = input.policy;
    const others = rules.filter((rule) => !isDefault(rule) && holdsAlone(input, rule));
    const { rule } = decided(input);
    if (others.length > 0) assert.ok(rule !== null && !isDefault(rules[rule.index]));
    else assert.ok(rule === null || isDefault(rules[rule.index]));
  }),
);

law('the priority of the only catch-all says nothing', () =>
  fc.property(inputs, fc.integer(), fc.integer(), fc.boolean(), (input, one, other, allow) => {
    const rules: Rule[] = writtenOut(input.policy.rules.filter((rule) => !isDefault(rule)));
    const withCatchAll = (priority: number): Verdict => {
      const catchAll: Rule = { action: allow ? 'allow' : 'deny', priority, conditions: { default: true } };
      return decided(input, { ...input.policy, rules: [catchAll, ...rules] });
    };
    const [a, b] = [shown(withCatchAll(one)), shown(withCatchAll(other))];
    if (a.rule?.index === 0) a.rule.priority = other;
    assert.deepEqual(a, b);
  }),
);

law('an archived item and a suspended requester are denied whatever the policy, even one that cannot be asked', () =>
  fc.property(inputArbitrary(ALL_KEYS), fc.boolean(), fc.boolean(), (input, archived, broken) => {
    const facts = factsOf({
      ...input,
      content: { ...input.content, status: archived ? 'archived' : 'active' },
      requester: { type: null, tags: [], metadata: {}, ...input.requester, status: 'suspended' },
    });
    const policy = policyOf(input);
    const asked = broken ? withRules(policy, () => breaking) : policy;
    const reason = archived ? 'content_archived' : 'requester_suspended';
    assert.deepEqual(shown(decide(asked, facts)), { reason, permissions: [], rule: null });
  }),
);

class Broken extends Error {}
const breaking = (): never => {
  throw new Broken('a condition that cannot be asked');
};

/** The verdict, or null when a fault came instead of one. */
function verdictOrFault(policy: CompiledPolicy, facts: Facts): ReturnType<typeof shown> | null {
  try {
    return shown(decide(policy, facts));
  } catch (error) {
    assert.ok(error instanceof Broken, String(error));
    return null;
  }
}

const withRules = (policy: CompiledPolicy, holds: (index: number) => ((facts: Facts) => boolean) | null) => ({
  ...policy,
  rules: policy.rules.map((rule) => ({ ...rule, holds: holds(rule.index) ?? rule.holds })),
});

test('a fault in a condition never allows: a rule that cannot be asked ends the check, be it an allow or a deny', (t) => {
  t.diagnostic(`seed ${runSeed} (again with SEED=${runSeed})`);
  const ended = { allow: 0, deny: 0 };
  const property = fc.property(inputs, fc.nat(), (input, which) => {
    fc.pre(input.policy.rules.length > 0);
    const policy = policyOf(input);
    const facts = factsOf(input);
    const index = which % policy.rules.length;
    const verdict = decide(policy, facts);
    const place = policy.rules.findIndex((rule) => rule.index === index);
    const decider = verdict.rule === null ? policy.rules.length : policy.rules.indexOf(verdict.rule);
    const broken = verdictOrFault(
      withRules(policy, (one) => (one === index ? breaking : null)),
      facts,
    );
    // Asked before, or as the one that decides: there is no verdict. Never asked: it is as if it were whole.
    if (place > decider) assert.deepEqual(broken, shown(verdict));
    else {
      assert.equal(broken, null);
      ended[policy.rules[place]?.action ?? 'deny']++;
    }
  });
  fc.assert(property, { numRuns: RUNS });
  t.diagnostic(JSON.stringify(ended));
  assert.ok(Math.min(ended.allow, ended.deny) > RUNS / 20, JSON.stringify(ended));
});

test('a fact that cannot be read never allows: there is no verdict, or the one that did not need it', (t) => {
  t.diagnostic(`seed ${runSeed} (again with SEED=${runSeed})`);
  const ENDED = ['requesterId', 'permission', 'purpose', 'country', 'ip', 'userAgent', 'licenses', 'requester'];
  const CONTENT = ['id', 'type', 'tags', 'metadata', 'archived'];
  const LICENSE = ['type', 'features', 'active', 'expiresAt'];
  const ended = new Map<string, number>();
  const fact = fc.constantFrom(
    ...ENDED.map((name) => ['facts', name] as const),
    ...CONTENT.map((name) => ['content', name] as const),
    ...LICENSE.map((name) => ['license', name] as const),
  );
  const property = fc.property(inputs, fact, (input, [owner, name]) => {
    const policy = policyOf(input);
    const whole = shown(decide(policy, factsOf(input)));
    const facts = factsOf(input);
    let target: object = facts;
    if (owner === 'content') target = facts.content as object;
    else if (owner === 'license') target = facts.licenses[0] ?? facts;
    Object.defineProperty(target, name, { get: breaking });
    const verdict = verdictOrFault(policy, facts);
    if (verdict === null) ended.set(`${owner}.${name}`, (ended.get(`${owner}.${name}`) ?? 0) + 1);
    else assert.deepEqual(verdict, whole);
  });
  fc.assert(property, { numRuns: RUNS * 2 });
  t.diagnostic(JSON.stringify(Object.fromEntries(ended)));
  assert.equal(ended.size, ENDED.length + CONTENT.length + LICENSE.length);
});

law('the explanation is of the decision: no rule held before the one that decided, and that one held', () =>
  fc.property(inputs, (input) => {
    const policy = policyOf(input);
    const facts = factsOf(input);
    const verdict = decide(policy, facts);
    const { rules } = explain({ policy, facts, verdict });
    assert.deepEqual(
      pluck(rules, 'index').toSorted(),
      input.policy.rules.map((_, i) => i),
    );
    const first = rules.findIndex((rule) => rule.held);
    const deciders = rules.filter((rule) => rule.decided);
    assert.deepEqual(deciders, first === -1 ? [] : [rules[first]]);
    assert.equal(rules[first]?.index ?? null, verdict.rule?.index ?? null);
    for (const { index, held, conditions } of rules) {
      assert.equal(held, holdsAlone(input, input.policy.rules[index] as Rule));
      const all = conditions.every((condition) => condition.held);
      // Different licenses may each match one positive license key; the rule needs one license for all its keys.
      const together = conditions.filter(({ key }) => /^license(Type|Features|Expiry)$/.test(key)).length > 1;
      if (held || !together) assert.equal(held, all, JSON.stringify({ index, conditions }));
    }
    // Asking why leaves the facts and the policy as they were.
    assert.deepEqual(shown(decide(policy, facts)), shown(verdict));
  }),
);
