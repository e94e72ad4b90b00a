/**
 * Deny rules that a check evades by saying less. A deny rule with `purpose: "training"` does not hold for a check that
 * names no purpose; if a later rule or the default action then allows, leaving the purpose out is a way around it.
 *
 * It is told only when it is one:
 * - What the check itself says can be left out (purpose, permission, country, ip, userAgent, requesterId). Leaving out
 *   the requester also takes away its record, type, tags and metadata, and its licences, so an allow rule that asks for a
 *   licence is no way around. What is known of the item, and a key that a record lacks, is not the caller's to withhold.
 * - The rule must decide somewhere: where earlier rules always decide, there is nothing to evade.
 * - The same check without the value must end in an allow. All rules are asked again, so a rule that denies what is
 *   unknown (`purposeNot` in a deny rule), an allow rule that asks for the value itself and `defaultAction: "deny"` all
 *   close the way.
 * - The allow must be worth having: it grants something, and what the check asks for. A check that leaves out the
 *   permission gains only if the allow grants one that the rule denies.
 *
 * Regions may hold checks that nobody can make, so unlike an unreachable rule this is advice, not proof.
 */
import { type Meter, valuesOf } from './lint-cells.ts';
import { attempt, type Placed, regionsOf } from './lint-reach.ts';
import { anonymous, type Region, silenced, within, withoutRule } from './lint-region.ts';
import { type Action, DEFAULT_GRANT, grants } from './policy.ts';

/** Conditions on what a check may leave out, in one go each. */
const WITHHELD: readonly (readonly string[])[] = [
  ['purpose'],
  ['permission'],
  ['country'],
  ['ip'],
  ['userAgent'],
  ['requesterId', 'requesterType', 'requesterTags', 'requesterMetadata'],
];

export interface Evasion {
  /** The deny rule, in the stored list. */
  index: number;
  /** Its condition that does not hold any more. */
  key: string;
  /** The rule that then allows; null: the default action. */
  allowedBy: number | null;
}

export function findEvasions(order: readonly Placed[], defaultAction: Action, meter: Meter): Evasion[] {
  return order.flatMap((placed, position) => {
    const { action, conditions = {} } = placed.rule;
    if (action !== 'deny') return [];
    const given = Object.keys(conditions);
    const keys = WITHHELD.flatMap((group) => given.find((key) => group.includes(key)) ?? []);
    const decided = attempt(() => whereItDecides(placed, order.slice(0, position), meter));
    return keys.flatMap((key) => {
      const way = attempt(() => wayIn(decided ?? [], key, conditions[key], order, defaultAction, meter));
      return way === null ? [] : [{ index: placed.index, key, allowedBy: way.by }];
    });
  });
}

function whereItDecides(placed: Placed, earlier: readonly Placed[], meter: Meter): Region[] | null {
  let left: Region[] | null = regionsOf(placed, meter);
  for (const { parts } of earlier) {
    if (left === null || parts === null) return null;
    left = withoutRule(left, parts, meter);
  }
  return left;
}

/** What allows the same checks when they leave the value out. */
function wayIn(
  denied: readonly Region[],
  key: string,
  value: unknown,
  order: readonly Placed[],
  defaultAction: Action,
  meter: Meter,
): { by: number | null } | null {
  const hides = key.startsWith('requester') ? anonymous : (region: Region) => silenced(region, [key]);
  const isGain = (permissions: readonly string[], region: Region): boolean =>
    key === 'permission'
      ? [value].flat().some((one) => grants(permissions, one as string))
      : admits(permissions, region);
  let left: Region[] | null = denied.map(hides);
  for (const { rule, parts, index } of order) {
    if (parts === null) return null;
    if (rule.action === 'allow') {
      const { permissions = DEFAULT_GRANT } = rule;
      if (within(left, parts, meter).some((region) => isGain(permissions, region))) return { by: index };
    }
    left = withoutRule(left, parts, meter);
    if (left === null) return null;
  }
  return defaultAction === 'allow' && left.some((region) => isGain(DEFAULT_GRANT, region)) ? { by: null } : null;
}

/** Does an allow admit a check of the region, whatever permission that may name? */
function admits(permissions: readonly string[], region: Region): boolean {
  if (permissions.length === 0) return false;
  const named = region.get('permission');
  if (named === undefined || named.unknown) return true;
  const values = valuesOf(named.known);
  return values === null || [...values].some((one) => grants(permissions, one as string));
}
