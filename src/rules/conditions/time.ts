/**
 * The condition `time`: the time of a check against a span, and against days and hours in a time zone. Offsets of zones
 * change only on quarter hours, so one is computed for each quarter hour and kept.
 */
import { type Static, Type } from 'typebox';
import type { Facts } from '../facts.ts';

const DAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;

const hour = Type.String({
  pattern: '^([01][0-9]|2[0-3]):[0-5][0-9]$',
  description: 'A time of day from 00:00 to 23:59',
  expected: 'must be a time of day from 00:00 to 23:59',
});
const dateTime = Type.String({ format: 'date-time' });

/** `now`: the time of the check. */
export const TimeOrNow = Type.Union([
  Type.String({ format: 'date-time', expected: 'must be "now", or an ISO 8601 time with a time zone' }),
  Type.Literal('now'),
]);

export const TimeSchema = Type.Object(
  {
    after: Type.Optional(dateTime),
    before: Type.Optional(dateTime),
    days: Type.Optional(Type.Array(Type.Enum([...DAYS]), { minItems: 1, maxItems: 7 })),
    from: Type.Optional(hour),
    to: Type.Optional(hour),
    timezone: Type.Optional(Type.String({ format: 'time-zone', maxLength: 64 })),
  },
  { additionalProperties: false, minProperties: 1 },
);
export type Time = Static<typeof TimeSchema>;

type Day = (typeof DAYS)[number];

const DAY_MS = 86_400_000;
const QUARTER_MS = 900_000;

export function compileTime(value: Time): (facts: Facts) => boolean {
  const after = value.after === undefined ? -Infinity : Date.parse(value.after);
  const before = value.before === undefined ? Infinity : Date.parse(value.before);
  const days = value.days === undefined ? null : new Set(value.days.map((day) => DAYS.indexOf(day)));
  const from = value.from === undefined ? 0 : toMinutes(value.from);
  const to = value.to === undefined ? 24 * 60 : toMinutes(value.to);
  const offset = offsets(value.timezone);
  return ({ at }) => {
    if (at < after || at >= before) return false;
    const local = at + offset(at);
    const day = Math.floor(local / DAY_MS);
    // 1 January 1970 was a Thursday, DAYS[3].
    if (days !== null && !days.has((((day + 3) % 7) + 7) % 7)) return false;
    const minutes = (local - day * DAY_MS) / 60_000;
    return from <= to ? minutes >= from && minutes < to : minutes >= from || minutes < to;
  };
}

/** A week later, days and hours repeat. */
const DAYS_AHEAD = 7;
const NO_TIMES: readonly number[] = [];

/** Returns a function that gives the times at which days and hours of the condition begin or end, within a week. */
export function compileTurns({ days, from, to, timezone = 'UTC' }: Time): (at: number) => readonly number[] {
  const hours = [from, to].flatMap((text) => text ?? []);
  if (days === undefined && hours.length === 0) return () => NO_TIMES;
  const offset = offsets(timezone);
  const toTime = (date: Temporal.PlainDate, plainTime: string): number =>
    date.toZonedDateTime({ timeZone: timezone, plainTime }).epochMilliseconds;
  let known = Number.NaN;
  let turns = NO_TIMES;
  return (at) => {
    const local = Math.floor((at + offset(at)) / DAY_MS);
    if (local === known) return turns;
    const today = Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(timezone).toPlainDate();
    turns = Array.from({ length: DAYS_AHEAD + 1 }, (_, n) => today.add({ days: n })).flatMap((date) => {
      if (days?.includes(DAYS[date.dayOfWeek - 1] as Day) === false) return [];
      const ends = days === undefined ? [] : [toTime(date, '00:00'), toTime(date.add({ days: 1 }), '00:00')];
      return [...ends, ...hours.map((text) => toTime(date, text))];
    });
    known = local;
    return turns;
  };
}

const toMinutes = (text: string): number => Number(text.slice(0, 2)) * 60 + Number(text.slice(3));

/** Returns a function that gives the zone's offset from UTC at a time, ms. */
function offsets(timezone: string | undefined): (at: number) => number {
  if (timezone === undefined || timezone === 'UTC') return () => 0;
  let known = Number.NaN;
  let offset = 0;
  return (at) => {
    const quarter = Math.floor(at / QUARTER_MS);
    if (quarter !== known) {
      const zoned = Temporal.Instant.fromEpochMilliseconds(quarter * QUARTER_MS).toZonedDateTimeISO(timezone);
      offset = zoned.offsetNanoseconds / 1_000_000;
      known = quarter;
    }
    return offset;
  };
}
