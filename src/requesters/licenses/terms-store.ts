/** The table `license_terms`; rows never leave this file. Versions outlive their license. */
import type { Db, Row, Step } from '../../db/db.ts';
import { inList, toList, Where } from '../../db/query.ts';
import { idBody } from '../../lib/id.ts';
import type { Terms } from '../../rules/terms/terms.ts';
import { type PeriodBounds, type Segment, type TermsVersion, toSegments } from '../../rules/terms/timeline.ts';
import type { License } from './license.ts';

/** A version of the terms of a license. */
export interface StoredTerms extends TermsVersion {
  createdAt: number;
}

/** A license that has or had terms, also one that was deleted. */
export interface Contract {
  licenseId: string;
  requesterId: string;
  /** null: the license was deleted. */
  licenseType: string | null;
  /** null: no longer registered. */
  requesterName: string | null;
  bounds: PeriodBounds;
  segments: Segment[];
}

/** Length of the part of a license's id that the ids of its statements share. */
const TAIL = 16;
export const licenseIdTail = (licenseId: string): string => idBody(licenseId).slice(-TAIL);

interface TermsRow extends Row {
  license_id: string;
  requester_id: string;
  version: number;
  at: number;
  from_at: number;
  terms: string | null;
}

const toTerms = ({ version, at, from_at, terms }: TermsRow): StoredTerms => ({
  version,
  from: from_at,
  createdAt: at,
  terms: terms === null ? null : (JSON.parse(terms) as Terms),
});

const SELECT = 'select license_id, requester_id, version, at, from_at, terms from license_terms';

/** Returns the versions of a license, oldest first. */
export async function findTerms(db: Db, licenseId: string): Promise<StoredTerms[]> {
  const rows = await db.read<TermsRow>(`${SELECT} where license_id = $1 order by version`, [licenseId]);
  return rows.map(toTerms);
}

interface ContractRow extends TermsRow {
  license: string | null;
  type: string | null;
  starts_at: number | null;
  starts: number | null;
  expires: number | null;
  name: string | null;
}

/** Returns the contracts of a requester, of licenses, of the licenses with a tail, or all, by id of the license. */
export async function findContracts(
  db: Db,
  filter: { requesterId?: string | undefined; licenseId?: string | undefined; licenseIds?: string[]; tail?: string },
): Promise<Contract[]> {
  const where = new Where()
    .and('t.requester_id = ?', filter.requesterId)
    .and('t.license_id = ?', filter.licenseId)
    .and('t.tail = ?', filter.tail)
    .and(inList(db.engine, 't.license_id', 'text', '?'), filter.licenseIds && toList(filter.licenseIds));
  const rows = await db.read<ContractRow>(
    `select t.license_id, t.requester_id, t.version, t.at, t.from_at, t.terms, t.starts_at, l.id as license,
       l.type, l.starts_at as starts, l.expires_at as expires, r.name
     from license_terms as t left join licenses as l on l.id = t.license_id
     left join requesters as r on r.id = t.requester_id${where.sql} order by t.license_id, t.version`,
    where.params,
  );
  return [...Map.groupBy(rows, (row) => row.license_id).values()].map(toContract);
}

function toContract(rows: ContractRow[]): Contract {
  const last = rows.at(-1) as ContractRow;
  const bounds =
    last.license === null
      ? { startsAt: last.starts_at, expiresAt: null }
      : { startsAt: last.starts, expiresAt: last.expires };
  return {
    licenseId: last.license_id,
    requesterId: last.requester_id,
    licenseType: last.type,
    requesterName: last.name,
    bounds,
    segments: toSegments(rows.map(toTerms)),
  };
}

const termsStep = (license: License, { version, createdAt, from, terms }: StoredTerms): Step => ({
  sql: `insert into license_terms (license_id, requester_id, tail, version, at, from_at, terms, starts_at)
        values ($1, $2, $3, $4, $5, $6, $7, $8)`,
  params: [
    license.id,
    license.requesterId,
    licenseIdTail(license.id),
    version,
    createdAt,
    from,
    terms === null ? null : JSON.stringify(terms),
    license.startsAt,
  ],
});

/** Writes the newest version of a license that has one. */
export function newTerms(license: License): Step[] {
  const { termsVersion: version, updatedAt: createdAt, termsFrom, terms } = license;
  return version === 0 ? [] : [termsStep(license, { version, createdAt, from: termsFrom ?? createdAt, terms })];
}

/**
 * Ends the terms of a license that is revoked or deleted: at its expiry if that came first, or from the beginning if it
 * never started.
 */
export function endTerms(license: License, at: number): Step[] {
  if (license.termsVersion === 0) return [];
  const end = Math.min(at, license.expiresAt ?? Infinity);
  const from = license.startsAt !== null && license.startsAt >= end ? 0 : end;
  return [termsStep(license, { version: license.termsVersion + 1, createdAt: at, from, terms: null })];
}

/** Ends the terms of all licenses of a requester that is deleted. */
export const endAllTerms = (requesterId: string, at: number): Step => ({
  sql: `insert into license_terms (license_id, requester_id, tail, version, at, from_at, terms, starts_at)
        select id, requester_id, substr(id, length(id) - ${TAIL - 1}), terms_version + 1, $2,
          case when starts_at >= $2 or starts_at >= expires_at then 0 when expires_at < $2 then expires_at else $2 end, null, starts_at
        from licenses where requester_id = $1 and terms_version > 0 and status <> 'revoked'`,
  params: [requesterId, at],
});

/** The terms in force of one license, as an example of what its type costs. */
export interface Price {
  licenseType: string;
  licenseId: string;
  version: number;
  terms: Terms;
}

interface PriceRow extends Row {
  type: string;
  id: string;
  version: number;
  terms: string;
}

const toPrice = ({ type, id, version, terms }: PriceRow): Price => ({
  licenseType: type,
  licenseId: id,
  version: Number(version),
  terms: JSON.parse(terms) as Terms,
});

/** Returns, for each of these types, the newest valid license that has terms, by type. */
export async function findPrices(db: Db, types: readonly string[], now: number): Promise<Map<string, Price>> {
  if (types.length === 0) return new Map();
  const rows = await db.read<PriceRow>(
    `with current as (
       select l.type, l.id, t.version, t.terms, row_number() over (partition by l.id order by t.version desc) as place
       from licenses as l join license_terms as t on t.license_id = l.id
       where ${inList(db.engine, 'l.type', 'text')} and l.status = 'active' and t.from_at <= $2
         and (l.starts_at is null or l.starts_at <= $2) and (l.expires_at is null or l.expires_at > $2)
     ), newest as (
       select *, row_number() over (partition by type order by id desc) as place_of_type
       from current where place = 1 and terms is not null
     )
     select type, id, version, terms from newest where place_of_type = 1`,
    [toList(types), now],
  );
  return new Map(rows.map((row) => [row.type, toPrice(row)]));
}

/**
 * Returns the newest license with terms that each of these requesters holds of each of these types, by requester and
 * type. An expired license counts, because it may be renewed.
 */
export async function findOwnPrices(
  db: Db,
  { requesterIds, types }: { requesterIds: readonly string[]; types: readonly string[] },
  now: number,
): Promise<Map<string, Map<string, Price>>> {
  if (requesterIds.length === 0 || types.length === 0) return new Map();
  const rows = await db.read<PriceRow & { requester_id: string }>(
    `with current as (
       select l.requester_id, l.type, l.id, t.version, t.terms,
         row_number() over (partition by l.id order by t.version desc) as place
       from licenses as l join license_terms as t on t.license_id = l.id
       where ${inList(db.engine, 'l.requester_id', 'text')} and ${inList(db.engine, 'l.type', 'text', '$2')}
         and l.status = 'active' and t.from_at <= $3
     ), newest as (
       select *, row_number() over (partition by requester_id, type order by id desc) as place_of_type
       from current where place = 1 and terms is not null
     )
     select requester_id, type, id, version, terms from newest where place_of_type = 1`,
    [toList(requesterIds), toList(types), now],
  );
  const byRequester = Map.groupBy(rows, ({ requester_id: requesterId }) => requesterId);
  return new Map([...byRequester].map(([id, own]) => [id, new Map(own.map((row) => [row.type, toPrice(row)]))]));
}
