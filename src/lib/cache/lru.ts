import { Recent } from './recent.ts';

export interface Weight<K, V> {
  max: number;
  of(value: V, key: K): number;
}

/**
 * A bounded map of two generations: an entry that is used moves to the young one; over the bound, the first entries of
 * the old one go. What fits is never dropped; beyond it, roughly the least recently used entries are. The walk through
 * the old generation is one iterator: a new one for each eviction would walk over the holes of deletions, which costs
 * microseconds a call. Entries may have weights that do not change, with a bound on their sum.
 */
export class Lru<K, V> {
  readonly max: number;
  readonly #weight: Weight<K, V> | undefined;
  /** Entries of the young generation. */
  readonly #recent: Recent<V> | undefined;
  #held = 0;
  #young = new Map<K, V>();
  #old = new Map<K, V>();
  #oldest = this.#old.entries();
  #turn = 0;

  /** `recent`: for keys that are texts which were just parsed; see lib/cache/recent. */
  constructor(max: number, weight?: Weight<K, V>, recent?: Recent<V>) {
    this.max = max;
    this.#weight = weight;
    this.#recent = recent;
  }

  /**
   * Changes when an entry is replaced or deleted, and when entries must be used again to stay; see lib/cache/joined.
   */
  get turn(): number {
    return this.#turn;
  }

  get(key: K): V | undefined {
    const recent = this.#recent?.get(key as string);
    if (recent !== undefined) return recent;
    const value = this.#young.get(key);
    if (value !== undefined) {
      this.#recent?.set(key as string, value);
      return value;
    }
    if (this.#old.size === 0) return undefined;
    const older = this.#old.get(key);
    if (older === undefined) return undefined;
    this.#old.delete(key);
    this.#young.set(key, older);
    this.#recent?.set(key as string, older);
    return older;
  }

  set(key: K, value: V): void {
    if (this.#weight !== undefined) this.#held += this.#weight.of(value, key) - this.#weightAt(key);
    if (this.#old.delete(key) || this.#young.has(key)) this.#turn++;
    this.#young.set(key, value);
    this.#recent?.set(key as string, value);
    while (this.#isOver() && this.#young.size + this.#old.size > 1) this.#evict();
    if (this.#old.size === 0 && this.#isHalf()) this.#age();
  }

  #weightAt(key: K): number {
    const value = this.#young.get(key) ?? this.#old.get(key);
    return value === undefined || this.#weight === undefined ? 0 : this.#weight.of(value, key);
  }

  #isOver(): boolean {
    if (this.#young.size + this.#old.size > this.max) return true;
    return this.#weight !== undefined && this.#held > this.#weight.max;
  }

  #isHalf(): boolean {
    return this.#young.size * 2 >= this.max || (this.#weight !== undefined && this.#held * 2 >= this.#weight.max);
  }

  #evict(): void {
    if (this.#old.size === 0) this.#age();
    const { value: entry } = this.#oldest.next();
    if (entry === undefined) return;
    const [key, value] = entry;
    this.#old.delete(key);
    if (this.#weight !== undefined) this.#held -= this.#weight.of(value, key);
  }

  #age(): void {
    this.#old = this.#young;
    this.#oldest = this.#old.entries();
    this.#young = new Map();
    this.#recent?.clear();
    this.#turn++;
  }

  delete(key: K): void {
    if (this.#weight !== undefined) this.#held -= this.#weightAt(key);
    if (this.#young.delete(key) || this.#old.delete(key)) this.#turn++;
    this.#recent?.delete(key as string);
  }

  clear(): void {
    this.#young = new Map();
    // The empty one becomes the old one.
    this.#age();
    this.#held = 0;
  }
}
