/**
 * Calendar periods of a time zone, pure. Promise: periods of one kind follow each other without gaps or overlaps, also
 * where clocks change at midnight or a day is skipped. Times are epoch ms; ends are exclusive. A period in which a
 * license does not last the whole time counts by calendar days; one of which the license touches every day is whole.
 */
import type { QuotaPeriod } from './terms.ts';

export type CalendarPeriod = Exclude<QuotaPeriod, 'term'>;

export interface Period {
  start: number;
  end: number;
  /** `2026-11-21`, `2026-W47`, `2026-11`, `2026-Q4` or `2026`. */
  label: string;
}

type Day = Temporal.PlainDate;

/** A period with its first day, from which the next one follows. */
export type DatedPeriod = Period & { first: Day };

const firstMonth = (day: Day): number => day.month - ((day.month - 1) % 3);
const two = (value: number): string => String(value).padStart(2, '0');
const formatYear = (year: number): string => String(year).padStart(4, '0');

const KINDS: Record<CalendarPeriod, { step: Temporal.DurationLike; first(day: Day): Day; label(first: Day): string }> =
  {
    day: { step: { days: 1 }, first: (day) => day, label: (day) => day.toString() },
    week: {
      step: { days: 7 },
      first: (day) => day.subtract({ days: day.dayOfWeek - 1 }),
      label: (day) => `${formatYear(day.yearOfWeek ?? day.year)}-W${two(day.weekOfYear ?? 1)}`,
    },
    month: {
      step: { months: 1 },
      first: (day) => day.with({ day: 1 }),
      label: (day) => `${formatYear(day.year)}-${two(day.month)}`,
    },
    quarter: {
      step: { months: 3 },
      first: (day) => day.with({ month: firstMonth(day), day: 1 }),
      label: (day) => `${formatYear(day.year)}-Q${(day.month + 2) / 3}`,
    },
    year: { step: { years: 1 }, first: (day) => day.with({ month: 1, day: 1 }), label: (day) => formatYear(day.year) },
  };

const startOfDay = (day: Day, timezone: string): number => day.toZonedDateTime(timezone).epochMilliseconds;

/** Returns the period that contains a time. */
export function periodAt(kind: CalendarPeriod, timezone: string, at: number): DatedPeriod {
  const { first } = KINDS[kind];
  const today = Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(timezone).toPlainDate();
  let period = periodFrom(kind, timezone, first(today));
  // If clocks went back over midnight, the end of a day comes twice; the second time counts to the next day.
  while (at >= period.end) period = periodAfter(kind, timezone, period);
  return period;
}

export const periodAfter = (kind: CalendarPeriod, timezone: string, { first }: DatedPeriod): DatedPeriod =>
  periodFrom(kind, timezone, first.add(KINDS[kind].step));

function periodFrom(kind: CalendarPeriod, timezone: string, first: Day): DatedPeriod {
  const { step, label } = KINDS[kind];
  const end = startOfDay(first.add(step), timezone);
  return { first, start: startOfDay(first, timezone), end, label: label(first) };
}

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
