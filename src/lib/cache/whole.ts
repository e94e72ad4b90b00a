/**
 * A value that is read as a whole, at the first use and again when something of it changed. Once `clear` has
 * returned, `now` and `read` never again return what was read before.
 */
export class Whole<T> {
  readonly #load: (last: T | undefined) => Promise<T>;
  #last: T | undefined;
  #isFresh = false;
  /** Counts changes: a read in flight during one is stale. */
  #epoch = 0;
  #reading: Promise<T> | undefined;

  /** `load` receives the last value, which may be stale. */
  constructor(load: (last: T | undefined) => Promise<T>) {
    this.#load = load;
  }

  /** Returns the value if it is up to date in memory. */
  now(): T | undefined {
    return this.#isFresh ? this.#last : undefined;
  }

  /** Returns the last value, which may be stale. */
  last(): T | undefined {
    return this.#last;
  }

  /** Brings the value up to date first. Throws what `load` throws. */
  async read(): Promise<T> {
    return this.now() ?? (this.#reading ??= this.#readFresh());
  }

  clear(): void {
    this.#isFresh = false;
    this.#epoch++;
  }

  async #readFresh(): Promise<T> {
    try {
      for (;;) {
        const begun = this.#epoch;
        const value = await this.#load(this.#last);
        this.#last = value;
        if (begun !== this.#epoch) continue;
        this.#isFresh = true;
        return value;
      }
    } finally {
      this.#reading = undefined;
    }
  }
}
