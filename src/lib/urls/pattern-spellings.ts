/**
 * Patterns for readers that know nothing of the spellings of a host, such as those of robots.txt: together they match
 * what one pattern matches in all spellings of the same file. Pure. Where no patterns can say it, there are none.
 */
import { type Glob, impliesGlob } from './glob.ts';
import type { UrlRules } from './spellings.ts';
import type { PathPattern } from './url-pattern.ts';

/** Returns the pattern and what else it matches; undefined where patterns cannot say it. */
export function spelledPatterns(pattern: PathPattern, rules: UrlRules): PathPattern[] | undefined {
  const { parts, ends } = withoutLastStar(pattern.path);
  const isFolded = rules.case === 'ignored';
  if (isFolded && parts.some(hasLetters)) return undefined;
  const last = parts.at(-1) as string;
  const tails = spellTails(last, { ends, isWhole: parts.length === 1 }, rules);
  if (tails === undefined) return undefined;
  const others = [...new Set(tails)].map((tail): Glob => ({ parts: [...parts.slice(0, -1), tail], ends: true }));
  const more = others.filter((one) => !impliesGlob(one, pattern.path));
  if (isFolded && more.some((one) => one.parts.some(hasLetters))) return undefined;
  return [pattern, ...more.map((path) => ({ ...pattern, path }))];
}

const hasLetters = (text: string): boolean => /[a-z]/i.test(text.replaceAll(/%[0-9A-F]{2}/g, ''));

/** Returns the same pattern as a prefix if it ends with any characters. */
const withoutLastStar = ({ parts, ends }: Glob): Glob =>
  parts.length > 1 && parts.at(-1) === '' ? { parts: parts.slice(0, -1), ends: false } : { parts, ends };

interface Shape {
  ends: boolean;
  /** No `*` comes before. */
  isWhole: boolean;
}

/** Returns how else the path may end, completely, where it ends with a literal. */
function spellTails(last: string, { ends, isWhole }: Shape, rules: UrlRules): string[] | undefined {
  const found: string[] = [];
  for (const suffix of ['/', ...rules.index.map((name) => `/${name}`)]) {
    // A prefix may end anywhere in what is left out elsewhere.
    for (let length = ends ? suffix.length : 1; length <= suffix.length; length++) {
      const part = suffix.slice(0, length);
      if (last.endsWith(part)) {
        const tails = spelledFolder(last.slice(0, -part.length), isWhole, rules);
        if (tails === undefined) return undefined;
        found.push(...tails);
      } else if (!isWhole && last !== '' && part.endsWith(last)) return undefined;
    }
  }
  const own = ends ? tailsOfName(last, isWhole, rules) : [];
  return own === undefined ? undefined : [...found, ...own];
}

/** Returns the spellings of a path that ends with a name as a folder. */
function tailsOfName(last: string, isWhole: boolean, { finalSlash, index }: UrlRules): string[] | undefined {
  const name = last.slice(last.lastIndexOf('/') + 1);
  if (finalSlash === 'significant' || name === '' || name.includes('.') || index.includes(name)) return [];
  if (!isWhole && !last.includes('/')) return undefined;
  return [`${last}/`, ...index.map((one) => `${last}/${one}`)];
}

/** Returns the spellings of a folder, given without its final slash. */
function spelledFolder(bare: string, isWhole: boolean, { finalSlash, index }: UrlRules): string[] | undefined {
  const found = [`${bare}/`, ...index.map((name) => `${bare}/${name}`)];
  if (finalSlash === 'significant' || (isWhole && bare === '')) return found;
  const name = bare.slice(bare.lastIndexOf('/') + 1);
  if (!isWhole && !bare.includes('/')) return undefined;
  return name.includes('.') || index.includes(name) ? found : [bare, ...found];
}
