/**
 * The log of events as the queue of deliveries: each webhook has a stored place in it, and its next events become
 * deliveries in the transaction that moves the place, as far as it has room for more. None is passed over, none is made twice.
 */
import type { Db } from '../db/db.ts';
import type { EventPlace } from '../events/event.ts';
import type { Events } from '../events/store.ts';
import type { Clock } from '../lib/clock.ts';
import { type Delivery, newDelivery } from './delivery.ts';
import type { Endpoint } from './endpoint.ts';
import { countPending, findCursor, findDue, insertDelivery, moveCursor } from './store.ts';
import { type Webhook, wantedKinds } from './webhook.ts';

/** How often a webhook's stored place moves where there was nothing for it. */
const MOVE_EVERY_MS = 1_000;
/** Deliveries not yet done for one webhook; what comes after waits in the log. */
const PENDING_MAX = 10_000;
const EVENTS_AT_ONCE = 200;
/** Places of the log looked through for one webhook in one go. */
const PLACES_AT_ONCE = 20_000;

export interface Queue {
  /** Looks how far the log has come. */
  look(): Promise<void>;
  /** There are places that it was not looked through for this webhook. */
  hasMore(endpoint: Endpoint): boolean;
  /**
   * What is due, where nothing was: of the store first, since it waits longest, then of the log. Throws Conflict when somebody
   * else moved the webhook's place, or the webhook is gone.
   */
  fill(endpoint: Endpoint): Promise<void>;
}

export function openQueue({ db, events, clock }: { db: Db; events: Events; clock: Clock }): Queue {
  let head = 0;
  /** What webhooks with the same place and wishes ask at one look is read once. */
  const placesRead = new Map<string, Promise<EventPlace[]>>();

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

  return {
    async look() {
      head = await events.head();
      placesRead.clear();
    },
    hasMore: (endpoint) => endpoint.seen < head,
    async fill(endpoint) {
      if (endpoint.due.length > 0) return;
      if (endpoint.moreDue) {
        // One that is done by the time the rows come may be in them as it was before.
        const busy = new Set(endpoint.inFlight);
        const found = await findDue(db, endpoint.webhook.id, clock.now(), EVENTS_AT_ONCE);
        endpoint.moreDue = found.length === EVENTS_AT_ONCE;
        endpoint.due = found.filter((delivery) => !busy.has(delivery.id));
        if (endpoint.due.length > 0) return;
      }
      if (endpoint.seen < head || endpoint.lost) endpoint.due = await giveDeliveries(endpoint);
    },
  };
}
