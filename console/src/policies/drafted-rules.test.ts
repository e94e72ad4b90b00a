/** A draft denies, or allows, what was asked for, and changes no other check: tried against the rules themselves. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from '../../../kit/fast-check.ts';
import { factsOf, policyOf } from '../../../kit/oracle.ts';
import { explain } from '../../../src/decisions/explain/explain.ts';
import { decide } from '../../../src/rules/decide.ts';
import { ALL_KEYS, checkArbitrary, policyArbitrary } from '../../../test/oracle/arbitrary.ts';
import type { OracleCheck, OracleInput } from '../../../test/oracle/decide.ts';
import { draftRules, type Outcome, type Subject, type Traced } from './drafted-rules.ts';
import type { Rule } from './rules.ts';

type Check = Omit<OracleCheck, 'usedUp'>;

const UA = { GPTBot: 'Mozilla/5.0 (compatible; GPTBot/1.2)', ClaudeBot: 'ClaudeBot/1.0' } as Record<string, string>;
const RUNS = Number(process.env.CASES ?? 60);

/** Checks by the crawler, by another, and as they are. */
const checks = fc.array(fc.tuple(checkArbitrary(ALL_KEYS), fc.constantFrom('GPTBot', 'ClaudeBot', null)), {
  minLength: 5,
  maxLength: 15,
});
const by = ([check, crawler]: [Check, string | null]): Check =>
  crawler === null ? check : { ...check, context: { ...check.context, userAgent: UA[crawler] } };
const isActive = ({ content, requester }: Check) => content?.status !== 'archived' && requester?.status !== 'suspended';

const verdict = (policy: OracleInput['policy'], check: Check) => {
  const [compiled, facts] = [policyOf({ ...check, policy }), factsOf(check)];
  return { compiled, facts, verdict: decide(compiled, facts) };
};
const isAllowed = (policy: OracleInput['policy'], check: Check) => verdict(policy, check).verdict.reason === null;

/** Explains a check as the service does. */
function traced(policy: OracleInput['policy'], sample: Check) {
  const { compiled, facts, verdict: decided } = verdict(policy, sample);
  const { rules } = explain({ policy: compiled, facts, verdict: decided });
  return {
    policy: policy as { rules: Rule[]; defaultAction: 'deny' },
    traced: rules as Traced[],
    reason: decided.reason,
  };
}

/** Keeps the item and the time only. */
const plain = (check: Check, more: Partial<Check>): Check => ({
  ...check,
  requesterId: null,
  requester: null,
  licenses: [],
  permission: null,
  purpose: null,
  ...more,
});

interface Case {
  subject: Subject;
  /** The sample of the page, made of any check. */
  sample: (check: Check) => Check;
  isAsked: (check: Check) => boolean;
  isProven: (check: Check) => boolean;
}

const CASES: Case[] = [
  {
    subject: { crawler: 'GPTBot' },
    sample: (check) => plain(check, { context: { userAgent: 'GPTBot', crawlerVerified: true } }),
    isAsked: (check) => factsOf(check).crawler?.name === 'GPTBot',
    isProven: (check) => factsOf(check).crawlerVerified,
  },
  {
    subject: { requesterId: 'r1', provable: false },
    sample: (check) => plain(check, { requesterId: 'r1', requester: check.requester, context: {} }),
    isAsked: (check) => check.requesterId === 'r1',
    isProven: () => true,
  },
];

const assertOutcome: Record<Outcome, (is: boolean, of: { was: boolean; licensed: boolean }, what: string) => void> = {
  deny: (is, _, what) => assert.equal(is, false, what),
  allow: (is, { was }, what) => assert.ok(is || !was, what),
  license: (is, { licensed }, what) => assert.ok(!is || licensed, what),
};

for (const { subject, sample, isAsked, isProven } of CASES) {
  for (const outcome of ['deny', 'allow', 'license'] as Outcome[]) {
    test(`${outcome} ${JSON.stringify(subject)}`, () => {
      let drafted = 0;
      fc.assert(
        fc.property(policyArbitrary(ALL_KEYS), checks, (policy, given) => {
          // One requester has one record.
          const [first = assert.fail()] = given;
          const all = given.map(by).filter((one) => one.requesterId !== 'r1' || one.requester === first[0].requester);
          const asked = sample(first[0]);
          if (!isActive(asked)) return;
          const found = draftRules(traced(policy, asked), subject, outcome);
          const after = typeof found === 'string' ? policy : { ...policy, rules: found.rules as typeof policy.rules };
          if (typeof found !== 'string') drafted++;
          for (const one of all.filter(isActive)) {
            const [was, is] = [isAllowed(policy, one), isAllowed(after, one)];
            const what = `${JSON.stringify(one)} ${was} → ${is}`;
            if (!isAsked(one)) assert.equal(is, was, what);
            else assertOutcome[outcome](is, { was, licensed: factsOf(one).validLicenses.length > 0 }, what);
            if (is && !was) assert.ok(isProven(one), what);
          }
          if (outcome === 'allow') assert.equal(isAllowed(after, asked), true);
        }),
        { numRuns: RUNS },
      );
      assert.ok(drafted > RUNS / 20, `${drafted} drafts`);
    });
  }
}

const draft = (rules: Rule[], outcome: Outcome, decided: number, more: Partial<Traced> = {}) =>
  draftRules(
    {
      policy: { rules, defaultAction: 'deny' },
      traced: rules.map(({ action }, i) => ({ action, decided: i === decided, conditions: [], ...more })),
      reason: rules[decided]?.action === 'allow' ? null : 'policy_denied',
    },
    { page: { host: 'www.example.com', path: '/a*b/$' } },
    outcome,
  );

test('a page is meant by its exact path, whatever characters it has', () => {
  const found = draft([{ action: 'allow', conditions: { default: true } }], 'deny', 0);
  assert.deepEqual(found, {
    rules: [
      { action: 'deny', conditions: { host: 'www.example.com', path: '/a%2Ab/%24$' } },
      { action: 'allow', conditions: { default: true } },
    ],
    added: [0],
  });
});

test('where a press would do nothing, it says so', () => {
  assert.equal(draft([{ action: 'deny' }], 'deny', 0), 'It is denied already, by rule 1.');
  assert.equal(draft([], 'deny', -1), 'It is denied already, because no rule matches.');
  assert.equal(draft([{ action: 'allow' }], 'allow', 0), 'It is allowed already, by rule 1.');
});
