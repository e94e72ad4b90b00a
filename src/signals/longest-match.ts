/**
 * Writes ordered patterns as rules of which the longest wins, and of two equally long ones the allowing one (RFC 9309).
 * Pure. Promise: no URL that is denied here is allowed by the rules; the reverse is reported.
 * A path pattern of collections without `?` ignores the query; in RFC 9309, `*` reaches into it and `$` ends behind it.
 * So `/a$` is written as `/a$` and `/a?`, and an allowing pattern with `*` comes with a denying one that matches only
 * where its text is found in the query.
 */
import { canMatchBoth, type PathPattern } from '../lib/url-pattern.ts';

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

/** Comparisons of patterns; beyond them, patterns are taken to overlap. */
const COMPARISONS_MAX = 200_000;

/** `beside`: allowing patterns of the same group that stand elsewhere. Paths without a rule are allowed. */
export function toLongestMatch(ranked: readonly Ranked[], beside: readonly string[] = []): Rules {
  const stricter: string[] = [];
  const writer = new Writer(beside);
  for (const { pattern, allowed } of ranked.toReversed()) {
    const texts = spell(pattern, allowed);
    if (!writer.changes(texts, allowed)) continue;
    let isStricter = !allowed && hasStar(pattern);
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
  readonly #byLength = new Map<number, Rule[]>();
  readonly #hasBeside: boolean;
  #longest = 0;
  #comparisons = 0;
  #denying = 0;
  /** Prefixes that are denied with everything below, as long as nothing is allowed. */
  readonly #denied: string[] = [];

  constructor(beside: readonly string[]) {
    this.#hasBeside = beside.length > 0;
    for (const text of beside) this.#remember({ text: inOneSpelling(text), allowed: true });
  }

  get denies(): boolean {
    return this.#denying > 0;
  }

  /** Returns whether rules with these texts could change anything. */
  changes(texts: readonly string[], allowed: boolean): boolean {
    if (allowed) return this.denies;
    const allowsNothing = this.#denying === this.rules.length && !this.#hasBeside;
    return !allowsNothing || !texts.every((text) => this.#denied.some((prefix) => text.startsWith(prefix)));
  }

  /** Returns false if something is denied that should be allowed. */
  add(text: string, allowed: boolean): boolean {
    const rivals = this.#rivalsOf(text, allowed);
    const least = rivals.reduce((length, { text: other }) => Math.max(length, other.length + (allowed ? 0 : 1)), 0);
    const padded = pad(text, least);
    if (padded !== undefined) {
      this.#keep({ text: padded, allowed });
      return true;
    }
    // It cannot win as it is: a denying rule also takes what follows, an allowing one is left out.
    if (!allowed) this.add(`${text.slice(0, -1)}*`, false);
    return false;
  }

  #keep(rule: Rule): void {
    this.rules.push(rule);
    if (!rule.allowed) {
      this.#denying++;
      if (/^[^*$]+\**$/.test(rule.text)) this.#denied.push(rule.text.replace(/\*+$/, ''));
    }
    this.#remember(rule);
  }

  #remember(rule: Rule): void {
    const { length } = rule.text;
    const rules = this.#byLength.get(length) ?? [];
    rules.push(rule);
    this.#byLength.set(length, rules);
    this.#longest = Math.max(this.#longest, length);
  }

  /** Returns less important rules of the other kind that would win where both match. */
  #rivalsOf(text: string, allowed: boolean): Rule[] {
    const rivals: Rule[] = [];
    for (let length = text.length; length <= this.#longest; length++) {
      for (const other of this.#byLength.get(length) ?? []) {
        if (other.allowed === allowed || (allowed && length === text.length)) continue;
        if (this.#overlap(text, other.text)) rivals.push(other);
      }
    }
    return rivals;
  }

  #overlap(one: string, other: string): boolean {
    if (!/[*$]/.test(one) && !/[*$]/.test(other)) return one.startsWith(other) || other.startsWith(one);
    if (++this.#comparisons > COMPARISONS_MAX) return true;
    return canMatchBoth(toPattern(one), toPattern(other));
  }
}

const inOneSpelling = (text: string): string => encodeURI(text).replaceAll('%25', '%');

const toPattern = (text: string): PathPattern => {
  const ends = text.endsWith('$');
  return {
    path: { parts: (ends ? text.slice(0, -1) : text).split(/\*+/), ends },
    query: null,
    octets: text.length,
  };
};

/** Returns the text in the wanted length with the same meaning, or undefined. */
function pad(text: string, length: number): string | undefined {
  const more = length - text.length;
  if (more <= 0) return text;
  const stars = '*'.repeat(more);
  if (!text.endsWith('$')) return text + stars;
  const star = text.lastIndexOf('*');
  return star === -1 ? undefined : text.slice(0, star) + stars + text.slice(star);
}

const hasStar = ({ path, query }: PathPattern): boolean => path.parts.length > 1 || (query?.parts.length ?? 0) > 1;

/** Spells a pattern for URLs as they are sent, with any query. */
function spell({ path, query }: PathPattern, allowed: boolean): string[] {
  const base = path.parts.map(toLiteral).join('*');
  if (query === null) return path.ends ? [`${base}$`, `${base}?`] : [base === '' ? '/' : base];
  // A space is `%20` or `+`.
  const parts = query.parts.map((part) => (allowed ? toLiteral(part) : toLiteral(part).replaceAll('%20', '*')));
  return [`${base}?${parts.join('*')}${query.ends ? '$' : ''}`];
}

const toLiteral = (text: string): string => text.replaceAll('*', '%2A').replaceAll('$', '%24');

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
