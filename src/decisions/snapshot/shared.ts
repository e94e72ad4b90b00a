/** Keeps a single object for equal values: each row that is read has its own, and thousands of items have the same. */
import { Lru } from '../../lib/cache/lru.ts';

const TEXTS_MAX = 10_000;
const TAG_LISTS_MAX = 100_000;

export class Shared {
  /** Ids of policies, and types. */
  readonly #texts = new Lru<string, string>(TEXTS_MAX);
  readonly #tagLists = new Lru<string, readonly string[]>(TAG_LISTS_MAX);

  text<T extends string>(text: T): T {
    const known = this.#texts.get(text);
    if (known === undefined) this.#texts.set(text, text);
    return (known ?? text) as T;
  }

  tags(tags: readonly string[]): readonly string[] {
    const name = JSON.stringify(tags);
    const known = this.#tagLists.get(name);
    if (known === undefined) this.#tagLists.set(name, tags);
    return known ?? tags;
  }
}
