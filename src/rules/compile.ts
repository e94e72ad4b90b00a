/**
 * Compiles rules once for each policy version: sorted into the order of evaluation, each with one closure that tests
 * whether it holds. Conditions that a rule does not have cost nothing.
 */
import { createHash } from 'node:crypto';
import { pathSet } from '../lib/urls/pattern-sets.ts';
import { type PathPattern, parsePathPattern, type Target } from '../lib/urls/url-pattern.ts';
import { canonicalJson } from './canonical.ts';
import { getCondition, holds, isMet, toMeaning } from './conditions/conditions.ts';
import {
  findLicense,
  findLicenses,
  hasLicenseKeys,
  type LicenseKeys,
  type LicenseNeed,
  lackingLicense,
  licenseTests,
  toLicenseKeys,
  toLicenseNeed,
  type WantedLicense,
} from './conditions/license-keys.ts';
import type { MatchAnswer, Test } from './conditions/match.ts';
import { compileTurns, type Time } from './conditions/time.ts';
import type { Facts, LicenseFacts } from './facts.ts';
import type { Limit } from './limit.ts';
import { type Action, DEFAULT_GRANT, type PolicyVersion, type Rule, type Scope } from './policy.ts';

/** The result of one condition in a check. */
export interface ConditionTrace {
  key: string;
  expected: unknown;
  /** null: none, unknown to the check, or withheld. */
  actual: unknown;
  /** The check does not know the value; absent where it is known, also to be none. */
  unknown?: true;
  /** The permission that the caller lacks to see `actual`. */
  withheld?: 'content:read';
  held: boolean;
}

export interface CompiledLimit extends Limit {
  scope: Scope;
  /** Equal for rules that count together. Stays the same when number, message, name or position changes. */
  id: string;
}

export interface CompiledRule {
  /** Zero-based, in the stored list. */
  index: number;
  /** The effective priority. */
  priority: number;
  action: Action;
  permissions: readonly string[];
  message: string | null;
  limit: CompiledLimit | null;
  /** `default: true`, or no conditions at all. */
  catchAll: boolean;
  /** A deny rule with `hasValidLicense: false`. */
  requiresLicense: boolean;
  holds(facts: Facts): boolean;
  /** Set for allow rules with a license key. */
  licenseNeed: LicenseNeed | null;
  /** For rules that hold without a license: the kind of license that might change that. */
  licenseLacking: WantedLicense | null;
  /** For allow rules that require a license: finds the license that matches. */
  licenseOf: ((facts: Facts) => LicenseFacts | undefined) | null;
  /** And all of them, in the order in which they serve. */
  licensesOf: ((facts: Facts) => readonly LicenseFacts[]) | null;
  /** In the form in which they were sent. */
  conditions: Readonly<Record<string, unknown>>;
  /** Times at which the span of its `time` condition begins or ends, epoch ms. */
  moments: readonly number[];
  /** And those at which its days and hours do, within a week from then. */
  turns: (at: number) => readonly number[];
  trace(facts: Facts): ConditionTrace[];
}

export interface CompiledPolicy {
  no: number;
  id: string;
  version: number;
  defaultAction: Action;
  /** In the order of evaluation. */
  rules: readonly CompiledRule[];
  /** Some rule reads the item's metadata. */
  asksMetadata: boolean;
  /** Some rule reads the address of the item. */
  asksSource: boolean;
  /** Returns whether a rule's pattern that reads the query matches a URL. */
  namesQuery(target: Target): boolean;
  /** Some rule reads the time of the check. */
  asksTime: boolean;
  /** Rules that are tried beside these. */
  candidate: CompiledCandidate | null;
}

export interface CompiledCandidate {
  /** Decisions name the candidate by this number. */
  no: number;
  policy: CompiledPolicy;
}

const METADATA_KEYS = ['contentMetadata', 'contentMetadataNot'];
const SOURCE_KEYS = ['host', 'hostNot', 'path', 'pathNot'];
const TIME_KEYS = ['time', 'licenseExpiry'];

export type Compilable = Pick<PolicyVersion, 'no' | 'id' | 'version' | 'rules' | 'defaultAction'>;

export function compile(policy: Compilable): CompiledPolicy {
  const rules = policy.rules.map((rule, index) => compileRule(policy.no, rule, index));
  const last = (rule: CompiledRule): number =>
    (policy.rules[rule.index] as Rule).conditions?.default === true ? 1 : 0;
  // Sorting is stable: equal rules stay in the order of the list.
  rules.sort((a, b) => last(a) - last(b) || a.priority - b.priority);
  const asks = (keys: readonly string[]): boolean =>
    policy.rules.some(({ conditions = {} }) => keys.some((key) => Object.hasOwn(conditions, key)));
  return {
    no: policy.no,
    id: policy.id,
    version: policy.version,
    defaultAction: policy.defaultAction,
    rules,
    asksMetadata: asks(METADATA_KEYS),
    asksSource: asks(SOURCE_KEYS),
    namesQuery: pathSet(policy.rules.flatMap(({ conditions = {} }) => queryPatterns(conditions))),
    asksTime: asks(TIME_KEYS),
    candidate: null,
  };
}

const queryPatterns = ({ path = [], pathNot = [] }: Record<string, unknown>): PathPattern[] =>
  [path, pathNot]
    .flat()
    .flatMap((text) => parsePathPattern(String(text)) ?? [])
    .filter(({ query }) => query !== null);

function compileRule(policyNo: number, rule: Rule, index: number): CompiledRule {
  const { action, conditions = {}, permissions = DEFAULT_GRANT, message = null, priority = index + 1 } = rule;
  const tests = compileTests(conditions);
  const time = (conditions.time ?? {}) as Time;
  return {
    index,
    priority,
    action,
    permissions,
    message,
    limit: action === 'allow' ? compileLimit(policyNo, rule) : null,
    catchAll: conditions.default === true || Object.keys(conditions).length === 0,
    ...compileHolds(conditions, tests, action),
    conditions,
    moments: toTimes(time),
    turns: compileTurns(time),
    trace: (facts) => trace(conditions, tests, facts, action),
  };
}

/** The compiled conditions of a rule, by subject. */
interface Tests {
  plain: { key: string; test: Test; negated: boolean }[];
  license: LicenseKeys;
}

function compileTests(conditions: Record<string, unknown>): Tests {
  const plain: Tests['plain'] = [];
  for (const [key, value] of Object.entries(conditions)) {
    const { condition, negated } = getCondition(key);
    if (condition.about === 'check') plain.push({ key, test: condition.compile(value as never), negated });
  }
  return { plain, license: toLicenseKeys(conditions) };
}

type Holding = Pick<
  CompiledRule,
  'holds' | 'requiresLicense' | 'licenseNeed' | 'licenseLacking' | 'licenseOf' | 'licensesOf'
>;

function compileHolds(
  { default: fallback }: Record<string, unknown>,
  { plain, license }: Tests,
  action: Action,
): Holding {
  const never = fallback === false;
  const test = plainTest(plain, action);
  const mayNeed = action === 'allow' && hasLicenseKeys(license) && !never;
  const asks = mayNeed && license.hasValidLicense !== false;
  return {
    holds: never ? () => false : all([...(test === ALWAYS ? [] : [test]), ...licenseTests(license, action)]),
    requiresLicense: action === 'deny' && license.hasValidLicense === false,
    licenseNeed: mayNeed ? toLicenseNeed(license, test) : null,
    licenseLacking: lackingLicense(license),
    licenseOf: asks ? (facts) => findLicense(license, facts) : null,
    licensesOf: asks ? (facts) => findLicenses(license, facts) : null,
  };
}

const ALWAYS = (): boolean => true;

/** Tests the conditions on the check itself: one call each, the silence rule as data. */
function plainTest(tests: Tests['plain'], action: Action): (facts: Facts) => boolean {
  const compiled = tests.map(({ test, negated }) => ({ test, ...toMeaning(negated, action) }));
  if (compiled.length === 0) return ALWAYS;
  return (facts) => {
    for (const one of compiled) if (!isMet(one.test(facts), one)) return false;
    return true;
  };
}

/** Joins tests into one closure: the common short cases without a loop. */
function all(tests: readonly ((facts: Facts) => boolean)[]): (facts: Facts) => boolean {
  const [first, second] = tests;
  if (first === undefined) return ALWAYS;
  if (second === undefined) return first;
  if (tests.length === 2) return (facts) => first(facts) && second(facts);
  return (facts) => {
    for (const test of tests) if (!test(facts)) return false;
    return true;
  };
}

const toTimes = ({ after, before }: Time): number[] =>
  [after, before].flatMap((text) => (text === undefined ? [] : Date.parse(text)));

function compileLimit(policyNo: number, { conditions = {}, rateLimit }: Rule): CompiledLimit | null {
  if (rateLimit === undefined) return null;
  const { requests, period, scope = 'requester' } = rateLimit;
  const identity = canonicalJson({ conditions, period, scope });
  const hash = createHash('sha256').update(identity).digest('base64url').slice(0, 16);
  return { requests, period, scope, id: `${policyNo}.${hash}` };
}

const unknownIf = (answer: MatchAnswer): { unknown?: true } => (answer == null ? { unknown: true } : {});

function trace(
  conditions: Record<string, unknown>,
  { plain, license }: Tests,
  facts: Facts,
  action: Action,
): ConditionTrace[] {
  return Object.entries(conditions).map(([key, expected]) => {
    const { condition, negated } = getCondition(key);
    const named = (one: { key: string }): boolean => one.key === key;
    if (condition.about === 'check') {
      const answer = plain.find(named)?.test(facts);
      const actual = condition.actual(facts, expected);
      return { key, expected, actual, ...unknownIf(answer), held: holds(answer, negated, action) };
    }
    const valid = facts.validLicenses;
    if (condition.about === 'license') {
      const { test } = (negated ? license.negative : license.positive).find(named) as LicenseKeys['positive'][number];
      const answer = negated && valid.length === 0 ? undefined : valid.some((one) => test(one, facts.at));
      return {
        key,
        expected,
        actual: valid.map(condition.actual),
        ...unknownIf(answer),
        held: holds(answer, negated, action),
      };
    }
    if (key === 'default') return { key, expected, actual: null, held: expected === true };
    const actual = valid.length > 0;
    return { key, expected, actual, held: actual === expected };
  });
}
