/**
 * Patterns for what no patterns can say about spellings: together they match at least what one pattern matches in all
 * spellings of the same file. Pure. Where the case of letters does not count, the first letters are written in each
 * case, and the pattern ends behind them: `/premium/` becomes `/pre`, `/Pre`, `/pRe` and so on.
 */
import { toText, WILD } from '../../lib/urls/glob.ts';
import { spelledPatterns } from '../../lib/urls/pattern-spellings.ts';
import { toFolded, type UrlRules } from '../../lib/urls/spellings.ts';
import type { PathPattern } from '../../lib/urls/url-pattern.ts';
import { EVERYWHERE, patternKey } from './regions.ts';
import type { Cell } from './table.ts';
import { isFree } from './values.ts';
import { USES } from './words.ts';

/** Returns whether everybody may have everything, so that no other rule allows more. */
export const isOpen = (cell: Cell): boolean => USES.every((use) => isFree(cell, use));

/** Letters that are written in each case: each doubles the patterns. */
const LETTERS_MAX = 3;

/** Returns patterns that match all files of a pattern, and maybe more; the longest first. */
export function widerPatterns(pattern: PathPattern, rules: UrlRules): PathPattern[] {
  const isFolded = rules.case === 'ignored';
  const parts = isFolded ? pattern.path.parts.map(fold) : pattern.path.parts;
  const index = isFolded ? rules.index.map(fold) : rules.index;
  const spelled = spelledPatterns(
    { ...pattern, path: { ...pattern.path, parts } },
    { ...rules, case: 'sensitive', index },
  );
  if (spelled === undefined) return [EVERYWHERE];
  const wider = isFolded ? spelled.flatMap(inEachCase) : spelled;
  return [...new Map(wider.map((one) => [patternKey(one), one])).values()].toSorted((a, b) => b.octets - a.octets);
}

const ESCAPE = '%[0-9A-F]{2}';

/** Escapes have capitals in all texts. */
const fold = (text: string): string =>
  text.replaceAll(new RegExp(`${ESCAPE}|[A-Z]+`, 'g'), (found) => (found.startsWith('%') ? found : toFolded(found)));

/** Takes a pattern in lowercase. */
function inEachCase({ path, query, octets }: PathPattern): PathPattern[] {
  const tokens = toText(path).match(new RegExp(`${ESCAPE}|[^]`, 'g')) ?? [];
  let texts = [''];
  let letters = 0;
  let isCut = false;
  for (const token of tokens) {
    const isLetter = /^[a-z]$/.test(token);
    if (isLetter && ++letters > LETTERS_MAX) {
      isCut = true;
      break;
    }
    texts = texts.flatMap((text) => (isLetter ? [text + token, text + token.toUpperCase()] : [text + token]));
  }
  return texts.map((text) => {
    const parts = (isCut ? `${text}${WILD}` : text).replaceAll(/\0+/g, WILD).split(WILD);
    const ends = parts.length === 1 || parts.at(-1) !== '';
    if (!ends) parts.pop();
    return { path: { parts, ends }, query: isCut ? null : query, octets: Math.min(octets, text.length) };
  });
}
