/** When a delivery is retried, and when an endpoint counts as dead. Pure. */
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

/** At most this share of a wait is added, so that deliveries that failed together spread out. */
const JITTER = 0.1;
const RETRY_AFTER_MAX_MS = 24 * HOUR;

/** No delivery waits longer than this for its next attempt. */
export const LONGEST_WAIT_MS = Math.ceil(24 * HOUR * (1 + JITTER));

/** A webhook is disabled when no attempt has succeeded for this long. */
export const DISABLED_AFTER_MS = 5 * 24 * HOUR;

/**
 * Returns when to retry after `attempts` failures, the last at `now`; null after the last attempt. The endpoint's own
 * `Retry-After` is honored up to one day. `random` is in [0, 1).
 */
export function nextAttemptAt(
  attempts: number,
  now: number,
  retryAfterMs: number | null,
  random: number,
): number | null {
  const wait = WAITS_MS[attempts];
  if (wait === undefined) return null;
  const planned = wait * (1 + JITTER * random);
  return Math.ceil(now + Math.max(planned, Math.min(retryAfterMs ?? 0, RETRY_AFTER_MAX_MS)));
}

/** Parses `Retry-After` (RFC 9110 § 10.2.3: seconds or an HTTP date) to ms from `now`; null when it is not valid. */
export function parseRetryAfter(header: string | undefined, now: number): number | null {
  if (header === undefined) return null;
  if (/^\d{1,9}$/.test(header)) return Number(header) * SECOND;
  const at = Date.parse(header);
  return Number.isNaN(at) ? null : Math.max(0, at - now);
}
