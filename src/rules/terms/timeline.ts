/**
 * Which terms of a license were in force when, and its billing periods, pure. Of the versions whose time has come, the
 * highest counts: a later edit also replaces earlier ones that were still to come.
 */
import { type DatedPeriod, type Period, periodAfter, periodAt, type Share, toShare } from './periods.ts';
import type { Terms } from './terms.ts';

export interface TermsVersion {
  version: number;
  /** When it takes effect, epoch ms. */
  from: number;
  /** null: the terms end. */
  terms: Terms | null;
}

/** The terms in force from `from` until `to`, which is exclusive and may be Infinity. */
export interface Segment {
  from: number;
  to: number;
  version: number;
  terms: Terms;
}

/** A span of time, epoch ms; null: without a bound. */
export interface PeriodBounds {
  startsAt: number | null;
  expiresAt: number | null;
}

/** A billing period of a license. The first and the last under some terms may be shorter than their calendar period. */
export interface BillingPeriodSpan extends Period {
  version: number;
  terms: Terms;
  /** The days that the license lasts; null: a whole period. */
  share: Share | null;
}

/** Returns the segments in order. */
export function toSegments(versions: readonly TermsVersion[]): Segment[] {
  let cut: { from: number; to: number; version: number; terms: Terms | null }[] = [];
  for (const { version, from, terms } of versions.toSorted((a, b) => a.version - b.version)) {
    cut = cut.filter((one) => one.from < from).map((one) => ({ ...one, to: Math.min(one.to, from) }));
    cut.push({ from, to: Infinity, version, terms });
  }
  return cut.flatMap(({ terms, ...rest }) => (terms === null ? [] : [{ ...rest, terms }]));
}

/** Returns the terms in force at a time. */
export const segmentAt = (segments: readonly Segment[], at: number): Segment | undefined =>
  segments.find(({ from, to }) => from <= at && at < to);

/** Returns the billing period of a time; undefined where no terms are in force. */
export function billingPeriodAt(segments: readonly Segment[], at: number): BillingPeriodSpan | undefined {
  const segment = segmentAt(segments, at);
  if (segment === undefined) return undefined;
  const { terms } = segment;
  return within(segment, periodAt(terms.period, terms.timezone, at), ALWAYS);
}

/** Yields the billing periods that end after `since` and begin before `until`, in order, while the license lasts. */
export function* billingPeriods(
  segments: readonly Segment[],
  bounds: PeriodBounds,
  { since, until }: { since: number; until: number },
): Generator<BillingPeriodSpan> {
  const { startsAt, expiresAt } = bounds;
  const last = Math.min(until, expiresAt ?? Infinity);
  for (const segment of segments) {
    const { terms } = segment;
    let at = Math.max(segment.from, startsAt ?? -Infinity, since);
    if (at >= Math.min(segment.to, last)) continue;
    let period = periodAt(terms.period, terms.timezone, at);
    while (at < Math.min(segment.to, last)) {
      yield within(segment, period, bounds);
      at = period.end;
      period = periodAfter(terms.period, terms.timezone, period);
    }
  }
}

const ALWAYS: PeriodBounds = { startsAt: null, expiresAt: null };

function within({ from, to, version, terms }: Segment, period: DatedPeriod, bounds: PeriodBounds): BillingPeriodSpan {
  const [start, end] = [Math.max(period.start, from), Math.min(period.end, to)];
  const own = { from: Math.max(start, bounds.startsAt ?? start), to: Math.min(end, bounds.expiresAt ?? end) };
  const share = toShare(terms.period, terms.timezone, period, own);
  return { start, end, label: period.label, version, terms, share };
}

/** Returns the time around a segment in which there are terms without a gap. */
export function termsAround(segments: readonly Segment[], at: number): { from: number; to: number } {
  let run = { from: at, to: at };
  for (const { from, to } of segments) {
    if (from !== run.to) run = { from, to };
    else run.to = to;
    if (run.from <= at && at < to) {
      const next = segments.find((one) => one.from === to);
      return next === undefined ? run : { from: run.from, to: termsAround(segments, next.from).to };
    }
  }
  return run;
}

/** The fields that cannot change within a period: its statement could not be computed. */
const FIXED_WITHIN = ['currency', 'timezone', 'period'] as const;

/** Returns the fields that keep new terms from counting for the running period. */
export const fixedWithin = (inForce: Terms, next: Terms | null): string[] =>
  next === null ? [] : FIXED_WITHIN.filter((field) => inForce[field] !== next[field]);

/**
 * Returns when an edit of the terms takes effect: first terms at once; others at the next period's start or, with
 * `now`, from the start of the running one.
 */
export function effectiveFrom(segments: readonly Segment[], at: number, now: boolean): number {
  const running = billingPeriodAt(segments, at);
  if (running === undefined) return at;
  return now ? running.start : running.end;
}
