/** Makes an attempt: signs and sends the body, and returns the delivery as it is afterwards. Stores nothing. */
import { type Clock, toIso } from '../../lib/clock.ts';
import { ATTEMPTS_KEPT, type Attempt, type Delivery } from './delivery.ts';
import { nextAttemptAt, parseRetryAfter } from './schedule.ts';
import type { Sender, SendOutcome } from './send.ts';
import { sign, toTimestamp } from './sign.ts';
import type { DeliveryTarget } from './webhook.ts';

export interface AttemptDeps {
  clock: Clock;
  sender: Sender;
  userAgent: string;
  /** Aborts requests in flight. */
  aborted: AbortSignal;
}

export interface Attempted {
  delivery: Delivery;
  outcome: SendOutcome;
}

/** Returns undefined when shutdown cut the request off: the delivery is still due. */
export async function attempt(
  { clock, sender, userAgent, aborted }: AttemptDeps,
  delivery: Delivery,
  target: DeliveryTarget,
  body: string,
): Promise<Attempted | undefined> {
  const now = clock.now();
  const secrets = [target.secret, ...target.old.filter(({ until }) => until > now).map(({ secret }) => secret)];
  const headers = {
    'content-type': 'application/json; charset=utf-8',
    'user-agent': userAgent,
    'webhook-id': delivery.eventId,
    'webhook-timestamp': String(toTimestamp(now)),
    'webhook-signature': sign(secrets, delivery.eventId, now, body),
  };
  const outcome = await sender.post(target.url, headers, body, aborted);
  if (aborted.aborted && outcome.statusCode === null) return undefined;
  const { statusCode, durationMs, error, responseBody } = outcome;
  const made: Attempt = {
    number: delivery.attemptCount + 1,
    created: toIso(now),
    request: { url: target.url, headers },
    statusCode,
    durationMs,
    error,
    responseBody,
  };
  return { delivery: addAttempt(delivery, made, outcome.retryAfter, clock.now()), outcome };
}

function addAttempt(delivery: Delivery, made: Attempt, retryAfter: string | undefined, now: number): Delivery {
  const next = isSuccess(made)
    ? null
    : nextAttemptAt(made.number, now, parseRetryAfter(retryAfter, now), Math.random());
  const failure = next === null ? 'failed' : 'pending';
  return {
    ...delivery,
    status: isSuccess(made) ? 'succeeded' : failure,
    attemptCount: made.number,
    attempts: [...delivery.attempts, made].slice(-ATTEMPTS_KEPT),
    nextAttemptAt: next,
    updatedAt: now,
  };
}

const isSuccess = ({ statusCode }: Attempt): boolean => statusCode !== null && statusCode >= 200 && statusCode < 300;
