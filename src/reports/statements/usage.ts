/** The usage of a license in its running period. */
import { fail } from '../../api/errors.ts';
import { countLicensed } from '../../decisions/history/count.ts';
import { toIso } from '../../lib/clock.ts';
import { licenseNotFound } from '../../requesters/licenses/edits.ts';
import { findContracts } from '../../requesters/licenses/terms-store.ts';
import { findLicense } from '../../requesters/store.ts';
import { type DatedPeriod, periodAfter, periodAt } from '../../rules/terms/periods.ts';
import { priceUnits, toPartialPeriod } from '../../rules/terms/price.ts';
import { quotaPeriodAt, quotaState, quotaUnitsAt, toAlerts } from '../../rules/terms/quota.ts';
import { countsPurpose } from '../../rules/terms/terms.ts';
import { computeBill, toAmount } from './bill.ts';
import type { ComputeDeps } from './compute.ts';
import { type Billed, billedPeriods } from './statement.ts';
import { Tally } from './tally.ts';

/** Throws license_not_found and statement_not_found. */
export async function licenseUsage(deps: ComputeDeps, licenseId: string) {
  const now = deps.now();
  if ((await findLicense(deps.db, licenseId)) === undefined) throw licenseNotFound(licenseId);
  const [contract] = await findContracts(deps.db, { licenseId });
  const [billed] = contract === undefined ? [] : billedPeriods(contract, { since: now, until: now + 1 });
  if (billed === undefined) {
    throw fail('statement_not_found', `License ${licenseId} has no terms in force now.`);
  }
  const { span } = billed;
  const { terms } = span;
  const counts = await count(deps, billed, now);
  const { units, decisions, lines } = counts.period.result();
  const { share } = span;
  const { ownMicros } = computeBill(terms, counts.period.result(), { share });
  const quotaPeriod = quotaPeriodAt(terms, billed.contract.bounds, now);
  const { segments, bounds } = billed.contract;
  const ofQuota = { units: quotaUnitsAt(segments, bounds, now), used: counts.quota.result().units };
  const quota = quotaPeriod && quotaState(terms, quotaPeriod, ofQuota);
  const left =
    quota === undefined || terms.quota?.onExceed !== 'deny' ? Infinity : unitsLeft(billed, quota.remaining, now);
  const projectedUnits = Math.min(project(units, span, now), units + left);
  return {
    object: 'license_usage' as const,
    licenseId,
    statementId: billed.id,
    period: span.label,
    from: toIso(span.start),
    to: toIso(span.end),
    unit: terms.unit,
    currency: terms.currency,
    partialPeriod: toPartialPeriod(terms, share),
    units,
    projectedUnits,
    decisions,
    amount: toAmount(ownMicros, terms.currency),
    projectedAmount: toAmount(priceUnits(terms, projectedUnits, share), terms.currency),
    quota: quota === undefined ? null : { ...quota, resetAt: quota.resetAt === null ? null : toIso(quota.resetAt) },
    alerts: toAlerts(terms, ofQuota),
    byPurpose: [...Map.groupBy(lines, ({ purpose }) => purpose)].map(([purpose, some]) => ({
      purpose,
      units: some.reduce((sum, line) => sum + line.units, 0),
      decisions: some.reduce((sum, line) => sum + line.decisions, 0),
    })),
    byDay: counts.days.map(({ label: date, count: n }) => ({ date, decisions: n })),
  };
}

/** The pace of less than a day says nothing about a month. */
const PACE_MS = 86_400_000;

/** Returns the units at the end of the period if they go on as they did so far, at least for a day. */
function project(units: number, { start, end }: { start: number; end: number }, now: number): number {
  const share = Math.max(PACE_MS, now - start) / (end - start);
  return Math.max(units, Math.round(units / Math.min(1, share)));
}

/** Returns the units that a quota still gives in the period of the bill: what is left of its own, and the next ones. */
function unitsLeft({ contract, span }: Billed, remaining: number, now: number): number {
  const { segments, bounds } = contract;
  const end = Math.min(span.end, bounds.expiresAt ?? Infinity);
  const nextAfter = (at: number): number => quotaPeriodAt(span.terms, bounds, at)?.end ?? Infinity;
  let left = remaining;
  for (let at = nextAfter(now); at < end; at = nextAfter(at)) left += quotaUnitsAt(segments, bounds, at);
  return left;
}

type Day = DatedPeriod & { count: number };

async function count(deps: ComputeDeps, { contract, span }: Billed, now: number) {
  const { terms } = span;
  const quotaFrom = quotaPeriodAt(terms, contract.bounds, now)?.start ?? span.start;
  // A quota for the whole license begins with the first decision that it allowed.
  const from = Math.max(0, Math.min(span.start, quotaFrom));
  const { ids } = deps;
  const newCounts = (days: Day[]) => ({ period: new Tally(terms, ids), quota: new Tally(terms, ids), days });
  let counts = newCounts([]);
  let day = 0;
  await countLicensed(
    deps,
    { from, to: now + 1, licenses: { only: [contract.licenseId] } },
    {
      begin() {
        counts = newCounts(eachDay(terms.timezone, span.start, now));
        day = 0;
      },
      take(decision) {
        const { at, purpose } = decision;
        if (at >= quotaFrom) counts.quota.add(decision);
        if (at < span.start) return;
        counts.period.add(decision);
        while (at >= (counts.days[day]?.end ?? Infinity)) day += 1;
        const today = counts.days[day];
        if (today !== undefined && countsPurpose(terms, purpose)) today.count += 1;
      },
    },
  );
  return counts;
}

/** Returns the days of the zone from one time to another. */
function eachDay(timezone: string, from: number, to: number): Day[] {
  const days: Day[] = [];
  for (let day = periodAt('day', timezone, from); day.start <= to; day = periodAfter('day', timezone, day)) {
    days.push({ ...day, count: 0 });
  }
  return days;
}
