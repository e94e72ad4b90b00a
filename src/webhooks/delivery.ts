/** One event on its way to one webhook. */
import { EVENT_PREFIX, type EventPlace } from '../events/event.ts';
import { newId } from '../lib/id.ts';

export const DELIVERY_STATUSES = ['pending', 'succeeded', 'failed'] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

/** One try, as it is listed. */
export interface Attempt {
  number: number;
  /** When it began. */
  created: string;
  request: { url: string; headers: Record<string, string> };
  /** null when no answer came. */
  statusCode: number | null;
  durationMs: number;
  /** What went wrong before an answer came; null when one did. */
  error: string | null;
  /** The first kilobyte of the answer's body. */
  responseBody: string | null;
}

export interface Delivery {
  id: string;
  webhookId: string;
  eventId: string;
  kind: EventPlace['kind'];
  status: DeliveryStatus;
  attemptCount: number;
  /** The newest ATTEMPTS_KEPT, oldest first. */
  attempts: Attempt[];
  /** null when there will be none. */
  nextAttemptAt: number | null;
  createdAt: number;
  updatedAt: number;
}

const PREFIX = 'dlv_';

/** The schedule has ten; retries by hand come on top. */
export const ATTEMPTS_KEPT = 20;

/** Due at once. */
export const newDelivery = (webhookId: string, place: Pick<EventPlace, 'body' | 'kind'>, now: number): Delivery => ({
  id: newId(PREFIX, now),
  webhookId,
  eventId: EVENT_PREFIX + place.body,
  kind: place.kind,
  status: 'pending',
  attemptCount: 0,
  attempts: [],
  nextAttemptAt: now,
  createdAt: now,
  updatedAt: now,
});
