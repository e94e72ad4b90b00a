/** Collects the license types and features that rules require. */
import type { Conditions, Policy } from './rules.ts';

export interface RequiredLicenses {
  kinds: string[];
  features: string[];
}

/** A rule that denies all types but one requires that type too. */
export function collectRequiredLicenses(policies: readonly Pick<Policy, 'rules'>[]): RequiredLicenses {
  const conditions = policies.flatMap(({ rules }) => rules.map((rule) => (rule.conditions ?? {}) as Conditions));
  const texts = (...names: string[]): string[] => {
    const all = conditions.flatMap((one) => names.flatMap((name) => one[name] ?? [])) as string[];
    return [...new Set(all)].toSorted((a, b) => a.localeCompare(b));
  };
  return {
    kinds: texts('licenseType', 'licenseTypeNot'),
    features: texts('licenseFeatures', 'licenseFeaturesNot'),
  };
}
