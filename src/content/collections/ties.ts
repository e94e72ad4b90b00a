/**
 * Warnings where two collections can tie: only their age decides for some address or item. Pure, and bounded: where
 * there is too much to compare, it warns of what it has found.
 */
import { canMatchBoth, type PathPattern, parseHostPattern, parsePathPattern } from '../../lib/urls/url-pattern.ts';
import { type Collection, givenSelectors } from './collection.ts';

export const WARNING_CODES = ['collections_tie'] as const;

export interface CollectionWarning {
  code: (typeof WARNING_CODES)[number];
  message: string;
  param: string;
}

const WARNINGS_MAX = 20;
/** Comparing two patterns takes the product of their lengths, parsing one about this many. */
const STEPS_MAX = 5_000_000;
const PARSE_STEPS = 100;

export function findTies(collection: Collection, others: readonly Collection[]): CollectionWarning[] {
  const own = collection.paths.flatMap((path, index) => toEntries(path, index));
  const budget = { steps: STEPS_MAX };
  const warnings: CollectionWarning[] = [];
  for (const other of others) {
    budget.steps -= PARSE_STEPS * (1 + other.hosts.length);
    if (other.id === collection.id || !canMeet(collection, other)) continue;
    const param = own.length === 0 ? givenSelectors(collection)[0] : findTie(own, other, budget);
    if (param !== undefined) warnings.push(toWarning(collection, other, param));
    if (warnings.length === WARNINGS_MAX || budget.steps <= 0) break;
  }
  return warnings;
}

function toWarning(collection: Collection, other: Collection, param: string): CollectionWarning {
  const [older] = [collection, other].toSorted((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1));
  return {
    code: 'collections_tie',
    message: `Some addresses or items are as specific in ${JSON.stringify(other.name)} (${other.id}). There, ${
      older === collection ? 'this collection' : 'the other one'
    } decides, because it is older.`,
    param,
  };
}

/** Returns whether some address or item can be in both, apart from its path. */
function canMeet(one: Collection, other: Collection): boolean {
  const [selectors, others] = [givenSelectors(one), givenSelectors(other)];
  if (selectors.length !== others.length) return false;
  if (selectors.includes('paths') !== others.includes('paths')) return false;
  const isTypeShared = one.contentTypes.some((type) => other.contentTypes.includes(type));
  if (one.contentTypes.length > 0 && other.contentTypes.length > 0 && !isTypeShared) return false;
  return canShareHost(one.hosts, other.hosts);
}

function canShareHost(one: readonly string[], other: readonly string[]): boolean {
  if (one.length === 0 || other.length === 0) return one.length === other.length;
  const patterns = other.flatMap((host) => parseHostPattern(host) ?? []);
  return one
    .flatMap((host) => parseHostPattern(host) ?? [])
    .some((a) => patterns.some((b) => a === b || isBelow(a, b) || isBelow(b, a)));
}

/** `*.a.example.com` is below `*.example.com`. */
const isBelow = (one: string, other: string): boolean =>
  one.startsWith('*.') && other.startsWith('*.') && one.endsWith(other.slice(1));

interface Entry {
  pattern: PathPattern;
  index: number;
}

const toEntries = (path: string, index: number): Entry[] => {
  const pattern = parsePathPattern(path);
  return pattern === undefined ? [] : [{ pattern, index }];
};

/** Returns the first path that ties with one of `other`. */
function findTie(own: readonly Entry[], other: Collection, budget: { steps: number }): string | undefined {
  budget.steps -= PARSE_STEPS * other.paths.length;
  const byLength = Map.groupBy(
    other.paths.flatMap((path, index) => toEntries(path, index)),
    ({ pattern }) => pattern.octets,
  );
  for (const { pattern, index } of own) {
    for (const { pattern: theirs } of byLength.get(pattern.octets) ?? []) {
      budget.steps -= 1;
      if (budget.steps <= 0) return undefined;
      if (!beginsAlike(pattern, theirs)) continue;
      budget.steps -= pattern.octets ** 2;
      if (canMatchBoth(pattern, theirs)) return `paths[${index}]`;
    }
  }
  return undefined;
}

function beginsAlike(one: PathPattern, other: PathPattern): boolean {
  const [a = '', b = ''] = [one.path.parts[0], other.path.parts[0]];
  return a.length < b.length ? b.startsWith(a) : a.startsWith(b);
}
