/** Billing periods as the API names them: `2026-10`, `2026-Q4`, `2026`. */
import { dayAt } from '../parts/days.ts';

export type Kind = 'month' | 'quarter' | 'year';

export const KINDS = [
  { value: 'month', label: 'Month' },
  { value: 'quarter', label: 'Quarter' },
  { value: 'year', label: 'Year' },
];

const MONTHS: Record<Kind, number> = { month: 1, quarter: 3, year: 12 };

export const kindOf = (period: string): Kind =>
  period.length === 4 ? 'year' : period.includes('Q') ? 'quarter' : 'month';

/** Returns the months since the year 0 at which the period begins. */
function firstMonth(period: string): number {
  const year = Number(period.slice(0, 4));
  const kind = kindOf(period);
  if (kind === 'year') return year * 12;
  return year * 12 + (kind === 'quarter' ? (Number(period.slice(6)) - 1) * 3 : Number(period.slice(5, 7)) - 1);
}

function toPeriod(kind: Kind, month: number): string {
  const year = String(Math.floor(month / 12)).padStart(4, '0');
  if (kind === 'year') return year;
  const within = month % 12;
  return kind === 'quarter'
    ? `${year}-Q${Math.floor(within / 3) + 1}`
    : `${year}-${String(within + 1).padStart(2, '0')}`;
}

/** The period of a kind that contains the beginning of another, or a day. */
export const periodOf = (kind: Kind, text: string): string => toPeriod(kind, firstMonth(text.slice(0, 7)));

export const periodAt = (kind: Kind, now = Date.now()): string => periodOf(kind, dayAt(now));

/** Returns the period so many periods later; earlier if negative. */
export const shifted = (period: string, by: number): string =>
  toPeriod(kindOf(period), firstMonth(period) + by * MONTHS[kindOf(period)]);

const month = new Intl.DateTimeFormat('en-GB', { month: 'long', year: 'numeric', timeZone: 'UTC' });

export function periodWords(period: string): string {
  const kind = kindOf(period);
  if (kind === 'year') return period;
  if (kind === 'quarter') return `${period.slice(5)} ${period.slice(0, 4)}`;
  return month.format(Date.UTC(Number(period.slice(0, 4)), Number(period.slice(5, 7)) - 1));
}
