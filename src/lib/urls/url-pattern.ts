/**
 * Patterns of paths as in RFC 9309, section 2.2.3: a prefix, `*` for any characters, `$` for the end; case-sensitive.
 * Promise: two spellings of one file match the same patterns. So, unlike in RFC 9309, a pattern without a question mark
 * matches the path alone: a query that a visitor adds changes nothing. One with a question mark names parameters, see
 * `query-pattern`. `%2A` and `%24` are the characters themselves.
 */
import { type Glob, impliesGlob, isMatch } from './glob.ts';
import { isServable, type Locator, parseNamedHost } from './locator.ts';
import { impliesQuery, matchesQuery } from './query-pattern.ts';
import { spellPath, toFolded, type UrlRules } from './spellings.ts';

export interface PathPattern {
  readonly path: Glob;
  /** null: the pattern matches any query, and none. */
  readonly query: Glob | null;
  /** Its length in one spelling: of two that match, the longer is more specific. */
  readonly octets: number;
}

/** The part of a URL that patterns match, in one spelling. */
export interface Target {
  readonly path: string;
  readonly query: string;
  /** The spellings of the path that lead to the same file; absent: the path alone. */
  readonly spellings?: readonly string[];
  /** The case of letters does not count: the spellings are folded. */
  readonly folded?: boolean;
}

/** Characters that stand for themselves in both parts. */
const PLAIN = /^[\w\-.~!$&'()*,;=:@/]*$/;

/** With the rules of its host, the target has all spellings that lead to the same file. */
export function toTarget({ path, query }: Pick<Locator, 'path' | 'query'>, rules?: UrlRules): Target {
  const text = toPathText(path);
  const target = { path: text, query: toQueryText(query) };
  if (rules === undefined) return target;
  const spellings = spellPath(text, rules);
  return rules.case === 'ignored'
    ? { ...target, spellings: spellings.map(toFolded), folded: true }
    : { ...target, spellings };
}

/** Returns the texts of a path that patterns are compared with, the one that was asked for first. */
export const targetTexts = ({ path, spellings }: Target): readonly string[] => spellings ?? [path];

/** Spells a decoded path. */
const toPathText = (path: string): string =>
  PLAIN.test(path) ? path : encodeURI(path.toWellFormed()).replaceAll('?', '%3F').replaceAll('#', '%23');

/**
 * Spells a query octet by octet: what stands for itself is never encoded, everything else always is. `%26` ends no
 * parameter and `%3D` no name, so both stay; in a value, an equals sign stands for itself.
 */
function toQueryText(query: string, beginsInValue = false): string {
  if (PLAIN.test(query)) return query;
  const text = query.replaceAll(/%[0-9a-fA-F]{2}|[^\w\-.~!$&'()*,;=:@/?]/gu, toQueryOctets);
  const values = beginsInValue ? /(?:^|=)[^&]*/g : /=[^&]*/g;
  return text.includes('%3D') ? text.replaceAll(values, (value) => value.replaceAll('%3D', '=')) : text;
}

/** Takes an escape, or a character that does not stand for itself. A plus sign is a space. */
function toQueryOctets(found: string): string {
  if (found === '+') return '%20';
  if (found.length !== 3 || !found.startsWith('%')) {
    return [...Buffer.from(found)].map((octet) => `%${octet.toString(16).toUpperCase().padStart(2, '0')}`).join('');
  }
  const character = String.fromCharCode(Number.parseInt(found.slice(1), 16));
  const isItself = character === '?' || (PLAIN.test(character) && character !== '&' && character !== '=');
  return isItself ? character : found.toUpperCase();
}

/** Returns undefined for a text that is no pattern or can match no path. */
export function parsePathPattern(text: string): PathPattern | undefined {
  if (!/^[/*]/.test(text) || /[\s\\#]|\p{Cc}/u.test(text)) return undefined;
  const ends = text.endsWith('$');
  const [path = '', ...others] = (ends ? text.slice(0, -1) : text).split('?');
  const pathParts = toParts(path, toLiteralPath);
  const queryParts = others.length === 0 ? null : toQueryParts(others.join('?'));
  if (pathParts === undefined || queryParts === undefined) return undefined;
  const octets = joinedLength(pathParts) + (ends ? 1 : 0);
  if (queryParts === null) return { path: { parts: pathParts, ends }, query: null, octets };
  return {
    path: { parts: pathParts, ends: true },
    query: { parts: queryParts, ends },
    octets: octets + 1 + joinedLength(queryParts),
  };
}

function toParts(text: string, toLiteral: (text: string, i: number) => string | undefined): string[] | undefined {
  const parts = text.split(/\*+/).map(toLiteral);
  return parts.includes(undefined) ? undefined : (parts as string[]);
}

/** The star before a part matches an equals sign, too, so that the part may be in a value. */
const toQueryParts = (text: string): string[] | undefined => toParts(text, (part, i) => toLiteralQuery(part, i > 0));

const joinedLength = (parts: readonly string[]): number =>
  parts.reduce((sum, part) => sum + part.length, parts.length - 1);

/** Encoded slashes and backslashes, segments that servers resolve, and what is encoded twice: no locator has them. */
const UNMATCHED = /\/\/|\/\.\.?\/|\\|%(?:[0-9a-f]{2}|u[0-9a-f]{4})|\p{Cc}/iu;

function toLiteralPath(text: string): string | undefined {
  if (/%(?:2f|5c)/i.test(text) || !text.isWellFormed()) return undefined;
  try {
    const path = decodeURIComponent(text);
    return UNMATCHED.test(path) ? undefined : toPathText(path);
  } catch {
    return undefined;
  }
}

const toLiteralQuery = (text: string, beginsInValue: boolean): string | undefined =>
  /%(?![0-9a-f]{2})/i.test(text) || !text.isWellFormed() ? undefined : toQueryText(text, beginsInValue);

/** A URL matches if any spelling of its path does. */
export function matchesPath(pattern: PathPattern, target: Target): boolean {
  const glob = target.folded === true ? toFoldedPath(pattern) : pattern.path;
  const { spellings } = target;
  const matches = spellings === undefined ? isMatch(glob, target.path) : matchesAny(glob, spellings);
  return matches && (pattern.query === null || matchesQuery(pattern.query, target.query));
}

function matchesAny(glob: Glob, texts: readonly string[]): boolean {
  for (const text of texts) if (isMatch(glob, text)) return true;
  return false;
}

const foldedPaths = new WeakMap<PathPattern, Glob>();

/** Returns the pattern's path for URLs in which the case of letters does not count. */
export function toFoldedPath(pattern: PathPattern): Glob {
  const known = foldedPaths.get(pattern);
  if (known !== undefined) return known;
  const folded = { ...pattern.path, parts: pattern.path.parts.map(toFolded) };
  foldedPaths.set(pattern, folded);
  return folded;
}

/**
 * Returns whether some URL matches both: a query may have the parameters of both. Takes at most as many steps as the
 * product of their lengths.
 */
export const canMatchBoth = (one: PathPattern, other: PathPattern): boolean => canShare(one.path, other.path);

/** Any characters. */
const ANY = -1;

const toSymbols = ({ parts, ends }: Glob): number[] => {
  const symbols = parts.flatMap((part, i) => [...(i === 0 ? [] : [ANY]), ...Buffer.from(part)]);
  return ends ? symbols : [...symbols, ANY];
};

function canShare(one: Glob, other: Glob): boolean {
  const [a, b] = [toSymbols(one), toSymbols(other)];
  // `row[j]`: some text matches what is left of `a` from `i`, and of `b` from `j`.
  let below: boolean[] = [];
  for (let i = a.length; i >= 0; i--) {
    const row: boolean[] = [];
    for (let j = b.length; j >= 0; j--) {
      if (i === a.length && j === b.length) row[j] = true;
      else if (a[i] === ANY || b[j] === ANY) {
        row[j] = (i < a.length && below[j] === true) || (j < b.length && row[j + 1] === true);
      } else row[j] = i < a.length && a[i] === b[j] && below[j + 1] === true;
    }
    below = row;
  }
  return below[0] === true;
}

/** Returns whether all that matches `one` provably matches `other` too. */
export function impliesPath(one: PathPattern, other: PathPattern): boolean {
  if (!impliesGlob(one.path, other.path)) return false;
  return other.query === null || (one.query !== null && impliesQuery(one.query, other.query));
}

/** Returns whether every host that matches one pattern matches the other. */
export function impliesHost(one: string, other: string): boolean {
  if (one === other) return true;
  return other.startsWith('*') && toHostPatterns(one.startsWith('*.') ? one.slice(2) : one).includes(other);
}

/** Parses a host such as `www.example.com`, `*.example.com` for all names below it, or either with a port. */
export function parseHostPattern(text: string): string | undefined {
  const isBelow = text.startsWith('*.');
  const host = parseNamedHost(isBelow ? text.slice(2) : text);
  // Nothing is served at port 0.
  if (host === undefined || host.endsWith(':0')) return undefined;
  // An address has no names below it.
  return isBelow ? (/^\[|\.\d+(:|$)/.test(host) ? undefined : `*.${host}`) : host;
}

/** Returns whether a text is a host pattern that something can match. */
export function isServablePattern(text: string): boolean {
  const pattern = parseHostPattern(text);
  return pattern !== undefined && isServable(pattern.startsWith('*.') ? pattern.slice(2) : pattern);
}

/** Returns the host patterns that a host matches: itself, then those of the names above it. */
export function toHostPatterns(host: string): string[] {
  const patterns = [host];
  for (let dot = host.indexOf('.'); dot !== -1; dot = host.indexOf('.', dot + 1)) patterns.push(`*${host.slice(dot)}`);
  return patterns;
}
