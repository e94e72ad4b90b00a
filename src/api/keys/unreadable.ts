/**
 * Counts addresses that trusted proxies sent and that cannot be read, and reports them at most once an hour. Nothing of
 * an address is kept: only its form.
 */
import type { Clock } from '../../lib/clock.ts';

const REPORTED_EVERY_MS = 3_600_000;
/** So long after the last one, the next begins a new series. */
const OVER_AFTER_MS = 86_400_000;

export interface UnreadableFigures {
  /** Since the start of this node. */
  total: number;
  /** The running series; null: none within a day. */
  series: { count: number; since: number; form: string } | null;
}

export interface UnreadableReport {
  /** Addresses since the report before. */
  count: number;
  form: string;
}

export interface UnreadableAddresses {
  add(text: string): void;
  figures(): UnreadableFigures;
}

/** Digits of an address become zeros. */
const maskDigits = (text: string): string =>
  text.replaceAll(/[0-9a-f]*\d[0-9a-f]*|(?<=[:[])[a-f]{1,4}(?![\w.-])|(?<![\w.-])[a-f]{1,4}(?=:)/gi, '0');

export function watchUnreadable(
  clock: Pick<Clock, 'now'>,
  onReport: (report: UnreadableReport) => void,
): UnreadableAddresses {
  let total = 0;
  let reported = 0;
  let reportedAt = Number.NEGATIVE_INFINITY;
  let lastAt = Number.NEGATIVE_INFINITY;
  let series: UnreadableFigures['series'] = null;
  return {
    add(text) {
      const now = clock.now();
      const form = maskDigits(text);
      const isNew = series === null || now - lastAt >= OVER_AFTER_MS;
      series = isNew || series === null ? { count: 1, since: now, form } : { ...series, count: series.count + 1, form };
      lastAt = now;
      total++;
      if (now - reportedAt < REPORTED_EVERY_MS) return;
      onReport({ count: total - reported, form });
      reportedAt = now;
      reported = total;
    },
    figures: () => ({ total, series: clock.now() - lastAt < OVER_AFTER_MS ? series : null }),
  };
}
