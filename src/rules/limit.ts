/**
 * Rate limits as pure arithmetic: a state, a limit and a time in; a verdict and the next state out. `second`, `minute`
 * and `hour` never admit more than `requests` in any span of that length; `day`, `week` and `month` never more in a
 * calendar period (UTC, weeks from Monday). The bound is never exceeded; at most one bucket is held back too long.
 */
/**
 * The closed list of periods. Rolling ones have a length and, for large limits, a bucket width in ms; null: calendar.
 */
export const PERIODS = {
  second: { lengthMs: 1_000, bucketMs: 10 },
  minute: { lengthMs: 60_000, bucketMs: 1_000 },
  hour: { lengthMs: 3_600_000, bucketMs: 60_000 },
  day: null,
  week: null,
  month: null,
} as const;

export type LimitPeriod = keyof typeof PERIODS;

export interface Limit {
  /** Admissions per period, ≥ 1. */
  requests: number;
  period: LimitPeriod;
}

/**
 * The recorded use of a limit. Rolling: pairs `end, count`, ascending, where `end` is the first time after the bucket
 * of the admissions. Calendar: the period's start and the admissions in it.
 */
export type LimitState = readonly number[];

export interface LimitUse {
  admitted: boolean;
  state: LimitState;
  /** Admissions left after this one. */
  remaining: number;
  /** The first time at which more will be left than now (epoch ms). */
  resetAt: number;
  /** From this time on the state has no effect and may be deleted (epoch ms). */
  expiresAt: number;
}

/** Up to here every admission keeps its own millisecond, and a rolling limit equals an exact log of admissions. */
const EXACT_MAX = 100;
const DAY_MS = 86_400_000;

/**
 * Returns the newest time that an admission in the state surely has; 0 without one. A node whose clock is a little
 * behind goes on from there: else it would count admissions of another node as older than they are.
 */
export function newestIn(state: LimitState, limit: Limit): number {
  const { widthMs } = rollingShape(limit);
  return (widthMs === null ? state[0] : (state.at(-2) ?? 0) - widthMs) ?? 0;
}

/** Requests one admission at `at` (epoch ms); a refusal changes nothing. */
export function take(state: LimitState, limit: Limit, at: number): LimitUse {
  return use(state, limit, at, 1);
}

/** Returns what would be left at `at`, without using any of it; `admitted`: one more would pass. */
export function peek(state: LimitState, limit: Limit, at: number): LimitUse {
  return use(state, limit, at, 0);
}

function use(state: LimitState, limit: Limit, at: number, wanted: 0 | 1): LimitUse {
  return PERIODS[limit.period] === null ? count(state, limit, at, wanted) : roll(state, limit, at, wanted);
}

const bucketWidth = (requests: number, bucketMs: number): number => (requests <= EXACT_MAX ? 1 : bucketMs);

/** Returns a rolling period's length and the width of its buckets in ms; nulls for a calendar period. */
export function rollingShape({ requests, period }: Limit): { lengthMs: number | null; widthMs: number | null } {
  const rolling = PERIODS[period];
  if (rolling === null) return { lengthMs: null, widthMs: null };
  return { lengthMs: rolling.lengthMs, widthMs: bucketWidth(requests, rolling.bucketMs) };
}

function roll(state: LimitState, { requests, period }: Limit, at: number, wanted: 0 | 1): LimitUse {
  const { lengthMs, bucketMs } = PERIODS[period] as { lengthMs: number; bucketMs: number };
  const width = bucketWidth(requests, bucketMs);
  const end = (Math.floor(at / width) + 1) * width;
  const next: number[] = [];
  let used = 0;
  for (let i = 0; i < state.length; i += 2) {
    // A bucket that ends after the present one was filled by a clock that has since been set back. Its admissions are
    // counted as of now: later than they were, so the bound holds, and forgotten one period from now.
    const ends = Math.min(state[i] as number, end);
    const admissions = state[i + 1] as number;
    if (at >= ends + lengthMs) continue;
    used += admissions;
    if (next[next.length - 2] === ends) (next[next.length - 1] as number) += admissions;
    else next.push(ends, admissions);
  }
  const admitted = used + 1 <= requests;
  if (admitted && wanted === 1) {
    used++;
    if (next[next.length - 2] === end) (next[next.length - 1] as number)++;
    else next.push(end, 1);
  }
  const remaining = Math.max(0, requests - used);
  return {
    admitted,
    state: next,
    remaining,
    resetAt: freedAt(next, used - requests, at, lengthMs),
    expiresAt: (next.length === 0 ? at : (next[next.length - 2] as number)) + lengthMs,
  };
}

/** Returns when the oldest buckets with together more than `excess` admissions will have left the window. */
function freedAt(state: number[], excess: number, at: number, lengthMs: number): number {
  let freed = 0;
  for (let i = 0; i < state.length; i += 2) {
    freed += state[i + 1] as number;
    if (freed > excess) return (state[i] as number) + lengthMs;
  }
  return at;
}

function count(state: LimitState, limit: Limit, at: number, wanted: 0 | 1): LimitUse {
  const start = calendarStart(limit.period, at);
  // A start in the future was written by a clock that has since been set back: its use counts for the present period.
  const [since = 0, taken = 0] = state;
  let used = since >= start ? taken : 0;
  const admitted = used + 1 <= limit.requests;
  if (admitted && wanted === 1) used++;
  const end = calendarEnd(limit.period, start);
  return {
    admitted,
    state: [start, used],
    remaining: Math.max(0, limit.requests - used),
    resetAt: end,
    expiresAt: end,
  };
}

function calendarStart(period: LimitPeriod, at: number): number {
  const day = Math.floor(at / DAY_MS) * DAY_MS;
  if (period === 'day') return day;
  const date = new Date(day);
  if (period === 'week') return day - ((date.getUTCDay() + 6) % 7) * DAY_MS;
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1);
}

function calendarEnd(period: LimitPeriod, start: number): number {
  if (period === 'day') return start + DAY_MS;
  if (period === 'week') return start + 7 * DAY_MS;
  const date = new Date(start);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1);
}
