import { Recent } from './recent.ts';

export interface Weight<K, V> {
  max: number;
  of(value: V, key: K): number;
}

/**
 * A bounded map of two generations: an entry that is used moves to the young one; when that holds half the bound, the
 * old one is dropped. Evicts roughly the least recently used, and never one by one: in a full Map, finding the oldest
 * walks over the holes of deletions, which costs microseconds a call. Entries may have weights, with a bound on their
 * sum.
 */
export class Lru<K, V> {
  readonly max: number;
  readonly #weight: Weight<K, V> | undefined;
  /** Entries of the young generation. */
  readonly #recent: Recent<V> | undefined;
  #youngWeight = 0;
  #young = new Map<K, V>();
  #old = new Map<K, V>();

  /** `recent`: for keys that are texts which were just parsed; see lib/recent. */
  constructor(max: number, weight?: Weight<K, V>, recent?: Recent<V>) {
    this.max = max;
    this.#weight = weight;
    this.#recent = recent;
  }

  get(key: K): V | undefined {
    const recent = this.#recent?.get(key as string);
    if (recent !== undefined) return recent;
    const value = this.#young.get(key);
    if (value !== undefined) {
      this.#recent?.set(key as string, value);
      return value;
    }
    const older = this.#old.get(key);
    if (older !== undefined) this.set(key, older);
    return older;
  }

  set(key: K, value: V): void {
    this.#young.set(key, value);
    this.#recent?.set(key as string, value);
    // An entry that is replaced counts twice until the generation ends, which only ends it sooner.
    if (this.#weight !== undefined) this.#youngWeight += this.#weight.of(value, key);
    if (this.#young.size * 2 < this.max && !this.#isHeavy()) return;
    this.#old = this.#young;
    this.#young = new Map();
    this.#youngWeight = 0;
    this.#recent?.clear();
  }

  #isHeavy(): boolean {
    return this.#weight !== undefined && this.#youngWeight * 2 >= this.#weight.max;
  }

  delete(key: K): void {
    this.#young.delete(key);
    this.#old.delete(key);
    this.#recent?.delete(key as string);
  }

  clear(): void {
    this.#young = new Map();
    this.#old = new Map();
    this.#youngWeight = 0;
    this.#recent?.clear();
  }
}
