/** An address of another system that wants to hear of events. */
import { type EventKind, kindsOf } from '../changes/kinds.ts';

export const WEBHOOK_STATUSES = ['active', 'disabled'] as const;
export type WebhookStatus = (typeof WEBHOOK_STATUSES)[number];

export interface Webhook {
  id: string;
  url: string;
  /** Kinds, `content.*`, or `*`, as they were sent. */
  events: string[];
  description: string | null;
  metadata: Record<string, unknown>;
  status: WebhookStatus;
  /** Why it is disabled; null while it is active. */
  disabledReason: string | null;
  /** Since when every attempt has failed; null when the last one did not. */
  failingSince: number | null;
  createdAt: number;
  updatedAt: number;
}

/** Where deliveries go, and what they are signed with. */
export interface Target {
  url: string;
  /** `whsec_…` */
  secret: string;
  /** The one before, in force until `oldUntil`. */
  old: string | null;
  oldUntil: number | null;
}

export const WEBHOOK_PREFIX = 'wh_';

/** The kinds it is sent; none while it is disabled. */
export const wantedKinds = (webhook: Pick<Webhook, 'events' | 'status'>): EventKind[] =>
  webhook.status === 'active' ? kindsOf(webhook.events) : [];
