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

/** What deliveries are signed with. */
export interface Secrets {
  /** `whsec_…` */
  secret: string;
  /** Those before, the newest first; each signs too, up to a moment (epoch ms). */
  old: { secret: string; until: number }[];
}

/** Where deliveries go. */
export interface Target extends Secrets {
  url: string;
}

export const WEBHOOK_PREFIX = 'wh_';

/** The kinds it is sent; none while it is disabled. */
export const wantedKinds = (webhook: Pick<Webhook, 'events' | 'status'>): EventKind[] =>
  webhook.status === 'active' ? kindsOf(webhook.events) : [];
