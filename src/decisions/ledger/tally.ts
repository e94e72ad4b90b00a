/**
 * Counts decisions recorded since the process started, for metrics: an increment or two for each. And gathers the names
 * in them, so that nothing has to read the decisions again to find a new one.
 */
import { type LimitPeriod, PERIODS } from '../../rules/limit.ts';
import { REASONS } from '../../rules/reason.ts';
import type { Entry, NamedInDecisions, Recorded, TalliedDecisions } from './ledger.ts';

const CODES = Math.max(...Object.values(REASONS).map(({ code }) => code)) + 1;

type Answers = Pick<Recorded, 'granted' | 'quota'>;

/** `head`: the newest number in the ledger. */
export function openTally(head: number) {
  const reasons = Array.from({ length: CODES }, () => 0);
  const limits = Object.fromEntries(
    Object.keys(PERIODS).map((period) => [period, { admitted: 0, refused: 0 }]),
  ) as Record<LimitPeriod, { admitted: number; refused: number }>;
  const spoofed = new Map<string | null, number>();
  let from = head;
  let crawlers = new Set<string>();
  let latest: string | null = null;
  let claims = false;
  return {
    /** With the answers to its claims: either of a limit and a quota can make a denial of it. */
    count({ reason, claim, claimed, crawler }: Entry, { granted, quota }: Answers): void {
      let code = quota?.refused === true ? REASONS.quota_exceeded.code : reason;
      if (claim !== null && granted !== null) {
        const use = limits[claim.limit.period];
        if (granted.admitted) use.admitted++;
        else {
          use.refused++;
          code = REASONS.rate_limit_exceeded.code;
        }
      }
      (reasons[code] as number)++;
      if (claimed !== null) {
        claims = true;
        spoofed.set(crawler, (spoofed.get(crawler) ?? 0) + 1);
      } else if (crawler !== null && crawler !== latest) {
        latest = crawler;
        crawlers.add(crawler);
      }
    },
    /** `to`: the newest number that was counted. */
    takeNames(to: number): NamedInDecisions {
      const named = { from, to, crawlers, claims };
      from = to;
      crawlers = new Set();
      latest = null;
      claims = false;
      return named;
    },
    figures: (): TalliedDecisions => ({ reasons, limits, spoofed }),
  };
}
