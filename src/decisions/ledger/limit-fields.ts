/**
 * The limit and the quota of a decision in the fields RateLimit-Policy and RateLimit
 * (draft-ietf-httpapi-ratelimit-headers-11). A calendar period has no fixed length, so its policy names none.
 */
import { PERIODS } from '../../rules/limit.ts';
import { type Decision, retryAfter } from './decision.ts';

/** The names of all limits and of all quotas: which rule or license it is of is not the visitor's to know. */
const LIMIT = '"access"';
const QUOTA = '"license"';

/** Returns no fields for a decision without a limit and a quota. */
export function limitFields({ rateLimit, quota, created }: Decision): Record<string, string> {
  const policies: string[] = [];
  const states: string[] = [];
  const secondsTo = (resetAt: string): number => retryAfter(Date.parse(resetAt), Date.parse(created));
  if (rateLimit !== null) {
    const { limit, remaining, period, resetAt } = rateLimit;
    const seconds = (PERIODS[period]?.lengthMs ?? Infinity) / 1000;
    policies.push(`${LIMIT};q=${limit}${seconds === Infinity ? '' : `;w=${seconds}`}`);
    // The millisecond at the end of a window does not make it a second longer.
    states.push(`${LIMIT};r=${remaining};t=${Math.min(seconds, secondsTo(resetAt))}`);
  }
  if (quota !== null) {
    const { units, remaining, resetAt } = quota;
    policies.push(`${QUOTA};q=${units}`);
    states.push(`${QUOTA};r=${remaining}${resetAt === null ? '' : `;t=${secondsTo(resetAt)}`}`);
  }
  return policies.length === 0 ? {} : { 'ratelimit-policy': policies.join(', '), ratelimit: states.join(', ') };
}
