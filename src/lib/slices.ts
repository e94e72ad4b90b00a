/**
 * Long work in slices. Promise: between two slices the event loop turns, so that work for one caller delays no other.
 */

/** Many small items cost less than a turn each; a check takes a few microseconds. */
const ITEMS_MAX = 128;
/** Expensive items end a slice sooner. */
const SLICE_MS = 5;
/** Looking at the clock takes as long as a short item: after quick items it waits for as many more, at most these. */
const UNTIMED_MAX = 8;

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Counts items and decides when to yield. */
export class Slices {
  readonly #now: () => number;
  #items = 0;
  /** The item after which the clock is read. */
  #timed = 1;
  #begunAt: number;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
    this.#begunAt = now();
  }

  /** Call after each item; returns the turn to await, or undefined. */
  next(): Promise<void> | undefined {
    this.#items++;
    if (this.#items < this.#timed) return undefined;
    if (this.#items >= ITEMS_MAX || this.#now() - this.#begunAt >= SLICE_MS) return this.#rest();
    this.#timed += Math.min(this.#items, UNTIMED_MAX);
    return undefined;
  }

  async #rest(): Promise<void> {
    await nextTurn();
    this.#items = 0;
    this.#timed = 1;
    this.#begunAt = this.#now();
  }
}

/** Maps in order. A single item is mapped at once: a check has no promise to spare. */
export function mapInSlices<T, R>(items: readonly T[], work: (item: T, index: number) => R): R[] | Promise<R[]> {
  return items.length === 1 ? [work(items[0] as T, 0)] : mapAll(items, work);
}

async function mapAll<T, R>(items: readonly T[], work: (item: T, index: number) => R): Promise<R[]> {
  const results: R[] = [];
  const slices = new Slices();
  for (let index = 0; index < items.length; index++) {
    results.push(work(items[index] as T, index));
    const turn = slices.next();
    if (turn !== undefined) await turn;
  }
  return results;
}

/** Work that yields between its steps, and returns its result. */
export type Steps<R> = Generator<undefined, R>;

/** Runs work that yields after each item in one turn, and returns its result. */
export function atOnce<R>(work: Steps<R>): R {
  for (;;) {
    const { value, done } = work.next();
    if (done === true) return value;
  }
}

/** Runs work that yields after each item, and returns its result. */
export async function inSlices<R>(work: Steps<R>): Promise<R> {
  const slices = new Slices();
  for (;;) {
    const { value, done } = work.next();
    if (done === true) return value;
    const turn = slices.next();
    if (turn !== undefined) await turn;
  }
}
