/** Reads `Content-Usage` (AIPREF), in lines of robots.txt and as a header. Pure. */
import { parseDictionary } from 'structured-headers';
import type { PathPattern } from '../../lib/urls/url-pattern.ts';
import { inOneSpelling, toPattern } from './robots-reader.ts';

export interface UsageRule {
  readonly text: string;
  readonly value: string;
  readonly pattern: PathPattern;
}

/** Returns the preferences in one spelling; text that is no dictionary as it is. */
export function toPreferences(text: string): string {
  try {
    return [...parseDictionary(text)]
      .map(([label, [value]]) => `${label}=${String(value)}`)
      .toSorted()
      .join(', ');
  } catch {
    return text.trim();
  }
}

/** Returns the rules in the order in which they win. */
export function usageRules(lines: readonly string[]): UsageRule[] {
  const rules = lines.map((line): UsageRule => {
    const [, path = '/', preferences = ''] = /^([/*]\S*)?\s*(.*)$/.exec(line) ?? [];
    const text = inOneSpelling(path);
    return { text, value: toPreferences(preferences), pattern: toPattern(text) };
  });
  return rules.toSorted((a, b) => b.text.length - a.text.length);
}

/** Returns the rules that count for a path: the longest that match. */
function rulesFor(rules: readonly UsageRule[], matches: (pattern: PathPattern) => boolean): UsageRule[] {
  const first = rules.find(({ pattern }) => matches(pattern));
  if (first === undefined) return [];
  return rules.filter(({ text, pattern }) => text.length === first.text.length && matches(pattern));
}

/** Returns the preferences of the longest rule that matches; of equally long ones all, in one order. */
export function findUsage(rules: readonly UsageRule[], matches: (pattern: PathPattern) => boolean): string | null {
  const values = rulesFor(rules, matches).map(({ value }) => value);
  return values.length === 0 ? null : [...new Set(values)].toSorted().join(' and ');
}

/** Returns whether the longest rules that match have a preference, such as `train-ai=y`. */
export function prefers(
  rules: readonly UsageRule[],
  preference: string,
  matches: (pattern: PathPattern) => boolean,
): boolean {
  const found = rulesFor(rules, matches);
  return found.length > 0 && found.every(({ value }) => value.split(', ').includes(preference));
}
