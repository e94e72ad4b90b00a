/**
 * The period of a report: turns a query into a range of time and its buckets. Pure. Promise: `from` is inclusive, `to`
 * exclusive, both epoch ms. Buckets ascend without gaps and cover the range; the first and last may extend beyond it.
 * Days, weeks, months and hours are local to the zone, including days of 23, 25 or no hours.
 */
import { fail } from '../../api/errors.ts';
import { FIRST_TIME, hasZoneForm, LAST_TIME } from '../../lib/clock.ts';

/** Days back, including today; `all` starts at the first decision. */
export const PERIODS = { '7d': 7, '30d': 30, '90d': 90, year: 365, all: undefined } as const;
export type PeriodName = keyof typeof PERIODS;

export const GROUPS = ['hour', 'day', 'week', 'month'] as const;
export type GroupBy = (typeof GROUPS)[number];

export const PERIOD_DEFAULT: PeriodName = '30d';
export const GROUP_DEFAULT: GroupBy = 'day';
export const BUCKETS_MAX = 10_000;

export interface PeriodQuery {
  period?: PeriodName | undefined;
  startDate?: string | undefined;
  endDate?: string | undefined;
  groupBy?: GroupBy | undefined;
  /** IANA name. */
  timezone?: string | undefined;
}

/** Epoch ms. `first` and `last`, the times of the oldest and newest decision, are needed only if `reachesBack`. */
export interface Times {
  now: number;
  first?: number | undefined;
  last?: number | undefined;
}

export interface Bucket {
  /** Epoch ms. */
  start: number;
  /** `2026-11-21`, or `2026-11-21T09:00:00Z` for an hour. */
  date: string;
}

export interface ResolvedPeriod {
  from: number;
  to: number;
  groupBy: GroupBy;
  timezone: string;
  buckets: Bucket[];
}

/** Checks whether the period starts at the first decision, whose time is then needed. */
export const reachesBack = ({ period, startDate }: PeriodQuery): boolean => period === 'all' && startDate === undefined;

/** Throws `invalid_request`. */
export function resolvePeriod(query: PeriodQuery, times: Times): ResolvedPeriod {
  const zone = parseZone(query.timezone ?? 'UTC');
  const groupBy = query.groupBy ?? GROUP_DEFAULT;
  const range = toRange(query, times, zone, groupBy);
  const from = toWritable(range.from);
  const to = toWritable(range.to);
  return { from, to, groupBy, timezone: zone, buckets: toBuckets(from, to, groupBy, zone) };
}

/** A day of the year 9999 may end after the last valid timestamp. No decision is later. */
const toWritable = (at: number): number => Math.min(Math.max(at, FIRST_TIME), LAST_TIME);

/** Epoch ms, inclusive and exclusive. */
export interface Span {
  from: number;
  to: number;
}

function toRange(query: PeriodQuery, { now, first, last }: Times, zone: string, groupBy: GroupBy): Span {
  const start = query.startDate === undefined ? undefined : parsePoint('startDate', query.startDate, zone);
  const end = query.endDate === undefined ? undefined : parsePoint('endDate', query.endDate, zone);
  if (start !== undefined) return rangeBetween(start, end, now, zone);
  const days = PERIODS[query.period ?? PERIOD_DEFAULT];
  if (days === undefined) {
    const to = toEnd(end ?? today(Math.max(now, last ?? now), zone), zone);
    if (first === undefined || first >= to) return { from: startOfDay(toDay(to - 1, zone), zone), to };
    return { from: bucketsFrom(first, groupBy, zone).next().value.start, to };
  }
  const until = end ?? today(now, zone);
  const from =
    until.day === undefined
      ? zoned(until.at, zone).subtract({ days }).epochMilliseconds
      : startOfDay(until.day.subtract({ days: days - 1 }), zone);
  return { from, to: toEnd(until, zone) };
}

function rangeBetween(start: Point, end: Point | undefined, now: number, zone: string): Span {
  const to = end === undefined ? now + 1 : toEnd(end, zone);
  if (start.at > to || (start.at === to && end?.day !== undefined)) {
    if (end === undefined) throw refuse('startDate', '`startDate` is in the future: send an `endDate` after it, too.');
    throw refuse('startDate', '`startDate` is after `endDate`: swap them.');
  }
  return { from: start.at, to };
}

/** Returns the span of the same length before the period: whole days of the zone precede whole days. */
export function precedingSpan({ from, to, timezone }: ResolvedPeriod): Span {
  const [start, end] = [zoned(from, timezone).toPlainDate(), zoned(to, timezone).toPlainDate()];
  const isWholeDays = startOfDay(start, timezone) === from && startOfDay(end, timezone) === to;
  const before = isWholeDays ? startOfDay(start.subtract(end.since(start)), timezone) : from - (to - from);
  return { from: toWritable(before), to: from };
}

const refuse = (param: string, message: string): Error => fail('invalid_request', message, { param });

const zoned = (at: number, zone: string): Temporal.ZonedDateTime =>
  Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(zone);

const toDay = (at: number, zone: string): Temporal.PlainDate => zoned(at, zone).toPlainDate();

const startOfDay = (day: Temporal.PlainDate, zone: string): number => day.toZonedDateTime(zone).epochMilliseconds;

/** Returns the zone's usual spelling. */
function parseZone(name: string): string {
  try {
    if (hasZoneForm(name)) return zoned(0, name).timeZoneId;
  } catch {
    // Refused below, like a malformed name.
  }
  throw refuse(
    'timezone',
    `\`timezone\` must be the name of an IANA time zone, such as Europe/Berlin or UTC, not ${JSON.stringify(name)}.`,
  );
}

const DATE = /^\d{4}-\d{2}-\d{2}$/;
const DATE_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}(:?\d{2})?)?$/;

/** A date has a `day` and is its start; a date-time without offset is local to the zone. */
interface Point {
  at: number;
  day?: Temporal.PlainDate;
}

const today = (now: number, zone: string): Point => ({ at: now, day: toDay(now, zone) });

/** A date includes its whole day. */
const toEnd = ({ at, day }: Point, zone: string): number =>
  day === undefined ? at : startOfDay(day.add({ days: 1 }), zone);

function parsePoint(param: 'startDate' | 'endDate', text: string, zone: string): Point {
  const date = DATE.test(text);
  const [, , , offset] = DATE_TIME.exec(text) ?? [];
  if (!date && !DATE_TIME.test(text)) {
    const hint = / \d{2}(:?\d{2})?$/.test(text) ? ' (write the + of an offset as %2B in a URL)' : '';
    throw refuse(
      param,
      `\`${param}\` must be a date such as 2026-11-21 or a date-time such as 2026-11-21T09:30:00Z, not ${JSON.stringify(text)}${hint}.`,
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
    // Decisions have millisecond precision: round up to the next millisecond.
    return { at: instant.epochMilliseconds + (instant.epochNanoseconds % 1_000_000n === 0n ? 0 : 1) };
  } catch (cause) {
    throw fail('invalid_request', `\`${param}\` ${JSON.stringify(text)} does not exist in the calendar.`, {
      param,
      cause,
    });
  }
}

function toBuckets(from: number, to: number, groupBy: GroupBy, zone: string): Bucket[] {
  const buckets: Bucket[] = [];
  if (from >= to) return buckets;
  for (const bucket of bucketsFrom(from, groupBy, zone)) {
    if (bucket.start >= to) return buckets;
    if (buckets.length === BUCKETS_MAX) {
      throw refuse(
        'groupBy',
        `The period has more than 10,000 ${groupBy}s: choose a shorter one, or a coarser \`groupBy\`.`,
      );
    }
    buckets.push(bucket);
  }
  return buckets;
}

/** Yields buckets without end, starting with the one that contains `from`. */
function bucketsFrom(from: number, groupBy: GroupBy, zone: string): Generator<Bucket, never> {
  return groupBy === 'hour' ? hoursFrom(from, zone) : daysFrom(from, groupBy, zone);
}

const STEPS = { day: { days: 1 }, week: { days: 7 }, month: { months: 1 } } as const;

function* daysFrom(from: number, groupBy: 'day' | 'week' | 'month', zone: string): Generator<Bucket, never> {
  let day = toDay(from, zone);
  if (groupBy === 'week') day = day.subtract({ days: day.dayOfWeek - 1 });
  if (groupBy === 'month') day = day.with({ day: 1 });
  const step = STEPS[groupBy];
  let bucket = { start: startOfDay(day, zone), date: day.toString() };
  for (;;) {
    day = day.add(step);
    const next = { start: startOfDay(day, zone), date: day.toString() };
    // A day that the zone's calendar skipped starts when the next one does. If clocks went back over midnight, the end
    // of a day comes twice; the second time, after the next day began, counts to the next day.
    if (next.start > bucket.start && next.start > from) yield bucket;
    bucket = next;
  }
}

const HOUR_MS = 3_600_000;

/** Yields whole local hours. When clocks jump, an hour may be shorter, longer or repeated. */
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

/** Returns the start of the hour that contains `at`. */
function hourAt(at: number, zone: string): number {
  const { offset, since } = offsetAt(at, zone);
  const start = hourStart(at, offset);
  if (start >= since) return start;
  const { offset: before } = offsetAt(since - 1, zone);
  return startsHour(since, before, offset) ? since : hourAt(since - 1, zone);
}

const hourStart = (at: number, offset: number): number => Math.floor((at + offset) / HOUR_MS) * HOUR_MS - offset;

/** Checks whether a new hour begins when the clocks jump. */
function startsHour(jump: number, before: number, after: number): boolean {
  const hourBefore = Math.floor((jump - 1 + before) / HOUR_MS);
  return hourBefore !== Math.floor((jump + after) / HOUR_MS) || (jump + after) % HOUR_MS === 0;
}

/** Returns the zone's offset, ms, and the jumps of its clocks between which the offset holds. */
function offsetAt(at: number, zone: string): { offset: number; since: number; until: number } {
  const here = zoned(at, zone);
  return {
    offset: here.offsetNanoseconds / 1_000_000,
    since: zoned(at + 1, zone).getTimeZoneTransition('previous')?.epochMilliseconds ?? -Infinity,
    until: here.getTimeZoneTransition('next')?.epochMilliseconds ?? Infinity,
  };
}
