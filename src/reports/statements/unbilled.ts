/** Finds what would no longer be billed if a license had other dates. */
import type { Unbilled } from '../../requesters/licenses/date-edits.ts';
import { findContracts } from '../../requesters/licenses/terms-store.ts';
import type { PeriodBounds } from '../../rules/terms/timeline.ts';
import { type ComputeDeps, computeStatements } from './compute.ts';
import { billedPeriods, type Statement } from './statement.ts';

/**
 * Returns the periods that have begun, are used or have a price, are not final, and would not belong to the license
 * with these dates. Oldest first.
 */
export async function findUnbilled(deps: ComputeDeps, licenseId: string, bounds: PeriodBounds): Promise<Unbilled[]> {
  const [contract] = await findContracts(deps.db, { licenseId });
  if (contract === undefined) return [];
  const begun = { since: 0, until: deps.now() + 1 };
  const kept = new Set(billedPeriods({ ...contract, bounds }, begun).map(({ id }) => id));
  const given = billedPeriods(contract, begun).filter(({ id }) => !kept.has(id));
  const computed = await computeStatements(deps, given);
  return computed
    .filter(({ statement, isFinal }) => !isFinal && matters(statement))
    .map(({ statement: { id, period, from, units, decisions, total, terms } }) => ({
      statementId: id,
      period,
      from: Date.parse(from),
      units,
      decisions,
      price: `${total.amount} ${terms.currency}`,
    }));
}

const matters = ({ decisions, uncounted, total }: Statement): boolean =>
  decisions > 0 || uncounted.length > 0 || Number(total.amount) !== 0;
