/**
 * Delivers the events of one active webhook until it is stopped. Promise: each event of the log becomes one delivery,
 * in the transaction that advances the webhook's cursor; no event is skipped. The outcome of an attempt is stored
 * before the next.
 */

import { Conflict, type Db } from '../../db/db.ts';
import { toIso } from '../../lib/clock.ts';
import { SYSTEM } from '../changes/change.ts';
import type { Changes } from '../changes/changes.ts';
import { type AttemptDeps, type Attempted, attempt } from './attempt.ts';
import type { Bodies } from './bodies.ts';
import { type Delivery, newDelivery } from './delivery.ts';
import { planDisable } from './edits.ts';
import type { LogReader } from './log-reader.ts';
import { DISABLED_AFTER_MS } from './schedule.ts';
import {
  type Before,
  countPending,
  deleteDelivery,
  findCursor,
  findDue,
  findTarget,
  findWebhook,
  insertDelivery,
  moveCursor,
  settleDelivery,
  startFailing,
  stopFailing,
} from './store.ts';
import type { DeliveryTarget, Webhook } from './webhook.ts';

/** Interval between searches for due retries. */
const RETRIES_EVERY_MS = 1_000;
/** Interval at which the stored cursor advances over unwanted events. */
const ADVANCE_EVERY_MS = 1_000;
/** Concurrent requests to one endpoint; a failing endpoint gets one. */
const CONCURRENCY = 8;
/** Pending deliveries of one webhook; later events wait in the log. */
const PENDING_MAX = 10_000;
const DELIVERIES_PER_READ = 200;
/** Events of the log that one read scans. */
const SCAN_MAX = 20_000;

export interface WorkerDeps extends AttemptDeps {
  db: Db;
  changes: Changes;
  log: LogReader;
  bodies: Bodies;
  /** Resolves when the next request may start. */
  pace(): Promise<void>;
  /** Keeps the process up until `work` has settled. */
  track(work: Promise<void>): void;
  onAttempt(succeeded: boolean): void;
  onProblem(problem: unknown): void;
}

export class Worker {
  readonly #deps: WorkerDeps;
  #webhook: Webhook;
  #target: Promise<DeliveryTarget | undefined> | undefined;
  /** The cursor as stored, or as this worker last knew it. */
  #cursor: number;
  /** The log is scanned up to here; between `#cursor` and here it holds nothing for this webhook. */
  #scanned: number;
  #advancedAt = 0;
  /** Another node moved the stored cursor: read it again. */
  #cursorLost = false;
  #due: Delivery[] = [];
  /** When `#due` was read or made. */
  #dueAt = 0;
  /** The store may hold more due deliveries. */
  #moreDue = true;
  #searchedAt = 0;
  readonly #inFlight = new Set<string>();
  #running = false;
  #runAgain = false;
  #stopped = false;

  constructor(deps: WorkerDeps, webhook: Webhook, cursor: number) {
    this.#deps = deps;
    this.#webhook = webhook;
    this.#cursor = cursor;
    this.#scanned = cursor;
  }

  get inFlight(): number {
    return this.#inFlight.size;
  }

  /** Takes the webhook as it is stored now. */
  update(webhook: Webhook): void {
    this.#webhook = webhook;
  }

  /** The next attempt reads URL and secrets again. */
  forgetTarget(): void {
    this.#target = undefined;
  }

  /** Starts no further request; requests in flight finish. */
  stop(): void {
    this.#stopped = true;
  }

  /** Runs when the log has new events, or retries may be due. */
  wake(): void {
    const now = performance.now();
    if (this.#scanned >= this.#deps.log.head && now - this.#searchedAt < RETRIES_EVERY_MS) return;
    this.#searchedAt = now;
    this.#moreDue = true;
    this.#run();
  }

  /** Runs once at a time; a call during a run causes another run. */
  #run(): void {
    if (this.#stopped) return;
    this.#runAgain = this.#running;
    if (this.#running) return;
    this.#running = true;
    const run = this.#fill()
      .then(() => this.#startDue())
      .catch((error) => {
        // Conflict: another node made these deliveries, or the webhook is gone.
        if (error instanceof Conflict) this.#cursorLost = true;
        else this.#deps.onProblem(error);
      })
      .finally(() => {
        this.#running = false;
        if (this.#runAgain) this.#run();
      });
    this.#deps.track(run);
  }

  /** Refills an empty `#due`: overdue retries first, then new events. Throws Conflict. */
  async #fill(): Promise<void> {
    if (this.#due.length > 0) return;
    this.#dueAt = this.#deps.clock.now();
    if (this.#moreDue) {
      // A delivery that settles before the rows arrive may be among them as it was.
      const busy = new Set(this.#inFlight);
      const found = await findDue(this.#deps.db, this.#webhook.id, this.#deps.clock.now(), DELIVERIES_PER_READ);
      this.#moreDue = found.length === DELIVERIES_PER_READ;
      this.#due = found.filter((delivery) => !busy.has(delivery.id));
      if (this.#due.length > 0) return;
    }
    if (this.#cursorLost) await this.#reloadCursor();
    if (this.#scanned < this.#deps.log.head) this.#due = await this.#takeEvents();
  }

  async #reloadCursor(): Promise<void> {
    this.#cursor = (await findCursor(this.#deps.db, this.#webhook.id)) ?? this.#cursor;
    this.#scanned = this.#cursor;
    this.#moreDue = true;
    this.#cursorLost = false;
  }

  /** Turns the next events of the log into deliveries. */
  async #takeEvents(): Promise<Delivery[]> {
    const { db, clock, log } = this.#deps;
    const webhook = this.#webhook;
    const { head } = log;
    const room = Math.min(DELIVERIES_PER_READ, PENDING_MAX - (await countPending(db, webhook.id)));
    if (room <= 0) return [];
    const upTo = Math.min(head, this.#scanned + SCAN_MAX);
    const found = await log.read(webhook, this.#scanned, upTo, room);
    const to = found.length === room ? (found.at(-1)?.seq ?? upTo) : upTo;
    const now = clock.now();
    const deliveries = found.map((event) => newDelivery(webhook.id, event, now));
    if (found.length > 0 || performance.now() - this.#advancedAt >= ADVANCE_EVERY_MS) {
      await db.atomic([moveCursor(webhook.id, this.#cursor, to), ...deliveries.map(insertDelivery)]);
      this.#cursor = to;
      this.#advancedAt = performance.now();
    }
    this.#scanned = to;
    if (to < head) this.#runAgain = true;
    return deliveries;
  }

  #startDue(): void {
    const concurrency = this.#webhook.failingSince === null ? CONCURRENCY : 1;
    while (this.#inFlight.size < concurrency && !this.#stopped) {
      const delivery = this.#due.shift();
      if (delivery === undefined) return;
      this.#inFlight.add(delivery.id);
      const delivering = this.#deliver(delivery, this.#dueAt)
        .catch(this.#deps.onProblem)
        .finally(() => {
          this.#inFlight.delete(delivery.id);
          this.#run();
        });
      this.#deps.track(delivering);
    }
  }

  async #deliver(delivery: Delivery, readAt: number): Promise<void> {
    const { db, bodies, pace, onAttempt } = this.#deps;
    await pace();
    const [body, target] = await Promise.all([bodies.find(delivery.eventId), this.#loadTarget()]);
    if (target === undefined || this.#stopped) return;
    if (body === undefined) {
      // Events are kept for 30 days.
      await db.atomic([deleteDelivery(delivery.id)]);
      return;
    }
    const attempted = await attempt(this.#deps, delivery, target, body);
    if (attempted === undefined) return;
    await this.#settle({ delivery, readAt }, attempted);
    onAttempt(attempted.delivery.status === 'succeeded');
  }

  #loadTarget(): Promise<DeliveryTarget | undefined> {
    if (this.#target !== undefined) return this.#target;
    const read = findTarget(this.#deps.db, this.#webhook.id);
    this.#target = read;
    read.catch(() => {
      if (this.#target === read) this.#target = undefined;
    });
    return read;
  }

  /** Stores the outcome, and disables a webhook that has failed for too long. */
  async #settle(before: Before, { delivery, outcome }: Attempted): Promise<void> {
    const { db, changes, clock } = this.#deps;
    const { id } = this.#webhook;
    const now = delivery.updatedAt;
    const succeeded = delivery.status === 'succeeded';
    await db.atomic([settleDelivery(delivery, before), succeeded ? stopFailing(id) : startFailing(id, now)]);
    const failingSince = succeeded ? null : (this.#webhook.failingSince ?? now);
    this.#webhook = { ...this.#webhook, failingSince };
    const reason = findReasonToDisable(failingSince, outcome.statusCode, now);
    if (reason === undefined) return;
    await changes.commit(SYSTEM, id, async () => {
      const webhook = await findWebhook(db, id);
      if (webhook?.status !== 'active') return { steps: [], changes: [], status: 200, body: null };
      return planDisable(webhook, reason, clock.now());
    });
  }
}

function findReasonToDisable(failingSince: number | null, statusCode: number | null, now: number): string | undefined {
  if (statusCode === 410) return 'The endpoint answered 410 Gone.';
  if (failingSince === null || now - failingSince < DISABLED_AFTER_MS) return undefined;
  return `Every delivery since ${toIso(failingSince)} has failed.`;
}
