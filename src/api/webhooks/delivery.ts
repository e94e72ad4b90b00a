/** A delivery: the sending of an event to a webhook. */

import { newId } from '../../lib/id.ts';
import { EVENT_PREFIX, type EventRecord } from '../events/event.ts';

export const DELIVERY_STATUSES = ['pending', 'succeeded', 'failed'] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

/** An attempt, as it is listed. */
export interface Attempt {
  number: number;
  /** Start time. */
  created: string;
  request: { url: string; headers: Record<string, string> };
  /** null without a response. */
  statusCode: number | null;
  durationMs: number;
  /** The error that prevented a response; null with one. */
  error: string | null;
  /** The first kilobyte of the response body. */
  responseBody: string | null;
}

export interface Delivery {
  id: string;
  webhookId: string;
  eventId: string;
  kind: EventRecord['kind'];
  status: DeliveryStatus;
  attemptCount: number;
  /** The newest ATTEMPTS_KEPT, oldest first. */
  attempts: Attempt[];
  /** null when no attempt will follow. */
  nextAttemptAt: number | null;
  createdAt: number;
  updatedAt: number;
}

const PREFIX = 'dlv_';

/** The schedule has ten; manual retries come on top. */
export const ATTEMPTS_KEPT = 20;

/** Returns a delivery that is due immediately. */
export const newDelivery = (webhookId: string, event: Pick<EventRecord, 'body' | 'kind'>, now: number): Delivery => ({
  id: newId(PREFIX, now),
  webhookId,
  eventId: EVENT_PREFIX + event.body,
  kind: event.kind,
  status: 'pending',
  attemptCount: 0,
  attempts: [],
  nextAttemptAt: now,
  createdAt: now,
  updatedAt: now,
});
