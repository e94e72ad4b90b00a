/**
 * Keeps closed what the site's own file disallows: the longest rule wins, so our longer allowing rule would open it.
 * Pure. Promise: no path that the site's own rules disallow is allowed by them together with what is returned. Where
 * both allow a path and no rules can say so, it is disallowed, and reported.
 */
import { canMatchBoth, impliesPath } from '../lib/url-pattern.ts';
import { KnownRules } from './known-rules.ts';
import { pad, type Rule } from './longest-match.ts';
import { toPattern } from './robots-reader.ts';

export interface Kept {
  /** Ours, less those that only open what is closed, and repetitions of the site's own. Most important first. */
  rules: Rule[];
  /** Rules beside which more is disallowed than by either of both. */
  stricter: string[];
}

/** Comparisons with rules of ours; beyond them, our rules are taken to differ within a rule of the site. */
const COMPARISONS_MAX = 30_000;

/** `site`: the rules of the site's own file for the same crawler, in all spellings. */
export function keepClosed(ours: readonly Rule[], site: readonly Rule[]): Kept {
  const allowing = known(ours.filter((rule) => rule.allowed));
  const opened = site.filter(({ allowed, text }) => !allowed && allowing.longestBeside(text) >= text.length);
  if (opened.length === 0) return { rules: [...ours], stricter: [] };
  const siteAllows = known(site.filter((rule) => rule.allowed));
  const closed = known(opened.filter(({ text }) => siteAllows.longestBeside(text) < text.length));
  const single = known(opened.filter(({ text }) => isSingle(text)));
  const stricter: string[] = [];
  const rules = ours.filter(({ allowed, text }) => {
    if (!allowed) return true;
    if (closed.hasPrefixOf(text)) return false;
    // No longer rule can close one path alone, so what would open it is left out.
    if (single.longestBeside(text) === 0) return true;
    if (!isSingle(text)) stricter.push(text);
    return false;
  });
  const repeated = repeat(site, rules);
  return { rules: [...repeated.rules, ...rules], stricter: [...stricter, ...repeated.stricter] };
}

/** Matches one path alone, and has no longer spelling. */
const isSingle = (text: string): boolean => text.endsWith('$') && !text.includes('*');

function known(rules: readonly Rule[]): KnownRules {
  const all = new KnownRules();
  for (const { text } of rules) all.add(text);
  return all;
}

/** Repeats rules of the site in lengths in which they win over ours. */
function repeat(site: readonly Rule[], rules: readonly Rule[]): Kept {
  const repeated: Rule[] = [];
  const stricter: string[] = [];
  const opening = known(rules.filter((rule) => rule.allowed));
  const closing = new KnownRules();
  const single = known(site.filter(({ allowed, text }) => !allowed && isSingle(text)));
  const exceptionsOf = openExceptions(rules);
  const add = (text: string, allowed: boolean): void => {
    repeated.push({ text, allowed });
    (allowed ? opening : closing).add(text);
  };
  const open = (text: string, length: number): boolean => {
    const denied = single.longestBeside(text) === 0 ? exceptionsOf(text) : undefined;
    const padded = pad(text, length);
    if (denied === undefined || padded === undefined) return false;
    // A longer one would close what a rule of ours allows elsewhere.
    if (denied.some((one) => isSingle(one) || opening.longestBeside(one) >= one.length)) return false;
    add(padded, true);
    for (const one of denied) add(pad(one, padded.length + 1) as string, false);
    return true;
  };
  // The least important first.
  const ordered = site.toSorted((a, b) => a.text.length - b.text.length || Number(a.allowed) - Number(b.allowed));
  for (const { allowed, text } of ordered) {
    const beside = (allowed ? closing : opening).longestBeside(text);
    if (allowed && beside > text.length && !open(text, beside)) stricter.push(text);
    if (!allowed && beside >= text.length && !isSingle(text)) add(pad(text, beside + 1) as string, false);
  }
  return { rules: repeated.toReversed(), stricter };
}

/** Returns a function that finds our denials within what a text matches; undefined: more is denied there. */
function openExceptions(rules: readonly Rule[]): (text: string) => string[] | undefined {
  const ordered = rules
    .toSorted((a, b) => b.text.length - a.text.length || Number(b.allowed) - Number(a.allowed))
    .map(({ text, allowed }) => ({ text, pattern: toPattern(text), allowed }));
  let comparisons = 0;
  return (text) => {
    comparisons += ordered.length;
    if (comparisons > COMPARISONS_MAX) return undefined;
    const own = toPattern(text);
    const denied: string[] = [];
    for (const { text: other, pattern, allowed } of ordered) {
      if (!canMatchBoth(own, pattern)) continue;
      if (!impliesPath(own, pattern)) {
        if (!allowed) denied.push(other);
        continue;
      }
      return allowed ? denied : undefined;
    }
    return denied;
  };
}
