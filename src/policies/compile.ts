/**
 * Rules compiled once per policy version: sorted into the order in which they are asked, each with one closure that says
 * whether it holds. What a rule does not mention costs it nothing.
 */
import { createHash } from 'node:crypto';
import type { Limit } from '../limits/limit.ts';
import { conditionOf, holds, type LicenseTest, list, meaningOf, type Test } from './conditions.ts';
import type { Facts, LicenseFacts } from './facts.ts';
import { type Action, DEFAULT_GRANT, type PolicyVersion, type Rule, type Scope } from './policy.ts';

/** What became of one condition in a check. */
export interface ConditionTrace {
  key: string;
  expected: unknown;
  /** null: the check does not know it. */
  actual: unknown;
  held: boolean;
}

export interface CompiledLimit extends Limit {
  scope: Scope;
  /** Equal for rules whose use is counted together, over edits of number, message, name and position. */
  id: string;
}

/** A kind of licence, by the positive keys of a rule. */
export type WantedLicense = Pick<Parts['values'], 'types' | 'features' | 'expiry'>;

/** What an allow rule asks of licences. */
export interface LicenseNeed {
  /** Would the rule hold with one more valid licence of the right kind? */
  missesOnlyLicense(facts: Facts): boolean;
  /** Would this licence, were it valid, have made the rule hold? */
  wouldHoldWith(facts: Facts, license: LicenseFacts): boolean;
  /** The kind of licence. */
  wanted: WantedLicense;
}

export interface CompiledRule {
  /** Zero-based, in the stored list. */
  index: number;
  /** The priority that applied. */
  priority: number;
  action: Action;
  permissions: readonly string[];
  message: string | null;
  limit: CompiledLimit | null;
  /** `default: true`, or no conditions at all. */
  catchAll: boolean;
  /** A deny rule for those without a valid licence. */
  requiresLicense: boolean;
  holds(facts: Facts): boolean;
  /** Of allow rules with a licence key. */
  licenseNeed: LicenseNeed | null;
  /** Of rules that hold for want of a licence: the kind that might end that. */
  licenseLacking: WantedLicense | null;
  /** For allow rules that ask for a licence: the one that meets them. */
  licenseOf: ((facts: Facts) => LicenseFacts | undefined) | null;
  /** Moments at which its `time` begins or ends, epoch ms. */
  moments: readonly number[];
  trace(facts: Facts): ConditionTrace[];
}

export interface CompiledPolicy {
  no: number;
  id: string;
  version: number;
  defaultAction: Action;
  /** In the order in which they are asked. */
  rules: readonly CompiledRule[];
  /** Some rule asks for the item's metadata. */
  asksMetadata: boolean;
  /** Some rule asks for the moment of the check. */
  asksTime: boolean;
}

const METADATA_KEYS = ['contentMetadata', 'contentMetadataNot'];
const TIME_KEYS = ['time', 'licenseExpiry'];

/** What of a policy decides. */
export type Compilable = Pick<PolicyVersion, 'no' | 'id' | 'version' | 'rules' | 'defaultAction'>;

export function compile(policy: Compilable): CompiledPolicy {
  const rules = policy.rules.map((rule, index) => compileRule(policy.no, rule, index));
  const last = (rule: CompiledRule): number =>
    (policy.rules[rule.index] as Rule).conditions?.default === true ? 1 : 0;
  // Sorting is stable: equal ones stay in the order of the list.
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
    asksTime: asks(TIME_KEYS),
  };
}

/** The conditions of a rule taken apart by what they ask. */
interface Parts {
  never: boolean;
  tests: { key: string; test: Test; negated: boolean }[];
  hasValidLicense: boolean | null;
  license: { key: string; test: LicenseTest }[];
  licenseNot: { key: string; test: LicenseTest }[];
  /** What the licence keys ask for, to reason about licences that are not there. */
  values: {
    types: readonly string[] | null;
    typesNot: readonly string[];
    features: readonly string[];
    featuresNot: readonly string[];
    expiry: { after?: string; before?: string } | null;
  };
}

function takeApart(conditions: Record<string, unknown>): Parts {
  const textsOf = (key: string): string[] => list((conditions[key] as string | string[] | undefined) ?? []);
  const parts: Parts = {
    never: conditions.default === false,
    tests: [],
    hasValidLicense: null,
    license: [],
    licenseNot: [],
    values: {
      types: conditions.licenseType === undefined ? null : textsOf('licenseType'),
      typesNot: textsOf('licenseTypeNot'),
      features: textsOf('licenseFeatures'),
      featuresNot: textsOf('licenseFeaturesNot'),
      expiry: (conditions.licenseExpiry as Parts['values']['expiry'] | undefined) ?? null,
    },
  };
  for (const [key, value] of Object.entries(conditions)) {
    const { condition, negated } = conditionOf(key);
    if (key === 'hasValidLicense') parts.hasValidLicense = value as boolean;
    else if (condition.about === 'check') parts.tests.push({ key, test: condition.compile(value as never), negated });
    else if (condition.about === 'license') {
      (negated ? parts.licenseNot : parts.license).push({ key, test: condition.compile(value as never) });
    }
  }
  return parts;
}

function compileRule(policyNo: number, rule: Rule, index: number): CompiledRule {
  const conditions = rule.conditions ?? {};
  const parts = takeApart(conditions);
  const { action } = rule;
  const plain = plainTest(parts, action);
  const licensed = licenseTest(parts, action);
  const asksLicense = parts.hasValidLicense !== null || parts.license.length > 0 || parts.licenseNot.length > 0;
  const needsLicense = action === 'allow' && asksLicense && !parts.never;
  return {
    index,
    priority: rule.priority ?? index + 1,
    action,
    permissions: rule.permissions ?? DEFAULT_GRANT,
    message: rule.message ?? null,
    limit: action === 'allow' ? compileLimit(policyNo, rule) : null,
    catchAll: conditions.default === true || Object.keys(conditions).length === 0,
    requiresLicense: action === 'deny' && parts.hasValidLicense === false,
    holds: parts.never ? () => false : all([...(plain === ALWAYS ? [] : [plain]), ...licensed]),
    licenseNeed: needsLicense
      ? {
          missesOnlyLicense: (facts) => acceptsOneMore(parts, facts) && plain(facts),
          wouldHoldWith: (facts, license) => acceptsThis(parts, facts, license) && plain(facts),
          wanted: parts.values,
        }
      : null,
    licenseLacking: lackingIn(parts),
    licenseOf: needsLicense && parts.hasValidLicense !== false ? (facts) => licenseOf(parts, facts) : null,
    moments: momentsOf(conditions.time as { after?: string; before?: string } | undefined),
    trace: (facts) => trace(conditions, facts, action),
  };
}

const ALWAYS = (): boolean => true;

/** Any licence ends a want of all; one with what the negative keys name ends theirs. */
function lackingIn({ hasValidLicense, licenseNot, values: { typesNot, featuresNot } }: Parts): WantedLicense | null {
  const any = { types: null, features: [], expiry: null };
  if (hasValidLicense === false) return any;
  if (licenseNot.length === 0) return null;
  return { ...any, types: typesNot.length === 0 ? null : typesNot, features: featuresNot };
}

/** The conditions that ask the check: a call for each, and what its answer means as data. */
function plainTest({ tests }: Parts, action: Action): (facts: Facts) => boolean {
  const asked = tests.map(({ test, negated }) => ({ test, ...meaningOf(negated, action) }));
  if (asked.length === 0) return ALWAYS;
  return (facts) => {
    for (const { test, wanted, silent } of asked) {
      const answer = test(facts);
      if (answer === undefined ? !silent : answer !== wanted) return false;
    }
    return true;
  };
}

/** One closure for all: the common short cases without a loop. */
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

/** What the licence keys ask of the valid licences: the positive ones of one, the negative ones of all. */
function licenseTest(parts: Parts, action: Action): ((facts: Facts) => boolean)[] {
  const tests: ((facts: Facts) => boolean)[] = [];
  const wanted = parts.hasValidLicense;
  if (wanted !== null) tests.push((facts) => facts.validLicenses.length > 0 === wanted);
  if (parts.license.length > 0) {
    tests.push((facts) => licenseOf(parts, facts) !== undefined);
  }
  for (const { test } of parts.licenseNot) {
    tests.push(({ validLicenses, at }) =>
      holds(validLicenses.length === 0 ? undefined : isAny(validLicenses, test, at), true, action),
    );
  }
  return tests;
}

const momentsOf = (time: { after?: string; before?: string } | undefined): number[] =>
  [time?.after, time?.before].flatMap((text) => (text === undefined ? [] : Date.parse(text)));

/** The first valid licence, in the order they were given, that meets the positive keys. */
function licenseOf(parts: Parts, { validLicenses, at }: Facts): LicenseFacts | undefined {
  for (const license of validLicenses) if (isAll(parts.license, license, at)) return license;
  return undefined;
}

// Loops where closures would do: they are run several times a check.
function isAny(licenses: readonly LicenseFacts[], test: LicenseTest, at: number): boolean {
  for (const license of licenses) if (test(license, at)) return true;
  return false;
}

function isAll(tests: Parts['license'], license: LicenseFacts, at: number): boolean {
  for (const { test } of tests) if (!test(license, at)) return false;
  return true;
}

/**
 * Could one more valid licence, free to be of any kind, make the licence keys hold? Not if they ask for none, nor if a
 * licence held already is of a kind they exclude, nor if no licence can be what they ask for.
 */
function acceptsOneMore(parts: Parts, { validLicenses, at }: Facts): boolean {
  if (parts.hasValidLicense === false) return false;
  for (const { test } of parts.licenseNot) if (isAny(validLicenses, test, at)) return false;
  return isPossible(parts, at);
}

/** Is there a licence, valid at this moment, that every licence key of the rule accepts? */
function isPossible({ values }: Parts, at: number): boolean {
  const { types, typesNot, features, featuresNot } = values;
  if (types !== null && !types.some((type) => !typesNot.includes(type))) return false;
  // One that has just what is asked for has the fewest features.
  if (featuresNot.length > 0 && featuresNot.every((feature) => features.includes(feature))) return false;
  return hasPossibleEnd(values, at);
}

/** The latest end before `before` must still be ahead, and not before `after`. */
function hasPossibleEnd({ expiry }: Parts['values'], at: number): boolean {
  if (expiry?.before === undefined) return true;
  const moment = (text: string): number => (text === 'now' ? at : Date.parse(text));
  const latest = moment(expiry.before) - 1;
  return latest > at && (expiry.after === undefined || latest >= moment(expiry.after));
}

/** The same with a licence that has run out and would be renewed: its kind is given, its end is free. */
function acceptsThis(parts: Parts, { validLicenses, at }: Facts, license: LicenseFacts): boolean {
  if (parts.hasValidLicense === false) return false;
  return (
    !parts.licenseNot.some(({ test }) => test(license, at) || validLicenses.some((one) => test(one, at))) &&
    parts.license.every(({ key, test }) => key === 'licenseExpiry' || test(license, at)) &&
    hasPossibleEnd(parts.values, at)
  );
}

function compileLimit(policyNo: number, rule: Rule): CompiledLimit | null {
  if (rule.rateLimit === undefined) return null;
  const { requests, period, scope = 'requester' } = rule.rateLimit;
  const identity = canonical({ conditions: rule.conditions ?? {}, period, scope });
  const hash = createHash('sha256').update(identity).digest('base64url').slice(0, 16);
  return { requests, period, scope, id: `${policyNo}.${hash}` };
}

/** One text for all ways to write the same conditions: keys sorted, a single value as a list, lists sorted. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).sort().join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const keys = Object.keys(value).sort();
  return `{${keys.map((key) => `${JSON.stringify(key)}:${canonicalItem(value[key as never])}`).join(',')}}`;
}

const canonicalItem = (value: unknown): string => canonical(typeof value === 'string' ? [value] : value);

function trace(conditions: Record<string, unknown>, facts: Facts, action: Action): ConditionTrace[] {
  return Object.entries(conditions).map(([key, expected]) => {
    const { condition, negated } = conditionOf(key);
    if (condition.about === 'check') {
      const answer = condition.compile(expected as never)(facts);
      return { key, expected, actual: condition.actual(facts), held: holds(answer, negated, action) };
    }
    if (condition.about === 'license') {
      const test = condition.compile(expected as never);
      const valid = facts.validLicenses;
      const answer = negated && valid.length === 0 ? undefined : valid.some((one) => test(one, facts.at));
      return { key, expected, actual: valid.map(condition.actual), held: holds(answer, negated, action) };
    }
    if (key === 'default') return { key, expected, actual: null, held: expected === true };
    const actual = facts.validLicenses.length > 0;
    return { key, expected, actual, held: actual === expected };
  });
}
