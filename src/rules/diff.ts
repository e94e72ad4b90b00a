/**
 * The difference between two versions of a policy, rule by rule. Rules have no names, so they are matched by content:
 * identical rules first, leaving as many as possible in place, then the most similar ones. The rest was added or
 * removed. As few matched rules as possible count as moved.
 */
import { sortedJson } from './canonical.ts';
import type { PolicyVersion, Rule } from './policy.ts';

export type Comparable = Pick<PolicyVersion, 'name' | 'description' | 'rules' | 'defaultAction'>;

/** null: the field is absent, or its value is null. */
export interface FieldChange {
  /** `conditions.country`, `rateLimit.requests`; or `conditions`, if one of the two rules has none. */
  path: string;
  from: unknown;
  to: unknown;
}

export interface RuleChange {
  change: 'added' | 'removed' | 'moved' | 'changed' | 'moved_and_changed';
  /** Index in the older list; null for an added rule. */
  from: number | null;
  /** Index in the newer list; null for a removed rule. */
  to: number | null;
  /** The added or removed rule. */
  rule?: Rule;
  /** Changed fields of the rule. */
  fields?: FieldChange[];
}

export interface PolicyDiff {
  fields: FieldChange[];
  /**
   * In the order of the newer list, removed rules at their old position. A rule whose index changed only because others
   * were added, removed or moved is not listed.
   */
  rules: RuleChange[];
}

export function diff(a: Comparable, b: Comparable): PolicyDiff {
  const fields = (['name', 'description', 'defaultAction'] as const)
    .filter((path) => a[path] !== b[path])
    .map((path): FieldChange => ({ path, from: a[path], to: b[path] }));
  return { fields, rules: ruleChanges(a.rules, b.rules) };
}

/** The indexes of one rule in both lists. */
interface Pair {
  from: number;
  to: number;
}

function ruleChanges(a: readonly Rule[], b: readonly Rule[]): RuleChange[] {
  const textsA = a.map(sortedJson);
  const textsB = b.map(sortedJson);
  // Always computed in the same direction, so that swapped arguments give a mirrored diff.
  const swapped = textsA.join() > textsB.join();
  const pairs = swapped
    ? match(b, a, textsB, textsA).map(({ from, to }) => ({ from: to, to: from }))
    : match(a, b, textsA, textsB);
  const stay = swapped ? inPlace(pairs.map(mirrored)).map(mirrored) : inPlace(pairs);
  const staying = new Set(stay.map(({ from }) => from));
  const changes: RuleChange[] = [];
  for (const { from, to } of pairs) {
    const moved = !staying.has(from);
    const fields = fieldChanges(a[from] as Rule, b[to] as Rule);
    if (fields.length > 0) changes.push({ change: moved ? 'moved_and_changed' : 'changed', from, to, fields });
    else if (moved) changes.push({ change: 'moved', from, to });
  }
  const kept = new Set(pairs.map(({ from }) => from));
  const found = new Set(pairs.map(({ to }) => to));
  for (const [from, rule] of a.entries())
    if (!kept.has(from)) changes.push({ change: 'removed', from, to: null, rule });
  for (const [to, rule] of b.entries()) if (!found.has(to)) changes.push({ change: 'added', from: null, to, rule });
  const position = ({ from, to }: RuleChange): number => to ?? (from as number) - 0.5;
  return changes.toSorted((one, other) => position(one) - position(other));
}

const mirrored = ({ from, to }: Pair): Pair => ({ from: to, to: from });

// ---------------------------------------------------------------------------------------------------------------------
// Matching rules

function match(a: readonly Rule[], b: readonly Rule[], textsA: readonly string[], textsB: readonly string[]): Pair[] {
  const pairs = commonSubsequence(textsA, textsB);
  const leftA = new Set(a.keys()).difference(new Set(pairs.map(({ from }) => from)));
  const leftB = new Set(b.keys()).difference(new Set(pairs.map(({ to }) => to)));
  // Identical rules that moved are the most similar, so they come first.
  for (const { from, to } of bySimilarity(a, b, leftA, leftB)) {
    if (!leftA.has(from) || !leftB.has(to)) continue;
    pairs.push({ from, to });
    leftA.delete(from);
    leftB.delete(to);
  }
  return pairs;
}

/** Returns the longest sequence of identical rules that have the same order in both lists. */
function commonSubsequence(a: readonly string[], b: readonly string[]): Pair[] {
  // best[i][j]: its length for the rules from i and j on.
  const best = Array.from({ length: a.length + 1 }, () => Array<number>(b.length + 1).fill(0));
  const at = (i: number, j: number): number => (best[i] as number[])[j] as number;
  for (let i = a.length - 1; i >= 0; i--) {
    const row = best[i] as number[];
    for (let j = b.length - 1; j >= 0; j--) {
      row[j] = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const pairs: Pair[] = [];
  for (let i = 0, j = 0; at(i, j) > 0; ) {
    if (a[i] === b[j]) pairs.push({ from: i++, to: j++ });
    else if (at(i + 1, j) >= at(i, j + 1)) i++;
    else j++;
  }
  return pairs;
}

/** Below this similarity, two rules count as one removed and one added. */
const ALIKE = 0.5;

/** Returns pairs of similar rules, the most similar first, then the nearest. */
function bySimilarity(a: readonly Rule[], b: readonly Rule[], leftA: Set<number>, leftB: Set<number>): Pair[] {
  const sketchesA = new Map([...leftA].map((from) => [from, sketch(a[from] as Rule)]));
  const sketchesB = new Map([...leftB].map((to) => [to, sketch(b[to] as Rule)]));
  const scored: (Pair & { score: number })[] = [];
  for (const [from, one] of sketchesA) {
    for (const [to, other] of sketchesB) {
      const score = similarity(one, other);
      if (score >= ALIKE) scored.push({ from, to, score });
    }
  }
  const distance = ({ from, to }: Pair): number => Math.abs(from - to);
  // Sorting is stable: equally near pairs stay in order.
  return scored.toSorted((one, other) => other.score - one.score || distance(one) - distance(other));
}

/** A rule prepared for many comparisons. */
interface Sketch {
  action: string;
  rest: string[];
  conditions: Map<string, { text: string; values: Set<string> }>;
}

/** Longer lists are compared by their first values. */
const VALUES_MAX = 100;

function sketch({ action, conditions, priority, permissions, rateLimit, message }: Rule): Sketch {
  // A rule without conditions is another spelling of a catch-all.
  const entries = Object.entries(conditions ?? {});
  if (entries.length === 0) entries.push(['default', true]);
  return {
    action,
    rest: [priority, permissions, rateLimit, message].map((one) => sortedJson(one ?? null)),
    conditions: new Map(
      entries.map(([key, value]) => {
        const values = Array.isArray(value)
          ? value.map(sortedJson).toSorted().slice(0, VALUES_MAX)
          : [sortedJson(value)];
        return [key, { text: sortedJson(value), values: new Set(values) }];
      }),
    ),
  };
}

/** Returns 0 to 1. Conditions weigh most, then the action and the rest. */
function similarity(a: Sketch, b: Sketch): number {
  const keys = new Set([...a.conditions.keys(), ...b.conditions.keys()]);
  let common = 0;
  for (const key of keys) {
    const one = a.conditions.get(key);
    const other = b.conditions.get(key);
    if (one === undefined || other === undefined) continue;
    if (one.text === other.text) common += 1;
    else common += 0.5 + 0.4 * (one.values.intersection(other.values).size / one.values.union(other.values).size);
  }
  const rest = a.rest.filter((one, i) => one === b.rest[i]).length / a.rest.length;
  return 0.7 * (common / keys.size) + 0.15 * Number(a.action === b.action) + 0.15 * rest;
}

/** Returns the largest set of pairs that keep their order. */
function inPlace(unsorted: readonly Pair[]): Pair[] {
  const pairs = unsorted.toSorted((one, other) => one.from - other.from);
  // longest[i]: length of the longest sequence that ends with pair i; before[i]: its previous pair.
  const longest: number[] = [];
  const before: number[] = [];
  let last = -1;
  for (const [i, pair] of pairs.entries()) {
    longest[i] = 1;
    before[i] = -1;
    for (let j = 0; j < i; j++) {
      if ((pairs[j] as Pair).to < pair.to && (longest[j] as number) + 1 > longest[i]) {
        longest[i] = (longest[j] as number) + 1;
        before[i] = j;
      }
    }
    if (last === -1 || longest[i] > (longest[last] as number)) last = i;
  }
  const kept: Pair[] = [];
  for (let i = last; i !== -1; i = before[i] as number) kept.unshift(pairs[i] as Pair);
  return kept;
}

// ---------------------------------------------------------------------------------------------------------------------
// Changed fields

const NESTED = ['conditions', 'rateLimit'];

function fieldChanges(a: Rule, b: Rule): FieldChange[] {
  return unitedKeys(a, b).flatMap((key) => {
    const from = a[key as keyof Rule];
    const to = b[key as keyof Rule];
    if (NESTED.includes(key) && from !== undefined && to !== undefined) {
      return entryChanges(`${key}.`, from as object, to as object);
    }
    return entryChanges('', { [key]: from }, { [key]: to });
  });
}

function entryChanges(prefix: string, a: object, b: object): FieldChange[] {
  const of = (record: object, key: string): unknown =>
    (Object.hasOwn(record, key) ? record[key as never] : undefined) ?? null;
  return unitedKeys(a, b)
    .filter((key) => sortedJson(of(a, key)) !== sortedJson(of(b, key)))
    .map((key) => ({ path: `${prefix}${key}`, from: of(a, key), to: of(b, key) }));
}

/** Returns the keys of both, those of the older one first. */
const unitedKeys = (a: object, b: object): string[] => [...new Set([...Object.keys(a), ...Object.keys(b)])];
