/**
 * Lint against what is really decided, in generated policies rich in rules that narrow, repeat or split others, and for
 * checks made so that the rule in question holds. A rule reported as unreachable never decides, neither for the oracle nor
 * for the compiled policy. A deny that a check evades by saying less is reported.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { decide } from '../../src/access/decide.ts';
import { compile } from '../../src/policies/compile.ts';
import { Facts } from '../../src/policies/facts.ts';
import { lint } from '../../src/policies/lint.ts';
import { type Action, grants, type Rule } from '../../src/policies/policy.ts';
import { ALL_KEYS, inputArbitrary, VOCABULARY } from '../oracle/arbitrary.ts';
import { type OracleInput, type OracleLicense, oracleDecide } from '../oracle/decide.ts';

const RUNS = Number(process.env.CASES ?? 1000);
const CHECKS_PER_RULE = 12;

type Input = Omit<OracleInput, 'usedUp'>;
type Conditions = Record<string, unknown>;

// ---------------------------------------------------------------------------------------------------------------------
// Policies with rules that stand in relation to one another

/** Makes a rule, or several that together are as wide, out of others. */
type Recipe = { kind: 'repeat' | 'merge' | 'narrow' | 'widen' | 'split'; one: number; other: number; action: Action };

const recipe: fc.Arbitrary<Recipe> = fc.record({
  kind: fc.constantFrom('repeat', 'merge', 'narrow', 'widen', 'split'),
  one: fc.nat(99),
  other: fc.nat(99),
  action: fc.constantFrom('allow', 'deny'),
});

function cook(rules: readonly Rule[], { kind, one, other, action }: Recipe): Rule[] {
  if (rules.length === 0) return [];
  const a = rules[one % rules.length]?.conditions ?? {};
  const b = rules[other % rules.length]?.conditions ?? {};
  const make = (conditions: Conditions): Rule => ({ action, conditions });
  const { [Object.keys(a)[0] ?? '']: _, ...fewer } = a;
  if (kind === 'repeat') return [make(a)];
  if (kind === 'merge') return [make({ ...a, ...b })];
  if (kind === 'widen') return [make(fewer)];
  if (kind === 'narrow') {
    const first = (value: unknown): unknown => (Array.isArray(value) ? value.slice(0, 1) : value);
    return [make({ ...Object.fromEntries(Object.entries(a).map(([key, value]) => [key, first(value)])), ...b })];
  }
  // The key and its opposite before a rule that does without.
  const key = Object.keys(b).find((name) => ALL_KEYS.includes(`${name}Not`)) ?? 'country';
  const value = b[key] ?? 'US';
  return [make({ ...a, [key]: value }), make({ ...a, [`${key}Not`]: value }), make(a)];
}

/** Made rules come after those they are made of, or before. */
const relatedPolicy: fc.Arbitrary<Input> = fc
  .record({
    input: inputArbitrary(ALL_KEYS),
    recipes: fc.array(fc.tuple(recipe, fc.boolean()), { minLength: 1, maxLength: 3 }),
    plain: fc.boolean(),
  })
  .map(({ input, recipes, plain }) => {
    let rules = input.policy.rules as Rule[];
    // Catch-alls make all others unreachable; without them and priorities more of the reasoning is asked for.
    if (plain) {
      rules = rules
        .filter(({ conditions = {} }) => Object.keys(conditions).length > 0 && conditions.default === undefined)
        .map(({ priority: _, ...rule }) => rule);
    }
    for (const [one, before] of recipes) {
      const made = cook(rules, one);
      rules = before ? [...made, ...rules] : [...rules, ...made];
    }
    return { ...input, policy: { ...input.policy, rules } };
  });

// ---------------------------------------------------------------------------------------------------------------------
// Checks for which a rule holds

const factsOf = (input: Input): Facts =>
  new Facts({
    at: input.at,
    content: { ...input.content, no: 1, archived: input.content.status === 'archived' },
    requesterId: input.requesterId,
    permission: input.permission,
    purpose: input.purpose,
    country: input.context.country ?? null,
    ip: input.context.ip ?? null,
    userAgent: input.context.userAgent ?? null,
    requester: input.requester && { ...input.requester, suspended: input.requester.status === 'suspended' },
    licenses: input.licenses.map((license) => ({ ...license, id: null, active: license.status === 'active' })),
  });

const compiled = (rules: Rule[], defaultAction: Action) =>
  compile({ no: 1, id: 'pol_x', version: 1, rules, defaultAction });

function holds(rule: Rule, input: Input): boolean {
  return compiled([rule], 'deny').rules[0]?.holds(factsOf(input)) === true;
}

/** Numbers from a seed, so that a failing case can be run again. */
function dice(seed: number): (below: number) => number {
  let state = seed | 0;
  return (below) => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) | 0;
    return ((state ^ (state >>> 13)) >>> 0) % below;
  };
}

const licensesAt = new Map<number, OracleLicense[][]>();

function licensesNear(at: number): OracleLicense[][] {
  const known = licensesAt.get(at);
  if (known !== undefined) return known;
  const limits = VOCABULARY.expiries.filter((text) => text !== 'now').map((text) => Date.parse(text));
  const ends = [null, at + 1, ...limits.flatMap((limit) => [limit - 1, limit])];
  const features = [[], ['x'], ['y'], ['x', 'y']];
  const kinds = VOCABULARY.licenseTypes.flatMap((type) => features.map((some) => ({ type, features: some })));
  const single = kinds.flatMap((kind) =>
    ends.map((expiresAt): OracleLicense => ({ ...kind, startsAt: null, expiresAt, status: 'active', scope: {} })),
  );
  const pairs = single.slice(0, 12).map((one, i) => [one, single[i * 3 + 14] as OracleLicense]);
  const made = [[], ...single.map((one) => [one]), ...pairs];
  licensesAt.set(at, made);
  return made;
}

const METADATA = [
  {},
  ...['news', 'sport'].flatMap((section) =>
    [1, 2].flatMap((tier) => ['x', 'y'].map((letter) => ({ section, tier, premium: tier === 1, constructor: letter }))),
  ),
] as unknown as Record<string, unknown>[];
const TAGS = [[], ['a'], ['b'], ['c'], ['a', 'b'], ['a', 'b', 'c']];

/** Other values for what a condition looks at. */
function variants(key: string, input: Input): Input[] {
  const { content, requester } = input;
  const context = (more: Input['context']): Input => ({ ...input, context: { ...input.context, ...more } });
  const registered = requester ?? { type: null, tags: [], metadata: {}, status: 'active' as const };
  const record = (more: Partial<typeof registered>): Input => ({
    ...input,
    requesterId: input.requesterId ?? 'r1',
    requester: { ...registered, ...more },
  });
  const unregistered = { ...input, requester: null, licenses: input.licenses.slice(0, 1) };
  switch (key.replace(/Not$/, '')) {
    case 'country':
      return [...VOCABULARY.countries, undefined].map((country) => context({ country }));
    case 'ip':
      return [...VOCABULARY.ips, '203.0.113.9', '2002::1'].map((ip) => context({ ip }));
    case 'userAgent':
      return [...VOCABULARY.userAgents, 'nothing'].map((userAgent) => context({ userAgent }));
    case 'purpose':
      return [...VOCABULARY.purposes, null].map((purpose) => ({ ...input, purpose }));
    case 'permission':
      return [...VOCABULARY.permissions, null].map((permission) => ({ ...input, permission }));
    case 'requesterId':
      return [...VOCABULARY.requesterIds, 'r3'].map((requesterId) => ({ ...input, requesterId }));
    case 'requesterType':
      return [...VOCABULARY.requesterTypes.map((type) => record({ type })), unregistered];
    case 'requesterTags':
      return [...TAGS.map((tags) => record({ tags })), unregistered];
    case 'requesterMetadata':
      return [...METADATA.map((metadata) => record({ metadata })), unregistered];
    case 'contentId':
      return VOCABULARY.contents.map((names) => ({ ...input, content: { ...content, ...names } }));
    case 'contentType':
      return ['article', 'report', 'video'].map((type) => ({ ...input, content: { ...content, type } }));
    case 'contentTags':
      return TAGS.map((tags) => ({ ...input, content: { ...content, tags } }));
    case 'contentMetadata':
      return METADATA.map((metadata) => ({ ...input, content: { ...content, metadata } }));
    case 'time':
      return VOCABULARY.moments.flatMap((text) => [-1, 0, 1].map((d) => ({ ...input, at: Date.parse(text) + d })));
    default:
      return licensesNear(input.at).map((licenses) => ({ ...input, licenses }));
  }
}

const isLicenseKey = (key: string): boolean => key === 'hasValidLicense' || key.startsWith('license');

/** The check changed, condition by condition, until the rule holds if it can. */
function madeToHold(rule: Rule, input: Input, roll: (below: number) => number): Input {
  const entries = Object.entries(rule.conditions ?? {}).filter(([key]) => key !== 'default');
  const licence = entries.filter(([key]) => isLicenseKey(key));
  const groups = [
    ...entries.filter(([key]) => !isLicenseKey(key)).map((entry) => [entry]),
    ...(licence.length > 0 ? [licence] : []),
  ];
  let made: Input = { ...input, content: { ...input.content, status: 'active' } };
  if (made.requester !== null) made = { ...made, requester: { ...made.requester, status: 'active' } };
  // Twice, as a later change may undo an earlier one.
  for (const group of [...groups, ...groups]) {
    const part: Rule = { action: rule.action, conditions: Object.fromEntries(group) };
    const options = variants(group[0]?.[0] ?? '', made);
    const start = roll(options.length);
    for (let i = 0; i < options.length && !holds(part, made); i++) {
      made = options[(start + i) % options.length] as Input;
    }
  }
  return made;
}

// ---------------------------------------------------------------------------------------------------------------------

const UNREACHABLE = ['unreachable_rule', 'license_contradiction'];
const indexOf = (param: string): number => Number(/^rules\[(\d+)\]/.exec(param)?.[1]);

test('a rule reported as unreachable never decides', () => {
  const seen = { covered: 0, together: 0, void: 0, held: 0 };
  fc.assert(
    fc.property(relatedPolicy, fc.integer(), (input, seed) => {
      const rules = input.policy.rules as Rule[];
      const roll = dice(seed);
      const policy = compiled(rules, input.policy.defaultAction);
      for (const { code, param, message } of lint(rules, input.policy.defaultAction)) {
        if (!UNREACHABLE.includes(code)) continue;
        const index = indexOf(param);
        const rule = rules[index] as Rule;
        const isVoid = /never holds/.test(message);
        if (isVoid) seen.void++;
        else if (/one of/.test(message)) seen.together++;
        else seen.covered++;
        for (let i = 0; i < CHECKS_PER_RULE; i++) {
          const made = madeToHold(rule, i === 0 ? input : shaken(input, roll), roll);
          if (holds(rule, made)) {
            assert.ok(!isVoid, `${message} But it does: ${JSON.stringify(made)}`);
            seen.held++;
          }
          assert.notEqual(oracleDecide({ ...made, usedUp: () => i % 2 === 0 }).matchedRule?.index, index, message);
          assert.notEqual(decide(policy, factsOf(made)).rule?.index, index, message);
        }
      }
    }),
    { numRuns: RUNS, seed: process.env.SEED === undefined ? undefined : Number(process.env.SEED) },
  );
  if (process.env.SHOW) console.log(seen);
  assert.ok(seen.covered >= RUNS && seen.together >= RUNS / 20 && seen.void >= RUNS / 5, JSON.stringify(seen));
  assert.ok(seen.held >= 5 * RUNS, `the reported rules held ${seen.held} times`);
});

/** Another value for everything a check is about. */
function shaken(input: Input, roll: (below: number) => number): Input {
  let made = input;
  for (const key of ALL_KEYS.filter((one) => !one.endsWith('Not') && one !== 'default')) {
    const options = variants(key, made);
    if (roll(3) > 0) made = options[roll(options.length)] as Input;
  }
  return made;
}

/** The check without what a condition looks at. */
function silent(key: string, input: Input): Input {
  if (key.startsWith('requester')) return { ...input, requesterId: null, requester: null, licenses: [] };
  if (key === 'purpose' || key === 'permission') return { ...input, [key]: null };
  const { [key as 'ip']: _, ...context } = input.context;
  return { ...input, context };
}

const WITHHELD = [
  'purpose',
  'permission',
  'country',
  'ip',
  'userAgent',
  'requesterId',
  'requesterType',
  'requesterTags',
  'requesterMetadata',
];

test('a deny that is evaded by silence is reported, and hardly any other', () => {
  const seen = { reported: 0, confirmed: 0, evaded: 0 };
  fc.assert(
    fc.property(relatedPolicy, fc.integer(), (input, seed) => {
      const rules = input.policy.rules as Rule[];
      const { defaultAction } = input.policy;
      const roll = dice(seed);
      const policy = compiled(rules, defaultAction);
      const warnings = lint(rules, defaultAction).filter(({ code }) => code === 'deny_evaded_by_silence');
      const reported = new Set(warnings.map(({ param }) => param.replace(/requester\w+$/, 'requester')));
      for (const [index, rule] of rules.entries()) {
        if (rule.action !== 'deny') continue;
        const keys = Object.keys(rule.conditions ?? {}).filter((key) => WITHHELD.includes(key));
        for (const key of keys) {
          const param = `rules[${index}].conditions.${key.replace(/requester\w+$/, 'requester')}`;
          const found = evasion(index, key, rule, roll, input, policy);
          if (reported.has(param)) {
            seen.reported++;
            if (found !== null) seen.confirmed++;
          }
          if (found === null) continue;
          seen.evaded++;
          assert.ok(reported.has(param), `${param} is evaded by ${JSON.stringify(found)}`);
        }
      }
    }),
    { numRuns: RUNS, seed: process.env.SEED === undefined ? undefined : Number(process.env.SEED) },
  );
  if (process.env.SHOW) console.log(seen);
  assert.ok(seen.evaded >= RUNS / 20 && seen.confirmed >= 0.8 * seen.reported, JSON.stringify(seen));
});

/** A check that the rule denies and that is allowed when it leaves the value out, if one is found. */
function evasion(
  index: number,
  key: string,
  rule: Rule,
  roll: (below: number) => number,
  input: Input,
  policy: ReturnType<typeof compiled>,
): Input | null {
  for (let i = 0; i < 4 * CHECKS_PER_RULE; i++) {
    const said = madeToHold(rule, i === 0 ? input : shaken(input, roll), roll);
    if (decide(policy, factsOf(said)).rule?.index !== index) continue;
    const { reason, permissions } = decide(policy, factsOf(silent(key, said)));
    if (reason !== null || permissions.length === 0) continue;
    // Without naming a permission one gains only what the rule denies.
    const denied = [rule.conditions?.permission].flat() as string[];
    if (key !== 'permission' || denied.some((one) => grants(permissions, one))) return said;
  }
  return null;
}
