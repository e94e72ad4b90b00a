/**
 * A bounded read-through cache of records that change. Once `delete` or `clear` has returned, `get` never again returns
 * what was read before the change: a read in flight may be stale, so its result is used by its caller and not kept.
 */
import { Lru } from './lru.ts';

export class Cache<K, V> extends Lru<K, V> {
  #epoch = 0;

  /** Runs `read`. What it hands to `keep` is cached unless anything was deleted since `read` began. */
  read<T>(read: (keep: (key: K, value: V) => void) => Promise<T>): Promise<T> {
    const begun = this.#epoch;
    return read((key, value) => {
      if (begun === this.#epoch) this.set(key, value);
    });
  }

  /** Forgets a record that has changed. */
  override delete(key: K): void {
    this.#epoch++;
    super.delete(key);
  }

  /** Forgets everything. */
  override clear(): void {
    this.#epoch++;
    super.clear();
  }
}
