/**
 * The limit of a decision in the fields RateLimit-Policy and RateLimit (draft-ietf-httpapi-ratelimit-headers-11). A
 * calendar period has no fixed length, so its policy names none.
 */
import { PERIODS } from '../limits/limit.ts';
import { type Decision, retryAfter } from './decision.ts';

/** The name of every limit: which rule it is of is not the visitor's to know. */
const NAME = '"access"';

/** Returns no fields for a decision without a limit. */
export function limitFields({ rateLimit, created }: Decision): Record<string, string> {
  if (rateLimit === null) return {};
  const { limit, remaining, period, resetAt } = rateLimit;
  const length = PERIODS[period]?.lengthMs;
  const window = length === undefined ? '' : `;w=${length / 1000}`;
  const seconds = retryAfter(Date.parse(resetAt), Date.parse(created));
  return {
    'ratelimit-policy': `${NAME};q=${limit}${window}`,
    ratelimit: `${NAME};r=${remaining};t=${seconds}`,
  };
}
