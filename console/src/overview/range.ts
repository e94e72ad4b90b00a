/** The span of a page: parsed from the address and converted to API queries. */
import type { Answer, Query } from '../api/client.ts';
import { beginsDay, dayAt, daysBetween, spanEnd, spanStart, startOfDay, ZONE } from '../parts/days.ts';
import type { Filters } from '../parts/filters.ts';
import { describeSpan } from '../parts/show.tsx';

export type Usage = Answer<'GET /v1/analytics/usage'>;
export type UsageQuery = Query<'GET /v1/analytics/usage'>;
export type Bucket = Usage['timeSeries'][number];
type GroupBy = Usage['period']['groupBy'];

export const PERIODS = [
  { value: '7d', label: '7 days' },
  { value: '30d', label: '30 days' },
  { value: '90d', label: '90 days' },
  { value: 'year', label: 'Year' },
  { value: 'all', label: 'All' },
];
export const GROUPS = [
  { value: 'hour', label: 'Hours' },
  { value: 'day', label: 'Days' },
  { value: 'week', label: 'Weeks' },
  { value: 'month', label: 'Months' },
];
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const CHOSEN: Record<string, GroupBy> = { '7d': 'day', '30d': 'day', '90d': 'day', year: 'week', all: 'day' };

/** A query that counts by time. */
export type SpanQuery = Pick<UsageQuery, 'period' | 'startDate' | 'endDate' | 'timezone'> & { groupBy: GroupBy };

/** Parses the span of a page. Queries use instants, so that a day is the viewer's, wherever the service runs. */
export function spanQuery({ period = '30d', start, end, by }: Filters['values']): SpanQuery {
  const [startDate, endDate] = [spanStart(start), spanEnd(end)];
  const chosen = by as GroupBy | undefined;
  if (startDate === undefined && endDate === undefined) {
    return { period: period as never, groupBy: chosen ?? CHOSEN[period] ?? 'day', timezone: ZONE };
  }
  return {
    // A span without a beginning begins with the first decision.
    ...(startDate === undefined ? { period: 'all' } : { startDate }),
    ...(endDate === undefined ? {} : { endDate }),
    groupBy: chosen ?? bucketsOf(startDate, endDate),
    timezone: ZONE,
  };
}

const NAMES: Record<string, string> = {
  '7d': 'in 7 days',
  '30d': 'in 30 days',
  '90d': 'in 90 days',
  year: 'in a year',
  all: 'since the beginning',
};

/** Formats the span of a page within a sentence. */
export function spanName({ period = '30d', start, end }: Filters['values']): string {
  const [from, to] = [spanStart(start), spanEnd(end)];
  if (from === undefined && to === undefined) return NAMES[period] ?? '';
  const words = describeSpan(from, to);
  return words.charAt(0).toLowerCase() + words.slice(1);
}

/** Returns buckets of which a chart is legible. */
function bucketsOf(from: string | undefined, to: string | undefined): GroupBy {
  if (from === undefined) return 'day';
  const days = ((to === undefined ? Date.now() : Date.parse(to)) - Date.parse(from)) / DAY_MS;
  // A day of 25 hours is one day.
  if (days < 1.5) return 'hour';
  return days > 800 ? 'month' : days > 120 ? 'week' : 'day';
}

/** Parses the address of the overview. */
export function usageQuery(values: Filters['values']): UsageQuery & SpanQuery {
  const { contentId, requesterId, type, enforced } = values;
  return {
    ...spanQuery(values),
    contentId,
    requesterId,
    type: type as never,
    enforced: enforced === 'false' ? false : undefined,
  };
}

/** Formats the preceding period, for example "the 30 days before". */
export function previousWords({ startDate, endDate }: NonNullable<Usage['previous']>): string {
  if (beginsDay(startDate) && beginsDay(endDate)) {
    const days = daysBetween(dayAt(startDate), dayAt(endDate));
    return days === 1 ? 'the day before' : `the ${days} days before`;
  }
  const length = Date.parse(endDate) - Date.parse(startDate);
  return length === HOUR_MS ? 'the hour before' : 'the same time before';
}

/** Returns the decision log's filter for the decisions that a report counts. The log has no content type. */
export function linkToDecisions(
  { period }: Usage,
  query: UsageQuery,
  more: Record<string, string>,
): string | undefined {
  if (query.type !== undefined) return undefined;
  const { contentId, requesterId } = query;
  const filters = {
    ...(contentId === undefined ? {} : { contentId }),
    ...(requesterId === undefined ? {} : { requesterId }),
    ...(query.enforced === undefined ? {} : { enforced: String(query.enforced) }),
    ...more,
    from: period.startDate,
    to: period.endDate,
  };
  return `/decisions?${new URLSearchParams(filters)}`;
}

interface Zoomable extends Pick<Usage, 'period'> {
  timeSeries: readonly Pick<Bucket, 'date'>[];
}

/** Returns the address of a part of the period: buckets from and to, inclusive. */
export function zoomed({ timeSeries, period }: Zoomable, from: number, to: number): Record<string, string> {
  const first = timeSeries[from] as Bucket;
  const after = timeSeries[to + 1];
  const start = from === 0 ? period.startDate : bucketStart(first.date);
  const end = after === undefined ? period.endDate : bucketStart(after.date);
  return { start, end, by: finer(period.groupBy, to - from + 1) };
}

/** Buckets are identified by day, hourly ones by instant. */
const bucketStart = (date: string): string => startOfDay(date) ?? date;

/** Short periods use smaller buckets. */
function finer(by: GroupBy, buckets: number): GroupBy {
  if (by === 'month' && buckets <= 3) return 'day';
  if (by === 'week' && buckets <= 8) return 'day';
  if (by === 'day' && buckets <= 3) return 'hour';
  return by;
}

const short = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' });
const long = new Intl.DateTimeFormat('en-GB', {
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  timeZone: 'UTC',
});
const month = new Intl.DateTimeFormat('en-GB', { month: 'short', year: 'numeric', timeZone: 'UTC' });
const hour = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', day: 'numeric', month: 'short' });

/** Formats a bucket for the axis and in full. */
export function bucketLabel(date: string, by: string): string {
  if (date.includes('T')) return hour.format(new Date(date));
  return (by === 'month' ? month : short).format(new Date(`${date}T00:00:00Z`));
}
export function bucketTitle(date: string, by: string): string {
  if (date.includes('T')) return hour.format(new Date(date));
  if (by === 'month') return month.format(new Date(`${date}T00:00:00Z`));
  return `${by === 'week' ? 'Week from ' : ''}${long.format(new Date(`${date}T00:00:00Z`))}`;
}
