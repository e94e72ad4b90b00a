/**
 * Rules of one kind, to find how long those are that match a URL which another rule matches. Pure. A search costs the
 * length of the text, for any number of rules without `*`.
 */
import { canMatchBoth, type PathPattern } from '../../lib/urls/url-pattern.ts';

/** Comparisons with rules that have a `*`; beyond them, rules are taken to overlap. */
const COMPARISONS_MAX = 30_000;

type Form = 'prefix' | 'exact' | 'glob';

export class KnownRules {
  size = 0;
  /** The longest rule whose text begins like this. */
  readonly #below = new Map<string, number>();
  readonly #prefixes = new Map<string, number>();
  /** Texts are searched for prefixes of these lengths only. */
  readonly #lengths = new Set<number>();
  readonly #exact = new Map<string, number>();
  readonly #globs: string[] = [];
  readonly #all: string[] = [];
  #longest = 0;
  #longestGlob = 0;
  #comparisons = 0;

  add(text: string): void {
    this.size++;
    this.#longest = Math.max(this.#longest, text.length);
    this.#all.push(text);
    const { form, base } = read(text);
    if (form === 'glob') {
      this.#globs.push(text);
      this.#longestGlob = Math.max(this.#longestGlob, text.length);
      return;
    }
    if (form === 'prefix') this.#lengths.add(base.length);
    raise(form === 'prefix' ? this.#prefixes : this.#exact, base, text.length);
    for (let end = 1; end <= base.length; end++) raise(this.#below, base.slice(0, end), text.length);
  }

  /** Returns the length of the longest rule that may match a URL which the text matches; 0 without one. */
  longestBeside(text: string): number {
    if (this.size === 0) return 0;
    const { form, base } = read(text);
    if (form === 'glob') return this.#longestOf(text, this.#all, this.#longest);
    let longest = this.#longestOf(text, this.#globs, this.#longestGlob);
    for (const length of this.#lengths) {
      if (length <= base.length) longest = Math.max(longest, this.#prefixes.get(base.slice(0, length)) ?? 0);
    }
    return Math.max(longest, (form === 'prefix' ? this.#below : this.#exact).get(base) ?? 0);
  }

  /** Returns whether one rule matches every URL that the text matches; not for all texts. */
  hasPrefixOf(text: string): boolean {
    const end = text.search(/[*$]/);
    const literal = end === -1 ? text : text.slice(0, end);
    for (const length of this.#lengths) {
      if (length <= literal.length && this.#prefixes.has(literal.slice(0, length))) return true;
    }
    return false;
  }

  #longestOf(text: string, rules: readonly string[], otherwise: number): number {
    this.#comparisons += rules.length;
    if (this.#comparisons > COMPARISONS_MAX) return otherwise;
    const pattern = toPattern(text);
    let longest = 0;
    for (const rule of rules) {
      if (rule.length > longest && canMatchBoth(pattern, toPattern(rule))) longest = rule.length;
    }
    return longest;
  }
}

function raise(lengths: Map<string, number>, text: string, length: number): void {
  if ((lengths.get(text) ?? 0) < length) lengths.set(text, length);
}

/** `*` at the end changes nothing. */
function read(text: string): { form: Form; base: string } {
  const exact = text.endsWith('$');
  const base = exact ? text.slice(0, -1) : text.replace(/\*+$/, '');
  return { form: base.includes('*') || base === '' ? 'glob' : exact ? 'exact' : 'prefix', base };
}

const toPattern = (text: string): PathPattern => {
  const ends = text.endsWith('$');
  return {
    path: { parts: (ends ? text.slice(0, -1) : text).split(/\*+/), ends },
    query: null,
    octets: text.length,
  };
};
