/**
 * Writes ordered patterns as rules of which the longest wins, and of two equally long ones the allowing one (RFC 9309).
 * Pure. Promise: no URL that is denied here is allowed by the rules; the reverse is reported.
 * A path pattern of collections without `?` ignores the query; in RFC 9309, `*` reaches into it and `$` ends behind it.
 * So `/a$` is written as `/a$` and `/a?`, and an allowing pattern with `*` comes with a denying one that matches only
 * where its text is found in the query.
 */
import type { PathPattern } from '../lib/url-pattern.ts';
import { KnownRules } from './known-rules.ts';

/** An answer for a pattern; of several patterns that match, the first counts. */
export interface Ranked {
  readonly pattern: PathPattern;
  readonly allowed: boolean;
}

/** A rule of which the longest wins. */
export interface Rule {
  allowed: boolean;
  text: string;
}

export interface Rules {
  /** Most important first. */
  rules: Rule[];
  /** Patterns whose rules deny more than they should. */
  stricter: string[];
}

/** `beside`: allowing patterns of the same group that stand elsewhere. Paths without a rule are allowed. */
export function toLongestMatch(ranked: readonly Ranked[], beside: readonly string[] = []): Rules {
  const stricter: string[] = [];
  const writer = new Writer(beside);
  for (const { pattern, allowed } of ranked.toReversed()) {
    const texts = spell(pattern, allowed);
    if (!writer.changes(texts, allowed)) continue;
    let isStricter = texts.some((text) => (allowed ? /%20.*%20/ : /[*]./).test(text));
    for (const text of texts) isStricter = !writer.add(text, allowed) || isStricter;
    // Above the rules that it corrects.
    if (allowed && writer.denies) {
      for (const text of texts.flatMap(guardsOf)) {
        writer.add(text, false);
        isStricter = true;
      }
    }
    if (isStricter) stricter.push(texts[0] as string);
  }
  return { rules: writer.rules.toReversed().map(({ text, allowed }) => ({ text, allowed })), stricter };
}

class Writer {
  /** The least important first. */
  readonly rules: Rule[] = [];
  readonly #known = { allowed: new KnownRules(), denied: new KnownRules() };

  constructor(beside: readonly string[]) {
    for (const text of beside) this.#known.allowed.add(inOneSpelling(text));
  }

  get denies(): boolean {
    return this.#known.denied.size > 0;
  }

  /** Returns whether rules with these texts could change anything. */
  changes(texts: readonly string[], allowed: boolean): boolean {
    const { allowed: allows, denied } = this.#known;
    return texts.some((text) =>
      allowed ? denied.longestBeside(text) > 0 : !denied.hasPrefixOf(text) || allows.longestBeside(text) > 0,
    );
  }

  /** Returns false if something is denied that should be allowed. */
  add(text: string, allowed: boolean): boolean {
    // Rules of the other kind would win where both match.
    const least = allowed
      ? this.#known.denied.longestBeside(text)
      : this.#known.allowed.longestBeside(text) + (this.#known.allowed.size > 0 ? 1 : 0);
    const padded = pad(text, least);
    if (padded !== undefined) {
      this.rules.push({ text: padded, allowed });
      this.#known[allowed ? 'allowed' : 'denied'].add(padded);
      return true;
    }
    // It cannot win as it is: a denying rule also takes what follows, an allowing one is left out.
    if (!allowed) this.add(`${text.slice(0, -1)}*`, false);
    return false;
  }
}

export const inOneSpelling = (text: string): string => encodeURI(text).replaceAll('%25', '%');

/** Returns the text in the wanted length with the same meaning, or undefined. */
export function pad(text: string, length: number): string | undefined {
  const more = length - text.length;
  if (more <= 0) return text;
  const stars = '*'.repeat(more);
  if (!text.endsWith('$')) return text + stars;
  const star = text.lastIndexOf('*');
  return star === -1 ? undefined : text.slice(0, star) + stars + text.slice(star);
}

/** Spells a pattern for URLs as they are sent, with any query. A denying one may match more where parsers differ. */
function spell({ path, query }: PathPattern, allowed: boolean): string[] {
  // Some parsers do not read `%2A` as `*` itself.
  const toLiteral = (text: string): string =>
    allowed ? text.replaceAll('*', '%2A').replaceAll('$', '%24') : text.replaceAll(/[*$]/g, '*');
  const base = path.parts.map(toLiteral).join('*');
  if (query === null) return path.ends ? [`${base}$`, `${base}?`] : [base === '' ? '/' : base];
  const text = query.parts.map(toLiteral).join('*') + (query.ends ? '$' : '');
  // A space is `%20` or `+`.
  const texts = allowed ? [...new Set([text, text.replaceAll('%20', '+')])] : [text.replaceAll('%20', '*')];
  return texts.map((one) => `${base}?${one}`);
}

/** Returns patterns that match where what follows a `*` of the path is found behind the question mark. */
function guardsOf(text: string): string[] {
  const path = text.split('?')[0] as string;
  const guards: string[] = [];
  for (let at = path.indexOf('*'); at !== -1; at = path.indexOf('*', at + 1)) {
    // A `*` at the end stands for everything that follows anyway.
    if (at < text.length - 1) guards.push(`${text.slice(0, at)}*?${text.slice(at)}`);
  }
  return guards;
}
