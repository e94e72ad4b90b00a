/** Reads requesters with their licenses, many at a time; rows never leave this file. */
import type { Db } from '../db/db.ts';
import { inList, toList, Where } from '../db/query.ts';
import { mapInSlices } from '../lib/slices.ts';
import type { License } from './licenses/license.ts';
import type { Requester } from './requester.ts';
import { LICENSE, REQUESTER } from './store.ts';

export interface RequesterWithLicenses {
  requester: Requester;
  /** Oldest first. */
  licenses: readonly License[];
}

/** Reads requesters, newest first, older than the one of a number; `kind`: those with this type or tag. */
export async function readRequesters(
  db: Db,
  { before, kind, limit }: { before: number | undefined; kind: string | undefined; limit: number },
): Promise<RequesterWithLicenses[]> {
  const where = new Where().and('no < ?', before);
  if (kind !== undefined) {
    where.and(`(type = ${where.param(kind)} or replace(tags, ${where.param(JSON.stringify(kind))}, '') <> tags)`);
  }
  const sql = `select ${REQUESTER.list} from requesters${where.sql} order by no desc limit ${limit}`;
  const requesters = await mapInSlices(await db.read(sql, where.params), REQUESTER.toRecord);
  if (requesters.length === 0) return [];
  const rows = await db.read(
    `select ${LICENSE.list} from licenses where ${inList(db.engine, 'requester_id', 'text')} order by id`,
    [toList(requesters.map(({ id }) => id))],
  );
  const licenses = Map.groupBy(await mapInSlices(rows, LICENSE.toRecord), ({ requesterId }) => requesterId);
  return requesters.map((requester) => ({ requester, licenses: licenses.get(requester.id) ?? [] }));
}
