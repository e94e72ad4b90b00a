/**
 * The tables `requesters` and `licenses`, and `history` with every version of both, written in the same transaction.
 * Rows never leave this file.
 */

import type { Db, Row, Step } from '../db/db.ts';
import { idForm, type Page, type PageQuery, readPage, SEQ_FORM } from '../db/page.ts';
import { inList, toList, Where } from '../db/query.ts';
import { columns } from '../db/record.ts';
import { mapInSlices } from '../lib/slices.ts';
import { words } from '../lib/text.ts';
import type { Identity } from '../rules/crawlers/identity.ts';
import type { HistoryKind, Past } from './licenses/history.ts';
import type { License, LicenseStatus } from './licenses/license.ts';
import { nextNotice } from './licenses/notices.ts';
import { endAllTerms, endTerms, newTerms } from './licenses/terms-store.ts';
import type { Requester, RequesterStatus } from './requester.ts';

/** For `each-store`, too. */
export const REQUESTER = columns<Requester>(
  {
    no: 'generated',
    id: 'fixed',
    name: 'plain',
    type: 'plain',
    tags: 'json',
    userAgents: 'json',
    identities: 'json',
    contactName: 'plain',
    email: 'plain',
    billingAddress: 'plain',
    metadata: 'json',
    status: 'plain',
    createdAt: 'fixed',
    updatedAt: 'plain',
  },
  { nameWords: ({ name }) => ` ${words(name).join(' ')} ` },
);

export const LICENSE = columns<License>({
  id: 'fixed',
  requesterId: 'fixed',
  type: 'plain',
  features: 'json',
  scope: 'json',
  startsAt: 'plain',
  expiresAt: 'plain',
  status: 'plain',
  metadata: 'json',
  terms: 'json',
  termsVersion: 'plain',
  termsFrom: 'plain',
  createdAt: 'fixed',
  updatedAt: 'plain',
});

export async function findRequester(db: Db, id: string): Promise<Requester | undefined> {
  const [row] = await db.read(`select ${REQUESTER.list} from requesters where id = $1`, [id]);
  return row && REQUESTER.toRecord(row);
}

/** Returns the requesters with one of the ids, and those with one of the names. */
export async function findEach(db: Db, ids: readonly string[], names: readonly string[]): Promise<Requester[]> {
  const [isId, isName] = [inList(db.engine, 'id', 'text'), inList(db.engine, 'name', 'text', '$2')];
  const sql = `select ${REQUESTER.list} from requesters where ${isId} or ${isName}`;
  return (await db.read(sql, [toList(ids), toList(names)])).map(REQUESTER.toRecord);
}

/** Returns the names of every requester that visitors can name. */
export async function findNamed(
  db: Db,
): Promise<{ id: string; userAgents: string[]; identities: Requester['identities'] }[]> {
  const rows = await db.read<{ id: string; user_agents: string; identities: string }>(
    `select id, user_agents, identities from requesters where user_agents <> '[]' or identities <> '[]'`,
  );
  return mapInSlices(rows, (row) => ({
    id: row.id,
    userAgents: JSON.parse(row.user_agents) as string[],
    identities: JSON.parse(row.identities) as Requester['identities'],
  }));
}

/** Returns the `identities` of every requester that has some. */
export async function findIdentities(db: Db): Promise<{ id: string; identities: Identity[] }[]> {
  const rows = await db.read<{ id: string; identities: string }>(
    `select id, identities from requesters where identities <> '[]'`,
  );
  return mapInSlices(rows, (row) => ({ id: row.id, identities: JSON.parse(row.identities) as Identity[] }));
}

/** Returns the names of registered requesters by id. */
export async function findNames(db: Db, ids: readonly string[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map();
  const sql = `select id, name from requesters where ${inList(db.engine, 'id', 'text')}`;
  const rows = await db.read<{ id: string; name: string }>(sql, [toList(ids)]);
  return new Map(rows.map(({ id, name }) => [id, name]));
}

/** Returns those of the ids that are being erased. */
export async function findErasing(db: Db, ids: readonly string[]): Promise<string[]> {
  const sql = `select requester_id as id from erasures where ${inList(db.engine, 'requester_id', 'text')}`;
  return (await db.read<{ id: string }>(sql, [toList(ids)])).map(({ id }) => id);
}

/** With a requester, finds only a license that it holds: another's takes as long as one that never existed. */
export async function findLicense(db: Db, id: string, requesterId?: string): Promise<License | undefined> {
  const { sql, params } = new Where().and('id = ?', id).and('requester_id = ?', requesterId);
  const [row] = await db.read(`select ${LICENSE.list} from licenses${sql}`, params);
  return row && LICENSE.toRecord(row);
}

/** Returns all licenses of a requester, oldest first. */
export async function findRequesterLicenses(db: Db, requesterId: string): Promise<License[]> {
  const rows = await db.read(`select ${LICENSE.list} from licenses where requester_id = $1 order by id`, [requesterId]);
  return rows.map(LICENSE.toRecord);
}

export interface HistoryRow extends Row {
  kind: string;
  object_id: string;
  at: number;
  record: string | null;
}

/** Reads all versions of a requester and its licenses, in the order of the edits; none for an unregistered id. */
export async function findPast(db: Db, requesterId: string): Promise<Past> {
  const [rows, present] = await Promise.all([
    db.read<HistoryRow>('select kind, object_id, at, record from history where owner_id = $1 order by seq', [
      requesterId,
    ]),
    db.read<{ created_at: number }>('select created_at from requesters where id = $1', [requesterId]),
  ]);
  return toPast(rows, present[0]?.created_at ?? null);
}

/** Also for threads that read the rows on their own connection. */
export const toPast = (rows: readonly HistoryRow[], createdAt: number | null): Past => ({
  createdAt,
  versions: rows.map((row) => ({
    kind: row.kind as HistoryKind,
    id: row.object_id,
    at: row.at,
    record: row.record === null ? null : (JSON.parse(row.record) as Requester | License),
  })),
});

export interface RequesterQuery extends PageQuery {
  type?: string;
  tag?: string;
  status?: RequesterStatus;
  /** Words, or beginnings of words, of the name. */
  q?: string;
}

export function listRequesters(db: Db, query: RequesterQuery): Promise<Page<Requester>> {
  const where = new Where()
    .and('type = ?', query.type)
    .and('status = ?', query.status)
    .and("replace(tags, ?, '') <> tags", query.tag && JSON.stringify(query.tag))
    .search('name_words', query.q);
  return readPage(
    db,
    { select: REQUESTER.list, from: 'requesters', where, order: 'no', form: SEQ_FORM, toRecord: REQUESTER.toRecord },
    query,
  );
}

export interface LicenseQuery extends PageQuery {
  requesterId?: string;
  type?: string;
  status?: LicenseStatus;
  expiresBefore?: number | undefined;
  expiresAfter?: number | undefined;
}

export function listLicenses(db: Db, query: LicenseQuery): Promise<Page<License>> {
  const where = new Where()
    .and('requester_id = ?', query.requesterId)
    .and('type = ?', query.type)
    .and('status = ?', query.status)
    .and('expires_at < ?', query.expiresBefore)
    .and('expires_at > ?', query.expiresAfter);
  return readPage(
    db,
    { select: LICENSE.list, from: 'licenses', where, order: 'id', form: idForm('lic_'), toRecord: LICENSE.toRecord },
    query,
  );
}

interface Subject {
  kind: HistoryKind;
  id: string;
  ownerId: string;
}

/** Adds a version that begins at `at`; null marks the end of the record. */
const historyStep = ({ kind, id, ownerId }: Subject, at: number, record: Requester | License | null): Step => ({
  sql: 'insert into history (kind, object_id, owner_id, at, record) values ($1, $2, $3, $4, $5)',
  params: [kind, id, ownerId, at, record === null ? null : JSON.stringify(record)],
});

const asRequester = ({ id }: Requester): Subject => ({ kind: 'requester', id, ownerId: id });
const asLicense = ({ id, requesterId }: License): Subject => ({ kind: 'license', id, ownerId: requesterId });

const insertRow = REQUESTER.step('insert into requesters ({columns}) values ({values})');
const updateRow = REQUESTER.step('update requesters set {changes} where id = :id and updated_at = :before', 1);
const DELETE_REQUESTER = 'delete from requesters where id = $1 and updated_at = $2';

/** A Conflict while the id is being erased. */
export const insertRequester = (requester: Requester): Step[] => [
  insertRow(requester),
  {
    sql: `update requesters set updated_at = updated_at
          where id = $1 and not exists (select 1 from erasures where requester_id = $1)`,
    params: [requester.id],
    expect: 1,
  },
  historyStep(asRequester(requester), requester.updatedAt, requester),
];

/** A Conflict unless the stored record is still `before`. */
export const updateRequester = (requester: Requester, before: Requester): Step[] => [
  updateRow(requester, { before: before.updatedAt }),
  historyStep(asRequester(requester), requester.updatedAt, requester),
];

/** Deletes the licenses too: a Conflict unless there are so many, and the requester is still this one. */
export const deleteRequester = (requester: Requester, licenses: number, at: number): Step[] => [
  {
    sql: `insert into history (kind, object_id, owner_id, at, record)
          select 'license', id, requester_id, case when updated_at < $2 then $2 else updated_at end, null
          from licenses where requester_id = $1`,
    params: [requester.id, at],
  },
  endAllTerms(requester.id, at),
  historyStep(asRequester(requester), Math.max(at, requester.updatedAt), null),
  { sql: 'delete from licenses where requester_id = $1', params: [requester.id], expect: licenses },
  { sql: DELETE_REQUESTER, params: [requester.id, requester.updatedAt], expect: 1 },
];

const insertLicenseRow = LICENSE.step(
  `insert into licenses ({columns}, expiry_due, expiring_due) select {values}, :expiryDue, :expiringDue
   where exists (select 1 from requesters where id = :requesterId)`,
  1,
);
const updateLicenseRow = LICENSE.step(
  `update licenses set {changes}, expiry_due = case when :status = 'revoked' then null
     when expires_at = :expiresAt then expiry_due else :expiresAt end,
     expiring_due = case when :status = 'revoked' then null
     when expires_at = :expiresAt then expiring_due else :expiringDue end
   where id = :id and updated_at = :updatedBefore and status = :statusBefore`,
  1,
);
const DELETE_LICENSE = 'delete from licenses where id = $1 and updated_at = $2 and status = $3';

/** A Conflict when the requester was deleted. */
export const insertLicense = (license: License): Step[] => [
  // The expiry of a license that was created after it is never announced.
  insertLicenseRow(license, {
    expiryDue: (license.expiresAt ?? 0) > license.createdAt ? license.expiresAt : null,
    expiringDue: nextNotice(license.expiresAt, license.createdAt),
  }),
  historyStep(asLicense(license), license.updatedAt, license),
  ...newTerms(license),
];

/** A Conflict unless the stored license is still `before`. */
export const updateLicense = (license: License, before: License): Step[] => [
  updateLicenseRow(license, {
    updatedBefore: before.updatedAt,
    statusBefore: before.status,
    expiringDue: nextNotice(license.expiresAt, license.updatedAt),
  }),
  historyStep(asLicense(license), license.updatedAt, license),
  ...(license.termsVersion === before.termsVersion ? [] : newTerms(license)),
  ...(license.status === 'revoked' && before.status !== 'revoked' ? endTerms(license, license.updatedAt) : []),
];

/** A Conflict unless the stored license is still this one. */
export const deleteLicense = (license: License, at: number): Step[] => [
  { sql: DELETE_LICENSE, params: [license.id, license.updatedAt, license.status], expect: 1 },
  ...(license.status === 'revoked' ? [] : endTerms(license, at)),
  historyStep(asLicense(license), Math.max(at, license.updatedAt), null),
];

/** A Conflict unless the requester has so many licenses. */
export const expectLicenses = (requesterId: string, count: number): Step => ({
  sql: `update requesters set updated_at = updated_at
        where id = $1 and (select count(*) from licenses where requester_id = $1) = $2`,
  params: [requesterId, count],
  expect: 1,
});

/** A Conflict unless the license has so many final statements. */
export const expectFinals = (licenseId: string, count: number): Step => ({
  sql: `update licenses set updated_at = updated_at
        where id = $1 and (select count(*) from statements where license_id = $1) = $2`,
  params: [licenseId, count],
  expect: 1,
});
