/**
 * Searches for what a requester may have: the places where a policy can allow it something, found before any item is
 * read; and the conditions on facts that were not stated. Pure.
 */
import { type CompiledPolicy, type CompiledRule, type ConditionTrace, compile } from './compile.ts';
import { readsItem, stripNot } from './conditions/conditions.ts';
import type { Evaluation } from './decide.ts';
import { Facts, type LicenseFacts } from './facts.ts';
import { DEFAULT_GRANT, grants, type Rule } from './policy.ts';

/** The items of one place; or those with one policy of their own, in any collection. */
export type ItemsOf = 'place' | 'policy';

/**
 * Returns false only if the policy denies this requester every item of the place. `facts` name the place and no item.
 * Rules that do not read items decide as they stand; of others, an allow rule counts if it holds for some item.
 */
export function mayAllow(policy: CompiledPolicy, facts: Facts, common: ItemsOf): boolean {
  if (facts.requester?.suspended === true) return false;
  const gives = (permissions: readonly string[]): boolean =>
    facts.permission === null || grants(permissions, facts.permission);
  const isScoped = facts.licenses.some(asksItem);
  const widest = isScoped ? withoutItemScopes(facts) : facts;
  for (const rule of policy.rules) {
    if (!readsMore(rule, common, isScoped)) {
      if (rule.holds(facts)) return rule.action === 'allow' && gives(rule.permissions);
    } else if (rule.action === 'allow' && gives(rule.permissions) && toWidest(rule, common).holds(widest)) {
      return true;
    }
  }
  return policy.defaultAction === 'allow' && gives(DEFAULT_GRANT);
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
