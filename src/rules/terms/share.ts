/**
 * Periods in which a license does not last the whole time, pure. They count by calendar days: those of the time zone
 * that the license touches, over those of the period. A period of which it touches every day is whole.
 */
import { type CalendarPeriod, type DatedPeriod, periodAfter, periodAt } from './periods.ts';

/** The days that a license touches, of those of the period. */
export interface Share {
  days: number;
  of: number;
}

/** Returns the share of a time in its period; null where the period is whole, or the time is empty. */
export function toShare(
  kind: CalendarPeriod,
  timezone: string,
  period: DatedPeriod,
  { from, to }: { from: number; to: number },
): Share | null {
  const [start, end] = [Math.max(from, period.start), Math.min(to, period.end)];
  if (start >= end || (start === period.start && end === period.end)) return null;
  const toDay = (at: number) => periodAt('day', timezone, at).first;
  const days = toDay(start).until(toDay(end - 1)).days + 1;
  const of = period.first.until(periodAfter(kind, timezone, period).first).days;
  return days < of ? { days, of } : null;
}

/** Returns the share by which amounts and quotas are reduced: none unless terms prorate. */
export const proratedBy = (
  { prorate = false }: { prorate?: boolean | undefined },
  share: Share | null,
): Share | null => (prorate ? share : null);
