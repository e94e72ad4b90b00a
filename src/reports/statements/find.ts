/**
 * Finds the statements that there are, newest first. Promise: a final one is found as long as the installation lasts,
 * also without its license, its dates and its terms.
 */

import { fail } from '../../api/errors.ts';
import type { Db } from '../../db/db.ts';
import { type FinalPeriod, findFinalPeriods } from '../../requesters/licenses/final-store.ts';
import { type Contract, findContracts } from '../../requesters/licenses/terms-store.ts';
import {
  type AskedPeriod,
  type Billed,
  type BilledContract,
  billedPeriods,
  contractRange,
  endsWithin,
  parseStatementId,
  widestRange,
} from './statement.ts';
import { type FinalStatement, findFinals } from './store.ts';

const YEAR_MS = 366 * 86_400_000;

export interface StatementQuery {
  period: AskedPeriod;
  requesterId?: string | undefined;
  licenseId?: string | undefined;
}

/** Returns the contracts, and their billing periods that end within the asked period and have begun. */
export async function findBilled(
  db: Db,
  { period, requesterId, licenseId }: StatementQuery,
  now: number,
): Promise<{ contracts: BilledContract[]; billed: Billed[] }> {
  const found = await findContracts(db, { requesterId, licenseId });
  const isAll = requesterId === undefined && licenseId === undefined;
  const licenseIds = isAll ? undefined : found.map((contract) => contract.licenseId);
  const finals = Map.groupBy(
    await findFinalPeriods(db, { licenseIds, ...widestRange(period) }),
    (one) => one.licenseId,
  );
  const contracts = found.map((contract) => ({ ...contract, finals: finals.get(contract.licenseId) ?? [] }));
  const computed = contracts.flatMap((contract) => {
    const { since, until } = contractRange(contract, period);
    return billedPeriods(contract, { since: Math.min(since, now), until: Math.min(until, now + 1) });
  });
  const billed = [...computed, ...(await findLost(db, contracts))].filter(({ span }) => endsWithin(span, period));
  return { contracts, billed: billed.toSorted((a, b) => (a.id < b.id ? 1 : -1)) };
}

/** Returns the final periods that the dates and terms of their licenses no longer lead to. */
async function findLost(db: Db, contracts: readonly BilledContract[]): Promise<Billed[]> {
  const lost = contracts.flatMap((contract) =>
    contract.finals.filter((final) => !leadsTo(contract, final)).map((final) => ({ contract, final })),
  );
  if (lost.length === 0) return [];
  const stored = await findFinals(
    db,
    lost.map(({ final }) => final.statementId),
  );
  return lost.flatMap(({ contract, final }) => toBilled(contract, stored.get(final.statementId)));
}

const leadsTo = ({ segments, bounds }: Contract, { from, to }: FinalPeriod): boolean =>
  from < (bounds.expiresAt ?? Infinity) &&
  to > (bounds.startsAt ?? -Infinity) &&
  segments.some((segment) => segment.from <= from && from < segment.to);

function toBilled(contract: Contract, final: FinalStatement | undefined): Billed[] {
  if (final === undefined) return [];
  const { statement, from: start, to: end } = final;
  const { id, period: label, termsVersion: version, terms } = statement;
  return [{ id, contract, span: { start, end, label, version, terms, share: statement.partialPeriod ?? null } }];
}

/** With a requester, finds only its own. Throws statement_not_found. */
export async function getBilled(db: Db, id: string, now: number, requesterId?: string): Promise<Billed> {
  const parsed = parseStatementId(id);
  if (parsed !== undefined && parsed.start <= now) {
    const contracts = await findContracts(db, { tail: parsed.tail, requesterId });
    const final = contracts.length === 0 ? undefined : (await findFinals(db, [id])).get(id);
    // A license may start in the middle of its first period.
    const range = { since: parsed.start, until: Math.min(now + 1, parsed.start + YEAR_MS) };
    for (const contract of contracts) {
      const isSameLicense = final?.statement.licenseId === contract.licenseId;
      const [found] = isSameLicense
        ? toBilled(contract, final)
        : billedPeriods(contract, range).filter((one) => one.id === id);
      if (found !== undefined) return found;
    }
  }
  throw fail('statement_not_found', `There is no statement ${id.slice(0, 100)}.`);
}
