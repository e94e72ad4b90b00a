/**
 * Values that were joined from entries of several maps: one look instead of one in each. Returns a value only as long
 * as every map would return the entries it was joined from, and only on the same ground. Holds the values that were
 * used last, at most as many as lib/cache/recent has places.
 */
import type { Lru } from './lru.ts';
import { Recent } from './recent.ts';

type Source = Pick<Lru<never, never>, 'turn'>;

export class Joined<V, Ground> {
  readonly #sources: readonly Source[];
  readonly #values = new Recent<V>();
  #ground: Ground | undefined;
  #turn = -1;

  /** `sources`: the maps of the entries. When one of them turns, everything is forgotten. */
  constructor(sources: readonly Source[]) {
    this.#sources = sources;
  }

  /** Returns a value that was joined on the same ground. */
  get(key: string, ground: Ground): V | undefined {
    let turn = 0;
    for (const source of this.#sources) turn += source.turn;
    if (turn !== this.#turn || ground !== this.#ground) {
      this.#values.clear();
      this.#turn = turn;
      this.#ground = ground;
    }
    return this.#values.get(key);
  }

  /** Keeps a value. Call it after `get` of its key and of its entries, without awaiting in between. */
  set(key: string, value: V): void {
    this.#values.set(key, value);
  }
}
