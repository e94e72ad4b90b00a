/**
 * Group commit: submissions that arrive while a flush is on its way to disk form the next flush. Keeps the order of
 * arrival and the entries of a request together. Bounded: with ENTRIES_MAX entries waiting, a check is refused, not
 * queued.
 *
 * A check is recorded on what is true now, not when it came. One whose grounds are older than FRESH_MS when its
 * recording begins is handed back (Stale) and decided again; then it goes before those that came after it. A limit
 * that another transaction holds stops only the checks that claim it: they wait in queues of their own, for at most
 * HELD_WITHIN_MS.
 */
import { availableParallelism } from 'node:os';
import { Conflict, Unavailable } from '../../db/db.ts';
import { monotonicMs } from '../../lib/clock.ts';
import type { Flush, Flushed } from './flush.ts';
import { type Entry, type Grounds, type LedgerReceipt, type Recorded, Stale } from './ledger.ts';
import { countHeld, FLUSH_MAX, HeldQueues, refuseOverdue, type Waiting } from './postgres/held.ts';
import { openTally } from './tally.ts';

const ENTRIES_MAX = 50_000;
/** Entries that are worth a flush: it is not delayed for more. */
const FLUSH_LEAST = 400;
/** Entries handed back in one turn of the event loop, because deciding them again blocks it. */
const STALE_MAX = 1_000;
/**
 * Turns of the event loop that a group is gathered over while more arrives. Where one core carries all threads, a flush
 * takes it from the requests, so fewer and larger ones are faster; where storage has its own, waiting only delays it.
 */
const TURNS_MAX = availableParallelism() === 1 ? 8 : 1;
const FRESH_MS = 1_000;
/** However often it is decided again, a check is answered by then. */
const RECORD_WITHIN_MS = 10_000;
/** Entries that wait for held limits: one held limit must not take all the room. */
const HELD_MAX = 10_000;

export class Recorder {
  readonly #now: () => number;
  readonly #flush: Flush;
  /** Decided again, or to be flushed alone: before all others. */
  #urgent: Waiting[] = [];
  #waiting: Waiting[] = [];
  /** Opened when a limit is found held, as none is on SQLite. */
  #held: HeldQueues<Waiting> | undefined;
  #queuedEntries = 0;
  /** Ends the gathering of a group. */
  #endGathering = (): void => {};
  /** Entries of the flush before. */
  #flushedEntries = 0;
  /** True while a loop runs: of flushes that wait for nothing, and of those that wait for a held limit. */
  #flushing = false;
  #unlocking = false;
  #idle: (() => void)[] = [];
  #head: number;
  #flushes = 0;
  #entries = 0;
  readonly #tally: ReturnType<typeof openTally>;

  /** `head`: the newest number in the ledger. */
  constructor(options: { now: () => number; flush: Flush; head: number }) {
    this.#now = options.now;
    this.#flush = options.flush;
    this.#head = options.head;
    this.#tally = openTally(options.head);
  }

  record(entries: readonly Entry[], receipt?: LedgerReceipt, grounds?: Grounds): Promise<readonly Recorded[]> {
    const now = monotonicMs();
    const { readAt = Number.POSITIVE_INFINITY, since } = grounds ?? {};
    // A check that was let in once is not refused because others came meanwhile.
    if (since === undefined && this.#queuedEntries + (this.#held?.entries ?? 0) + entries.length > ENTRIES_MAX) {
      return Promise.reject(new Unavailable('more checks are waiting to be recorded than the ledger can take'));
    }
    if (since !== undefined && now - since > RECORD_WITHIN_MS) {
      return Promise.reject(new Unavailable('the decision could not be recorded in time', { busy: true }));
    }
    // Not `Promise.withResolvers`: with it, a check took longer when this was measured.
    return new Promise((resolve, reject) => {
      const at = this.#now();
      const freshUntil = readAt + FRESH_MS;
      const one = { at, freshUntil, entries, receipt, since: since ?? now, alone: false, resolve, reject };
      const heldBy = this.#held?.limitOf(entries, now);
      if (heldBy !== undefined) return this.#hold(heldBy, one);
      (since === undefined ? this.#waiting : this.#urgent).push(one);
      this.#queuedEntries += entries.length;
      if (this.#queuedEntries >= FLUSH_LEAST) this.#endGathering();
      if (!this.#flushing) void this.#run();
    });
  }

  /** Returns the newest number in the ledger that this node has acknowledged. */
  head(): number {
    return this.#head;
  }

  takeNames = () => this.#tally.takeNames(this.#head);

  figures() {
    return {
      waiting: this.#queuedEntries + (this.#held?.entries ?? 0),
      flushes: this.#flushes,
      entries: this.#entries,
      ...this.#tally.figures(),
    };
  }

  /** Settles when nothing waits any more. */
  drained(): Promise<void> {
    return this.#flushing || this.#unlocking ? new Promise((resolve) => this.#idle.push(resolve)) : Promise.resolve();
  }

  async #run(): Promise<void> {
    this.#flushing = true;
    while (this.#urgent.length + this.#waiting.length > 0) {
      await this.#gather();
      const group = this.#takeGroup();
      if (group.length > 0) await this.#flushGroup(group);
    }
    this.#flushing = false;
    this.#rest();
  }

  /** Everything that arrives within a turn of the event loop shares the fsync; see TURNS_MAX. */
  async #gather(): Promise<void> {
    let before = 0;
    for (let turns = 0; turns < TURNS_MAX && this.#queuedEntries > before; turns++) {
      before = this.#queuedEntries;
      if (before >= FLUSH_LEAST) return;
      await new Promise<void>((resolve) => {
        this.#endGathering = resolve;
        setImmediate(resolve);
      });
    }
  }

  async #unlock(held: HeldQueues<Waiting>): Promise<void> {
    this.#unlocking = true;
    while (held.waiting > 0) {
      await new Promise(setImmediate);
      const begunAt = monotonicMs();
      const turn = held.next(begunAt, countHeld);
      if (turn === undefined) {
        await new Promise((resolve) => setTimeout(resolve, held.dueAt() - begunAt));
        continue;
      }
      const inTime = refuseOverdue(turn.group);
      const had = inTime.length > 0 && (await this.#flushGroup(inTime, turn.key));
      const now = monotonicMs();
      if (had) this.#goFirst(held.rest(turn.key, begunAt, now));
      held.forgetOld(now);
    }
    this.#unlocking = false;
    this.#rest();
  }

  #rest(): void {
    if (this.#flushing || this.#unlocking) return;
    for (const done of this.#idle) done();
    this.#idle = [];
  }

  /** Returns whether it had its limits, for `heldBy` is held by none now. */
  async #flushGroup(group: readonly Waiting[], heldBy?: string): Promise<boolean> {
    try {
      const flushed = await this.#flush(group, heldBy);
      // The next flush starts before these answers are written: the disk never waits for them.
      return this.#settle(group, flushed, heldBy);
    } catch (error) {
      // An existing receipt (the same key on two nodes) must not fail other requests.
      if (error instanceof Conflict && group.length > 1) this.#separate(group);
      else for (const one of group) one.reject(error);
      return false;
    }
  }

  /**
   * With all that waits, the requests behind it would wait together again: half of what is in flight is written while
   * the other half is decided and answered.
   */
  #takeGroup(): Waiting[] {
    const group: Waiting[] = [];
    const now = monotonicMs();
    const half = Math.ceil((this.#queuedEntries + this.#flushedEntries) / 2);
    const left = { entries: Math.min(Math.max(half, FLUSH_LEAST), FLUSH_MAX), stale: STALE_MAX };
    const before = this.#queuedEntries;
    this.#urgent = this.#urgent.slice(this.#take(this.#urgent, group, now, left));
    if (this.#urgent.length === 0) this.#waiting = this.#waiting.slice(this.#take(this.#waiting, group, now, left));
    this.#flushedEntries = before - this.#queuedEntries;
    return group;
  }

  /** Moves the front of a queue into the group and hands back what is stale. Returns how many left the queue. */
  #take(queue: readonly Waiting[], group: Waiting[], now: number, left: { entries: number; stale: number }): number {
    let count = 0;
    for (const one of queue) {
      const { length } = one.entries;
      if (one.freshUntil < now) {
        if (left.stale <= 0) break;
        left.stale -= length;
        one.reject(new Stale(one.since));
      } else {
        const full = length > left.entries || one.alone || group[0]?.alone === true;
        if (group.length > 0 && full) break;
        left.entries -= length;
        group.push(one);
      }
      this.#queuedEntries -= length;
      count++;
    }
    return count;
  }

  /** Returns whether `heldBy` stopped nothing. */
  #settle(group: readonly Waiting[], flushed: readonly Flushed[], heldBy: string | undefined): boolean {
    const still: Waiting[] = [];
    let entries = 0;
    for (const [i, one] of group.entries()) {
      const outcome = flushed[i] as Flushed;
      if (outcome === 'stale') one.reject(new Stale(one.since));
      else if ('heldBy' in outcome) {
        if (outcome.heldBy === heldBy) still.push(one);
        else this.#hold(outcome.heldBy, one);
      } else {
        entries += outcome.length;
        for (const [n, entry] of one.entries.entries()) this.#tally.count(entry, outcome[n] as Recorded);
        this.#head = Math.max(this.#head, outcome.at(-1)?.seq ?? 0);
        one.resolve(outcome);
      }
    }
    if (heldBy !== undefined && still.length > 0) this.#held?.addFirst(heldBy, still);
    if (entries > 0) this.#flushes++;
    this.#entries += entries;
    return still.length === 0;
  }

  #hold(key: string, one: Waiting): void {
    const held = (this.#held ??= new HeldQueues<Waiting>());
    if (held.entries + one.entries.length > HELD_MAX) {
      one.reject(new Unavailable('more checks are waiting for this limit than the ledger can take', { busy: true }));
      return;
    }
    held.add(key, one, monotonicMs());
    if (!this.#unlocking) void this.#unlock(held);
  }

  #separate(group: readonly Waiting[]): void {
    for (const one of group) one.alone = true;
    this.#goFirst(group);
  }

  #goFirst(group: readonly Waiting[]): void {
    if (group.length === 0) return;
    for (const one of group) this.#queuedEntries += one.entries.length;
    this.#urgent = [...group, ...this.#urgent];
    if (!this.#flushing) void this.#run();
  }
}
