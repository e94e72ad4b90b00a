/** When a delivery is tried again, and when an endpoint is given up. Pure. */
const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** The wait before each attempt, the first one's included. */
export const WAITS_MS: readonly number[] = [
  0,
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
];

/** Up to this share of a wait is added, so that what failed together does not come back together. */
const JITTER = 0.1;
const RETRY_AFTER_MAX_MS = 24 * HOUR;

/** An endpoint at which nothing has succeeded for so long is disabled. */
export const DISABLED_AFTER_MS = 5 * 24 * HOUR;

/**
 * When to try again after `attempts` that failed, the last of them at `now`; null when that was the last one. Never before
 * the endpoint's own `Retry-After`, as far as that is at most a day. `random` is in [0, 1).
 */
export function nextAttemptAt(attempts: number, now: number, askedMs: number | null, random: number): number | null {
  const wait = WAITS_MS[attempts];
  if (wait === undefined) return null;
  const planned = wait * (1 + JITTER * random);
  return Math.ceil(now + Math.max(planned, Math.min(askedMs ?? 0, RETRY_AFTER_MAX_MS)));
}

/** `Retry-After` (RFC 9110 § 10.2.3: seconds or an HTTP date) as milliseconds from `now`; null when it says nothing. */
export function retryAfterMs(header: string | undefined, now: number): number | null {
  if (header === undefined) return null;
  if (/^\d{1,9}$/.test(header)) return Number(header) * SECOND;
  const at = Date.parse(header);
  return Number.isNaN(at) ? null : Math.max(0, at - now);
}
