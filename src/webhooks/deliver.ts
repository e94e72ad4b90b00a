/**
 * From the log of events to the endpoints. Promise: every event that a webhook wants is delivered at least once or has
 * failed visibly, over restarts too; a slow or dead endpoint delays no other. The log is the queue: each webhook has a
 * place in it, and is given deliveries only as far as it has room for more.
 */
import { type Changes, SYSTEM } from '../changes/changes.ts';
import { Conflict, type Db, type Step } from '../db/db.ts';
import { eventText } from '../events/event.ts';
import type { Events } from '../events/store.ts';
import { type Clock, toIso } from '../lib/clock.ts';
import { ATTEMPTS_KEPT, type Attempt, type Delivery, newDelivery } from './delivery.ts';
import { planDisable } from './edits.ts';
import { DISABLED_AFTER_MS, nextAttemptAt, retryAfterMs } from './schedule.ts';
import type { Outcome, Sender } from './send.ts';
import { sign, timestampOf } from './sign.ts';
import {
  countPending,
  deleteDelivery,
  findActiveWebhooks,
  findCursor,
  findDue,
  findWebhook,
  getSecrets,
  insertDelivery,
  moveCursor,
  startFailing,
  stopFailing,
  updateDelivery,
} from './store.ts';
import { type Webhook, wantedKinds } from './webhook.ts';

/** How often the log is looked at. */
const LOOK_EVERY_MS = 200;
/** How often retries are looked for where nothing else happens. */
const RETRIES_EVERY_MS = 1_000;
/** How often a webhook's stored place moves where there was nothing for it. */
const MOVE_EVERY_MS = 1_000;
/** Requests at once to one endpoint; to one that fails, a single one. */
const AT_ONCE = 8;
/** Deliveries not yet done for one webhook; what comes after waits in the log. */
const PENDING_MAX = 10_000;
const EVENTS_AT_ONCE = 200;
/** Places of the log looked through for one webhook in one go. */
const PLACES_AT_ONCE = 20_000;
/** Requests under way when the service stops have this long to end. */
const DRAIN_MS = 8_000;

export interface Deliverer {
  /** Since the start of this process. */
  figures(): { succeeded: number; failed: number; inFlight: number };
  /** Sends nothing new; what is under way may end. */
  close(): Promise<void>;
}

export interface DelivererDeps {
  db: Db;
  changes: Changes;
  clock: Clock;
  events: Events;
  sender: Sender;
  userAgent: string;
  onProblem(problem: unknown): void;
}

/** What is known of one active webhook. */
interface Endpoint {
  webhook: Webhook;
  /** As stored, and how far the log was looked through beyond it without finding anything. */
  cursor: number;
  seen: number;
  /** When the stored place last moved. */
  movedAt: number;
  due: Delivery[];
  inFlight: Set<string>;
  /** Its stored place is not `cursor` any more. */
  lost: boolean;
  running: boolean;
  again: boolean;
  lookedAt: number;
}

export function openDeliverer(deps: DelivererDeps): Deliverer {
  const { db, changes, clock, events, sender } = deps;
  const endpoints = new Map<string, Endpoint>();
  const sending = new Set<Promise<void>>();
  const stopped = new AbortController();
  const figures = { succeeded: 0, failed: 0 };
  let stale = true;
  let closing = false;
  let head = 0;
  let looking: Promise<void> = Promise.resolve();

  changes.subscribe(({ kind }) => {
    if (kind.startsWith('webhook.')) stale = true;
  });

  /** Webhooks as they are now; what is known of those that stay is kept. */
  async function refresh(): Promise<void> {
    stale = false;
    const active = await findActiveWebhooks(db);
    const ids = new Set(active.map((webhook) => webhook.id));
    for (const id of endpoints.keys()) if (!ids.has(id)) endpoints.delete(id);
    for (const webhook of active) {
      const known = endpoints.get(webhook.id);
      if (known !== undefined) {
        known.webhook = webhook;
        continue;
      }
      const cursor = await findCursor(db, webhook.id);
      if (cursor === undefined) continue;
      endpoints.set(webhook.id, {
        webhook,
        cursor,
        seen: cursor,
        movedAt: 0,
        due: [],
        inFlight: new Set(),
        lost: false,
        running: false,
        again: false,
        lookedAt: 0,
      });
    }
  }

  async function look(): Promise<void> {
    if (stale) await refresh();
    if (endpoints.size === 0) return;
    head = (await events.bounds()).head;
    const now = performance.now();
    for (const endpoint of endpoints.values()) {
      if (endpoint.seen < head || now - endpoint.lookedAt >= RETRIES_EVERY_MS) serve(endpoint);
    }
  }

  /** One at a time for each endpoint; asked for meanwhile, it runs once more. */
  function serve(endpoint: Endpoint): void {
    if (closing) return;
    if (endpoint.running) {
      endpoint.again = true;
      return;
    }
    endpoint.running = true;
    endpoint.again = false;
    endpoint.lookedAt = performance.now();
    track(
      giveDeliveries(endpoint)
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

  /** The next events of the log become deliveries, and the webhook's place moves with them. */
  async function giveDeliveries(endpoint: Endpoint): Promise<void> {
    const { webhook } = endpoint;
    if (endpoint.lost) {
      endpoint.cursor = (await findCursor(db, webhook.id)) ?? endpoint.cursor;
      endpoint.seen = endpoint.cursor;
      endpoint.lost = false;
    }
    if (endpoint.seen >= head) return;
    const room = Math.min(EVENTS_AT_ONCE, PENDING_MAX - (await countPending(db, webhook.id)));
    if (room <= 0) return;
    const upTo = Math.min(head, endpoint.seen + PLACES_AT_ONCE);
    const places = await events.placesAfter(endpoint.seen, upTo, wantedKinds(webhook), room);
    const to = places.length === room ? (places.at(-1)?.seq ?? upTo) : upTo;
    // Silence moves the stored place too, though not at every look: it is where a restart begins.
    if (places.length > 0 || performance.now() - endpoint.movedAt >= MOVE_EVERY_MS) {
      const now = clock.now();
      const deliveries = places.map((place) => newDelivery(webhook.id, place, now));
      await db.atomic([moveCursor(webhook.id, endpoint.cursor, to), ...deliveries.map(insertDelivery)]);
      endpoint.cursor = to;
      endpoint.movedAt = performance.now();
    }
    endpoint.seen = to;
    if (to < head) endpoint.again = true;
  }

  async function startDue(endpoint: Endpoint): Promise<void> {
    const { webhook, inFlight } = endpoint;
    const atOnce = webhook.failingSince === null ? AT_ONCE : 1;
    if (inFlight.size >= atOnce) return;
    if (endpoint.due.length === 0) {
      const found = await findDue(db, webhook.id, clock.now(), EVENTS_AT_ONCE);
      endpoint.due = found.filter((delivery) => !inFlight.has(delivery.id));
    }
    while (endpoint.due.length > 0 && inFlight.size < atOnce && !closing) {
      const delivery = endpoint.due.shift() as Delivery;
      inFlight.add(delivery.id);
      track(
        attempt(endpoint, delivery)
          .catch(deps.onProblem)
          .finally(() => {
            inFlight.delete(delivery.id);
            serve(endpoint);
          }),
      );
    }
  }

  async function attempt(endpoint: Endpoint, delivery: Delivery): Promise<void> {
    const { webhook } = endpoint;
    const [event, secrets] = await Promise.all([events.find(delivery.eventId), getSecrets(db, webhook.id)]);
    if (secrets === undefined) return;
    if (event === undefined) {
      // Its content was deleted, and its decisions with it.
      await db.atomic([deleteDelivery(delivery.id)]);
      return;
    }
    const now = clock.now();
    const body = eventText(event);
    const inForce = secrets.old !== null && (secrets.oldUntil ?? 0) > now ? [secrets.old] : [];
    const headers = {
      'content-type': 'application/json; charset=utf-8',
      'user-agent': deps.userAgent,
      'webhook-id': event.id,
      'webhook-timestamp': String(timestampOf(now)),
      'webhook-signature': sign([secrets.secret, ...inForce], event.id, now, body),
    };
    const outcome = await sender.post(webhook.url, headers, body, stopped.signal);
    // Cut off by our own end: it is still due, and is sent again after the start.
    if (stopped.signal.aborted && outcome.statusCode === null) return;
    await settle(endpoint, delivery, { url: webhook.url, headers }, now, outcome);
  }

  async function settle(
    endpoint: Endpoint,
    delivery: Delivery,
    request: Attempt['request'],
    begun: number,
    outcome: Outcome,
  ): Promise<void> {
    const { webhook } = endpoint;
    const now = clock.now();
    const after = afterAttempt(delivery, request, begun, now, outcome);
    const steps: Step[] = [updateDelivery(after, delivery)];
    if (after.status === 'succeeded') {
      figures.succeeded++;
      if (webhook.failingSince !== null) steps.push(stopFailing(webhook.id));
      endpoint.webhook = { ...endpoint.webhook, failingSince: null };
    } else {
      figures.failed++;
      if (webhook.failingSince === null) steps.push(startFailing(webhook.id, now));
      endpoint.webhook = { ...endpoint.webhook, failingSince: endpoint.webhook.failingSince ?? now };
    }
    await db.atomic(steps);
    const why = reasonToDisable(endpoint.webhook, outcome, now);
    if (why !== undefined) await disable(webhook.id, why);
  }

  async function disable(id: string, reason: string): Promise<void> {
    endpoints.delete(id);
    const present = await findWebhook(db, id);
    if (present === undefined || present.status === 'disabled') return;
    await changes.commit(SYSTEM, id, async () => {
      const webhook = await findWebhook(db, id);
      return planDisable(webhook ?? present, reason, clock.now());
    });
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
    async close() {
      closing = true;
      clearInterval(timer);
      await looking;
      const cut = setTimeout(() => stopped.abort(), DRAIN_MS);
      while (sending.size > 0) await Promise.all(sending);
      clearTimeout(cut);
      await sender.close();
    },
  };
}

function afterAttempt(
  delivery: Delivery,
  request: Attempt['request'],
  begun: number,
  now: number,
  { statusCode, durationMs, error, responseBody, retryAfter }: Outcome,
): Delivery {
  const number = delivery.attemptCount + 1;
  const succeeded = statusCode !== null && statusCode >= 200 && statusCode < 300;
  const next = succeeded ? null : nextAttemptAt(number, now, retryAfterMs(retryAfter, now), Math.random());
  const attempt = { number, created: toIso(begun), request, statusCode, durationMs, error, responseBody };
  let status: Delivery['status'] = 'succeeded';
  if (!succeeded) status = next === null ? 'failed' : 'pending';
  return {
    ...delivery,
    status,
    attemptCount: number,
    attempts: [...delivery.attempts, attempt].slice(-ATTEMPTS_KEPT),
    nextAttemptAt: next,
    updatedAt: now,
  };
}

function reasonToDisable({ failingSince }: Webhook, { statusCode }: Outcome, now: number): string | undefined {
  if (statusCode === 410) return 'The endpoint answered 410 Gone.';
  if (failingSince === null || now - failingSince < DISABLED_AFTER_MS) return undefined;
  return `Every delivery since ${toIso(failingSince)} has failed.`;
}
