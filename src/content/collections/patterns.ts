/**
 * The path patterns of a host's collections. Promise: a search looks only at patterns that begin as the path does; of
 * many that begin alike, only at those whose longest other literal part occurs in the URL. So a visitor's URL costs
 * about its own length, for any number of patterns.
 */

import { TextTrie } from '../../lib/text-trie.ts';
import type { Glob } from '../../lib/urls/glob.ts';
import { type PathPattern, type Target, targetTexts, toFoldedPath } from '../../lib/urls/url-pattern.ts';

interface Patterned {
  pattern: PathPattern;
}

/** Trying so few patterns costs less than searching the URL for their literals. */
const TRIED_MAX = 32;
/** Longer literals are cut: this bounds the search of a URL that repeats itself. */
const LITERAL_MAX = 64;

export class Patterns<E extends Patterned> {
  readonly #entries: readonly E[];
  readonly #asWritten: Beginnings<E>;
  /** For URLs in which the case of letters does not count; made when one is asked for. */
  #folded: Beginnings<E> | undefined;

  constructor(entries: Iterable<E>) {
    this.#entries = [...entries];
    this.#asWritten = new Beginnings(this.#entries, pathOf);
  }

  /** Returns lists that have all patterns that match, and few others, each with the longest first. */
  listsFor(target: Target): (readonly E[])[] {
    if (target.folded === true) this.#folded ??= new Beginnings(this.#entries, ({ pattern }) => toFoldedPath(pattern));
    const beginnings = target.folded === true ? (this.#folded as Beginnings<E>) : this.#asWritten;
    const [only, ...others] = targetTexts(target);
    if (others.length === 0) return beginnings.listsFor(only as string, target.query);
    // Spellings begin alike, so most lists are those of the first one.
    return [...new Set(targetTexts(target).flatMap((text) => beginnings.listsFor(text, target.query)))];
  }
}

type GlobOf<E> = (entry: E) => Glob;
const pathOf = ({ pattern }: Patterned): Glob => pattern.path;

/** Patterns by their literal beginnings. */
class Beginnings<E extends Patterned> {
  readonly #byBeginning = new TextTrie<Alike<E>>();
  readonly #withoutBeginning: Alike<E>;

  constructor(entries: readonly E[], globOf: GlobOf<E>) {
    const lists = new Map<string, E[]>([['', []]]);
    for (const entry of entries) addTo(lists, globOf(entry).parts[0] ?? '', entry);
    for (const [beginning, list] of lists)
      if (beginning !== '') this.#byBeginning.set(beginning, new Alike(list, globOf));
    this.#withoutBeginning = new Alike(lists.get('') ?? [], globOf);
  }

  listsFor(path: string, query: string): (readonly E[])[] {
    const alike = this.#byBeginning.startsOf(path).toReversed();
    alike.push(this.#withoutBeginning);
    return alike.flatMap((one) => one.listsFor(path, query));
  }
}

/** Patterns with the same literal beginning. */
class Alike<E extends Patterned> {
  /** The patterns that are tried for every URL. */
  readonly #tried: readonly E[];
  readonly #byLiteral: TextTrie<E[]> | undefined;

  constructor(entries: readonly E[], globOf: GlobOf<E>) {
    const sorted = entries.toSorted((a, b) => b.pattern.octets - a.pattern.octets);
    if (sorted.length <= TRIED_MAX) {
      this.#tried = sorted;
      return;
    }
    const lists = new Map<string, E[]>([['', []]]);
    for (const entry of sorted) addTo(lists, longestLiteral(globOf(entry), entry), entry);
    this.#tried = lists.get('') ?? [];
    this.#byLiteral = new TextTrie();
    for (const [literal, list] of lists) if (literal !== '') this.#byLiteral.set(literal, list);
  }

  listsFor(path: string, query: string): (readonly E[])[] {
    if (this.#byLiteral === undefined) return [this.#tried];
    return [this.#tried, ...this.#byLiteral.allIn(`${path}?${query}`)];
  }
}

function addTo<E>(lists: Map<string, E[]>, key: string, entry: E): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [entry]);
  else list.push(entry);
}

/**
 * Returns the longest literal part that a URL must contain after the beginning; empty for a pattern without another
 * one. An empty value of a parameter may be left out with its sign, so those of queries are cut there.
 */
function longestLiteral(path: Glob, { pattern: { query } }: Patterned): string {
  let longest = '';
  for (const part of path.parts.slice(1)) if (part.length > longest.length) longest = part;
  for (const part of query?.parts ?? []) {
    for (const text of part.split('&')) {
      const literal = text.replace(/=$/, '');
      if (literal.length > longest.length) longest = literal;
    }
  }
  return longest.slice(0, LITERAL_MAX);
}
