/** Quotas: how many units a license includes in a period, pure. */
import { type Period, periodAt } from './periods.ts';
import type { Terms } from './terms.ts';
import type { Bounds } from './timeline.ts';

export interface QuotaState {
  units: number;
  used: number;
  remaining: number;
  period: string;
  /** When units are available again, epoch ms; null: never. */
  resetAt: number | null;
}

/** Returns the period of the quota that contains a time; undefined without a quota. `term`: the whole license. */
export function quotaPeriodAt(terms: Terms, { startsAt, expiresAt }: Bounds, at: number): Period | undefined {
  const { quota, timezone } = terms;
  if (quota === undefined) return undefined;
  const kind = quota.period ?? terms.period;
  if (kind !== 'term') return periodAt(kind, timezone, at);
  return { start: startsAt ?? -Infinity, end: expiresAt ?? Infinity, label: 'term' };
}

/** Returns the state of the quota after `used` units of its period; undefined without a quota. */
export function quotaState(terms: Terms, period: Period, used: number): QuotaState | undefined {
  const { quota } = terms;
  if (quota === undefined) return undefined;
  return {
    units: quota.units,
    used,
    remaining: Math.max(0, quota.units - used),
    period: quota.period ?? terms.period,
    resetAt: Number.isFinite(period.end) ? period.end : null,
  };
}

/** Returns the alerts with whether so many units reach them. */
export const alertsOf = (terms: Terms, used: number): { at: number; reached: boolean }[] =>
  (terms.alerts ?? []).map((at) => ({ at, reached: terms.quota !== undefined && used >= at * terms.quota.units }));
