/**
 * The period of a report: from the query's words to a range of moments and its buckets. Pure. Promise: `from` is
 * inclusive, `to` exclusive, both epoch ms; buckets ascend without gaps and cover the range; the first and the last may
 * reach beyond it. Days, weeks, months and hours are those of the zone's clocks: days of 23 or 25 hours, and of none.
 */
import { fail } from '../errors.ts';
import { FIRST_MOMENT, LAST_MOMENT } from '../lib/clock.ts';

/** Days back, today included; `all` reaches to the first decision. */
export const PERIODS = { '7d': 7, '30d': 30, '90d': 90, year: 365, all: undefined } as const;
export type PeriodName = keyof typeof PERIODS;

export const GROUPS = ['hour', 'day', 'week', 'month'] as const;
export type Group = (typeof GROUPS)[number];

export const PERIOD_DEFAULT: PeriodName = '30d';
export const GROUP_DEFAULT: Group = 'day';
export const BUCKETS_MAX = 10_000;

export interface PeriodQuery {
  period?: PeriodName | undefined;
  startDate?: string | undefined;
  endDate?: string | undefined;
  groupBy?: Group | undefined;
  /** IANA name. */
  timezone?: string | undefined;
}

/** Epoch ms. `first` and `last` are the oldest and newest decision's; needed only where `reachesBack` says so. */
export interface Moments {
  now: number;
  first?: number | undefined;
  last?: number | undefined;
}

export interface Bucket {
  /** Epoch ms. */
  start: number;
  /** `2026-11-21`, or `2026-11-21T09:00:00Z` of an hour. */
  date: string;
}

export interface ResolvedPeriod {
  from: number;
  to: number;
  groupBy: Group;
  timezone: string;
  buckets: Bucket[];
}

/** Whether the period begins with the first decision, so that its moment must be known. */
export const reachesBack = ({ period, startDate }: PeriodQuery): boolean => period === 'all' && startDate === undefined;

/** Throws `invalid_request`. */
export function resolvePeriod(query: PeriodQuery, moments: Moments): ResolvedPeriod {
  const zone = zoneOf(query.timezone ?? 'UTC');
  const groupBy = query.groupBy ?? GROUP_DEFAULT;
  const range = rangeOf(query, moments, zone, groupBy);
  const from = writable(range.from);
  const to = writable(range.to);
  return { from, to, groupBy, timezone: zone, buckets: bucketsOf(from, to, groupBy, zone) };
}

/** A day of the year 9999 may end after the last moment that can be told. No decision lies beyond. */
const writable = (at: number): number => Math.min(Math.max(at, FIRST_MOMENT), LAST_MOMENT);

interface Range {
  from: number;
  to: number;
}

function rangeOf(query: PeriodQuery, { now, first, last }: Moments, zone: string, groupBy: Group): Range {
  const start = query.startDate === undefined ? undefined : momentOf('startDate', query.startDate, zone);
  const end = query.endDate === undefined ? undefined : momentOf('endDate', query.endDate, zone);
  const days = PERIODS[query.period ?? PERIOD_DEFAULT];

  if (start !== undefined) {
    const to =
      end === undefined ? now + 1 : end.day === undefined ? end.at : startOfDay(end.day.add({ days: 1 }), zone);
    if (start.at > to || (start.at === to && end?.day !== undefined)) {
      if (end === undefined) throw refuse('startDate', 'startDate is in the future: send an endDate after it too');
      throw refuse('startDate', 'startDate is after endDate: exchange the two');
    }
    return { from: start.at, to };
  }

  const today = end?.day ?? dayOf(end?.at ?? (days === undefined ? Math.max(now, last ?? now) : now), zone);
  const to = end !== undefined && end.day === undefined ? end.at : startOfDay(today.add({ days: 1 }), zone);
  if (days === undefined) {
    if (first === undefined || first >= to) return { from: startOfDay(dayOf(to - 1, zone), zone), to };
    return { from: bucketsFrom(first, groupBy, zone).next().value.start, to };
  }
  if (end !== undefined && end.day === undefined)
    return { from: zoned(end.at, zone).subtract({ days }).epochMilliseconds, to };
  return { from: startOfDay(today.subtract({ days: days - 1 }), zone), to };
}

const refuse = (param: string, message: string): Error => fail('invalid_request', message, { param });

const zoned = (at: number, zone: string): Temporal.ZonedDateTime =>
  Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(zone);

const dayOf = (at: number, zone: string): Temporal.PlainDate => zoned(at, zone).toPlainDate();

const startOfDay = (day: Temporal.PlainDate, zone: string): number => day.toZonedDateTime(zone).epochMilliseconds;

/** The zone's name in its usual spelling. Temporal would take offsets and whole date-times for zones as well. */
function zoneOf(name: string): string {
  try {
    if (/^[A-Za-z][\w+-]*(\/[\w+-]+)*$/.test(name)) return zoned(0, name).timeZoneId;
  } catch {
    // Answered below, like a name of the wrong form.
  }
  throw refuse(
    'timezone',
    `timezone must be the name of an IANA time zone such as Europe/Berlin or UTC, not ${JSON.stringify(name)}`,
  );
}

const DATE = /^\d{4}-\d{2}-\d{2}$/;
const DATE_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}(:?\d{2})?)?$/;

/** A date is the start of its day, and is told apart by `day`; a date-time without offset is on the zone's clocks. */
function momentOf(
  param: 'startDate' | 'endDate',
  text: string,
  zone: string,
): { at: number; day?: Temporal.PlainDate } {
  const date = DATE.test(text);
  const [, , , offset] = DATE_TIME.exec(text) ?? [];
  if (!date && !DATE_TIME.test(text)) {
    const hint = / \d{2}(:?\d{2})?$/.test(text) ? ' (write the + of an offset as %2B in a URL)' : '';
    throw refuse(
      param,
      `${param} must be a date such as 2026-11-21 or a date-time such as 2026-11-21T09:30:00Z, not ${JSON.stringify(text)}${hint}`,
    );
  }
  try {
    if (date) {
      const day = Temporal.PlainDate.from(text);
      return { at: startOfDay(day, zone), day };
    }
    const instant =
      offset === undefined
        ? Temporal.PlainDateTime.from(text).toZonedDateTime(zone).toInstant()
        : Temporal.Instant.from(text);
    // Decisions are kept to the millisecond: the first whole one that is not before the moment.
    return { at: instant.epochMilliseconds + (instant.epochNanoseconds % 1_000_000n === 0n ? 0 : 1) };
  } catch (cause) {
    throw fail('invalid_request', `${param} ${JSON.stringify(text)} does not exist in the calendar`, { param, cause });
  }
}

function bucketsOf(from: number, to: number, groupBy: Group, zone: string): Bucket[] {
  const buckets: Bucket[] = [];
  if (from >= to) return buckets;
  for (const bucket of bucketsFrom(from, groupBy, zone)) {
    if (bucket.start >= to) return buckets;
    if (buckets.length === BUCKETS_MAX) {
      throw refuse(
        'groupBy',
        `this period has more than 10,000 ${groupBy}s: choose a shorter period or a coarser groupBy`,
      );
    }
    buckets.push(bucket);
  }
  return buckets;
}

/** Buckets without end, the first being the one that contains `from`. */
function bucketsFrom(from: number, groupBy: Group, zone: string): Generator<Bucket, never> {
  return groupBy === 'hour' ? hoursFrom(from, zone) : daysFrom(from, groupBy, zone);
}

const STEPS = { day: { days: 1 }, week: { days: 7 }, month: { months: 1 } } as const;

function* daysFrom(from: number, groupBy: 'day' | 'week' | 'month', zone: string): Generator<Bucket, never> {
  let day = dayOf(from, zone);
  if (groupBy === 'week') day = day.subtract({ days: day.dayOfWeek - 1 });
  if (groupBy === 'month') day = day.with({ day: 1 });
  const step = STEPS[groupBy];
  let bucket = { start: startOfDay(day, zone), date: day.toString() };
  for (;;) {
    day = day.add(step);
    const next = { start: startOfDay(day, zone), date: day.toString() };
    // A day the zone's calendar left out starts when the next one does. Where clocks went back over midnight, the end of
    // a day comes twice, the second time after the next day has begun: it counts to the next.
    if (next.start > bucket.start && next.start > from) yield bucket;
    bucket = next;
  }
}

const HOUR_MS = 3_600_000;

/** Whole hours of the zone's clocks. Where these jump, an hour may be shorter, longer, or there twice. */
function* hoursFrom(from: number, zone: string): Generator<Bucket, never> {
  let start = hourAt(from, zone);
  let { offset, until } = offsetAt(start, zone);
  for (;;) {
    yield { start, date: `${new Date(start).toISOString().slice(0, 19)}Z` };
    let next = hourStart(start + HOUR_MS, offset);
    while (next >= until) {
      const before = offset;
      const jump = until;
      ({ offset, until } = offsetAt(jump, zone));
      next = startsHour(jump, before, offset) ? jump : hourStart(jump + HOUR_MS, offset);
    }
    start = next;
  }
}

/** The start of the hour that contains `at`. */
function hourAt(at: number, zone: string): number {
  const { offset, since } = offsetAt(at, zone);
  const start = hourStart(at, offset);
  if (start >= since) return start;
  const { offset: before } = offsetAt(since - 1, zone);
  return startsHour(since, before, offset) ? since : hourAt(since - 1, zone);
}

const hourStart = (at: number, offset: number): number => Math.floor((at + offset) / HOUR_MS) * HOUR_MS - offset;

/** Whether another hour begins at the moment when the clocks jump. */
function startsHour(jump: number, before: number, after: number): boolean {
  const hourBefore = Math.floor((jump - 1 + before) / HOUR_MS);
  return hourBefore !== Math.floor((jump + after) / HOUR_MS) || (jump + after) % HOUR_MS === 0;
}

/** The zone's offset at a moment, ms, and between which jumps of its clocks it holds. */
function offsetAt(at: number, zone: string): { offset: number; since: number; until: number } {
  const here = zoned(at, zone);
  return {
    offset: here.offsetNanoseconds / 1_000_000,
    since: zoned(at + 1, zone).getTimeZoneTransition('previous')?.epochMilliseconds ?? -Infinity,
    until: here.getTimeZoneTransition('next')?.epochMilliseconds ?? Infinity,
  };
}
