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

type WantedLicense = Pick<LicenseRequest, 'requesterId' | 'licenseType' | 'collectionId'>;

/** Returns the last request for such a license that is open or was declined. */
export async function findUngranted(
  db: Db,
  { requesterId, licenseType, collectionId }: WantedLicense,
): Promise<LicenseRequest | undefined> {
  const [row] = await db.read(
    `select ${REQUEST.list} from license_requests where requester_id = $1 and license_type = $2
       and coalesce(collection_id, '') = $3 and status <> 'granted' order by id desc limit 1`,
    [requesterId, licenseType, collectionId ?? ''],
  );
  return row && REQUEST.toRecord(row);
}

const OPEN_OF = `select count(*) from license_requests where requester_id = :requesterId and status = 'open'`;

export async function countOpen(db: Db, requesterId: string): Promise<number> {
  const [row] = await db.read<{ open: number }>(`select (${OPEN_OF.replace(':requesterId', '$1')}) as open`, [
    requesterId,
  ]);
  return Number(row?.open ?? 0);
}

const INSERT = `insert into license_requests ({columns}) select {values}
   where exists (select 1 from requesters where id = :requesterId) and (${OPEN_OF}) < ${OPEN_MAX}`;

/** A Conflict when the requester was deleted, or has as many open ones as it may have. */
export const insertRequest: (request: LicenseRequest) => Step = REQUEST.step(INSERT, 1);

/** A Conflict when there is such a request that was not granted, too. */
export const insertOnlyRequest: (request: LicenseRequest) => Step = REQUEST.step(
  `${INSERT} and not exists (select 1 from license_requests where requester_id = :requesterId
     and license_type = :licenseType and coalesce(collection_id, '') = coalesce(:collectionId, '')
     and status <> 'granted')`,
  1,
);

/** A Conflict when it was answered meanwhile. */
export const answerRequest: (request: LicenseRequest) => Step = REQUEST.step(
  `update license_requests set {changes} where id = :id and status = 'open'`,
  1,
);
