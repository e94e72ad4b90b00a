/**
 * Rules that can never decide: their own conditions exclude one another, or whenever they hold an earlier rule holds, or
 * several earlier ones between them. An allow whose limit is used up still decides, so limits play no part. No false
 * alarms: what is reported is proven (see lint-region for what is not seen).
 */
import { type Meter, OutOfUnits } from './lint-cells.ts';
import {
  type Conjunction,
  EVERYTHING,
  isShortAndVoid,
  meetAll,
  partsOf,
  type Region,
  withoutRule,
} from './lint-region.ts';
import type { Rule } from './policy.ts';

/** A rule in its place, made ready to reason about. */
export interface Placed {
  /** In the stored list. */
  index: number;
  rule: Rule;
  /** null: too many to reason about. */
  parts: readonly Conjunction[] | null;
}

/** In the order in which they are asked; of equal ones the first in the list is first. */
export function place(rules: readonly Rule[]): Placed[] {
  const last = ({ rule }: Placed): number => (rule.conditions?.default === true ? 1 : 0);
  const priority = ({ rule, index }: Placed): number => rule.priority ?? index + 1;
  return rules
    .map((rule, index) => ({ index, rule, parts: partsOf(rule) }))
    .sort((a, b) => last(a) - last(b) || priority(a) - priority(b));
}

/** Where a rule decides if only its own conditions count. */
export function regionsOf({ parts }: Placed, meter: Meter): Region[] {
  return (parts ?? []).map((literals) => meetAll(EVERYTHING, literals, meter)).filter((one) => one !== null);
}

/** Why a rule never decides: keys of its own that exclude one another (none: all of them together), or earlier rules. */
export type Reason = { kind: 'void'; keys: string[] } | { kind: 'covered'; by: number[] };

/** By index of the rule that never decides. `near` pays for comparing two rules, `far` for comparing more. */
export function findUnreachable(order: readonly Placed[], near: Meter, far: Meter): Map<number, Reason> {
  const found = new Map<number, Reason>();
  for (const [position, placed] of order.entries()) {
    const earlier = order.slice(0, position).filter((one) => !found.has(one.index));
    const reason =
      attempt(() => voidReason(placed, near)) ??
      attempt(() => coveredByOne(placed, earlier, near)) ??
      attempt(() => coveredTogether(placed, earlier, far));
    if (reason !== null) found.set(placed.index, reason);
  }
  return found;
}

/** What cannot be worked out within the meter is not claimed. */
export function attempt<T>(work: () => T | null): T | null {
  try {
    return work();
  } catch (error) {
    if (error instanceof OutOfUnits) return null;
    throw error;
  }
}

function voidReason(placed: Placed, meter: Meter): Reason | null {
  if (placed.parts === null) return null;
  const { conditions = {} } = placed.rule;
  if (conditions.time !== undefined && isShortAndVoid(conditions.time as never, meter)) {
    return { kind: 'void', keys: ['time'] };
  }
  if (regionsOf(placed, meter).length > 0) return null;
  return { kind: 'void', keys: attempt(() => excluding(placed.rule, meter)) ?? [] };
}

/** One key that never holds, or two that never hold together. */
function excluding(rule: Rule, meter: Meter): string[] {
  const entries = Object.entries(rule.conditions ?? {});
  const neverHolds = (some: [string, unknown][]): boolean => {
    meter.spend(some.reduce((sum, [, value]) => sum + (Array.isArray(value) ? value.length : 1), 0));
    const alone = { ...rule, conditions: Object.fromEntries(some) };
    return regionsOf({ index: 0, rule: alone, parts: partsOf(alone) }, meter).length === 0;
  };
  for (const [i, one] of entries.entries()) {
    if (neverHolds([one])) return [one[0]];
    for (const other of entries.slice(0, i)) if (neverHolds([other, one])) return [other[0], one[0]];
  }
  return [];
}

function coveredByOne(placed: Placed, earlier: readonly Placed[], meter: Meter): Reason | null {
  const regions = regionsOf(placed, meter);
  if (regions.length === 0) return null;
  const by = earlier.find(({ parts }) => parts !== null && withoutRule(regions, parts, meter)?.length === 0);
  return by === undefined ? null : { kind: 'covered', by: [by.index] };
}

function coveredTogether(placed: Placed, earlier: readonly Placed[], meter: Meter): Reason | null {
  const regions = regionsOf(placed, meter);
  const takers = whatTakesAll(regions, earlier, meter);
  if (takers === null) return null;
  const needed = takers.length > NAMED_MAX ? takers : (attempt(() => necessary(regions, takers, meter)) ?? takers);
  return { kind: 'covered', by: needed.map(({ index }) => index) };
}

/** More rules than that nobody reads, so the superfluous ones among them are not sought. */
const NAMED_MAX = 10;

/** Those without which something is left. */
function necessary(regions: readonly Region[], takers: readonly Placed[], meter: Meter): Placed[] {
  let needed = [...takers];
  for (const one of takers.toReversed()) {
    const others = needed.filter((other) => other !== one);
    needed = whatTakesAll(regions, others, meter) ?? needed;
  }
  return needed;
}

/** Those rules that between them leave nothing of the regions, or null when something is left. */
function whatTakesAll(regions: readonly Region[], rules: readonly Placed[], meter: Meter): Placed[] | null {
  let left: readonly Region[] = regions;
  const takers: Placed[] = [];
  for (const rule of rules) {
    // One that would leave too many pieces is passed over: what is left is then more than there is.
    const next = rule.parts === null ? null : withoutRule(left, rule.parts, meter);
    if (next === null || (next.length === left.length && next.every((region, i) => region === left[i]))) continue;
    takers.push(rule);
    if (next.length === 0) return takers;
    left = next;
  }
  return null;
}
