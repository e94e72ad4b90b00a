/**
 * Group commit: what arrives while a flush is on its way to disk is the next flush. Keeps the order in which checks came
 * and each request's entries together. Bounded: beyond ENTRIES_MAX waiting entries a check is refused, not queued.
 */
import { Conflict, Unavailable } from '../db/db.ts';
import type { Granted } from './decision.ts';
import type { Entry, Receipt, Recorded } from './ledger.ts';

const ENTRIES_MAX = 50_000;
const FLUSH_MAX = 4_000;

/** One request's entries with their places. */
export interface Submission {
  /** When it was taken in, epoch ms. */
  at: number;
  entries: readonly Entry[];
  recorded: Recorded[];
  receipt: Receipt | undefined;
}

interface Waiting extends Submission {
  resolve: (recorded: Recorded[]) => void;
  reject: (error: unknown) => void;
}

export interface RecorderOptions {
  now: () => number;
  /** The next free places; an engine that learns them from its store gives blanks, which `flush` fills in. */
  places: (count: number, at: number) => Recorded[];
  /**
   * Commits submissions in one transaction and answers, for each claim in order, what was granted. A rejected promise
   * means that nothing of it stands.
   */
  flush: (submissions: readonly Submission[]) => Promise<Granted[]>;
}

export function recorder(options: RecorderOptions) {
  let waiting: Waiting[] = [];
  // Submissions of a group that failed, to be tried one by one.
  const alone: Waiting[] = [];
  let waitingEntries = 0;
  let flushing = false;
  let head = 0;
  let idle: (() => void)[] = [];
  let flushes = 0;
  let entriesFlushed = 0;

  async function run(): Promise<void> {
    flushing = true;
    while (waiting.length > 0 || alone.length > 0) {
      // One turn of the event loop: what has arrived by then shares the fsync.
      await new Promise(setImmediate);
      const group = alone.length > 0 ? alone.splice(0, 1) : takeGroup();
      try {
        const granted = await options.flush(group);
        flushes++;
        for (const one of group) entriesFlushed += one.entries.length;
        // The next flush starts before this one's answers are written: the disk never waits for them.
        deal(group, granted);
      } catch (error) {
        // A receipt that is there already (the same key on two nodes) must not take other requests with it.
        if (error instanceof Conflict && group.length > 1) alone.push(...group);
        else for (const one of group) one.reject(error);
      }
    }
    flushing = false;
    for (const done of idle) done();
    idle = [];
  }

  function takeGroup(): Waiting[] {
    let entries = 0;
    let count = 0;
    for (const one of waiting) {
      if (count > 0 && entries + one.entries.length > FLUSH_MAX) break;
      entries += one.entries.length;
      count++;
    }
    const group = waiting.slice(0, count);
    waiting = waiting.slice(count);
    waitingEntries -= entries;
    return group;
  }

  function deal(group: Waiting[], granted: Granted[]): void {
    let next = 0;
    for (const { entries, recorded, resolve } of group) {
      for (let i = 0; i < entries.length; i++) {
        if ((entries[i] as Entry).claim !== null) (recorded[i] as Recorded).granted = granted[next++] as Granted;
      }
      const last = recorded.at(-1);
      if (last !== undefined) head = last.seq;
      resolve(recorded);
    }
  }

  return {
    record(entries: readonly Entry[], receipt?: Receipt): Promise<Recorded[]> {
      if (waitingEntries + entries.length > ENTRIES_MAX) {
        return Promise.reject(new Unavailable('more checks are waiting to be recorded than the ledger can take'));
      }
      return new Promise((resolve, reject) => {
        const at = options.now();
        waiting.push({ at, entries, recorded: options.places(entries.length, at), receipt, resolve, reject });
        waitingEntries += entries.length;
        if (!flushing) void run();
      });
    },
    head: () => head,
    figures: () => ({ waiting: waitingEntries, flushes, entries: entriesFlushed }),
    startAt(seq: number) {
      head = seq;
    },
    /** Settles when nothing is waiting any more. */
    drained: (): Promise<void> => (flushing ? new Promise((resolve) => idle.push(resolve)) : Promise.resolve()),
  };
}
