/** What the delivering node knows of one active webhook. */
import type { Delivery } from './delivery.ts';
import type { Target, Webhook } from './webhook.ts';

export interface Endpoint {
  webhook: Webhook;
  /** Forgotten when the webhook is edited. */
  target: Promise<Target | undefined> | undefined;
  /** Its place in the log of events, as stored. */
  cursor: number;
  /** How far the log was looked through beyond it without finding anything. */
  seen: number;
  /** When the stored place last moved. */
  movedAt: number;
  due: Delivery[];
  /** There may be more that are due in the store. */
  moreDue: boolean;
  /** Ids of deliveries that are being attempted. */
  inFlight: Set<string>;
  /** Its stored place is not `cursor` any more. */
  lost: boolean;
  running: boolean;
  again: boolean;
  lookedAt: number;
}

export const newEndpoint = (webhook: Webhook, cursor: number): Endpoint => ({
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
