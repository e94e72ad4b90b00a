/** Quotas: how many units a license includes in a period, pure. */
import { type Period, periodAt, type Share, toShare } from './periods.ts';
import type { QuotaPeriod, Terms } from './terms.ts';
import { type PeriodBounds, type Segment, segmentAt, termsAround } from './timeline.ts';

export interface QuotaState {
  units: number;
  used: number;
  remaining: number;
  period: QuotaPeriod;
  /** When units are available again, epoch ms; null: never. */
  resetAt: number | null;
}

/** Returns the period of the quota that contains a time; undefined without a quota. `term`: the whole license. */
export function quotaPeriodAt(terms: Terms, { startsAt, expiresAt }: PeriodBounds, at: number): Period | undefined {
  const { quota, timezone } = terms;
  if (quota === undefined) return undefined;
  const kind = quota.period ?? terms.period;
  if (kind !== 'term') return periodAt(kind, timezone, at);
  return { start: startsAt ?? -Infinity, end: expiresAt ?? Infinity, label: 'term' };
}

/**
 * Returns how many units the quota includes in its period of a time; 0 without a quota. In a period that is not whole,
 * these are fewer only if the terms prorate and count it by month, quarter or year.
 */
export function quotaUnitsAt(segments: readonly Segment[], bounds: PeriodBounds, at: number): number {
  const terms = segmentAt(segments, at)?.terms;
  if (terms?.quota === undefined) return 0;
  const { quota, timezone, prorate } = terms;
  const kind = quota.period ?? terms.period;
  if (prorate !== true || kind === 'day' || kind === 'week' || kind === 'term') return quota.units;
  const run = termsAround(segments, at);
  const own = {
    from: Math.max(run.from, bounds.startsAt ?? -Infinity),
    to: Math.min(run.to, bounds.expiresAt ?? Infinity),
  };
  return unitsIn(quota.units, toShare(kind, timezone, periodAt(kind, timezone, at), own));
}

/** Returns the units of a share, rounded up. */
export function unitsIn(units: number, share: Share | null): number {
  const { days, of } = share ?? { days: 1, of: 1 };
  return Number((BigInt(units) * BigInt(days) + BigInt(of) - 1n) / BigInt(of));
}

/** Returns the state of a quota with so many units after `used` units of its period; undefined without a quota. */
export function quotaState(
  terms: Terms,
  period: Period,
  { units, used }: { units: number; used: number },
): QuotaState | undefined {
  const { quota } = terms;
  return quota && toQuotaState({ units, period: quota.period ?? terms.period, end: period.end }, used);
}

/** A term never begins again. */
export const toQuotaState = (
  { units, period, end }: Pick<QuotaSpan, 'units' | 'period' | 'end'>,
  used: number,
): QuotaState => ({
  units,
  used,
  remaining: Math.max(0, units - used),
  period,
  resetAt: period === 'term' ? null : end,
});

const ALERTS: readonly number[] = [0.5, 0.8, 1];

/** Returns the alerts with whether so many units, of those of the quota, reach them. */
export const toAlerts = (
  { quota, alerts }: Terms,
  { units, used }: { units: number; used: number },
): { at: number; reached: boolean }[] =>
  quota === undefined ? [] : (alerts ?? ALERTS).map((at) => ({ at, reached: used >= at * units }));

/** The quota of a license in one of its periods. */
export interface QuotaSpan {
  readonly licenseId: string;
  readonly requesterId: string;
  /** The version of the terms. */
  readonly version: number;
  readonly unit: Terms['unit'];
  /** Purposes that are counted; undefined: all. */
  readonly purposes: readonly string[] | undefined;
  readonly units: number;
  /** Units beyond the quota are denied. */
  readonly denies: boolean;
  readonly period: QuotaPeriod;
  /** The period, epoch ms; `end` may be Infinity. */
  readonly start: number;
  readonly end: number;
  /** The part of the period in which these terms are in force. */
  readonly from: number;
  readonly until: number;
  /** Parts of the quota that are announced, ascending. */
  readonly alerts: readonly number[];
  /** When the license expires; may be Infinity. */
  readonly expires: number;
}

/** Returns when the license has units again; null: never, because the quota or the license ends first. */
export const nextRenewal = ({ period, end, expires }: QuotaSpan): number | null =>
  period === 'term' || end >= expires ? null : end;

/** Returns what units depend on: counts of terms that agree in it go on when the terms change. */
export const countingKey = ({ unit, purposes, timezone, period, quota }: Terms): string | null =>
  quota === undefined ? null : JSON.stringify([unit, purposes?.toSorted(), timezone, quota.period ?? period]);

/** The quotas of one license over time. Calendars are slow, so the span of the last time is kept. */
export class LicenseQuotas {
  readonly #license: PeriodBounds & { id: string; requesterId: string };
  readonly #segments: readonly Segment[];
  #last: { from: number; until: number; span: QuotaSpan | null } | undefined;

  constructor(license: PeriodBounds & { id: string; requesterId: string }, segments: readonly Segment[]) {
    this.#license = license;
    this.#segments = segments;
  }

  /** Returns the quota that counts a decision for a purpose; null without one. */
  at(at: number, purpose: string | null): QuotaSpan | null {
    const last = this.#last;
    const { span } = last !== undefined && last.from <= at && at < last.until ? last : this.#find(at);
    const isCounted = span?.purposes === undefined || (purpose !== null && span.purposes.includes(purpose));
    return isCounted ? span : null;
  }

  #find(at: number) {
    const segment = segmentAt(this.#segments, at);
    const span = segment === undefined ? null : this.#toSpan(segment, at);
    const from = span?.from ?? at;
    // Without a quota until terms begin or end.
    const next = this.#segments.find((one) => one.from > at)?.from ?? Infinity;
    this.#last = { from, until: span?.until ?? Math.min(next, segment?.to ?? Infinity), span };
    return this.#last;
  }

  #toSpan({ terms, version, from, to }: Segment, at: number): QuotaSpan | null {
    const { id: licenseId, requesterId } = this.#license;
    const { quota } = terms;
    const period = quotaPeriodAt(terms, this.#license, at);
    if (quota === undefined || period === undefined) return null;
    const start = Math.max(0, period.start);
    return {
      licenseId,
      requesterId,
      version,
      unit: terms.unit,
      purposes: terms.purposes,
      units: quotaUnitsAt(this.#segments, this.#license, at),
      denies: quota.onExceed === 'deny',
      period: quota.period ?? terms.period,
      start,
      end: period.end,
      from: Math.max(start, from),
      until: Math.min(period.end, to),
      alerts: terms.alerts ?? ALERTS,
      expires: this.#license.expiresAt ?? Infinity,
    };
  }
}
