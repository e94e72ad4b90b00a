/**
 * Reads which billing periods of licenses have final statements: a license keeps these periods after every edit. The
 * table `statements` belongs to the room of that name.
 */
import type { Db, Row } from '../../db/db.ts';
import { inList, toList, Where } from '../../db/query.ts';

/** A billing period whose statement is final; epoch ms, `to` is exclusive. */
export interface FinalPeriod {
  statementId: string;
  licenseId: string;
  from: number;
  to: number;
}

interface FinalRow extends Row {
  id: string;
  license_id: string;
  from_at: number;
  to_at: number;
}

/** Returns the final periods of some licenses, or of all, that meet a time, oldest first. */
export async function findFinalPeriods(
  db: Db,
  { licenseIds, since, until }: { licenseIds?: readonly string[] | undefined; since?: number; until?: number },
): Promise<FinalPeriod[]> {
  const where = new Where()
    .and(inList(db.engine, 'license_id', 'text', '?'), licenseIds && toList(licenseIds))
    .and('to_at > ?', since)
    .and('from_at < ?', until);
  const rows = await db.read<FinalRow>(
    `select id, license_id, from_at, to_at from statements${where.sql} order by from_at`,
    where.params,
  );
  return rows.map((row) => ({ statementId: row.id, licenseId: row.license_id, from: row.from_at, to: row.to_at }));
}
