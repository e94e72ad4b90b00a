/**
 * From the log of events to the endpoints. Promise: every event that a webhook wants is delivered at least once or has
 * failed visibly, over restarts too; a slow or dead endpoint delays no other. The log is the queue: each webhook has a
 * place in it, and is given deliveries only as far as it has room for more.
 */
import { type Changes, SYSTEM } from '../changes/changes.ts';
import { Conflict, type Db } from '../db/db.ts';
import type { EventPlace } from '../events/event.ts';
import type { Events } from '../events/store.ts';
import { type Clock, toIso } from '../lib/clock.ts';
import { ATTEMPTS_KEPT, type Attempt, type Delivery, newDelivery } from './delivery.ts';
import { planDisable } from './edits.ts';
import { type EventTexts, openEventTexts } from './event-texts.ts';
import { DISABLED_AFTER_MS, nextAttemptAt, retryAfterMs } from './schedule.ts';
import type { Outcome, Sender } from './send.ts';
import { sign, timestampOf } from './sign.ts';
import {
  countPending,
  deleteDelivery,
  findActiveWebhooks,
  findCursor,
  findDue,
  findTarget,
  findWebhook,
  insertDelivery,
  moveCursor,
  startFailing,
  stopFailing,
  updateDelivery,
} from './store.ts';
import { type Target, type Webhook, wantedKinds } from './webhook.ts';

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
/** While so many checks wait for the disk that the node is busy, one request begins in so many milliseconds. */
const CHECKS_MANY = 16;
const PAUSE_MS = 50;
/** Places of the log looked through for one webhook in one go. */
const PLACES_AT_ONCE = 20_000;
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

/** What is known of one active webhook. */
interface Endpoint {
  webhook: Webhook;
  /** Forgotten when the webhook is edited. */
  target: Promise<Target | undefined> | undefined;
  /** As stored, and how far the log was looked through beyond it without finding anything. */
  cursor: number;
  seen: number;
  /** When the stored place last moved. */
  movedAt: number;
  due: Delivery[];
  /** There may be more that are due in the store. */
  moreDue: boolean;
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
  const texts: EventTexts = openEventTexts(events);
  const nextTurn = turns(deps.checksWaiting);
  const sending = new Set<Promise<void>>();
  const stopped = new AbortController();
  const figures = { succeeded: 0, failed: 0 };
  let stale = true;
  let closing: Promise<void> | undefined;
  let head = 0;
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
  /** What webhooks with the same place and wishes ask at one look is read once. */
  const placesRead = new Map<string, Promise<EventPlace[]>>();

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
      endpoints.set(webhook.id, {
        webhook,
        target: undefined,
        cursor,
        seen: cursor,
        movedAt: 0,
        due: [],
        moreDue: true,
        inFlight: new Set(),
        lost: false,
        running: false,
        again: false,
        lookedAt: 0,
      });
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
    head = await events.head();
    placesRead.clear();
    const now = performance.now();
    for (const endpoint of endpoints.values()) {
      if (endpoint.seen >= head && now - endpoint.lookedAt < RETRIES_EVERY_MS) continue;
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
      fill(endpoint)
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

  /** What waits longest goes first; only when all that was due is under way does the log give more. */
  async function fill(endpoint: Endpoint): Promise<void> {
    const { webhook, inFlight } = endpoint;
    if (endpoint.due.length > 0) return;
    if (endpoint.moreDue) {
      // One that is done by the time the rows come may be in them as it was before.
      const busy = new Set(inFlight);
      const found = await findDue(db, webhook.id, clock.now(), EVENTS_AT_ONCE);
      endpoint.moreDue = found.length === EVENTS_AT_ONCE;
      endpoint.due = found.filter((delivery) => !busy.has(delivery.id));
      if (endpoint.due.length > 0) return;
    }
    if (endpoint.seen < head || endpoint.lost) endpoint.due = await giveDeliveries(endpoint);
  }

  /** The next events of the log become deliveries, and the webhook's place moves with them. */
  async function giveDeliveries(endpoint: Endpoint): Promise<Delivery[]> {
    const { webhook } = endpoint;
    if (endpoint.lost) {
      endpoint.cursor = (await findCursor(db, webhook.id)) ?? endpoint.cursor;
      endpoint.seen = endpoint.cursor;
      endpoint.moreDue = true;
      endpoint.lost = false;
    }
    if (endpoint.seen >= head) return [];
    const room = Math.min(EVENTS_AT_ONCE, PENDING_MAX - (await countPending(db, webhook.id)));
    if (room <= 0) return [];
    const upTo = Math.min(head, endpoint.seen + PLACES_AT_ONCE);
    const places = await placesFor(webhook, endpoint.seen, upTo, room);
    const to = places.length === room ? (places.at(-1)?.seq ?? upTo) : upTo;
    const now = clock.now();
    const deliveries = places.map((place) => newDelivery(webhook.id, place, now));
    // Silence moves the stored place too, though not at every look: it is where a restart begins.
    if (places.length > 0 || performance.now() - endpoint.movedAt >= MOVE_EVERY_MS) {
      await db.atomic([moveCursor(webhook.id, endpoint.cursor, to), ...deliveries.map(insertDelivery)]);
      endpoint.cursor = to;
      endpoint.movedAt = performance.now();
    }
    endpoint.seen = to;
    if (to < head) endpoint.again = true;
    return deliveries;
  }

  function placesFor(webhook: Webhook, after: number, upTo: number, limit: number): Promise<EventPlace[]> {
    const kinds = wantedKinds(webhook);
    const key = `${after} ${upTo} ${limit} ${kinds.join()}`;
    const read = placesRead.get(key) ?? events.placesAfter(after, upTo, kinds, limit);
    placesRead.set(key, read);
    return read;
  }

  function startDue(endpoint: Endpoint): void {
    const { inFlight, due } = endpoint;
    const atOnce = endpoint.webhook.failingSince === null ? AT_ONCE : 1;
    while (due.length > 0 && inFlight.size < atOnce && isServed(endpoint)) {
      const delivery = due.shift() as Delivery;
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
    await nextTurn();
    const [body, target] = await Promise.all([texts.find(delivery.eventId), targetOf(endpoint)]);
    if (target === undefined || !isServed(endpoint)) return;
    if (body === undefined) {
      // Its content was deleted, and its decisions with it.
      await db.atomic([deleteDelivery(delivery.id)]);
      return;
    }
    const now = clock.now();
    const inForce = target.old !== null && (target.oldUntil ?? 0) > now ? [target.old] : [];
    const headers = {
      'content-type': 'application/json; charset=utf-8',
      'user-agent': deps.userAgent,
      'webhook-id': delivery.eventId,
      'webhook-timestamp': String(timestampOf(now)),
      'webhook-signature': sign([target.secret, ...inForce], delivery.eventId, now, body),
    };
    const outcome = await sender.post(target.url, headers, body, stopped.signal);
    // Cut off by our own end: it is still due, and is sent again after the start.
    if (stopped.signal.aborted && outcome.statusCode === null) return;
    await settle(endpoint, delivery, { url: target.url, headers }, now, outcome);
  }

  function targetOf(endpoint: Endpoint): Promise<Target | undefined> {
    if (endpoint.target === undefined) {
      const read = findTarget(db, endpoint.webhook.id);
      endpoint.target = read;
      read.catch(() => {
        if (endpoint.target === read) endpoint.target = undefined;
      });
    }
    return endpoint.target;
  }

  async function settle(
    endpoint: Endpoint,
    delivery: Delivery,
    request: Attempt['request'],
    begun: number,
    outcome: Outcome,
  ): Promise<void> {
    const { id } = endpoint.webhook;
    const now = clock.now();
    const after = afterAttempt(delivery, request, begun, now, outcome);
    const succeeded = after.status === 'succeeded';
    await db.atomic([updateDelivery(after, delivery), succeeded ? stopFailing(id) : startFailing(id, now)]);
    figures[succeeded ? 'succeeded' : 'failed']++;
    const failingSince = succeeded ? null : (endpoint.webhook.failingSince ?? now);
    endpoint.webhook = { ...endpoint.webhook, failingSince };
    const why = reasonToDisable(endpoint.webhook, outcome, now);
    if (why !== undefined) await disable(id, why);
  }

  async function disable(id: string, reason: string): Promise<void> {
    await changes.commit(SYSTEM, id, async () => {
      const webhook = await findWebhook(db, id);
      if (webhook?.status !== 'active') return { steps: [], changes: [], status: 200, body: null };
      return planDisable(webhook, reason, clock.now());
    });
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

/** Lets one go in each turn of the event loop, and pauses where many checks wait: they are what somebody waits for. */
function turns(checksWaiting: () => number): () => Promise<void> {
  const waiting: (() => void)[] = [];
  const release = (): void => {
    waiting.shift()?.();
    if (waiting.length > 0) next();
  };
  const next = (): void => {
    if (checksWaiting() >= CHECKS_MANY) setTimeout(release, PAUSE_MS);
    else setImmediate(release);
  };
  return () =>
    new Promise((resolve) => {
      if (waiting.push(resolve) === 1) next();
    });
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
