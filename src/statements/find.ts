/** Finds the statements that there are, newest first. */
import type { Db } from '../db/db.ts';
import { fail } from '../errors.ts';
import { type Contract, findContracts } from '../requesters/terms-store.ts';
import { type AskedPeriod, type Billed, billedOf, endsWithin, parseStatementId, rangeOf } from './statement.ts';

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
): Promise<{ contracts: Contract[]; billed: Billed[] }> {
  const contracts = await findContracts(db, { requesterId, licenseId });
  const billed = contracts
    .flatMap((contract) => {
      const { since, until } = rangeOf(contract, period);
      return billedOf(contract, { since: Math.min(since, now), until: Math.min(until, now + 1) });
    })
    .filter(({ span }) => endsWithin(span, period));
  return { contracts, billed: billed.toSorted((a, b) => (a.id < b.id ? 1 : -1)) };
}

/** With a requester, finds only its own. Throws statement_not_found. */
export async function getBilled(db: Db, id: string, now: number, requesterId?: string): Promise<Billed> {
  const parsed = parseStatementId(id);
  if (parsed !== undefined && parsed.start <= now) {
    // A license may start in the middle of its first period.
    const range = { since: parsed.start, until: Math.min(now + 1, parsed.start + YEAR_MS) };
    for (const contract of await findContracts(db, { tail: parsed.tail, requesterId })) {
      const found = billedOf(contract, range).find((one) => one.id === id);
      if (found !== undefined) return found;
    }
  }
  throw fail('statement_not_found', `There is no statement ${id.slice(0, 100)}.`);
}
