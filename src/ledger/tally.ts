/** Counts decisions recorded since the process started, for metrics: an increment or two for each. */
import { PERIODS, type Period } from '../limits/limit.ts';
import type { Granted } from './decision.ts';
import type { Entry, Tallied } from './ledger.ts';
import { REASONS } from './reason.ts';

const CODES = Math.max(...Object.values(REASONS).map(({ code }) => code)) + 1;

export function openTally() {
  const reasons = Array.from({ length: CODES }, () => 0);
  const limits = Object.fromEntries(
    Object.keys(PERIODS).map((period) => [period, { admitted: 0, refused: 0 }]),
  ) as Record<Period, { admitted: number; refused: number }>;
  const spoofed = new Map<string | null, number>();
  return {
    /** `granted`: the answer to its claim; null without one. */
    count({ reason, claim, claimed, crawler }: Entry, granted: Granted | null): void {
      let code = reason;
      if (claim !== null && granted !== null) {
        const use = limits[claim.limit.period];
        if (granted.admitted) use.admitted++;
        else {
          use.refused++;
          code = REASONS.rate_limit_exceeded.code;
        }
      }
      (reasons[code] as number)++;
      if (claimed !== null) spoofed.set(crawler, (spoofed.get(crawler) ?? 0) + 1);
    },
    figures: (): Tallied => ({ reasons, limits, spoofed }),
  };
}
