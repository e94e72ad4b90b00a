/** Sorts the crawlers of a site into the groups of its robots.txt. Pure. */

import { type AudienceGroup, crawlAnswer, groupAudiences, type Inexpressible, type Table } from '../table/table.ts';
import type { Use } from '../table/words.ts';
import type { Base } from './robots-base.ts';

export interface NamedGroup {
  tokens: string[];
  /** An audience of each set that gets the same answers: what is written holds for all of them. */
  audiences: readonly number[];
}

const KIND = 'robots.txt';
const ABOUT_MAX = 20;

/** Tokens as crawlers find their group: one word. */
const TOKEN = /^[A-Za-z0-9][\w.-]*$/;
/** The reference parser reads no others: a name ends at a digit or a dot. */
const PLAIN_TOKEN = /^[A-Za-z_-]+$/;

/** Crawlers that take the group of another one if theirs is missing, as their operators document. */
const FOLLOWED: ReadonlyMap<string, string> = new Map([
  ['applebot', 'googlebot'],
  ['google-inspectiontool', 'googlebot'],
  ['storebot-google', 'googlebot'],
  ['googleother-image', 'googleother'],
  ['googleother-video', 'googleother'],
]);
/** Crawlers that take no notice of `*`, as their operator documents. */
const BY_NAME_ONLY: ReadonlySet<string> = new Set([
  'adsbot-google',
  'adsbot-google-mobile',
  'adsbot-google-mobile-apps',
  'mediapartners-google',
  'apis-google',
]);

const toToken = (token: string): string => token.replace(/\/$/, '');
const toKey = (token: string): string => token.toLowerCase();

/** Returns the group of `*`, then those of crawlers with other answers. */
export function namedGroups(
  table: Table,
  { uses, base, cannotExpress }: { uses: readonly Use[]; base: Base; cannotExpress: Inexpressible[] },
): NamedGroup[] {
  const [everybody, ...others] = groupAudiences(table, uses);
  const toTokens = ({ audiences }: AudienceGroup): string[] =>
    audiences.map((i) => toToken(table.audiences[i]?.token ?? ''));
  const named = others.map((group) => ({ audiences: [group.audience], tokens: toTokens(group) }));
  aboutNames(
    named.flatMap(({ tokens }) => tokens),
    cannotExpress,
  );
  const groups = named.map(({ audiences, tokens }) => ({
    audiences,
    tokens: [...new Set(tokens.filter((token) => TOKEN.test(token)))],
  }));
  const ours = groups.flatMap(({ tokens }) => tokens).map(toKey);
  const theirs = base.tokens.map(toKey);
  const isDenied = everybody !== undefined && table.rows.some((row) => !crawlAnswer(row, everybody.audience).allowed);
  const mistaken = (everybody === undefined ? [] : toTokens(everybody)).filter(
    (token) =>
      TOKEN.test(token) && (needsName(toKey(token), ours, theirs) || (isDenied && BY_NAME_ONLY.has(toKey(token)))),
  );
  const first =
    everybody === undefined ? [] : [{ tokens: ['*', ...new Set(mistaken)], audiences: [everybody.audience] }];
  return [...first, ...groups.filter(({ tokens }) => tokens.length > 0)];
}

/** Returns whether a crawler of the group of `*` would read another one. */
function needsName(token: string, ours: readonly string[], theirs: readonly string[]): boolean {
  const followed = FOLLOWED.get(token);
  return (
    // Some parsers take a group whose token is a part of theirs.
    ours.some((other) => other === followed || token.includes(other)) ||
    theirs.some((other) => other === followed || token.startsWith(`${other}-`))
  );
}

function aboutNames(tokens: readonly string[], cannotExpress: Inexpressible[]): void {
  const add = (about: string[], message: string): void => {
    if (about.length > 0) cannotExpress.push({ kind: KIND, about: about.slice(0, ABOUT_MAX), message });
  };
  add(
    tokens.filter((token) => !TOKEN.test(token)),
    'The names of these crawlers are no tokens of robots.txt, so they read what everybody else reads.',
  );
  add(
    tokens.filter((token) => TOKEN.test(token) && !PLAIN_TOKEN.test(token)),
    'The names of these crawlers have digits or dots. Some parsers end a name there, so such a crawler may read what everybody else reads.',
  );
}

/**
 * Splits a group into tokens that are merged with groups of the site's own file, and tokens that replace its `*`.
 * Crawlers that the file names and the directory does not know are part of everybody.
 */
export function besideBase({ tokens, audiences }: NamedGroup, groups: readonly NamedGroup[], base: Base): NamedGroup[] {
  const taken = new Set(groups.flatMap((one) => one.tokens.map(toKey)));
  const all = tokens[0] === '*' ? [...tokens, ...base.tokens.filter((token) => !taken.has(toKey(token)))] : tokens;
  // Where the file says nothing to everybody, there is nothing to repeat.
  if (base.everybody.lines.length === 0) return [{ tokens: all, audiences }];
  const merged = all.filter((token) => base.isNamed(token) || token === '*');
  const replacing = all.filter((token) => !merged.includes(token));
  return [merged, replacing].filter((some) => some.length > 0).map((some) => ({ tokens: some, audiences }));
}

/** Returns the group of `*`, and one for all other crawlers: it allows what each of them may do. */
export function mergeGroups(groups: readonly NamedGroup[]): NamedGroup[] {
  const [everybody, ...others] = groups;
  if (everybody === undefined || others.length < 2) return [...groups];
  const merged = {
    tokens: others.flatMap(({ tokens }) => tokens),
    audiences: others.flatMap(({ audiences }) => audiences),
  };
  return [everybody, merged];
}
