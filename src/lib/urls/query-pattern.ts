/**
 * The part of a path pattern behind its question mark. It names parameters: a query matches if it has all of them, in
 * any order and among others; of a name that comes twice, any value counts. Promise: nothing that a visitor adds to a
 * query, and no order of it, leads out of a pattern.
 * All parameters but the last are whole. The last one is a prefix unless the pattern ends with `$` or `&`. A pattern
 * with `*` within a parameter also matches a query whose text it matches as a whole, as in RFC 9309.
 */
import { type Glob, impliesGlob, isMatch, toText, WILD } from './glob.ts';

interface Parameters {
  readonly globs: readonly Glob[];
  /** Some `*` may span parameters. */
  readonly spans: boolean;
}

const known = new WeakMap<Glob, Parameters>();

/** Returns the parameters that a pattern names. */
function namedIn(query: Glob): Parameters {
  const before = known.get(query);
  if (before !== undefined) return before;
  const pieces = toText(query).replaceAll(/\0+/g, WILD).split('&');
  const globs = pieces
    .filter((piece, i) => piece !== WILD && (piece !== '' || (query.ends && pieces.length === 1 && i === 0)))
    .map(toGlob);
  const parameters = {
    globs,
    spans: globs.some(({ parts }) => parts.slice(0, -1).some((part, i) => i > 0 || part !== '')),
  };
  known.set(query, parameters);
  return parameters;
}

function toGlob(piece: string): Glob {
  const parts = piece.split(WILD);
  const ends = parts.at(-1) !== '' || parts.length === 1;
  if (!ends) parts.pop();
  return { parts, ends };
}

/** Returns the parameters of a query in one spelling; an empty value is left out with its sign. */
export const splitQuery = (query: string): string[] =>
  query.split('&').flatMap((one) => (one === '' ? [] : [/^[^=]*=$/.test(one) ? one.slice(0, -1) : one]));

/** An empty value may be written or left out. */
const spellParameter = (parameter: string): readonly string[] => {
  const sign = parameter.indexOf('=');
  if (sign === -1) return [parameter, `${parameter}=`];
  return sign === parameter.length - 1 ? [parameter, parameter.slice(0, -1)] : [parameter];
};

export function matchesQuery(pattern: Glob, query: string): boolean {
  if (query === '') return false;
  const { globs, spans } = namedIn(pattern);
  if (globs.length === 0 || (spans && isMatch(pattern, query))) return true;
  const parameters = query.split('&');
  for (const glob of globs) {
    if (!parameters.some((parameter) => spellParameter(parameter).some((text) => isMatch(glob, text)))) return false;
  }
  return true;
}

/** Returns whether a query of the first pattern's parameters matches the second one. */
export function impliesQuery(one: Glob, other: Glob): boolean {
  const wanted = namedIn(other);
  if (wanted.globs.length === 0) return true;
  const given = namedIn(one);
  if (given.spans) return toText(one) === toText(other);
  return wanted.globs.every((glob) => given.globs.some((own) => impliesGlob(own, glob)));
}

/** Returns the pattern of the queries that match both. */
export function joinQueries(one: Glob, other: Glob): Glob {
  const [first, second] = [toText(one), toText(other)];
  return toGlob(`${first}&${second}`);
}
