/**
 * Writes ordered patterns as rules of which the longest wins, and of two equally long ones the allowing one (RFC 9309).
 * Pure. Promise: no URL that is denied here, or disallowed by the site's own rules beside ours, is allowed by all rules
 * together; the reverse is reported. No rule has two stars in a row, which some readers take minutes for.
 * A path pattern of collections without `?` ignores the query; in RFC 9309, `*` reaches into it and `$` ends behind it.
 * So `/a$` is written as `/a$` and `/a?`, and an allowing pattern with `*` comes with a denying one that matches only
 * where its text is found in the query. An empty query is none, so an allowing `/a?` comes with a denying `/a?$`.
 */
import type { PathPattern } from '../../lib/urls/url-pattern.ts';
import { type BookRule, RuleBook } from './rule-book.ts';

/** An answer for a pattern; of several patterns that match, the first counts. */
export interface RankedRule {
  readonly pattern: PathPattern;
  readonly allowed: boolean;
  /** A file that is allowed as it is named alone, or a folder of such files. */
  readonly isFile?: boolean;
}

export interface Rules {
  /** Most important first. */
  rules: BookRule[];
  /** Patterns whose rules deny more than they should. */
  stricter: string[];
  /** Rules of the site beside which more is disallowed than by either of both. */
  closed: string[];
  /** Allowing rules of the site that no rule of ours can overrule. */
  open: string[];
}

/** `site`: rules of the same group that stand elsewhere. Paths without a rule are allowed. */
export function toLongestMatch(ranked: readonly RankedRule[], site: readonly BookRule[] = []): Rules {
  const stricter: string[] = [];
  const book = new RuleBook(site);
  for (const one of leastFirst(ranked)) {
    if (one.isFile === true) addFile(book, one.pattern);
    else stricter.push(...addPattern(book, one));
  }
  return { rules: book.rules(), stricter, closed: [...book.closed], open: [...book.open] };
}

/** Returns the text if more is denied than should be. */
function addPattern(book: RuleBook, { pattern, allowed }: RankedRule): string[] {
  const texts = spell(pattern, allowed);
  if (!book.changes(texts, allowed)) return [];
  let isStricter = allowed ? texts.some((text) => /%20.*%20/.test(text)) : isWider(pattern, texts);
  const empty = !allowed || pattern.query === null ? [] : spellEmptyQueries(texts).filter((text) => book.denies(text));
  for (const text of texts) isStricter = !book.add(text, allowed) || isStricter;
  for (const text of empty) isStricter = !book.add(text, false) || isStricter;
  return isStricter ? texts.slice(0, 1) : [];
}

/** Ends of a folder's name with which some servers could read a URL as another page: a query, parameters, dots. */
const ODD_ENDS = ['?', ';', '%', '//', '.*/', '.$', '::'] as const;

/** Allows a file without a query, or a folder without what may be another page. */
function addFile(book: RuleBook, pattern: PathPattern): void {
  const [text = ''] = spell(pattern, true);
  if (!book.changes([text], true)) return;
  book.allowBut(text, pattern.path.ends ? [] : ODD_ENDS.map((end) => `${text}*${end}`));
}

/** Keeps the order of neighbors that are equal: of the spellings of a pattern, its own finds room first. */
function leastFirst(ranked: readonly RankedRule[]): RankedRule[] {
  const runs: RankedRule[][] = [];
  for (const one of ranked) {
    const run = runs.at(-1);
    const isEqual = run?.[0]?.allowed === one.allowed && run[0].pattern.octets === one.pattern.octets;
    if (run !== undefined && isEqual) run.push(one);
    else runs.push([one]);
  }
  return runs.toReversed().flat();
}

const isWider = ({ query }: PathPattern, texts: readonly string[]): boolean =>
  query !== null || texts.some((text) => /[*]./.test(text));

/** Spells a pattern for URLs as they are sent, with any query. A denying one may match more where parsers differ. */
function spell({ path, query }: PathPattern, allowed: boolean): string[] {
  // Some parsers do not read `%2A` as `*` itself.
  const toLiteral = (text: string): string =>
    allowed ? text.replaceAll('*', '%2A').replaceAll('$', '%24') : text.replaceAll(/[*$]+/g, '*');
  const base = withoutRuns(path.parts.map(toLiteral).join('*'));
  if (query === null) return path.ends ? [`${base}$`, `${base}?`] : [base === '' ? '/' : base];
  if (!allowed) return [`${base}?${toDeniedQuery(query.parts.map(toLiteral).join('*'))}`];
  const written = withoutRuns(query.parts.map(toLiteral).join('*'));
  // An empty query matches no pattern.
  if (written === '' && query.ends) return [];
  const text = written.endsWith('*') ? written.slice(0, -1) : written + (query.ends ? '$' : '');
  // A space is `%20` or `+`.
  return [...new Set([text, text.replaceAll('%20', '+')])].map((one) => `${base}?${one}`);
}

/** Returns texts that match only the URLs with an empty query that the texts match. */
const spellEmptyQueries = (texts: readonly string[]): string[] =>
  texts.flatMap((text) => (text.endsWith('?') ? [`${text}$`] : []));

/** Returns the texts of rules that deny a pattern; they may match more. */
export const spellDenied = (pattern: PathPattern): string[] => spell(pattern, false);

/** Parameters may stand in any order and among others; several of them only close every query. */
export function toDeniedQuery(text: string): string {
  if (text === '' || text.includes('&')) return '';
  return withoutRuns(`*${text.replaceAll('%20', '*')}`);
}

export const withoutRuns = (text: string): string => text.replaceAll(/\*{2,}/g, '*');

export const inOneSpelling = (text: string): string => encodeURI(text).replaceAll('%25', '%');
