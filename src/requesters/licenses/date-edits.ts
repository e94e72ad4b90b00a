/**
 * Judges new dates of a license. Promise: no edit takes a billing period with a final statement from its license, and
 * one that gives up other periods names what is no longer billed.
 */

import { fail } from '../../api/errors.ts';
import type { Db } from '../../db/db.ts';
import { toIso } from '../../lib/clock.ts';
import type { PeriodBounds } from '../../rules/terms/timeline.ts';
import { type FinalPeriod, findFinalPeriods } from './final-store.ts';
import type { License } from './license.ts';

/** A billing period that an edit gives up. */
export interface Unbilled {
  statementId: string;
  period: string;
  /** The start of the period, epoch ms. */
  from: number;
  units: number;
  decisions: number;
  /** A decimal with its currency. */
  price: string;
}

/** Returns the periods, used or priced, that are not final and would no longer be billed with other dates. */
export type FindUnbilled = (licenseId: string, bounds: PeriodBounds) => Promise<Unbilled[]>;

export interface LicenseWarning {
  code: 'unbilled_period';
  message: string;
  param: 'startsAt' | 'expiresAt';
}

/** The result of new dates: `finals` is the number of final statements that were looked at. */
export interface JudgedDates {
  finals: number;
  warnings: LicenseWarning[];
}

/** Throws statement_final. Returns undefined if the dates stay. */
export async function judgeDates(
  { db, findUnbilled }: { db: Db; findUnbilled: FindUnbilled },
  before: License,
  after: License,
): Promise<JudgedDates | undefined> {
  if (before.startsAt === after.startsAt && before.expiresAt === after.expiresAt) return undefined;
  const finals = await findFinalPeriods(db, { licenseIds: [before.id] });
  for (const final of finals) requireKept(final, before, after);
  const unbilled = before.termsVersion > 0 ? await findUnbilled(before.id, after) : [];
  return { finals: finals.length, warnings: unbilled.map((one) => toWarning(one, after)) };
}

/** Returns the part of a time in which a license lasts; empty if `to` is not after `from`. */
const clipToBounds = ({ from, to }: Pick<FinalPeriod, 'from' | 'to'>, { startsAt, expiresAt }: PeriodBounds) => ({
  from: Math.max(from, startsAt ?? -Infinity),
  to: Math.min(to, expiresAt ?? Infinity),
});

/** Throws statement_final. */
function requireKept(final: FinalPeriod, before: License, after: License): void {
  const [was, is] = [clipToBounds(final, before), clipToBounds(final, after)];
  if (was.from >= was.to) return;
  const said = `Statement ${final.statementId} is final`;
  if (is.from > was.from) {
    const message = `${said}: \`startsAt\` must not be later than ${toIso(was.from)}. Keep the start, or leave it out.`;
    throw fail('statement_final', message, { param: 'startsAt' });
  }
  if (is.to < was.to) {
    const message = `${said}: \`expiresAt\` must not be earlier than ${toIso(was.to)}. To end the license now, revoke it.`;
    throw fail('statement_final', message, { param: 'expiresAt' });
  }
}

function toWarning(one: Unbilled, { expiresAt }: License): LicenseWarning {
  const { statementId, period, from, units, decisions, price } = one;
  const used = `${units} ${units === 1 ? 'unit' : 'units'} from ${decisions} ${decisions === 1 ? 'decision' : 'decisions'}`;
  return {
    code: 'unbilled_period',
    message: `${period} is no longer billed: ${used}, ${price}, statement ${statementId}. Restore the date to bill it.`,
    param: from >= (expiresAt ?? Infinity) ? 'expiresAt' : 'startsAt',
  };
}
