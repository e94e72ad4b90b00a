/** A map with a bound: at most `max` entries, the least recently used one leaves first. */
export class Lru<K, V> {
  readonly #entries = new Map<K, V>();
  readonly max: number;

  constructor(max: number) {
    this.max = max;
  }

  get(key: K): V | undefined {
    const value = this.#entries.get(key);
    // Moving an entry to the end costs as much as a look-up; it is only worth it once entries can be pushed out.
    if (value !== undefined && this.#entries.size * 2 > this.max) {
      this.#entries.delete(key);
      this.#entries.set(key, value);
    }
    return value;
  }

  set(key: K, value: V): void {
    this.#entries.delete(key);
    this.#entries.set(key, value);
    if (this.#entries.size > this.max) this.#entries.delete(this.#entries.keys().next().value as K);
  }

  delete(key: K): void {
    this.#entries.delete(key);
  }

  clear(): void {
    this.#entries.clear();
  }

  get size(): number {
    return this.#entries.size;
  }
}
