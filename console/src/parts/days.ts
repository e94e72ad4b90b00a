/**
 * Converts between days in the viewer's time zone and instants. The API takes instants; people type and read days.
 * Every date of the console is converted here. Days of 23 or 25 hours are whole days, and a day may begin at 01:00.
 */

/** The viewer's IANA time zone. */
export const ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone || 'UTC';

const DAY = /^(\d{4})-(\d\d)-(\d\d)$/;
const TIME = /^(\d\d):(\d\d)$/;

/** Returns the first instant at which local time is `time` on the day `shift` days after `day`. */
function clockAt(day: string, shift: number, time = '00:00'): string | undefined {
  const [, year, month, date] = DAY.exec(day)?.map(Number) ?? [];
  const [, hour, minute] = TIME.exec(time)?.map(Number) ?? [];
  if (year === undefined || month === undefined || date === undefined || hour === undefined) return undefined;
  // Leap years repeat after 400 years.
  if (new Date(Date.UTC(2000 + (year % 400), month - 1, date)).toISOString().slice(5, 10) !== day.slice(5))
    return undefined;
  const at = new Date(2000, 0, 1);
  // The constructor maps years below 100 to the 1900s.
  at.setFullYear(year, month - 1, date + shift);
  at.setHours(hour, minute, 0, 0);
  return at.toISOString();
}

/** Returns the instant at which `day` (`2026-11-21`) begins; undefined for other text. */
export const startOfDay = (day: string): string | undefined => clockAt(day, 0);

/** Returns the instant at which `day` ends: the exclusive end of a period whose last day it is. */
export const endOfDay = (day: string): string | undefined => clockAt(day, 1);

/** Converts a filter of the address to an instant: the beginning or the end of a day. */
export const spanStart = (text: string | undefined): string | undefined =>
  text ? (startOfDay(text) ?? text) : undefined;
export const spanEnd = (text: string | undefined): string | undefined => (text ? (endOfDay(text) ?? text) : undefined);

/** Returns the instant at which local time is `time` (`09:30`) on `day`. */
export const toInstant = (day: string, time: string): string | undefined => clockAt(day, 0, time);

const two = (n: number): string => String(n).padStart(2, '0');

/** Returns the day (`2026-11-21`) of an instant. */
export function dayAt(instant: string | number | Date): string {
  const at = new Date(instant);
  return `${String(at.getFullYear()).padStart(4, '0')}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
}

/** Returns the local time (`09:30`) of an instant. */
export function timeAt(instant: string): string {
  const at = new Date(instant);
  return `${two(at.getHours())}:${two(at.getMinutes())}`;
}

/** Returns the last day of a period with exclusive end `end`. */
export const lastDayBefore = (end: string): string => dayAt(Date.parse(end) - 1);

/** Returns whether a day begins at this instant, so that a date suffices. */
export const beginsDay = (instant: string): boolean => startOfDay(dayAt(instant)) === new Date(instant).toISOString();

/** Adds calendar days to `day`; the result is the same in every time zone. */
export function addDays(day: string, days: number): string {
  const at = new Date(`${day}T00:00:00Z`);
  at.setUTCDate(at.getUTCDate() + days);
  return at.toISOString().slice(0, 10);
}

export interface Month {
  /** Days, inclusive. */
  first: string;
  last: string;
  /** `October 2026`. */
  name: string;
}

const monthName = new Intl.DateTimeFormat('en-GB', { month: 'long', year: 'numeric', timeZone: 'UTC' });

/** Returns the calendar month that contains a day. */
export function monthOf(day: string): Month {
  const first = `${day.slice(0, 7)}-01`;
  const next = new Date(`${first}T00:00:00Z`);
  const name = monthName.format(next);
  next.setUTCMonth(next.getUTCMonth() + 1);
  return { first, last: addDays(next.toISOString().slice(0, 10), -1), name };
}

/** Counts the calendar days between two days. */
export const daysBetween = (from: string, to: string): number =>
  Math.round((Date.parse(`${to}T00:00:00Z`) - Date.parse(`${from}T00:00:00Z`)) / 86_400_000);
