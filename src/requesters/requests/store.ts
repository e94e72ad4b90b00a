/** The table `license_requests`; rows never leave this file. */
import type { Db, Step } from '../../db/db.ts';
import { idForm, type Page, type PageQuery, readPage } from '../../db/page.ts';
import { Where } from '../../db/query.ts';
import { columns } from '../../db/record.ts';
import { type LicenseRequest, OPEN_MAX, REQUEST_PREFIX, type RequestStatus } from './request.ts';

const REQUEST = columns<LicenseRequest>({
  id: 'fixed',
  requesterId: 'fixed',
  licenseType: 'fixed',
  collectionId: 'fixed',
  note: 'fixed',
  status: 'plain',
  answer: 'plain',
  licenseId: 'plain',
  createdAt: 'fixed',
  updatedAt: 'plain',
});

export async function findRequest(db: Db, id: string): Promise<LicenseRequest | undefined> {
  const [row] = await db.read(`select ${REQUEST.list} from license_requests where id = $1`, [id]);
  return row && REQUEST.toRecord(row);
}

export interface RequestQuery extends PageQuery {
  requesterId?: string;
  status?: RequestStatus;
}

export const listRequests = (db: Db, query: RequestQuery): Promise<Page<LicenseRequest>> =>
  readPage(
    db,
    {
      select: REQUEST.list,
      from: 'license_requests',
      where: new Where().and('requester_id = ?', query.requesterId).and('status = ?', query.status),
      order: 'id',
      form: idForm(REQUEST_PREFIX),
      toRecord: REQUEST.toRecord,
    },
    query,
  );

const OPEN_OF = `select count(*) from license_requests where requester_id = :requesterId and status = 'open'`;

export async function countOpen(db: Db, requesterId: string): Promise<number> {
  const [row] = await db.read<{ open: number }>(`select (${OPEN_OF.replace(':requesterId', '$1')}) as open`, [
    requesterId,
  ]);
  return Number(row?.open ?? 0);
}

/** A Conflict when the requester was deleted, or has as many open ones as it may have. */
export const insertRequest: (request: LicenseRequest) => Step = REQUEST.step(
  `insert into license_requests ({columns}) select {values}
   where exists (select 1 from requesters where id = :requesterId) and (${OPEN_OF}) < ${OPEN_MAX}`,
  1,
);

/** A Conflict when it was answered meanwhile. */
export const answerRequest: (request: LicenseRequest) => Step = REQUEST.step(
  `update license_requests set {changes} where id = :id and status = 'open'`,
  1,
);
