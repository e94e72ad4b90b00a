/** Ids and bodies of the events of quotas. */
import { createHash } from 'node:crypto';
import { toIso } from '../../../lib/clock.ts';
import { toBase32 } from '../../../lib/id.ts';
import { toQuotaState } from '../../../rules/terms/quota.ts';
import type { QuotaEvent } from './quota.ts';

/** Returns the 26 characters of an event's id: the time, and 16 that follow from what it announces. */
export function quotaEventBody({ at, kind, span, threshold, used }: QuotaEvent): string {
  const text = JSON.stringify([kind, span.licenseId, span.start, threshold, used]);
  const digest = createHash('sha256').update(text).digest().subarray(0, 16);
  return toBase32(at, 10) + [...digest].map((value) => toBase32(value % 32, 1)).join('');
}

/** Returns the body of an event. */
export const toQuotaNotice = ({ at, span, threshold, used }: QuotaEvent): object => {
  const { licenseId, requesterId, start } = span;
  const { resetAt, ...quota } = toQuotaState(span, used);
  return {
    object: 'license_quota',
    licenseId,
    requesterId,
    ...(threshold === null ? {} : { threshold }),
    quota: { ...quota, resetAt: resetAt === null ? null : toIso(resetAt) },
    periodStart: toIso(start),
    created: toIso(at),
  };
};
