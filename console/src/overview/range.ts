/** The span of time that the overview is about, as the address says it and as the API is asked. */
import type { Answer, Query } from '../api/client.ts';
import type { Filters } from '../parts/filters.ts';

export type Usage = Answer<'GET /v1/analytics/usage'>;
export type UsageQuery = Query<'GET /v1/analytics/usage'>;
export type Bucket = Usage['timeSeries'][number];
type GroupBy = NonNullable<UsageQuery['groupBy']>;

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
const CHOSEN: Record<string, GroupBy> = { '7d': 'day', '30d': 'day', '90d': 'day', year: 'week', all: 'day' };

const timezone = Intl.DateTimeFormat().resolvedOptions().timeZone || 'UTC';

/** What the address asks for. */
export function usageQuery(values: Filters['values']): UsageQuery {
  const { period = '30d', start, end, by, contentId, requesterId, type } = values;
  const span = start === undefined ? { period: period as never } : { startDate: start, endDate: end };
  return {
    ...span,
    groupBy: (by as GroupBy | undefined) ?? CHOSEN[period] ?? 'day',
    timezone,
    contentId,
    requesterId,
    type: type as never,
  } as UsageQuery;
}

/** The same length of time before; undefined when everything is shown. */
export function before(query: UsageQuery, { period }: Usage): UsageQuery | undefined {
  if (query.period === 'all') return undefined;
  const from = Date.parse(period.startDate);
  const length = Date.parse(period.endDate) - from;
  const { period: _, ...rest } = query;
  return { ...rest, startDate: new Date(from - length).toISOString(), endDate: period.startDate, limit: 1 };
}

/** The address of a part of what is shown: buckets from and to, both included. */
export function zoomed(usage: Usage, from: number, to: number): Record<string, string> {
  const { timeSeries, period } = usage;
  const first = timeSeries[from] as Bucket;
  const after = timeSeries[to + 1];
  const start = from === 0 ? period.startDate : first.date;
  const end = after === undefined ? period.endDate : endBefore(after.date);
  return { start, end, by: finer(period.groupBy, to - from + 1) };
}

/** A day is included as an end, a moment is not. */
function endBefore(date: string): string {
  if (date.includes('T')) return date;
  return new Date(Date.parse(`${date}T00:00:00Z`) - 86_400_000).toISOString().slice(0, 10);
}

/** Few buckets are better seen as many smaller ones. */
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

/** A bucket under an axis, and in full. */
export function bucketLabel(date: string, by: string): string {
  if (date.includes('T')) return hour.format(new Date(date));
  return (by === 'month' ? month : short).format(new Date(`${date}T00:00:00Z`));
}
export function bucketTitle(date: string, by: string): string {
  if (date.includes('T')) return hour.format(new Date(date));
  if (by === 'month') return month.format(new Date(`${date}T00:00:00Z`));
  return `${by === 'week' ? 'Week from ' : ''}${long.format(new Date(`${date}T00:00:00Z`))}`;
}
