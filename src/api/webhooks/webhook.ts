/** A webhook: an endpoint of another system that receives events. */
import { type EventKind, expandKinds } from '../changes/kinds.ts';

export const WEBHOOK_STATUSES = ['active', 'disabled'] as const;
export type WebhookStatus = (typeof WEBHOOK_STATUSES)[number];

export interface Webhook {
  id: string;
  url: string;
  /** Kinds, `content.*` or `*`, as given by the caller. */
  events: string[];
  description: string | null;
  metadata: Record<string, unknown>;
  status: WebhookStatus;
  /** null while active. */
  disabledReason: string | null;
  /** Start of the current streak of failures; null after a success. */
  failingSince: number | null;
  createdAt: number;
  updatedAt: number;
}

/** The secrets that sign deliveries. */
export interface Secrets {
  /** `whsec_…` */
  secret: string;
  /** Replaced secrets, newest first; each still signs until its `until` (epoch ms). */
  old: { secret: string; until: number }[];
}

/** The destination of deliveries. */
export interface DeliveryTarget extends Secrets {
  url: string;
}

export const WEBHOOK_PREFIX = 'wh_';

/** Returns the kinds of event the webhook receives; none while disabled. */
export const getWantedKinds = (webhook: Pick<Webhook, 'events' | 'status'>): EventKind[] =>
  webhook.status === 'active' ? expandKinds(webhook.events) : [];
