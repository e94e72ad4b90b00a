/**
 * The path patterns of a host's collections. Promise: a search looks only at patterns that begin as the path does; of
 * many that begin alike, only at those whose longest other literal part occurs in the URL. So a visitor's URL costs
 * about its own length, for any number of patterns.
 */
import { TextTrie } from '../lib/text-trie.ts';
import type { PathPattern, Target } from '../lib/url-pattern.ts';

interface Patterned {
  pattern: PathPattern;
}

/** Trying so few patterns costs less than searching the URL for their literals. */
const TRIED_MAX = 32;
/** Longer literals are cut: this bounds the search of a URL that repeats itself. */
const LITERAL_MAX = 64;

export class Patterns<E extends Patterned> {
  readonly #byBeginning = new TextTrie<Alike<E>>();
  readonly #withoutBeginning: Alike<E>;

  constructor(entries: Iterable<E>) {
    const lists = new Map<string, E[]>([['', []]]);
    for (const entry of entries) addTo(lists, beginningOf(entry), entry);
    for (const [beginning, list] of lists) if (beginning !== '') this.#byBeginning.set(beginning, new Alike(list));
    this.#withoutBeginning = new Alike(lists.get('') ?? []);
  }

  /** Returns lists that have all patterns that match, and few others, each with the longest first. */
  listsFor(target: Target): (readonly E[])[] {
    const alike = this.#byBeginning.startsOf(target.path).toReversed();
    alike.push(this.#withoutBeginning);
    return alike.flatMap((one) => one.listsFor(target));
  }
}

/** Patterns with the same literal beginning. */
class Alike<E extends Patterned> {
  /** The patterns that are tried for every URL. */
  readonly #tried: readonly E[];
  readonly #byLiteral: TextTrie<E[]> | undefined;

  constructor(entries: readonly E[]) {
    const sorted = entries.toSorted((a, b) => b.pattern.octets - a.pattern.octets);
    if (sorted.length <= TRIED_MAX) {
      this.#tried = sorted;
      return;
    }
    const lists = new Map<string, E[]>([['', []]]);
    for (const entry of sorted) addTo(lists, literalOf(entry), entry);
    this.#tried = lists.get('') ?? [];
    this.#byLiteral = new TextTrie();
    for (const [literal, list] of lists) if (literal !== '') this.#byLiteral.set(literal, list);
  }

  listsFor({ path, query }: Target): (readonly E[])[] {
    if (this.#byLiteral === undefined) return [this.#tried];
    return [this.#tried, ...this.#byLiteral.allIn(`${path}?${query}`)];
  }
}

function addTo<E>(lists: Map<string, E[]>, key: string, entry: E): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [entry]);
  else list.push(entry);
}

const beginningOf = ({ pattern }: Patterned): string => pattern.path.parts[0] ?? '';

/** Returns the longest literal part after the beginning; empty for a pattern without another one. */
function literalOf({ pattern: { path, query } }: Patterned): string {
  let longest = '';
  for (const part of [...path.parts.slice(1), ...(query?.parts ?? [])])
    if (part.length > longest.length) longest = part;
  return longest.slice(0, LITERAL_MAX);
}
