/**
 * A bounded map of two generations: an entry that is used moves to the young one; when that holds half the bound, the
 * old one is dropped. Evicts roughly the least recently used, and never one by one: in a full Map, finding the oldest
 * walks over the holes of deletions, which costs microseconds a call.
 */
export class Lru<K, V> {
  readonly max: number;
  #young = new Map<K, V>();
  #old = new Map<K, V>();

  constructor(max: number) {
    this.max = max;
  }

  get(key: K): V | undefined {
    const value = this.#young.get(key);
    if (value !== undefined) return value;
    const older = this.#old.get(key);
    if (older !== undefined) this.set(key, older);
    return older;
  }

  set(key: K, value: V): void {
    this.#young.set(key, value);
    if (this.#young.size * 2 < this.max) return;
    this.#old = this.#young;
    this.#young = new Map();
  }

  delete(key: K): void {
    this.#young.delete(key);
    this.#old.delete(key);
  }

  clear(): void {
    this.#young = new Map();
    this.#old = new Map();
  }
}
