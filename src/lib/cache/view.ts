/**
 * Follows all records of a kind: a change hands over the record, so nothing is read again. What a read says of a record
 * that changed meanwhile is not used.
 */
import { Slices } from '../slices.ts';

export class View<V> {
  readonly #put: (id: string, value: V | undefined) => void;
  /** Records that changed during the read, which may be stale. */
  #changed: Set<string> | undefined;

  /** `put` receives each record; undefined for one that was deleted. */
  constructor(put: (id: string, value: V | undefined) => void) {
    this.#put = put;
  }

  /** Puts all records. Call it once at a time. */
  async load(read: () => Promise<readonly (V & { id: string })[]>): Promise<void> {
    const changed = new Set<string>();
    this.#changed = changed;
    try {
      const slices = new Slices();
      for (const record of await read()) {
        if (!changed.has(record.id)) this.#put(record.id, record);
        await slices.next();
      }
    } finally {
      this.#changed = undefined;
    }
  }

  set(id: string, object: object): void {
    this.#changed?.add(id);
    this.#put(id, object as V);
  }

  delete(id: string): void {
    this.#changed?.add(id);
    this.#put(id, undefined);
  }
}
