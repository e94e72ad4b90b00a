/**
 * Long work in slices. Promise: between two slices the event loop turns, so that work for one caller delays no other.
 */

/** Many small items cost less than a turn each. */
const ITEMS_MAX = 32;
/** Expensive items end a slice sooner. */
const SLICE_MS = 5;

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Counts items and decides when to yield. */
export class Slices {
  readonly #now: () => number;
  #items = 0;
  #begunAt: number;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
    this.#begunAt = now();
  }

  /** Call after each item; returns the turn to await, or undefined. */
  next(): Promise<void> | undefined {
    this.#items++;
    if (this.#items < ITEMS_MAX && this.#now() - this.#begunAt < SLICE_MS) return undefined;
    return this.#rest();
  }

  async #rest(): Promise<void> {
    await nextTurn();
    this.#items = 0;
    this.#begunAt = this.#now();
  }
}

/** Maps in order. */
export async function mapInSlices<T, R>(items: readonly T[], work: (item: T, index: number) => R): Promise<R[]> {
  if (items.length === 1) return [work(items[0] as T, 0)];
  const results: R[] = [];
  const slices = new Slices();
  for (const [index, item] of items.entries()) {
    results.push(work(item, index));
    const turn = slices.next();
    if (turn !== undefined) await turn;
  }
  return results;
}
