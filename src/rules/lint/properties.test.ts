/**
 * Lint against real decisions, in generated policies rich in rules that narrow, repeat or split others, and for checks
 * made to match the rule in question. A rule reported as unreachable never decides, neither for the oracle nor for the
 * compiled policy. A deny rule that a check evades by omitting a value is reported.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from '../../../kit/fast-check.ts';
import { factsOf } from '../../../kit/oracle.ts';
import { seeded } from '../../../kit/random.ts';
import { words } from '../../../kit/words.ts';
import { ALL_KEYS, asAttributes, checkArbitrary, VOCABULARY } from '../../../test/oracle/arbitrary.ts';
import { type OracleCheck, type OracleContent, type OracleLicense, oracleDecide } from '../../../test/oracle/decide.ts';
import { compile } from '../compile.ts';
import { decide } from '../decide.ts';
import { type Action, grants, type Rule } from '../policy.ts';
import { lint } from './lint.ts';

const RUNS = Number(process.env.CASES ?? 300);
const CHECKS_PER_RULE = 12;

type Input = Omit<OracleCheck, 'usedUp'>;
type Conditions = Record<string, unknown>;

// ---------------------------------------------------------------------------------------------------------------------
// Policies with related rules

/** Derives one or more rules from others. */
type Recipe = { kind: 'repeat' | 'merge' | 'narrow' | 'widen' | 'split'; one: number; other: number; action: Action };

const recipe: fc.Arbitrary<Recipe> = fc.record({
  kind: fc.constantFrom('repeat', 'merge', 'narrow', 'widen', 'split'),
  one: fc.nat(99),
  other: fc.nat(99),
  action: fc.constantFrom('allow', 'deny'),
});

const COOK: Record<Recipe['kind'], (a: Conditions, b: Conditions) => Conditions[]> = {
  repeat: (a) => [a],
  merge: (a, b) => [{ ...a, ...b }],
  widen: ({ ...a }) => {
    delete a[Object.keys(a)[0] ?? ''];
    return [a];
  },
  narrow: (a, b) => {
    const first = (value: unknown): unknown => (Array.isArray(value) ? value.slice(0, 1) : value);
    return [{ ...Object.fromEntries(Object.entries(a).map(([key, value]) => [key, first(value)])), ...b }];
  },
  // The key and its opposite before a rule without it.
  split: (a, b) => {
    const key = Object.keys(b).find((name) => ALL_KEYS.includes(`${name}Not`)) ?? 'country';
    const value = b[key] ?? 'US';
    return [{ ...a, [key]: value }, { ...a, [`${key}Not`]: value }, a];
  },
};

function cook(rules: readonly Rule[], { kind, one, other, action }: Recipe): Rule[] {
  if (rules.length === 0) return [];
  const conditionsOf = (index: number): Conditions => rules[index % rules.length]?.conditions ?? {};
  return COOK[kind](conditionsOf(one), conditionsOf(other)).map((conditions) => ({ action, conditions }));
}

/** Derived rules come before or after their originals. */
const relatedPolicy: fc.Arbitrary<Input> = fc
  .record({
    input: checkArbitrary(ALL_KEYS),
    recipes: fc.array(fc.tuple(recipe, fc.boolean()), { minLength: 1, maxLength: 3 }),
    plain: fc.boolean(),
  })
  .map(({ input, recipes, plain }) => {
    let rules = input.policy.rules as Rule[];
    // Catch-alls make all others unreachable; without them and priorities lint has more to prove.
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

const compiled = (rules: Rule[], defaultAction: Action) =>
  compile({ no: 1, id: 'pol_x', version: 1, rules, defaultAction });

/** A check is asked about by several rules. */
const factsBy = new WeakMap<Input, ReturnType<typeof factsOf>>();

function knownFacts(input: Input): ReturnType<typeof factsOf> {
  const facts = factsBy.get(input) ?? factsOf(input);
  factsBy.set(input, facts);
  return facts;
}

function whetherHolds(rule: Rule): (input: Input) => boolean {
  const [only] = compiled([rule], 'deny').rules;
  return (input) => only?.holds(knownFacts(input)) === true;
}

function dice(seed: number): (below: number) => number {
  const random = seeded(seed);
  return (below) => random.int(0, below - 1);
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

/** Checks with another value for the subject of a condition. */
function variants(key: string, input: Input): Input[] {
  return (VARIANTS[key.replace(/Not$/, '')] ?? withLicenses)(input);
}

const withLicenses = (input: Input): Input[] => licensesNear(input.at).map((licenses) => ({ ...input, licenses }));
const withContext = (input: Input, more: Input['context']): Input => ({
  ...input,
  context: { ...input.context, ...more },
});
const ITEM: OracleContent = {
  id: 'cnt_01jd3v0000000000000000000a',
  externalId: 'article-1',
  type: 'article',
  tags: [],
  metadata: {},
  status: 'active',
  policyId: 'pol_default',
};
const URLS = VOCABULARY.urls.flat();

const withContent = (input: Input, more: Partial<OracleContent>): Input => ({
  ...input,
  content: { ...(input.content ?? ITEM), ...more },
});
const withoutItem = ({ url = URLS[0], ...input }: Input): Input => ({
  ...input,
  url,
  content: null,
  policyId: 'pol_default',
});
/** A URL that is asked for is that of its item. */
const withAddress = (input: Input, text: string): Input => {
  const content = input.content && { ...input.content, source: text };
  return input.url === undefined ? { ...input, content } : { ...input, content, url: text };
};
const addresses = (input: Input): Input[] =>
  [...URLS, ...(input.url === undefined ? VOCABULARY.sources : [])].map((text) => withAddress(input, text));
const everythingIn = (id: string) => ({
  id,
  hosts: [],
  paths: ['*'],
  contentTypes: [],
  contentTags: [],
  createdAt: 1,
});
const unregistered = (input: Input): Input => ({ ...input, requester: null, licenses: input.licenses.slice(0, 1) });
const withRecord = (input: Input, more: Partial<NonNullable<Input['requester']>>): Input => ({
  ...input,
  requesterId: input.requesterId ?? 'r1',
  requester: { ...(input.requester ?? { type: null, tags: [], metadata: {}, status: 'active' }), ...more },
});

const agents = (input: Input): Input[] =>
  [...VOCABULARY.userAgents, 'nothing'].map((userAgent) => withContext(input, { userAgent }));

const VARIANTS: Record<string, (input: Input) => Input[]> = {
  country: (input) => [...VOCABULARY.countries, undefined].map((country) => withContext(input, { country })),
  ip: (input) => [
    ...[...VOCABULARY.ips, '203.0.113.9', '2002::1'].map((ip) => withContext(input, { ip, ipUnreadable: undefined })),
    withContext(input, { ip: undefined, ipUnreadable: true }),
  ],
  userAgent: agents,
  crawler: agents,
  crawlerOperator: agents,
  crawlerPurpose: agents,
  crawlerVerified: (input) =>
    agents(input).flatMap((one) => [true, false].map((crawlerVerified) => withContext(one, { crawlerVerified }))),
  requesterVerified: (input) => [...VOCABULARY.verified, undefined].map((verified) => withContext(input, { verified })),
  collection: (input) => [
    ...VOCABULARY.collections.map((id) => ({ ...input, collections: [everythingIn(id)] })),
    { ...input, collections: [] },
  ],
  host: addresses,
  path: addresses,
  purpose: (input) => [...VOCABULARY.purposes, null].map((purpose) => ({ ...input, purpose })),
  permission: (input) => [...VOCABULARY.permissions, null].map((permission) => ({ ...input, permission })),
  requesterId: (input) => [...VOCABULARY.requesterIds, 'r3'].map((requesterId) => ({ ...input, requesterId })),
  requesterType: (input) => [
    ...VOCABULARY.requesterTypes.map((type) => withRecord(input, { type })),
    unregistered(input),
  ],
  requesterTags: (input) => [...TAGS.map((tags) => withRecord(input, { tags })), unregistered(input)],
  attributes: (input) =>
    [...METADATA.map(asAttributes), undefined].map((attributes) => withContext(input, { attributes })),
  requesterMetadata: (input) => [...METADATA.map((metadata) => withRecord(input, { metadata })), unregistered(input)],
  contentId: (input) => [...VOCABULARY.contents.map((names) => withContent(input, names)), withoutItem(input)],
  contentType: (input) => [
    ...['article', 'report', 'video'].map((type) => withContent(input, { type })),
    withoutItem(input),
  ],
  contentTags: (input) => [...TAGS.map((tags) => withContent(input, { tags })), withoutItem(input)],
  contentMetadata: (input) => [...METADATA.map((metadata) => withContent(input, { metadata })), withoutItem(input)],
  time: (input) =>
    VOCABULARY.moments.flatMap((text) => [-1, 0, 1].map((d) => ({ ...input, at: Date.parse(text) + d }))),
};

const isLicenseKey = (key: string): boolean => key === 'hasValidLicense' || key.startsWith('license');

/** Changes the check, condition by condition, until the rule holds if it can. */
function madeToHold(rule: Rule, input: Input, roll: (below: number) => number): Input {
  const entries = Object.entries(rule.conditions ?? {}).filter(([key]) => key !== 'default');
  const license = entries.filter(([key]) => isLicenseKey(key));
  const groups = [
    ...entries.filter(([key]) => !isLicenseKey(key)).map((entry) => [entry]),
    ...(license.length > 0 ? [license] : []),
  ];
  let made: Input = { ...input, content: input.content && { ...input.content, status: 'active' } };
  if (made.requester !== null) made = { ...made, requester: { ...made.requester, status: 'active' } };
  const parts = groups.map((group) => ({
    key: group[0]?.[0] ?? '',
    holds: whetherHolds({ action: rule.action, conditions: Object.fromEntries(group) }),
  }));
  // Twice, as a later change may undo an earlier one.
  for (const { key, holds } of [...parts, ...parts]) {
    const options = variants(key, made);
    const start = roll(options.length);
    for (let i = 0; i < options.length && !holds(made); i++) {
      made = options[(start + i) % options.length] as Input;
    }
  }
  return made;
}

// ---------------------------------------------------------------------------------------------------------------------

const UNREACHABLE = ['unreachable_rule', 'license_contradiction'];
const indexOf = (param: string): number => Number(/^rules\[(\d+)\]/.exec(param)?.[1]);

test('a rule reported as unreachable never decides', () => {
  const seen = { covered: 0, void: 0, held: 0 };
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
        else seen.covered++;
        const holds = whetherHolds(rule);
        for (let i = 0; i < CHECKS_PER_RULE; i++) {
          const made = madeToHold(rule, i === 0 ? input : shaken(input, roll), roll);
          if (holds(made)) {
            assert.ok(!isVoid, `${message} But it does: ${JSON.stringify(made)}`);
            seen.held++;
          }
          assert.notEqual(oracleDecide({ ...made, usedUp: () => i % 2 === 0 }).matchedRule?.index, index, message);
          assert.notEqual(decide(policy, knownFacts(made)).rule?.index, index, message);
        }
      }
    }),
    { numRuns: RUNS },
  );
  if (process.env.SHOW) console.log(seen);
  assert.ok(seen.covered >= RUNS && seen.void >= RUNS / 5, JSON.stringify(seen));
  assert.ok(seen.held >= 5 * RUNS, `the reported rules held ${seen.held} times`);
});

const MOVED_ALONG = /give each rule a `priority`/;

test('without a rule that never decides, the same checks are allowed', () => {
  let removed = 0;
  fc.assert(
    fc.property(relatedPolicy, fc.integer(), (input, seed) => {
      const { defaultAction } = input.policy;
      const given = input.policy.rules as Rule[];
      const roll = dice(seed);
      for (const { message, param } of lint(given, defaultAction)) {
        if (!/Without it, the same checks are allowed/.test(message)) continue;
        // The advice says what else to do where places count.
        const rules = MOVED_ALONG.test(message)
          ? given.map((rule, i) => ({ ...rule, priority: rule.priority ?? i + 1 }))
          : given;
        const before = compiled(rules, defaultAction);
        const after = compiled(rules.toSpliced(indexOf(param), 1), defaultAction);
        removed++;
        for (let i = 0; i < CHECKS_PER_RULE; i++) {
          const roughly = shaken(input, roll);
          const rule = rules[roll(rules.length)] as Rule;
          const facts = knownFacts(madeToHold(rule, roughly, roll));
          // Why a check is denied may say more with it.
          assert.equal(decide(after, facts).reason === null, decide(before, facts).reason === null, message);
          assert.deepEqual(decide(after, facts).permissions, decide(before, facts).permissions, message);
        }
      }
    }),
    { numRuns: Math.ceil(RUNS / 5) },
  );
  assert.ok(removed >= RUNS / 10, `${removed} rules were removed`);
});

/** Changes every subject of a check at random. */
function shaken(input: Input, roll: (below: number) => number): Input {
  let made = input;
  for (const key of ALL_KEYS.filter((one) => !one.endsWith('Not') && one !== 'default')) {
    if (roll(3) === 0) continue;
    const options = variants(key, made);
    made = options[roll(options.length)] as Input;
  }
  return made;
}

/** Removes the subject of a condition from the check. */
function silent(key: string, input: Input): Input {
  if (/requester|license/i.test(key)) return { ...input, requesterId: null, requester: null, licenses: [] };
  if (key === 'purpose' || key === 'permission') return { ...input, [key]: null };
  const { [(key.startsWith('crawler') ? 'userAgent' : key) as 'ip']: _, ...context } = input.context;
  // A visitor cannot make its address unreadable.
  return { ...input, context: key === 'ip' ? { ...context, ipUnreadable: undefined } : context };
}

const WITHHELD = words(`
  purpose permission country ip attributes userAgent crawler crawlerOperator crawlerPurpose crawlerVerified requesterId requesterType requesterTags
  requesterMetadata hasValidLicense licenseType licenseFeatures licenseExpiry
`);

/** Lint reports the first of the conditions on one value. */
const groupOf = (text: string): string =>
  text.replace(/(requester\w+|\w*[lL]icense\w*)$/, 'requester').replace(/(userAgent|crawler\w*)$/, 'agent');

test('a deny that is evaded by silence is reported, and hardly any other', () => {
  const seen = { reported: 0, confirmed: 0, evaded: 0 };
  fc.assert(
    fc.property(relatedPolicy, fc.integer(), (input, seed) => {
      const rules = input.policy.rules as Rule[];
      const { defaultAction } = input.policy;
      const roll = dice(seed);
      const policy = compiled(rules, defaultAction);
      const warnings = lint(rules, defaultAction).filter(({ code }) => code === 'deny_evaded_by_silence');
      const reported = new Set(warnings.map(({ param }) => groupOf(param)));
      for (const [index, rule] of rules.entries()) {
        if (rule.action !== 'deny') continue;
        const keys = Object.keys(rule.conditions ?? {}).filter((key) => WITHHELD.includes(key));
        for (const key of keys) {
          const param = groupOf(`rules[${index}].conditions.${key}`);
          const found = evasion({ index, key, rule }, input, policy, roll);
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
    { numRuns: RUNS },
  );
  if (process.env.SHOW) console.log(seen);
  assert.ok(seen.evaded >= RUNS / 20 && seen.confirmed >= (2 / 3) * seen.reported, JSON.stringify(seen));
});

/** Looks for a check that the rule denies, and that is allowed without the value of the key. */
function evasion(
  { index, key, rule }: { index: number; key: string; rule: Rule },
  input: Input,
  policy: ReturnType<typeof compiled>,
  roll: (below: number) => number,
): Input | null {
  for (let i = 0; i < 4 * CHECKS_PER_RULE; i++) {
    const said = madeToHold(rule, i === 0 ? input : shaken(input, roll), roll);
    if (decide(policy, knownFacts(said)).rule?.index !== index) continue;
    const { reason, permissions } = decide(policy, factsOf(silent(key, said)));
    if (reason !== null || permissions.length === 0) continue;
    // A check that omits the permission gains only what the rule denies.
    const denied = [rule.conditions?.permission].flat() as string[];
    if (key !== 'permission' || denied.some((one) => grants(permissions, one))) return said;
  }
  return null;
}
