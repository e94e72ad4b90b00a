/**
 * Reads a robots.txt as crawlers do (RFC 9309): groups by token, the longest rule, an allowing one of two that are
 * equally long. Pure. Knows nothing of how Postern writes the file: it reads any site's.
 */
import { matchesPath, type PathPattern } from '../../lib/urls/url-pattern.ts';
import { parseRobotsLine } from './robots-line.ts';

/** The marks around the groups of Postern. */
export const BEGIN = '# BEGIN Postern';
export const END = '# END Postern';

export interface RobotsRule {
  /** In one spelling. */
  readonly text: string;
  readonly allowed: boolean;
  /** Between the marks of Postern. */
  readonly isOurs: boolean;
  readonly pattern: PathPattern;
}

/** All groups of one token together. */
export interface RobotsGroup {
  /** In the order in which they win. */
  readonly rules: readonly RobotsRule[];
  /** Lines such as `Content-Signal`, by name in lowercase. */
  readonly others: ReadonlyMap<string, readonly string[]>;
  /** Such lines between the marks of Postern; the lines of the site's own groups are its own. */
  readonly ours: ReadonlyMap<string, readonly string[]>;
}

export interface Robots {
  /** In the order of the file, as they are first written; with `*`. */
  readonly tokens: readonly string[];
  /** Returns the group of a token, or else that of `*`. Tokens with the same groups share one object. */
  groupOf(token: string): RobotsGroup;
  /** Lines that belong to no group, such as `License` before the first one. */
  readonly global: ReadonlyMap<string, readonly string[]>;
}

const NOTHING: RobotsGroup = { rules: [], others: new Map(), ours: new Map() };

interface Block {
  rules: RobotsRule[];
  others: Line[];
  ours: Line[];
}

type Line = readonly [name: string, value: string];

export function readRobots(text: string): Robots {
  const { blocks, byToken, global, tokens } = readBlocks(text);
  const groups = new Map<string, RobotsGroup>();
  const groupAt = (places: readonly number[]): RobotsGroup => {
    const name = places.join();
    const known = groups.get(name) ?? merge(places.map((i) => blocks[i] as Block));
    groups.set(name, known);
    return known;
  };
  const everybody = byToken.get('*');
  return {
    tokens,
    groupOf(token) {
      const places = byToken.get(token.toLowerCase()) ?? everybody;
      return places === undefined ? NOTHING : groupAt(places);
    },
    global: byName(global),
  };
}

function readBlocks(text: string) {
  const blocks: Block[] = [];
  const byToken = new Map<string, number[]>();
  const global: Line[] = [];
  const tokens: string[] = [];
  let isNaming = false;
  let isOurs = false;
  for (const line of text.replace(/^\uFEFF/, '').split(/\r\n|\r|\n/)) {
    isOurs = line === BEGIN || (isOurs && line !== END);
    const read = parseRobotsLine(line);
    if (read === undefined) continue;
    const { key, value } = read;
    if (key === 'user-agent') {
      if (!isNaming) blocks.push({ rules: [], others: [], ours: [] });
      isNaming = true;
      tokens.push(...addTo(byToken, toToken(value), blocks.length - 1));
    } else if (key === 'sitemap' || blocks.length === 0) global.push([key, value]);
    else {
      isNaming = false;
      addLine(blocks.at(-1) as Block, { key, value, isOurs });
    }
  }
  return { blocks, byToken, global, tokens };
}

/** Returns the token if it is new. */
function addTo(byToken: Map<string, number[]>, token: string, place: number): string[] {
  const key = token.toLowerCase();
  const known = byToken.get(key);
  if (known === undefined) byToken.set(key, [place]);
  else if (known.at(-1) !== place) known.push(place);
  return known === undefined ? [token] : [];
}

function addLine({ rules, others, ours }: Block, line: { key: string; value: string; isOurs: boolean }): void {
  const { key, value, isOurs } = line;
  if (key !== 'allow' && key !== 'disallow') {
    others.push([key, value]);
    if (isOurs) ours.push([key, value]);
  }
  // An empty rule says nothing.
  else if (value !== '') {
    const text = inOneSpelling(value);
    rules.push({ text, allowed: key === 'allow', isOurs, pattern: toPattern(text) });
  }
}

/** Tokens are compared without a version. */
const toToken = (value: string): string => value.replace(/\/.*$/, '').trim();

function merge(blocks: readonly Block[]): RobotsGroup {
  const rules = blocks.flatMap((block) => block.rules);
  return {
    rules: rules.toSorted((a, b) => b.text.length - a.text.length || Number(b.allowed) - Number(a.allowed)),
    others: byName(blocks.flatMap((block) => block.others)),
    ours: byName(blocks.flatMap((block) => block.ours)),
  };
}

function byName(lines: readonly Line[]): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const [name, value] of lines) found.set(name, [...(found.get(name) ?? []), value]);
  return found;
}

/** Spells escapes alike: characters that stand for themselves are not encoded, all others are. */
export const inOneSpelling = (text: string): string =>
  text.toWellFormed().replaceAll(/%[0-9a-fA-F]{2}|[^\x21-\x7e]+/gu, (found) => {
    if (!/^%..$/.test(found)) return encodeURIComponent(found);
    const character = String.fromCharCode(Number.parseInt(found.slice(1), 16));
    return /[\w.~-]/.test(character) ? character : found.toUpperCase();
  });

/** A text with `*` and a final `$` as a pattern of paths with their query. */
export function toPattern(text: string): PathPattern {
  const ends = text.endsWith('$');
  const parts = (ends ? text.slice(0, -1) : text).split(/\*+/);
  return { path: { parts, ends }, query: null, octets: text.length };
}

/** Returns what patterns are matched with: a path with its query, as it is sent. */
export const toReadable = (pathAndQuery: string): string =>
  inOneSpelling(pathAndQuery).replaceAll('*', '%2A').replaceAll('$', '%24');

export const matchesReadable = (pattern: PathPattern, readable: string): boolean =>
  matchesPath(pattern, { path: readable, query: '' });

/** Returns the rule that decides about a readable path; undefined: none, so it may be fetched. */
export const ruleFor = ({ rules }: RobotsGroup, readable: string): RobotsRule | undefined =>
  rules.find(({ pattern }) => matchesReadable(pattern, readable));

export const mayFetch = (group: RobotsGroup, readable: string): boolean => ruleFor(group, readable)?.allowed ?? true;

/** Stand for `*`: nothing, a part of a name, and a folder. */
const FILLERS = ['', 'x', 'zq/', '0-z'];
/** Ends of addresses that a pattern without `$` matches. */
const TAILS = ['', 'x', '?x=1', ';x'];

export const splitPattern = (pattern: string): string[] =>
  (pattern.endsWith('$') ? pattern.slice(0, -1) : pattern).split(/\*+/);

/** Returns paths that a pattern matches. */
export function examplePaths(pattern: string): string[] {
  const ends = pattern.endsWith('$');
  const parts = splitPattern(pattern);
  const texts = FILLERS.flatMap((filler) => {
    const text = parts.join(filler);
    const path = text.startsWith('/') ? text : `/${text}`;
    return ends ? [path] : TAILS.map((tail) => path + tail);
  });
  return [...new Set(texts)];
}
