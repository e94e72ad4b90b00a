/** The term of a license in days: first and last, inclusive. */
import { addDays, dayAt, endOfDay, lastDayBefore, startOfDay } from '../parts/days.ts';

export const firstDayIn = (startsAt: string | null | undefined): string => (startsAt == null ? '' : dayAt(startsAt));
export const lastDayIn = (expiresAt: string | null | undefined): string =>
  expiresAt == null ? '' : lastDayBefore(expiresAt);

interface Instants {
  startsAt: string | null;
  expiresAt: string | null;
}

/** Converts two days to instants, empty without one. An unchanged day keeps its instant to the millisecond. */
export function toInstants(first: string, last: string, before: Instants | undefined): Instants {
  const { startsAt = null, expiresAt = null } = before ?? {};
  return {
    startsAt: first === firstDayIn(startsAt) ? startsAt : (startOfDay(first) ?? null),
    expiresAt: last === lastDayIn(expiresAt) ? expiresAt : (endOfDay(last) ?? null),
  };
}

/** Returns the last day of the year that begins on `first`. */
export function lastDayOfYear(first: string): string {
  const [year = 0, month = 1, day = 1] = first.split('-').map(Number);
  const next = new Date(Date.UTC(year + 1, month - 1, day)).toISOString().slice(0, 10);
  return addDays(next, -1);
}

/** Returns the end of a renewal: a year after a future end, otherwise a year from today. */
export function renewedEnd(expiresAt: string, today = dayAt(Date.now())): string {
  if (lastDayIn(expiresAt) < today) return endOfDay(lastDayOfYear(today)) ?? expiresAt;
  const at = new Date(expiresAt);
  at.setFullYear(at.getFullYear() + 1);
  return at.toISOString();
}
