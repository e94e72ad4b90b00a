/**
 * From the log of events to the endpoints. Promise: every event that a webhook wants is delivered at least once or has
 * failed visibly, over restarts too; a slow or dead endpoint delays no other.
 */
import type { Changes } from '../changes/changes.ts';
import { Conflict, type Db } from '../db/db.ts';
import type { Events } from '../events/store.ts';
import type { Clock } from '../lib/clock.ts';
import { attempt } from './attempt.ts';
import type { Delivery } from './delivery.ts';
import { type Endpoint, newEndpoint } from './endpoint.ts';
import { openEventTexts } from './event-texts.ts';
import { openQueue } from './queue.ts';
import type { Sender } from './send.ts';
import { findActiveWebhooks, findCursor } from './store.ts';
import { turns } from './turns.ts';
import type { Webhook } from './webhook.ts';

/** How often the log is looked at. */
const LOOK_EVERY_MS = 200;
/** How often retries are looked for where nothing else happens. */
const RETRIES_EVERY_MS = 1_000;
/** Requests at once to one endpoint; to one that fails, a single one. */
const AT_ONCE = 8;
/** Requests under way when the service stops have this long to end. */
const DRAIN_MS = 8_000;

export interface Deliverer {
  /** Since the start of this process. */
  figures(): { succeeded: number; failed: number; inFlight: number };
  /** Sends nothing new; what is under way may end. Once, however often it is asked. */
  close(): Promise<void>;
}

export interface DelivererDeps {
  db: Db;
  changes: Changes;
  clock: Clock;
  events: Events;
  sender: Sender;
  userAgent: string;
  /** How many checks are waiting for the disk. */
  checksWaiting(): number;
  /** On a cluster one node at a time delivers. */
  isOurs(): boolean;
  onProblem(problem: unknown): void;
}

export function openDeliverer(deps: DelivererDeps): Deliverer {
  const { db, changes, sender } = deps;
  const endpoints = new Map<string, Endpoint>();
  const queue = openQueue(deps);
  const texts = openEventTexts(deps.events);
  const nextTurn = turns(deps.checksWaiting);
  const sending = new Set<Promise<void>>();
  const stopped = new AbortController();
  const figures = { succeeded: 0, failed: 0 };
  let stale = true;
  let closing: Promise<void> | undefined;
  let looking: Promise<void> = Promise.resolve();

  changes.subscribe(({ kind, id, object }) => {
    // Decisions of an item go with it.
    if (kind === 'content.deleted') texts.forget();
    if (!kind.startsWith('webhook.')) return;
    stale = true;
    const endpoint = endpoints.get(id);
    if (endpoint !== undefined) endpoint.target = undefined;
    // Not a request more, also where the next one was about to start.
    if (kind === 'webhook.deleted' || (object as Webhook).status === 'disabled') endpoints.delete(id);
  });
  const isServed = (endpoint: Endpoint): boolean =>
    closing === undefined && endpoints.get(endpoint.webhook.id) === endpoint;
  const attempts = { ...deps, texts, stopped: stopped.signal, isServed };

  /** Webhooks as they are now; what is known of those that stay is kept. */
  async function refresh(): Promise<void> {
    stale = false;
    const active = await findActiveWebhooks(db);
    // What was edited meanwhile may be in it as it was before.
    if (stale) return refresh();
    const ids = new Set(active.map((webhook) => webhook.id));
    for (const id of endpoints.keys()) if (!ids.has(id)) endpoints.delete(id);
    for (const webhook of active) {
      const known = endpoints.get(webhook.id);
      if (known !== undefined) {
        known.webhook = webhook;
        continue;
      }
      const cursor = await findCursor(db, webhook.id);
      if (stale) return refresh();
      if (cursor === undefined) continue;
      endpoints.set(webhook.id, newEndpoint(webhook, cursor));
    }
  }

  async function look(): Promise<void> {
    if (!deps.isOurs()) {
      // Another node goes on from what is stored. What is under way here ends and is written down.
      endpoints.clear();
      stale = true;
      return;
    }
    if (stale) await refresh();
    if (endpoints.size === 0) return;
    await queue.look();
    const now = performance.now();
    for (const endpoint of endpoints.values()) {
      if (!queue.hasMore(endpoint) && now - endpoint.lookedAt < RETRIES_EVERY_MS) continue;
      endpoint.lookedAt = now;
      endpoint.moreDue = true;
      serve(endpoint);
    }
  }

  /** One at a time for each endpoint; asked for meanwhile, it runs once more. */
  function serve(endpoint: Endpoint): void {
    if (!isServed(endpoint)) return;
    if (endpoint.running) {
      endpoint.again = true;
      return;
    }
    endpoint.running = true;
    endpoint.again = false;
    track(
      queue
        .fill(endpoint)
        .then(() => startDue(endpoint))
        .catch((error) => {
          if (!(error instanceof Conflict)) return deps.onProblem(error);
          // Somebody else made them, or the webhook is gone: look again from what is stored.
          endpoint.lost = true;
        })
        .finally(() => {
          endpoint.running = false;
          if (endpoint.again) serve(endpoint);
        }),
    );
  }

  const track = (work: Promise<void>): void => {
    const tracked = work.finally(() => sending.delete(tracked));
    sending.add(tracked);
  };

  function startDue(endpoint: Endpoint): void {
    const { inFlight, due } = endpoint;
    const atOnce = endpoint.webhook.failingSince === null ? AT_ONCE : 1;
    while (due.length > 0 && inFlight.size < atOnce && isServed(endpoint)) {
      const delivery = due.shift() as Delivery;
      inFlight.add(delivery.id);
      track(
        tryOnce(endpoint, delivery)
          .catch(deps.onProblem)
          .finally(() => {
            inFlight.delete(delivery.id);
            serve(endpoint);
          }),
      );
    }
  }

  async function tryOnce(endpoint: Endpoint, delivery: Delivery): Promise<void> {
    await nextTurn();
    const succeeded = await attempt(attempts, endpoint, delivery);
    if (succeeded !== undefined) figures[succeeded ? 'succeeded' : 'failed']++;
  }

  async function drain(): Promise<void> {
    clearInterval(timer);
    const cut = setTimeout(() => stopped.abort(), DRAIN_MS);
    await looking;
    while (sending.size > 0) await Promise.all(sending);
    clearTimeout(cut);
    await sender.close();
  }

  const timer = setInterval(() => {
    looking = looking.then(look).catch(deps.onProblem);
  }, LOOK_EVERY_MS);
  timer.unref();

  return {
    figures: () => ({
      ...figures,
      inFlight: [...endpoints.values()].reduce((sum, { inFlight }) => sum + inFlight.size, 0),
    }),
    close: () => (closing ??= drain()),
  };
}
