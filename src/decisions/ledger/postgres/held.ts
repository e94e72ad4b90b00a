/**
 * Queues of submissions that wait for a limit held by another transaction: one for each limit, served in turn. A limit
 * that was held keeps its queue for CONTENDED_MS, for it will be held again: asking in vain costs a transaction.
 */
import { Unavailable } from '../../../db/db.ts';
import { monotonicMs } from '../../../lib/clock.ts';
import type { Submission } from '../flush.ts';
import type { Entry, Recorded } from '../ledger.ts';
import { quotaKeys } from '../quota/quota.ts';

/** A limit counts as contended for this long after it was found held. Then it is asked for as others are. */
const CONTENDED_MS = 1_000;
/** The longest rest between two turns of one limit. */
const REST_MAX_MS = 20;

/** Entries of one flush, unless a single submission has more. */
export const FLUSH_MAX = 4_000;
const HELD_WITHIN_MS = 5_000;

/** A submission on its way into the ledger. */
export interface Waiting extends Submission {
  /** When it was first submitted; see monotonicMs. */
  since: number;
  /** Flushed by itself: together with others it met a receipt that already existed. */
  alone: boolean;
  resolve: (recorded: readonly Recorded[]) => void;
  reject: (error: unknown) => void;
}

interface Queue<T> {
  waiting: T[];
  /** When the limit was found held, and when its next turn begins; see monotonicMs. */
  since: number;
  dueAt: number;
}

export class HeldQueues<T extends { readonly entries: readonly Entry[] }> {
  /** By the claim's key. New submissions queue behind those in flight. */
  readonly #queues = new Map<string, Queue<T>>();
  #waiting = 0;
  #entries = 0;

  /** The number of waiting submissions. */
  get waiting(): number {
    return this.#waiting;
  }

  /** The number of waiting entries. */
  get entries(): number {
    return this.#entries;
  }

  /** Returns a limit that the entries claim and that already has a queue. */
  limitOf(entries: readonly Entry[], now: number): string | undefined {
    if (this.#queues.size === 0) return undefined;
    for (const { claim, quota } of entries) {
      const keys = quotaKeys(quota);
      if (claim !== null) keys.unshift(claim.key);
      const queued = keys.find((key) => this.#isQueued(key, now));
      if (queued !== undefined) return queued;
    }
    return undefined;
  }

  add(key: string, one: T, now: number): void {
    const queue = this.#queues.get(key);
    if (queue === undefined) this.#queues.set(key, { waiting: [one], since: now, dueAt: now });
    else queue.waiting.push(one);
    this.#count(one, 1);
  }

  /** Puts submissions back, before those that arrived meanwhile. */
  addFirst(key: string, those: readonly T[]): void {
    const queue = this.#queues.get(key) as Queue<T>;
    queue.waiting = [...those, ...queue.waiting];
    for (const one of those) this.#count(one, 1);
  }

  /** Takes submissions from the queue whose turn it is; `take` returns how many. Undefined: all queues rest. */
  next(now: number, take: (queue: readonly T[]) => number): { key: string; group: T[] } | undefined {
    for (const [key, queue] of this.#queues) {
      if (queue.waiting.length === 0 || queue.dueAt > now) continue;
      const group = queue.waiting.splice(0, take(queue.waiting));
      for (const one of group) this.#count(one, -1);
      this.#queues.delete(key);
      this.#queues.set(key, queue);
      return { key, group };
    }
    return undefined;
  }

  /** Returns when the next turn begins. */
  dueAt(): number {
    const due = [...this.#queues.values()].filter(({ waiting }) => waiting.length > 0).map((queue) => queue.dueAt);
    return Math.min(...due);
  }

  /**
   * Ends a turn in which the limit was locked. Its next one begins after a rest as long as this one took: other nodes
   * have theirs, and more checks share the next flush. Returns the submissions that no longer wait.
   */
  rest(key: string, begunAt: number, now: number): T[] {
    const queue = this.#queues.get(key) as Queue<T>;
    queue.dueAt = now + Math.min(now - begunAt, REST_MAX_MS);
    if (now - queue.since <= CONTENDED_MS) return [];
    this.#queues.delete(key);
    for (const one of queue.waiting) this.#count(one, -1);
    return queue.waiting;
  }

  /** Forgets limits that were held a while ago and for which nothing waits. */
  forgetOld(now: number): void {
    for (const [key, { waiting, since }] of this.#queues) {
      if (waiting.length === 0 && now - since > CONTENDED_MS) this.#queues.delete(key);
    }
  }

  #isQueued(key: string, now: number): boolean {
    const queue = this.#queues.get(key);
    return queue !== undefined && (queue.waiting.length > 0 || now - queue.since <= CONTENDED_MS);
  }

  #count({ entries }: T, sign: 1 | -1): void {
    this.#waiting += sign;
    this.#entries += sign * entries.length;
  }
}

/** Refuses the submissions that have waited too long for a held limit, and returns the others. */
export function refuseOverdue(group: readonly Waiting[]): Waiting[] {
  const now = monotonicMs();
  return group.filter((one) => {
    const inTime = now - one.since <= HELD_WITHIN_MS;
    if (!inTime) one.reject(new Unavailable('a limit of this check has been locked for too long', { busy: true }));
    return inTime;
  });
}

/** Returns how many submissions from the front fit into one flush; one that must be alone is. */
export function countHeld(queue: readonly Waiting[]): number {
  let entries = 0;
  let count = 0;
  for (const one of queue) {
    entries += one.entries.length;
    if (count > 0 && (entries > FLUSH_MAX || one.alone || queue[0]?.alone === true)) break;
    count++;
  }
  return count;
}
