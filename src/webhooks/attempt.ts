/**
 * One attempt of a delivery: signed, sent, written down. What it came to is stored before the next attempt is made; one that
 * our own end cut off is still due.
 */
import { type Changes, SYSTEM } from '../changes/changes.ts';
import type { Db } from '../db/db.ts';
import { type Clock, toIso } from '../lib/clock.ts';
import { ATTEMPTS_KEPT, type Attempt, type Delivery } from './delivery.ts';
import { planDisable } from './edits.ts';
import type { Endpoint } from './endpoint.ts';
import type { EventTexts } from './event-texts.ts';
import { DISABLED_AFTER_MS, nextAttemptAt, retryAfterMs } from './schedule.ts';
import type { Outcome, Sender } from './send.ts';
import { sign, timestampOf } from './sign.ts';
import { deleteDelivery, findTarget, findWebhook, startFailing, stopFailing, updateDelivery } from './store.ts';
import type { Target, Webhook } from './webhook.ts';

export interface AttemptDeps {
  db: Db;
  changes: Changes;
  clock: Clock;
  sender: Sender;
  texts: EventTexts;
  userAgent: string;
  /** Aborted: requests under way are given up. */
  stopped: AbortSignal;
  /** Whether the endpoint is still to be sent anything. */
  isServed(endpoint: Endpoint): boolean;
}

/** Whether it succeeded; undefined when there was nothing to send, or it was given up. */
export async function attempt(deps: AttemptDeps, endpoint: Endpoint, delivery: Delivery): Promise<boolean | undefined> {
  const { db, clock, stopped } = deps;
  const [body, target] = await Promise.all([deps.texts.find(delivery.eventId), targetOf(db, endpoint)]);
  if (target === undefined || !deps.isServed(endpoint)) return undefined;
  if (body === undefined) {
    // Its content was deleted, and its decisions with it.
    await db.atomic([deleteDelivery(delivery.id)]);
    return undefined;
  }
  const now = clock.now();
  const signing = [target.secret, ...target.old.filter(({ until }) => until > now).map(({ secret }) => secret)];
  const headers = {
    'content-type': 'application/json; charset=utf-8',
    'user-agent': deps.userAgent,
    'webhook-id': delivery.eventId,
    'webhook-timestamp': String(timestampOf(now)),
    'webhook-signature': sign(signing, delivery.eventId, now, body),
  };
  const outcome = await deps.sender.post(target.url, headers, body, stopped);
  // Cut off by our own end: it is still due, and is sent again after the start.
  if (stopped.aborted && outcome.statusCode === null) return undefined;
  return settle(deps, endpoint, delivery, { url: target.url, headers }, now, outcome);
}

function targetOf(db: Db, endpoint: Endpoint): Promise<Target | undefined> {
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
  { db, changes, clock }: AttemptDeps,
  endpoint: Endpoint,
  delivery: Delivery,
  request: Attempt['request'],
  begun: number,
  outcome: Outcome,
): Promise<boolean> {
  const { id } = endpoint.webhook;
  const now = clock.now();
  const after = afterAttempt(delivery, request, begun, now, outcome);
  const succeeded = after.status === 'succeeded';
  await db.atomic([updateDelivery(after, delivery), succeeded ? stopFailing(id) : startFailing(id, now)]);
  const failingSince = succeeded ? null : (endpoint.webhook.failingSince ?? now);
  endpoint.webhook = { ...endpoint.webhook, failingSince };
  const reason = reasonToDisable(endpoint.webhook, outcome, now);
  if (reason === undefined) return succeeded;
  await changes.commit(SYSTEM, id, async () => {
    const webhook = await findWebhook(db, id);
    if (webhook?.status !== 'active') return { steps: [], changes: [], status: 200, body: null };
    return planDisable(webhook, reason, clock.now());
  });
  return succeeded;
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
  const made = { number, created: toIso(begun), request, statusCode, durationMs, error, responseBody };
  let status: Delivery['status'] = 'succeeded';
  if (!succeeded) status = next === null ? 'failed' : 'pending';
  return {
    ...delivery,
    status,
    attemptCount: number,
    attempts: [...delivery.attempts, made].slice(-ATTEMPTS_KEPT),
    nextAttemptAt: next,
    updatedAt: now,
  };
}

function reasonToDisable({ failingSince }: Webhook, { statusCode }: Outcome, now: number): string | undefined {
  if (statusCode === 410) return 'The endpoint answered 410 Gone.';
  if (failingSince === null || now - failingSince < DISABLED_AFTER_MS) return undefined;
  return `Every delivery since ${toIso(failingSince)} has failed.`;
}
