/**
 * Regions of a site: sets of URLs that one path pattern matches. Pure. Intersections are exact or refused.
 */
import { joinQueries } from '../../lib/urls/query-pattern.ts';
import { canMatchBoth, impliesPath, matchesPath, type PathPattern, toTarget } from '../../lib/urls/url-pattern.ts';

type Glob = PathPattern['path'];

/** Any characters; no literal contains it. */
const WILD = '\0';

/** Every URL of a site. */
export const EVERYWHERE: PathPattern = { path: { parts: ['/'], ends: false }, query: null, octets: 1 };

const toSymbols = ({ parts, ends }: Glob): string => (parts.join(WILD) + (ends ? '' : WILD)).replaceAll(/\0+/g, WILD);

function toGlob(symbols: string): Glob {
  const parts = symbols.split(WILD);
  const ends = !symbols.endsWith(WILD);
  if (!ends) parts.pop();
  return { parts, ends };
}

/** Returns a name that is equal for equal patterns only. */
export const patternKey = ({ path, query }: PathPattern): string =>
  query === null ? toSymbols(path) : `${toSymbols(path)}?${toSymbols(query)}`;

const isLiteral = ({ parts }: Glob): boolean => parts.length === 1;

/** Returns regions that together are what both patterns match; undefined where patterns cannot say it. */
export function intersect(one: PathPattern, other: PathPattern): PathPattern[] | undefined {
  if (impliesPath(one, other)) return [one];
  if (impliesPath(other, one)) return [other];
  if (!canMatchBoth(one, other)) return [];
  const query =
    one.query !== null && other.query !== null ? joinQueries(one.query, other.query) : (one.query ?? other.query);
  const paths = intersectPaths(one.path, other.path);
  return paths?.map((path) => ({ path, query, octets: toSymbols(path).length }));
}

function intersectPaths(one: Glob, other: Glob): Glob[] | undefined {
  const [literal, glob] = isLiteral(one) ? [one, other] : [other, one];
  if (!isLiteral(literal)) return undefined;
  const [text = ''] = literal.parts;
  const rests = restsAfter(text, toSymbols(glob));
  if (!literal.ends) return rests.map((rest) => toGlob(text + rest));
  return rests.some((rest) => rest === '' || rest === WILD) ? [literal] : [];
}

/**
 * Returns what of the symbols may still follow once `text` is read. A rest that begins with any characters covers the
 * rests before it.
 */
function restsAfter(text: string, symbols: string): string[] {
  let places = follow(new Set([0]), symbols);
  for (const character of text) {
    const next = new Set<number>();
    for (const place of places) {
      if (symbols[place] === WILD) next.add(place);
      else if (symbols[place] === character) next.add(place + 1);
    }
    places = follow(next, symbols);
  }
  const sorted = [...places].toSorted((a, b) => a - b);
  const lastWild = sorted.findLast((place) => symbols[place] === WILD);
  return sorted
    .filter((place) => lastWild === undefined || place === lastWild || place > lastWild + 1)
    .map((place) => symbols.slice(place));
}

/** Any characters may be none. */
function follow(places: Set<number>, symbols: string): Set<number> {
  for (const place of places) if (symbols[place] === WILD) places.add(place + 1);
  return places;
}

/** Regions of one pattern, each with the tests that hold everywhere in it outside of the regions before it. */
export interface UrlRegion {
  pattern: PathPattern;
  /** A URL of it that is in no region before it: path and query as locators have them. */
  witness: { path: string; query: string };
}

const REGIONS_MAX = 400;
/** Texts in the place of any characters. One of them is rarely in a pattern. */
const FILLERS = ['', '0q7', 'zj', '/0q7/', '-', 'x'];

/**
 * Cuts a pattern into regions by tests, more specific ones first: the first that matches a URL says for every test
 * whether it matches. Returns undefined where patterns cannot say it.
 */
export function cut(pattern: PathPattern, tests: readonly PathPattern[]): UrlRegion[] | undefined {
  const patterns = closure(pattern, tests);
  if (patterns === undefined) return undefined;
  const ranked = patterns
    .map((one) => ({ one, within: patterns.filter((other) => impliesPath(one, other)).length }))
    .toSorted((a, b) => b.within - a.within);
  const regions: UrlRegion[] = [];
  for (const { one } of ranked) {
    const held = tests.map((test) => impliesPath(one, test));
    const witness = findWitness(one, (target) => tests.every((test, i) => matchesPath(test, target) === held[i]));
    if (witness === undefined) {
      // Nothing is left of it beside the regions before it, or no witness was found.
      if (one === pattern && regions.length > 0 && coversAll(pattern, regions)) continue;
      return undefined;
    }
    regions.push({ pattern: one, witness });
  }
  return regions;
}

const coversAll = (pattern: PathPattern, regions: readonly UrlRegion[]): boolean =>
  regions.some((region) => impliesPath(pattern, region.pattern));

/** Returns the pattern and its intersections with the tests, closed under intersection. */
function closure(pattern: PathPattern, tests: readonly PathPattern[]): PathPattern[] | undefined {
  const found = new Map([[patternKey(pattern), pattern]]);
  const open: PathPattern[] = [];
  const add = (patterns: readonly PathPattern[] | undefined): boolean => {
    for (const one of patterns ?? []) {
      if (found.has(patternKey(one))) continue;
      found.set(patternKey(one), one);
      open.push(one);
    }
    return patterns !== undefined && found.size <= REGIONS_MAX;
  };
  for (const test of tests) if (!add(intersect(pattern, test))) return undefined;
  for (let one = open.pop(); one !== undefined; one = open.pop()) {
    for (const other of found.values()) if (!add(intersect(one, other))) return undefined;
  }
  return [...found.values()];
}

function findWitness(
  { path, query }: PathPattern,
  isRight: (target: { path: string; query: string }) => boolean,
): UrlRegion['witness'] | undefined {
  for (const filler of FILLERS) {
    const target = { path: fill(path, filler), query: query === null ? '' : fill(query, filler) || 'x' };
    if (target.path.startsWith('/') && isRight(target)) {
      const decoded = { path: decodeURIComponent(target.path), query: target.query };
      if (toTarget(decoded).path === target.path) return decoded;
    }
  }
  return undefined;
}

const fill = ({ parts, ends }: Glob, filler: string): string => {
  const text = parts.join(filler) + (ends ? '' : filler);
  return text.startsWith('/') ? text : `/${text}`;
};
