/**
 * Searches for what a requester may have: the places where a policy can allow it something, found before any item is
 * read; and the conditions on facts that were not stated. Pure.
 */
import { type CompiledPolicy, type CompiledRule, type ConditionTrace, compile } from './compile.ts';
import { readsItem, stripNot } from './conditions/conditions.ts';
import { list } from './conditions/match.ts';
import type { Evaluation } from './decide.ts';
import { Facts, type LicenseFacts } from './facts.ts';
import { DEFAULT_GRANT, grants, type Rule } from './policy.ts';

/** The items of one place; or those with one policy of their own, in any collection. */
export type ItemsOf = 'place' | 'policy';

/** The items of a place that a policy may allow: none, any, or those with one of these ids or externalIds. */
export type Allowable = 'none' | 'any' | readonly string[];

/**
 * Returns the items that the policy may allow this requester; it denies all others. `facts` name the place and no item.
 * Rules that do not read items decide as they stand; of others, an allow rule counts if it holds for some item.
 */
export function findAllowable(policy: CompiledPolicy, facts: Facts, common: ItemsOf): Allowable {
  if (facts.requester?.suspended === true) return 'none';
  const isScoped = facts.licenses.some(asksItem);
  const asked = { facts, widest: isScoped ? withoutItemScopes(facts) : facts, common, isScoped };
  const ids: string[] = [];
  for (const rule of policy.rules) {
    const found = allowableBy(rule, asked);
    if (found === 'any') return 'any';
    if (found === 'none') return ids.length === 0 ? 'none' : ids;
    ids.push(...found);
  }
  if (policy.defaultAction === 'allow' && gives(DEFAULT_GRANT, facts)) return 'any';
  return ids.length === 0 ? 'none' : ids;
}

interface Asked {
  facts: Facts;
  /** With licenses that may cover any item. */
  widest: Facts;
  common: ItemsOf;
  isScoped: boolean;
}

/** Returns what a rule adds; `any` and `none` where no later rule counts. */
function allowableBy(rule: CompiledRule, { facts, widest, common, isScoped }: Asked): Allowable {
  const mayGive = rule.action === 'allow' && gives(rule.permissions, facts);
  if (!readsMore(rule, common, isScoped)) {
    if (!rule.holds(facts)) return [];
    return mayGive ? 'any' : 'none';
  }
  return mayGive && toWidest(rule, common).holds(widest) ? (findIds(rule, facts) ?? 'any') : [];
}

const gives = (permissions: readonly string[], { permission }: Facts): boolean =>
  permission === null || grants(permissions, permission);

/** Returns the ids that a rule, or each license that it may ask for, names; null: it may hold for others. */
function findIds({ conditions, licenseOf }: CompiledRule, { licenses }: Facts): readonly string[] | null {
  const { contentId, hasValidLicense, licenseType, licenseFeatures, licenseExpiry } = conditions;
  if (contentId !== undefined) return list(contentId as string | string[]);
  const asks = [licenseType, licenseFeatures, licenseExpiry].some((value) => value !== undefined);
  if (licenseOf === null || (hasValidLicense !== true && !asks)) return null;
  const scopes = licenses.map(({ scope }) => scope?.contentIds);
  return scopes.every((ids) => ids !== undefined) ? scopes.flat() : null;
}

const asksItem = ({ scope }: LicenseFacts): boolean =>
  scope !== null && (scope.contentIds !== undefined || scope.contentTypes !== undefined || scope.tags !== undefined);

function withoutItemScopes(facts: Facts): Facts {
  const licenses = facts.licenses.map((license) => {
    if (license.scope === null) return license;
    const { contentIds: _ids, contentTypes: _types, tags: _tags, ...scope } = license.scope;
    return { ...license, scope };
  });
  const { page: _, verified, attributes, ...rest } = facts;
  return new Facts({ ...rest, verified: verified ?? undefined, attributes: attributes ?? undefined, licenses });
}

const isAboutLicenses = (key: string): boolean => key === 'hasValidLicense' || key.startsWith('license');

const isAboutItems = (key: string, common: ItemsOf): boolean =>
  readsItem(key) || (common === 'policy' && stripNot(key) === 'collection');

const readsMore = ({ conditions }: CompiledRule, common: ItemsOf, isScoped: boolean): boolean =>
  Object.keys(conditions).some((key) => isAboutItems(key, common) || (isScoped && isAboutLicenses(key)));

const kept = {
  place: new WeakMap<CompiledRule, CompiledRule>(),
  policy: new WeakMap<CompiledRule, CompiledRule>(),
};

/** Returns the rule without the conditions that some item may meet. */
function toWidest(rule: CompiledRule, common: ItemsOf): CompiledRule {
  const known = kept[common].get(rule);
  if (known !== undefined) return known;
  const conditions = Object.fromEntries(
    Object.entries(rule.conditions).filter(
      ([key, value]) => !isAboutItems(key, common) && !excludesLicenses(key, value),
    ),
  );
  const rules: Rule[] = [{ action: 'allow', conditions }];
  const [widest] = compile({ no: 0, id: '', version: 0, defaultAction: 'deny', rules }).rules as [CompiledRule];
  kept[common].set(rule, widest);
  return widest;
}

/** A license that an item's rule excludes may not cover the item. */
const excludesLicenses = (key: string, value: unknown): boolean =>
  key === 'hasValidLicense' ? value === false : key.startsWith('license') && key.endsWith('Not');

/** The ways in which a fact is taken that was not stated. */
export const TAKEN = {
  unknown: 'a condition on it does not hold, and a `…Not` holds in deny rules alone',
  unverified: 'the requester is taken as not verified',
  now: 'the time of the answer',
} as const;
export type TakenAs = keyof typeof TAKEN;

const OF_REQUESTS = new Map<string, TakenAs>([
  ['purpose', 'unknown'],
  ['permission', 'unknown'],
  ['country', 'unknown'],
  ['ip', 'unknown'],
  ['userAgent', 'unknown'],
  ['crawler', 'unknown'],
  ['crawlerOperator', 'unknown'],
  ['crawlerPurpose', 'unknown'],
  ['crawlerVerified', 'unknown'],
  ['attributes', 'unknown'],
  ['requesterVerified', 'unverified'],
  ['time', 'now'],
]);

/** A kind of condition that policies have, on a fact that was not stated. */
export interface Assumption {
  condition: string;
  taken: TakenAs;
}

/** Returns what is assumed of requests by these policies; `stated`: conditions whose facts are given. */
export function findAssumptions(
  policies: Iterable<CompiledPolicy>,
  { stated, pages }: { stated: readonly string[]; pages: boolean },
): Assumption[] {
  const found = new Map<string, TakenAs>();
  for (const { rules } of policies) {
    for (const name of rules.flatMap(({ conditions }) => Object.keys(conditions).map(stripNot))) {
      const taken = pages && readsItem(name) ? 'unknown' : OF_REQUESTS.get(name);
      if (taken !== undefined && !stated.includes(name)) found.set(name, taken);
    }
  }
  return [...found].map(([condition, taken]) => ({ condition, taken })).toSorted(byCondition);
}

const byCondition = (one: Assumption, other: Assumption): number => (one.condition < other.condition ? -1 : 1);

/**
 * Returns the conditions on which the decision rests though their facts were not stated: with other facts, a rule up to
 * the one that decided might hold, or not hold.
 */
export function findDependencies({ policy, facts, verdict }: Evaluation): string[] {
  const found = new Set<string>();
  const isOpen = (trace: ConditionTrace): boolean => isUnstated(trace, facts);
  for (const rule of policy.rules) {
    const traces = rule.trace(facts);
    if (traces.every((trace) => trace.held || isOpen(trace))) {
      for (const trace of traces) if (isOpen(trace)) found.add(stripNot(trace.key));
    }
    if (rule === verdict.rule) break;
  }
  return [...found].toSorted();
}

function isUnstated({ key, unknown }: ConditionTrace, facts: Facts): boolean {
  const name = stripNot(key);
  const taken = readsItem(name) && facts.content === null ? 'unknown' : OF_REQUESTS.get(name);
  if (taken === 'unverified') return facts.requesterId !== null && facts.verified === null;
  return taken === 'now' || (taken === 'unknown' && unknown === true);
}
