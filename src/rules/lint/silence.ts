/**
 * Deny rules that a check evades by saying less. A deny rule with `purpose: "training"` does not hold for a check
 * without a purpose. If a later rule or the default action then allows, omitting the purpose evades the rule.
 * An evasion is reported only if:
 * - The caller can omit the value (purpose, permission, country, ip, userAgent, attributes, requesterId). Without a
 *   requester its record, type, tags, metadata, proof and licenses are gone too, so an allow rule that needs a license
 *   is no way around. The item's data, and keys that a record lacks, are not the caller's to withhold.
 * - The rule decides some check. Where earlier rules always decide, there is nothing to evade.
 * - The same check without the value is allowed. All rules are evaluated again. The way is closed by a rule that denies
 *   unknown values (`purposeNot` in a deny rule), an allow rule that needs the value, and `defaultAction: "deny"`.
 * - The allow is worth having: it grants a permission, and the requested one. A check that omits the permission gains
 *   only if the allow grants one that the rule denies.
 * Regions may hold impossible checks. Unlike an unreachable rule, an evasion is advice, not proof.
 */

import type { Steps } from '../../lib/slices.ts';
import { type Action, DEFAULT_GRANT, grants } from '../policy.ts';
import { type Meter, remainingValues } from './cells.ts';
import { anonymous, attributesIn, type Region, silenced, within, withoutRule } from './region.ts';
import { attempt, type PlacedRule, toRegions } from './unreachable.ts';

/** Without a user agent, the crawler is unknown too. */
const OF_THE_AGENT = ['userAgent', 'crawler', 'crawlerOperator', 'crawlerPurpose', 'crawlerVerified'];

/** Licenses go with the requester; `hasValidLicense: false` holds without one. */
const LICENSE_KEYS = ['hasValidLicense', 'licenseType', 'licenseFeatures', 'licenseExpiry'];

/** Groups of conditions on one value that a check may omit. */
const WITHHELD: readonly (readonly string[])[] = [
  ['purpose'],
  ['permission'],
  ['country'],
  ['ip'],
  ['attributes'],
  OF_THE_AGENT,
  ['requesterId', 'requesterType', 'requesterTags', 'requesterMetadata', 'requesterVerified', ...LICENSE_KEYS],
];

export interface Evasion {
  /** The deny rule, in the stored list. */
  index: number;
  /** Its condition that no longer holds. */
  key: string;
  /** The rule that then allows; null: the default action. */
  allowedBy: number | null;
}

interface Policy {
  /** In the order of evaluation. */
  order: readonly PlacedRule[];
  defaultAction: Action;
}

export function* findEvasions(order: readonly PlacedRule[], defaultAction: Action, meter: Meter): Steps<Evasion[]> {
  const found: Evasion[] = [];
  for (const [position, placed] of order.entries()) {
    const { action, conditions = {} } = placed.rule;
    if (action !== 'deny') continue;
    const given = Object.keys(conditions).filter((key) => key !== 'hasValidLicense' || conditions[key] === true);
    const keys = WITHHELD.flatMap((group) => given.find((key) => group.includes(key)) ?? []);
    const denied = (yield* attempt(whereItDecides(placed, order.slice(0, position), meter))) ?? [];
    for (const key of keys) {
      const silent = denied.map((region) => withhold(region, key));
      const gains = isGain(key, conditions[key]);
      const way = yield* attempt(findAllow(silent, { order, defaultAction }, gains, meter));
      if (way !== null) found.push({ index: placed.index, key, allowedBy: way.by });
    }
  }
  return found;
}

/** Returns the checks that a rule decides; null: too many pieces. */
export function* whereItDecides(
  placed: PlacedRule,
  earlier: readonly PlacedRule[],
  meter: Meter,
): Steps<Region[] | null> {
  let left: Region[] | null = toRegions(placed, meter);
  for (const { parts } of earlier) {
    if (left === null || parts === null) return null;
    left = yield* withoutRule(left, parts, meter);
  }
  return left;
}

function withhold(region: Region, key: string): Region {
  if (key.startsWith('requester') || LICENSE_KEYS.includes(key)) return anonymous(region);
  if (key === 'attributes') return silenced(region, attributesIn(region));
  return silenced(region, OF_THE_AGENT.includes(key) ? ['userAgent', 'crawler', 'crawlerVerified'] : [key]);
}

type IsGain = (permissions: readonly string[], region: Region) => boolean;

/** Returns a test whether a caller that omits `key` gains by an allow that grants `permissions`. */
function isGain(key: string, value: unknown): IsGain {
  if (key !== 'permission') return grantsRequested;
  return (permissions) => [value].flat().some((one) => grants(permissions, one as string));
}

/** Finds what allows a check of the regions: a rule, or `null` for the default action. */
function* findAllow(
  regions: readonly Region[],
  { order, defaultAction }: Policy,
  gains: IsGain,
  meter: Meter,
): Steps<{ by: number | null } | null> {
  let left: readonly Region[] | null = regions;
  for (const { rule, parts, index } of order) {
    if (parts === null) return null;
    if (rule.action === 'allow') {
      const { permissions = DEFAULT_GRANT } = rule;
      const allowed = yield* within(left, parts, meter);
      if (allowed.some((region) => gains(permissions, region))) return { by: index };
    }
    left = yield* withoutRule(left, parts, meter);
    if (left === null) return null;
  }
  return defaultAction === 'allow' && left.some((region) => gains(DEFAULT_GRANT, region)) ? { by: null } : null;
}

/** Checks whether the permissions satisfy some check of the region, whether or not it names a permission. */
function grantsRequested(permissions: readonly string[], region: Region): boolean {
  if (permissions.length === 0) return false;
  const named = region.get('permission');
  if (named === undefined || named.unknown) return true;
  const values = remainingValues(named.known);
  return values === null || [...values].some((one) => grants(permissions, one as string));
}
