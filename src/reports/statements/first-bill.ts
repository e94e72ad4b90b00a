/** The first statement of a license that is still to be created, pure: what so many units would cost in its period. */
import { fail } from '../../api/errors.ts';
import { parseIso, toIso } from '../../lib/clock.ts';
import { splitUnits, toPartialPeriod } from '../../rules/terms/price.ts';
import { billingPeriods, toSegments } from '../../rules/terms/timeline.ts';
import { computeBill, toAmount } from './bill.ts';
import type { FirstBillRequest } from './schema.ts';

/** Throws invalid_request. */
export function firstBill({ terms, startsAt, expiresAt, units = 0 }: FirstBillRequest, now: number) {
  const bounds = { startsAt: toTime(startsAt), expiresAt: toTime(expiresAt) };
  // As for a license that is created now.
  const segments = toSegments([{ version: 1, from: now, terms }]);
  const [span] = billingPeriods(segments, bounds, { since: now, until: Infinity }).take(1);
  if (span === undefined) {
    throw fail('invalid_request', '`expiresAt` must be in the future.', { param: 'expiresAt' });
  }
  const lines = splitUnits(terms.tiers, units)
    .map((within, tier) => ({ tier, units: within }))
    .filter((line) => line.units > 0);
  const bill = computeBill(terms, { lines }, { share: span.share });
  return {
    object: 'first_bill' as const,
    period: span.label,
    from: toIso(Math.max(span.start, bounds.startsAt ?? span.start)),
    to: toIso(Math.min(span.end, bounds.expiresAt ?? span.end)),
    partialPeriod: toPartialPeriod(terms, span.share),
    units,
    lines: bill.lines,
    total: toAmount(bill.totalMicros, terms.currency),
  };
}

const toTime = (text: string | null | undefined): number | null => (text == null ? null : (parseIso(text) ?? null));
