/**
 * Writes ordered patterns, of which the first counts, as patterns of which the narrowest counts. Pure. Promise: no
 * reader finds more for a URL than holds for it. A value is lowered where patterns cannot keep it apart from another:
 * `*` reaches into the query of a URL, and some readers know only prefixes and whole paths.
 */
import { canMatchBoth, type PathPattern } from '../../lib/urls/url-pattern.ts';
import { toDeniedQuery, withoutRuns } from './longest-match.ts';

export interface Ranked<V> {
  readonly pattern: PathPattern;
  readonly value: V;
}

/** A pattern for paths with their query, as RFC 9309 reads it: `*` and a final `$`. */
export interface Spelled {
  readonly texts: readonly string[];
  /** The texts also match URLs that the pattern does not. */
  readonly isWider: boolean;
}

export interface Narrowed<V> extends Spelled {
  readonly value: V;
}

export interface FormatReading<V> {
  /** Returns what may be said of a URL for which one of both holds. */
  least(one: V, other: V): V;
  /** The measure by which a reader calls a text narrower than another. */
  measure(text: string): number;
  /** Some readers know only `/path/*` and whole paths, and compare these with no query. */
  segments: boolean;
}

export interface Ranking<V> {
  entries: Narrowed<V>[];
  /** Texts whose value is lower than it should be. */
  lowered: string[];
}

/** Pairs of patterns that are compared, and steps of their comparison. */
const PAIRS_MAX = 2_000_000;
const STEPS_MAX = 40_000_000;

/** Octets, as in RFC 9309; a star at the end says nothing. */
export const byOctets = (text: string): number => text.replace(/[*]$/, '').length;
/** Number of literal characters; ties go to the pattern that ends with `$`. */
export const byLiterals = (text: string): number =>
  text.replaceAll(/[*$]/g, '').length + (text.endsWith('$') ? 0.5 : 0);

/** Returns undefined where too many patterns overlap. Values are compared by identity. */
export function toNarrowest<V>(ranked: readonly Ranked<V>[], reading: FormatReading<V>): Ranking<V> | undefined {
  const places = ranked.map(({ pattern, value }) => toPlace(pattern, value));
  const pairs = new Set(places.map(({ value }) => value)).size < 2 ? [] : overlaps(places);
  if (pairs === undefined) return undefined;
  const lowered = lower(places, pairs, reading);
  const superfluous = findSuperfluous(places, pairs);
  return {
    entries: places.filter((_, i) => !superfluous.has(i)),
    lowered: [...lowered].map((place) => place.texts[0] as string),
  };
}

interface Place<V> extends Narrowed<V> {
  readonly pattern: PathPattern;
  /** The literal beginning of its texts. */
  readonly head: string;
  value: V;
}

const toPlace = <V>(pattern: PathPattern, value: V): Place<V> => {
  const head = pattern.path.parts[0] as string;
  return { pattern, value, head: literal(head) === head ? head : '', ...spell(pattern) };
};

/** A star or a dollar sign of the path itself matches any characters: readers differ in how these are escaped. */
const literal = (text: string): string => text.replaceAll(/[*$]+/g, '*');

export function spell({ path, query }: PathPattern): Spelled {
  const base = withoutRuns(path.parts.map(literal).join('*'));
  const isWider = base.includes('*');
  const bases = base.startsWith('/') ? [base] : [`/${base}`, ...(base.startsWith('*/') ? [base.slice(1)] : [])];
  if (query === null) {
    return { texts: bases.flatMap((one) => (path.ends ? [`${one}$`, `${one}?*`] : [`${one}*`])), isWider };
  }
  // A space is `%20` or `+`. Readers find other parameters before it, so it matches more than the pattern does.
  const text = toDeniedQuery(query.parts.map(literal).join('*'));
  return { texts: bases.map((one) => `${one}?${text.endsWith('*') ? text : `${text}*`}`), isWider: true };
}

type Pair = readonly [earlier: number, later: number];

/** Returns all pairs of patterns whose texts match a common URL; undefined if there are too many. */
export const overlapping = (patterns: readonly { readonly pattern: PathPattern }[]): Pair[] | undefined =>
  overlaps(patterns.map(({ pattern }) => toPlace(pattern, null)));

/** Returns all pairs whose texts match a common URL; the first is the earlier one. */
function overlaps<V>(places: readonly Place<V>[]): Pair[] | undefined {
  const byHead = Map.groupBy(places.keys(), (i) => (places[i] as Place<V>).head);
  const budget = { pairs: PAIRS_MAX, steps: STEPS_MAX };
  const pairs: Pair[] = [];
  for (const [j, { head }] of places.entries()) {
    for (let length = 0; length <= head.length; length++) {
      for (const i of byHead.get(head.slice(0, length)) ?? []) {
        if (length === head.length && i >= j) continue;
        if (--budget.pairs < 0 || budget.steps < 0) return undefined;
        if (canMeet(places[i] as Place<V>, places[j] as Place<V>, budget)) pairs.push(i < j ? [i, j] : [j, i]);
      }
    }
  }
  return pairs;
}

const isPlain = ({ pattern: { path, query }, isWider }: Place<unknown>): boolean =>
  path.parts.length === 1 && query === null && !isWider;

/** The head of `one` begins that of `other`. */
function canMeet(one: Place<unknown>, other: Place<unknown>, budget: { steps: number }): boolean {
  if (isPlain(one) && isPlain(other)) return !one.pattern.path.ends || one.head === other.head;
  return one.texts.some((text) =>
    other.texts.some((second) => {
      budget.steps -= text.length * second.length;
      return canMatchBoth(toPattern(text), toPattern(second));
    }),
  );
}

const toPattern = (text: string): PathPattern => {
  const ends = text.endsWith('$');
  return { path: { parts: (ends ? text.slice(0, -1) : text).split('*'), ends }, query: null, octets: 0 };
};

/** Lowers values until each entry says no more than holds for every URL that a reader may look up in it. */
function lower<V>(places: readonly Place<V>[], pairs: readonly Pair[], reading: FormatReading<V>): Set<Place<V>> {
  const lowered = new Set<Place<V>>();
  const put = (place: Place<V>, value: V): boolean => {
    if (place.value === value) return false;
    place.value = value;
    lowered.add(place);
    return true;
  };
  for (let isOpen = true; isOpen; ) {
    isOpen = false;
    for (const [i, j] of pairs) {
      const [earlier, later] = [places[i] as Place<V>, places[j] as Place<V>];
      if (earlier.value === later.value) continue;
      const least = reading.least(earlier.value, later.value);
      // A reader may find the later one where the earlier one holds.
      if (!isSurelyFirst(earlier, later, reading)) isOpen = put(later, least) || isOpen;
      // A reader may find the earlier one beyond its pattern.
      if (isWiderFor(earlier, reading)) isOpen = put(earlier, least) || isOpen;
    }
  }
  return lowered;
}

function isSurelyFirst<V>(earlier: Place<V>, later: Place<V>, { measure, segments }: FormatReading<V>): boolean {
  const least = Math.min(...earlier.texts.map(measure));
  if (least <= Math.max(...later.texts.map(measure))) return false;
  if (!segments || !isSegment(later)) return true;
  return isSegment(earlier) && (isWhole(earlier) || !isWhole(later));
}

/** Whole paths are compared without a query, so a pattern with a query holds for each. */
const isWiderFor = <V>({ pattern, isWider }: Place<V>, { segments }: FormatReading<V>): boolean =>
  isWider || (segments && pattern.query !== null);

const isWhole = ({ pattern: { path } }: Place<unknown>): boolean => path.parts.length === 1 && path.ends;

/** Readers that know only `/path/*` and whole paths know it. */
const isSegment = (place: Place<unknown>): boolean =>
  place.head !== '' && (isWhole(place) || (isPlain(place) && place.head.endsWith('/')));

/** Finds entries that say what a later one says for all of their URLs. */
function findSuperfluous<V>(places: readonly Place<V>[], pairs: readonly Pair[]): Set<number> {
  const covered = new Set<number>();
  const different = new Set<number>();
  for (const [i, j] of pairs) {
    const [earlier, later] = [places[i] as Place<V>, places[j] as Place<V>];
    if (earlier.value !== later.value) different.add(i);
    else if (isPlain(later) && later.head.endsWith('/') && earlier.head.startsWith(later.head)) covered.add(i);
  }
  return covered.difference(different);
}
