/** Ends of licenses that are to be announced. */
import type { Db, Row, Step } from '../../db/db.ts';
import { LICENSE } from '../store.ts';
import type { License } from './license.ts';
import { nextNotice } from './notices.ts';

/** Finds licenses whose expiry is due and not announced, longest due first. */
export async function findExpired(db: Db, now: number, limit: number): Promise<License[]> {
  const rows = await db.read(
    `select ${LICENSE.list} from licenses where expiry_due <= $1 order by expiry_due limit ${limit}`,
    [now],
  );
  return rows.map(LICENSE.toRecord);
}

/** Finds active licenses that end within a span of time, the first to end first. */
export async function findEnding(
  db: Db,
  { after, upTo }: { after: number; upTo: number },
  limit: number,
): Promise<License[]> {
  const rows = await db.read(
    `select ${LICENSE.list} from licenses where expiry_due > $1 and expiry_due <= $2 and status = 'active'
     order by expiry_due, id limit ${limit}`,
    [after, upTo],
  );
  return rows.map(LICENSE.toRecord);
}

/** A Conflict when this expiry was already announced or moved. */
export const announceExpiry = (license: License): Step => ({
  sql: 'update licenses set expiry_due = null where id = $1 and expiry_due = $2',
  params: [license.id, license.expiresAt],
  expect: 1,
});

/** A license with the time of its next notice; 0: not known. */
export interface Expiring {
  license: License;
  due: number;
}

/** Finds licenses whose end is to be announced ahead, longest due first. */
export async function findExpiring(db: Db, now: number, limit: number): Promise<Expiring[]> {
  const rows = await db.read<Row & { expiring_due: number }>(
    `select ${LICENSE.list}, expiring_due from licenses where expiring_due <= $1 order by expiring_due limit ${limit}`,
    [now],
  );
  return rows.map((row) => ({ license: LICENSE.toRecord(row), due: row.expiring_due }));
}

/** A Conflict when this notice was already given, or the license edited. */
export const announceExpiring = ({ license, due }: Expiring, now: number): Step => ({
  sql: 'update licenses set expiring_due = $4 where id = $1 and expiring_due = $2 and updated_at = $3',
  params: [license.id, due, license.updatedAt, nextNotice(license.expiresAt, now)],
  expect: 1,
});
