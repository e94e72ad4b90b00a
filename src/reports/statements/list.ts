/** Reads pages of statements. */
import { cutPage, fromCursor, idForm, PAGE_DEFAULT, type Page, type PageQuery } from '../../db/page.ts';
import { toIso } from '../../lib/clock.ts';
import { type ComputeDeps, computeStatements } from './compute.ts';
import { findBilled } from './find.ts';
import { type AskedPeriod, type BilledContract, parsePeriod, type Statement } from './statement.ts';

const ID_FORM = idForm('stm_');

export interface StatementListQuery extends PageQuery {
  /** A month, quarter or year; by default this month. */
  period?: string;
  requesterId?: string;
  licenseId?: string;
}

/** Statements counted at once for a file. */
const FILE_CHUNK = 500;

/** Reads all statements, page by page. */
export async function* readAllStatements(
  deps: ComputeDeps,
  query: Omit<StatementListQuery, 'limit' | 'cursor'>,
): AsyncGenerator<readonly Statement[]> {
  let cursor: string | undefined;
  do {
    const { page } = await readStatements(deps, {
      ...query,
      limit: FILE_CHUNK,
      ...(cursor === undefined ? {} : { cursor }),
    });
    yield page.data;
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
}

/** Reads a page of statements, newest first, with the contracts among which they were found. Throws InvalidCursor. */
export async function readStatements(
  deps: ComputeDeps,
  { period: label, requesterId, licenseId, limit = PAGE_DEFAULT, cursor }: StatementListQuery,
): Promise<{ page: Page<Statement>; period: AskedPeriod; contracts: BilledContract[] }> {
  const before = cursor === undefined ? undefined : fromCursor(cursor, ID_FORM);
  const now = deps.now();
  const period = parsePeriod(label ?? toIso(now).slice(0, 7));
  const { contracts, billed } = await findBilled(deps.db, { period, requesterId, licenseId }, now);
  const rest = before === undefined ? billed : billed.filter(({ id }) => id < before);
  const page = cutPage(rest.slice(0, limit + 1), limit, billed.length, ({ id }) => id);
  // The whole month would take the records too long.
  const isAll = requesterId === undefined && licenseId === undefined;
  const computed = await computeStatements(deps, page.data, { recount: isAll ? 'columns' : 'records' });
  return { page: { ...page, data: computed.map(({ statement }) => statement) }, period, contracts };
}
