/** Queues of submissions that wait for a limit held by another transaction: one for each limit, served in turn. */
import type { Entry } from './ledger.ts';

export class HeldQueues<T extends { readonly entries: readonly Entry[] }> {
  /**
   * By the claim's key. A limit stays while a flush of its submissions is in flight, so that new ones queue behind.
   */
  readonly #queues = new Map<string, T[]>();
  #entries = 0;

  /** The number of limits with a queue. */
  get size(): number {
    return this.#queues.size;
  }

  /** The number of waiting entries. */
  get entries(): number {
    return this.#entries;
  }

  /** Returns a limit that the entries claim and that already has a queue. */
  limitOf(entries: readonly Entry[]): string | undefined {
    if (this.#queues.size === 0) return undefined;
    return entries.find(({ claim }) => claim !== null && this.#queues.has(claim.key))?.claim?.key;
  }

  add(key: string, one: T): void {
    const queue = this.#queues.get(key);
    if (queue === undefined) this.#queues.set(key, [one]);
    else queue.push(one);
    this.#entries += one.entries.length;
  }

  /** Puts submissions back, before those that arrived meanwhile. */
  addFirst(key: string, those: readonly T[]): void {
    this.#queues.set(key, [...those, ...(this.#queues.get(key) ?? [])]);
    for (const { entries } of those) this.#entries += entries.length;
  }

  /** Takes submissions from the queue whose turn it is; `take` returns how many. There must be a queue. */
  next(take: (queue: readonly T[]) => number): { key: string; group: T[] } {
    const [[key, queue]] = this.#queues as unknown as [[string, T[]]];
    const group = queue.splice(0, take(queue));
    for (const { entries } of group) this.#entries -= entries.length;
    this.#queues.delete(key);
    this.#queues.set(key, queue);
    return { key, group };
  }

  /** Removes the limit's queue if it is empty. */
  leave(key: string): void {
    if (this.#queues.get(key)?.length === 0) this.#queues.delete(key);
  }
}
