/**
 * Runs a worker for each active webhook. Promise: every event that a webhook wants is delivered at least once or has
 * failed visibly, also across restarts; a slow or dead endpoint delays no other. On a cluster one node at a time
 * delivers.
 */

import type { Db } from '../../db/db.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Changes } from '../changes/changes.ts';
import type { Events } from '../events/store.ts';
import { openBodies } from './bodies.ts';
import { LogReader } from './log-reader.ts';
import type { Sender } from './send.ts';
import { openWorkers } from './workers.ts';

const POLL_EVERY_MS = 200;
/** At shutdown, requests in flight have this long to finish. */
const DRAIN_MS = 8_000;

export interface Deliverer {
  /** Counts since the start of this process. */
  figures(): { succeeded: number; failed: number; inFlight: number };
  /** Stops sending and waits for requests in flight. Idempotent. */
  close(): Promise<void>;
}

export interface DelivererDeps {
  db: Db;
  changes: Changes;
  clock: Clock;
  events: Events;
  sender: Sender;
  userAgent: string;
  /** Returns how many checks wait for the disk. */
  checksWaiting(): number;
  /** Returns whether this node holds the lease on deliveries. */
  isOurs(): boolean;
  onProblem(problem: unknown): void;
}

export function openDeliverer(deps: DelivererDeps): Deliverer {
  const log = new LogReader(deps.events);
  const inFlight = new Set<Promise<void>>();
  const aborting = new AbortController();
  const figures = { succeeded: 0, failed: 0 };
  const bodies = openBodies(deps.events, deps.changes);
  const workers = openWorkers(deps.db, deps.changes, {
    ...deps,
    log,
    bodies,
    pace: openPace(deps.checksWaiting),
    aborted: aborting.signal,
    track(work) {
      const tracked = work.finally(() => inFlight.delete(tracked));
      inFlight.add(tracked);
    },
    onAttempt: (succeeded) => void figures[succeeded ? 'succeeded' : 'failed']++,
  });
  let polling: Promise<void> = Promise.resolve();
  let closing: Promise<void> | undefined;

  async function poll(): Promise<void> {
    // Another node resumes from what is stored; requests in flight here finish and are stored.
    if (!deps.isOurs()) return workers.stop();
    await workers.refresh();
    if (workers.all().length === 0) return;
    await log.refresh();
    for (const worker of workers.all()) worker.wake();
  }

  async function drain(): Promise<void> {
    clearInterval(timer);
    workers.close();
    const cut = setTimeout(() => aborting.abort(), DRAIN_MS);
    await polling;
    while (inFlight.size > 0) await Promise.all(inFlight);
    clearTimeout(cut);
    await deps.sender.close();
  }

  const timer = setInterval(() => {
    polling = polling.then(poll).catch(deps.onProblem);
  }, POLL_EVERY_MS);
  timer.unref();

  return {
    figures: () => ({ ...figures, inFlight: workers.all().reduce((sum, worker) => sum + worker.inFlight, 0) }),
    close: () => (closing ??= drain()),
  };
}

/** The node is busy while this many checks wait for the disk; one request then starts in each pause. */
const CHECKS_MANY = 16;
const PAUSE_MS = 50;

/**
 * Returns a function that resolves for one caller in each turn of the event loop, slower while many checks wait:
 * callers wait for checks, while deliveries can wait a little.
 */
function openPace(checksWaiting: () => number): () => Promise<void> {
  const waiting: (() => void)[] = [];
  const release = (): void => {
    waiting.shift()?.();
    if (waiting.length > 0) schedule();
  };
  const schedule = (): void => {
    if (checksWaiting() >= CHECKS_MANY) setTimeout(release, PAUSE_MS);
    else setImmediate(release);
  };
  return () =>
    new Promise((resolve) => {
      if (waiting.push(resolve) === 1) schedule();
    });
}
