/**
 * The license keys of a rule, compiled together: the positive keys must match the same valid license, the negative keys
 * exclude every valid license. Also answers which license a rule lacks.
 */

import type { Facts, LicenseFacts } from '../facts.ts';
import type { Action } from '../policy.ts';
import type { LicenseTest } from './condition.ts';
import { getCondition, holds } from './conditions.ts';
import { list } from './match.ts';

/** A kind of license, by the positive keys of a rule. */
export type WantedLicense = Pick<Wanted, 'types' | 'features' | 'expiry'>;

/** The licenses that an allow rule requires. */
export interface LicenseNeed {
  /** Checks whether the rule would hold with one more valid license of the right kind. */
  missesOnlyLicense(facts: Facts): boolean;
  /** Checks whether the rule would hold if this license were valid. */
  wouldHoldWith(facts: Facts, license: LicenseFacts): boolean;
  wanted: WantedLicense;
}

interface KeyTest {
  key: string;
  test: LicenseTest;
}

export interface LicenseKeys {
  /** null: no key. */
  hasValidLicense: boolean | null;
  positive: KeyTest[];
  negative: KeyTest[];
  wanted: Wanted;
}

interface Wanted {
  /** null: any type. */
  types: readonly string[] | null;
  typesNot: readonly string[];
  features: readonly string[];
  featuresNot: readonly string[];
  expiry: { after?: string; before?: string } | null;
}

export function toLicenseKeys(conditions: Record<string, unknown>): LicenseKeys {
  const toTexts = (key: string): string[] => list((conditions[key] as string | string[] | undefined) ?? []);
  const positive: KeyTest[] = [];
  const negative: KeyTest[] = [];
  for (const [key, value] of Object.entries(conditions)) {
    const { condition, negated } = getCondition(key);
    if (condition.about !== 'license') continue;
    (negated ? negative : positive).push({ key, test: condition.compile(value as never) });
  }
  return {
    hasValidLicense: (conditions.hasValidLicense as boolean | undefined) ?? null,
    positive,
    negative,
    wanted: {
      types: conditions.licenseType === undefined ? null : toTexts('licenseType'),
      typesNot: toTexts('licenseTypeNot'),
      features: toTexts('licenseFeatures'),
      featuresNot: toTexts('licenseFeaturesNot'),
      expiry: (conditions.licenseExpiry as Wanted['expiry'] | undefined) ?? null,
    },
  };
}

export const hasLicenseKeys = ({ hasValidLicense, positive, negative }: LicenseKeys): boolean =>
  hasValidLicense !== null || positive.length > 0 || negative.length > 0;

/** Returns a test for each kind of key. */
export function licenseTests(keys: LicenseKeys, action: Action): ((facts: Facts) => boolean)[] {
  const tests: ((facts: Facts) => boolean)[] = [];
  const wanted = keys.hasValidLicense;
  if (wanted !== null) tests.push((facts) => facts.validLicenses.length > 0 === wanted);
  if (keys.positive.length > 0) tests.push((facts) => findLicense(keys, facts) !== undefined);
  for (const { test } of keys.negative) {
    tests.push(({ validLicenses, at }) =>
      holds(validLicenses.length === 0 ? undefined : isAny(validLicenses, test, at), true, action),
    );
  }
  return tests;
}

/** Finds the first valid license, in the given order, that matches the positive keys. */
export function findLicense({ positive }: LicenseKeys, { validLicenses, at }: Facts): LicenseFacts | undefined {
  for (const license of validLicenses) if (isAll(positive, license, at)) return license;
  return undefined;
}

/** Returns all valid licenses that match the positive keys, in the given order. */
export const findLicenses = ({ positive }: LicenseKeys, { validLicenses, at }: Facts): LicenseFacts[] =>
  validLicenses.filter((license) => isAll(positive, license, at));

// Loops instead of closures: they run several times in a check.
function isAny(licenses: readonly LicenseFacts[], test: LicenseTest, at: number): boolean {
  for (const license of licenses) if (test(license, at)) return true;
  return false;
}

function isAll(tests: readonly KeyTest[], license: LicenseFacts, at: number): boolean {
  for (const { test } of tests) if (!test(license, at)) return false;
  return true;
}

/** Returns the license that may stop the rule from holding: any, or one with what the negative keys name. */
export function lackingLicense({ hasValidLicense, negative, wanted }: LicenseKeys): WantedLicense | null {
  const { typesNot, featuresNot } = wanted;
  const any = { types: null, features: [], expiry: null };
  if (hasValidLicense === false) return any;
  if (negative.length === 0) return null;
  return { ...any, types: typesNot.length === 0 ? null : typesNot, features: featuresNot };
}

/** `plain` tests the other conditions of the rule. */
export function toLicenseNeed(keys: LicenseKeys, plain: (facts: Facts) => boolean): LicenseNeed {
  return {
    missesOnlyLicense: (facts) => acceptsOneMore(keys, facts) && plain(facts),
    wouldHoldWith: (facts, license) => acceptsRenewed(keys, facts, license) && plain(facts),
    wanted: keys.wanted,
  };
}

/**
 * Checks whether one more valid license, of any kind, could make the keys hold. It cannot if the rule requires no
 * license, if a held license is excluded, or if no license can match.
 */
function acceptsOneMore(keys: LicenseKeys, { validLicenses, at }: Facts): boolean {
  if (keys.hasValidLicense === false) return false;
  for (const { test } of keys.negative) if (isAny(validLicenses, test, at)) return false;
  return isPossible(keys.wanted, at);
}

/** Checks whether a license that is valid now can match every license key of the rule. */
function isPossible(wanted: Wanted, at: number): boolean {
  const { types, typesNot, features, featuresNot } = wanted;
  if (types !== null && !types.some((type) => !typesNot.includes(type))) return false;
  // A license with exactly the required features has the fewest.
  if (featuresNot.length > 0 && featuresNot.every((feature) => features.includes(feature))) return false;
  return hasPossibleEnd(wanted, at);
}

/** The latest end before `before` must be in the future, and not before `after`. */
function hasPossibleEnd({ expiry }: Wanted, at: number): boolean {
  if (expiry?.before === undefined) return true;
  const toTime = (text: string): number => (text === 'now' ? at : Date.parse(text));
  const latest = toTime(expiry.before) - 1;
  return latest > at && (expiry.after === undefined || latest >= toTime(expiry.after));
}

/** Checks an expired license as if it were renewed: its kind is given, its end is free. */
function acceptsRenewed(keys: LicenseKeys, { validLicenses, at }: Facts, license: LicenseFacts): boolean {
  if (keys.hasValidLicense === false) return false;
  return (
    !keys.negative.some(({ test }) => test(license, at) || validLicenses.some((one) => test(one, at))) &&
    keys.positive.every(({ key, test }) => key === 'licenseExpiry' || test(license, at)) &&
    hasPossibleEnd(keys.wanted, at)
  );
}
