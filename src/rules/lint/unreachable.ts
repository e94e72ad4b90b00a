/**
 * Rules that never decide: their own conditions exclude one another, or one earlier rule holds whenever they do. An
 * allow rule whose limit is exhausted still decides, so limits play no part. There are no false alarms: every reported
 * rule is proven unreachable (`region.ts` lists what goes unseen).
 */

import type { Steps } from '../../lib/slices.ts';
import type { Rule } from '../policy.ts';
import { type Meter, OutOfUnits } from './cells.ts';
import { toParts } from './literals.ts';
import { type Conjunction, EVERYTHING, meetAll, type Region, withoutRule } from './region.ts';

export interface PlacedRule {
  /** In the stored list. */
  index: number;
  rule: Rule;
  /** null: too many to reason about. */
  parts: readonly Conjunction[] | null;
}

/** Sorts rules into the order of evaluation. Equal ones keep the order of the list. */
export function* place(rules: readonly Rule[]): Steps<PlacedRule[]> {
  const last = ({ rule }: PlacedRule): number => (rule.conditions?.default === true ? 1 : 0);
  const priority = ({ rule, index }: PlacedRule): number => rule.priority ?? index + 1;
  const placed: PlacedRule[] = [];
  for (const [index, rule] of rules.entries()) {
    placed.push({ index, rule, parts: toParts(rule) });
    yield;
  }
  return placed.toSorted((a, b) => last(a) - last(b) || priority(a) - priority(b));
}

/** Returns the checks for which a rule holds, regardless of other rules. */
export function toRegions({ parts }: Pick<PlacedRule, 'parts'>, meter: Meter): Region[] {
  return (parts ?? []).map((literals) => meetAll(EVERYTHING, literals, meter)).filter((one) => one !== null);
}

/** Void: `keys` exclude one another (empty: all keys together). Covered: rule `by` always decides first. */
export type NeverDecides = { kind: 'void'; keys: string[] } | { kind: 'covered'; by: number };

/** Returns reasons by the index of the rule that never decides. */
export function* findUnreachable(order: readonly PlacedRule[], meter: Meter): Steps<Map<number, NeverDecides>> {
  const found = new Map<number, NeverDecides>();
  for (const [position, placed] of order.entries()) {
    const earlier = order.slice(0, position).filter((one) => !found.has(one.index));
    const isVoid = yield* attempt(voidReason(placed, meter));
    const reason = isVoid ?? (yield* attempt(coveredReason(placed, earlier, meter)));
    if (reason !== null) found.set(placed.index, reason);
  }
  return found;
}

/** Returns null when the meter runs out: what cannot be proven is not claimed. */
export function* attempt<T>(work: Steps<T | null>): Steps<T | null> {
  try {
    return yield* work;
  } catch (error) {
    if (error instanceof OutOfUnits) return null;
    throw error;
  }
}

function* voidReason(placed: PlacedRule, meter: Meter): Steps<NeverDecides | null> {
  if (placed.parts === null || toRegions(placed, meter).length > 0) return null;
  return { kind: 'void', keys: (yield* attempt(findExcluding(placed.rule, meter))) ?? [] };
}

/** Finds one key that never holds, or two that never hold together. */
function* findExcluding(rule: Rule, meter: Meter): Steps<string[]> {
  const entries = Object.entries(rule.conditions ?? {});
  const neverHolds = (some: [string, unknown][]): boolean => {
    meter.spend(some.reduce((sum, [, value]) => sum + (Array.isArray(value) ? value.length : 1), 0));
    return toRegions({ parts: toParts({ ...rule, conditions: Object.fromEntries(some) }) }, meter).length === 0;
  };
  for (const [i, one] of entries.entries()) {
    if (neverHolds([one])) return [one[0]];
    for (const other of entries.slice(0, i)) {
      if (neverHolds([other, one])) return [other[0], one[0]];
      yield;
    }
  }
  return [];
}

function* coveredReason(placed: PlacedRule, earlier: readonly PlacedRule[], meter: Meter): Steps<NeverDecides | null> {
  const regions = toRegions(placed, meter);
  if (regions.length === 0) return null;
  for (const { parts, index } of earlier) {
    const left = parts && (yield* withoutRule(regions, parts, meter));
    if (left?.length === 0) return { kind: 'covered', by: index };
  }
  return null;
}
