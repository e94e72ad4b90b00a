/** Values that were just put together from entries of several maps: one look instead of one in each. */
import type { Lru } from './lru.ts';
import { Recent } from './recent.ts';

export class Latest<V, Ground> {
  readonly #sources: readonly Pick<Lru<never, never>, 'turn'>[];
  readonly #values = new Recent<V>();
  #ground: Ground | undefined;
  #turn = -1;

  /** `sources`: the maps of the entries. When one of them turns, everything is forgotten. */
  constructor(sources: readonly Pick<Lru<never, never>, 'turn'>[]) {
    this.#sources = sources;
  }

  /** Returns a value that was put together on the same ground. */
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

  /** To be called after `get`, without awaiting in between. */
  set(key: string, value: V): void {
    this.#values.set(key, value);
  }
}
