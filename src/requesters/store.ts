/**
 * The tables `requesters` and `licenses`, and `history` with every version of both, written in the step's own transaction;
 * rows never leave this file.
 */
import type { Db, Row, Step, Value } from '../db/db.ts';
import { type Page, type PageQuery, readPage } from '../db/page.ts';
import { searchWords } from '../http/list.ts';
import { words } from '../lib/text.ts';
import type { LicenseScope } from '../policies/facts.ts';
import type { HistoryKind, Past } from './history.ts';
import type { License, LicenseStatus } from './license.ts';
import type { Requester, RequesterStatus } from './requester.ts';

interface RequesterRow extends Row {
  no: number;
  id: string;
  name: string;
  type: string | null;
  tags: string;
  user_agents: string;
  metadata: string;
  status: string;
  created_at: number;
  updated_at: number;
}

interface LicenseRow extends Row {
  id: string;
  requester_id: string;
  type: string;
  features: string;
  scope: string | null;
  starts_at: number | null;
  expires_at: number | null;
  status: string;
  metadata: string;
  created_at: number;
  updated_at: number;
}

const REQUESTER = 'no, id, name, type, tags, user_agents, metadata, status, created_at, updated_at';
const LICENSE =
  'id, requester_id, type, features, scope, starts_at, expires_at, status, metadata, created_at, updated_at';

const toRequester = (row: RequesterRow): Requester => ({
  no: row.no,
  id: row.id,
  name: row.name,
  type: row.type,
  tags: JSON.parse(row.tags) as string[],
  userAgents: JSON.parse(row.user_agents) as string[],
  metadata: JSON.parse(row.metadata) as Record<string, unknown>,
  status: row.status as RequesterStatus,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});

const toLicense = (row: LicenseRow): License => ({
  id: row.id,
  requesterId: row.requester_id,
  type: row.type,
  features: JSON.parse(row.features) as string[],
  scope: row.scope === null ? null : (JSON.parse(row.scope) as LicenseScope),
  startsAt: row.starts_at,
  expiresAt: row.expires_at,
  status: row.status as LicenseStatus,
  metadata: JSON.parse(row.metadata) as Record<string, unknown>,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});

export async function findRequester(db: Db, id: string): Promise<Requester | undefined> {
  const [row] = await db.read<RequesterRow>(`select ${REQUESTER} from requesters where id = $1`, [id]);
  return row && toRequester(row);
}

/** The texts by which user agents are known, of every requester that has some. */
export async function findUserAgents(db: Db): Promise<{ id: string; userAgents: string[] }[]> {
  const rows = await db.read<{ id: string; user_agents: string }>(
    `select id, user_agents from requesters where user_agents <> '[]'`,
  );
  return rows.map((row) => ({ id: row.id, userAgents: JSON.parse(row.user_agents) as string[] }));
}

/** Names of those that are registered. */
export async function findNames(db: Db, ids: readonly string[]): Promise<Map<string, string>> {
  const places = ids.map((_, i) => `$${i + 1}`).join(', ');
  const rows =
    ids.length === 0
      ? []
      : await db.read<{ id: string; name: string }>(`select id, name from requesters where id in (${places})`, ids);
  return new Map(rows.map(({ id, name }) => [id, name]));
}

export async function findLicense(db: Db, id: string): Promise<License | undefined> {
  const [row] = await db.read<LicenseRow>(`select ${LICENSE} from licenses where id = $1`, [id]);
  return row && toLicense(row);
}

/** All of a requester, oldest first. */
export async function findLicensesOf(db: Db, requesterId: string): Promise<License[]> {
  const rows = await db.read<LicenseRow>(`select ${LICENSE} from licenses where requester_id = $1 order by id`, [
    requesterId,
  ]);
  return rows.map(toLicense);
}

export interface HistoryRow extends Row {
  kind: string;
  object_id: string;
  at: number;
  record: string | null;
}

/** Every version of a requester and of its licences, in the order of the edits; empty for an id nobody registered. */
export async function findPast(db: Db, requesterId: string): Promise<Past> {
  const [rows, present] = await Promise.all([
    db.read<HistoryRow>('select kind, object_id, at, record from history where owner_id = $1 order by seq', [
      requesterId,
    ]),
    db.read<{ created_at: number }>('select created_at from requesters where id = $1', [requesterId]),
  ]);
  return toPast(rows, present[0]?.created_at ?? null);
}

/** For those who read the rows on a connection of their own. */
export const toPast = (rows: readonly HistoryRow[], createdAt: number | null): Past => ({
  createdAt,
  versions: rows.map((row) => ({
    kind: row.kind as HistoryKind,
    id: row.object_id,
    at: row.at,
    record: row.record === null ? null : (JSON.parse(row.record) as Requester | License),
  })),
});

/** Conditions and their parameters, for those that are given. */
function conditions(pairs: readonly [(place: string) => string, Value | undefined][]): {
  where: string[];
  params: Value[];
} {
  const given = pairs.filter((pair): pair is [(place: string) => string, Value] => pair[1] !== undefined);
  return {
    where: given.map(([condition], i) => condition(`$${i + 1}`)),
    params: given.map(([, value]) => value),
  };
}

const like = (text: string): string => `%${text.replaceAll(/[!%_]/g, '!$&')}%`;

export function listRequesters(
  db: Db,
  filter: { type?: string; tag?: string; status?: RequesterStatus; q?: string },
  query: PageQuery,
): Promise<Page<Requester>> {
  const { where, params } = conditions([
    [(place) => `type = ${place}`, filter.type],
    [(place) => `status = ${place}`, filter.status],
    [(place) => `replace(tags, ${place}, '') <> tags`, filter.tag && JSON.stringify(filter.tag)],
    ...searchWords(filter.q).map((word): [(place: string) => string, string] => [
      (place) => `name_words like ${place} escape '!'`,
      like(` ${word}`),
    ]),
  ]);
  return readPage<RequesterRow, Requester>(
    db,
    { select: `select ${REQUESTER}`, from: 'requesters', where, params, order: 'no' },
    query,
    /^\d{1,15}$/,
    toRequester,
  );
}

export interface LicenseFilter {
  requesterId?: string;
  type?: string;
  status?: LicenseStatus;
  expiresBefore?: number;
  expiresAfter?: number;
}

export function listLicenses(db: Db, filter: LicenseFilter, query: PageQuery): Promise<Page<License>> {
  const { where, params } = conditions([
    [(place) => `requester_id = ${place}`, filter.requesterId],
    [(place) => `type = ${place}`, filter.type],
    [(place) => `status = ${place}`, filter.status],
    [(place) => `expires_at < ${place}`, filter.expiresBefore],
    [(place) => `expires_at > ${place}`, filter.expiresAfter],
  ]);
  return readPage<LicenseRow, License>(
    db,
    { select: `select ${LICENSE}`, from: 'licenses', where, params, order: 'id' },
    query,
    /^lic_\w{26}$/,
    toLicense,
  );
}

const nameWords = (name: string): string => ` ${words(name).join(' ')} `;

const requesterParams = (requester: Requester): Value[] => [
  requester.id,
  requester.name,
  nameWords(requester.name),
  requester.type,
  JSON.stringify(requester.tags),
  JSON.stringify(requester.userAgents),
  JSON.stringify(requester.metadata),
  requester.status,
  requester.updatedAt,
];

/** A version that begins at `at`; null: the record ends. */
const historyStep = (
  kind: HistoryKind,
  id: string,
  ownerId: string,
  at: number,
  record: Requester | License | null,
): Step => ({
  sql: 'insert into history (kind, object_id, owner_id, at, record) values ($1, $2, $3, $4, $5)',
  params: [kind, id, ownerId, at, record === null ? null : JSON.stringify(record)],
});

const requesterVersion = (requester: Requester): Step =>
  historyStep('requester', requester.id, requester.id, requester.updatedAt, requester);

const licenseVersion = (license: License): Step =>
  historyStep('license', license.id, license.requesterId, license.updatedAt, license);

export const insertRequester = (requester: Requester): Step[] => [
  {
    sql: `insert into requesters (id, name, name_words, type, tags, user_agents, metadata, status, created_at,
            updated_at)
          values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $9)`,
    params: requesterParams(requester),
  },
  requesterVersion(requester),
];

/** A Conflict unless it is as it was at `before`. */
export const updateRequester = (requester: Requester, before: Requester): Step[] => [
  {
    sql: `update requesters set name = $2, name_words = $3, type = $4, tags = $5, user_agents = $6, metadata = $7,
            status = $8, updated_at = $9
          where id = $1 and updated_at = $10`,
    params: [...requesterParams(requester), before.updatedAt],
    expect: 1,
  },
  requesterVersion(requester),
];

/** With its licences, a Conflict unless it has so many; its past usage stays under its id. */
export const deleteRequester = (requester: Requester, licenses: number, at: number): Step[] => [
  {
    sql: `insert into history (kind, object_id, owner_id, at, record)
          select 'license', id, requester_id, case when updated_at < $2 then $2 else updated_at end, null
          from licenses where requester_id = $1`,
    params: [requester.id, at],
  },
  historyStep('requester', requester.id, requester.id, Math.max(at, requester.updatedAt), null),
  { sql: 'delete from licenses where requester_id = $1', params: [requester.id], expect: licenses },
  { sql: 'delete from requesters where id = $1', params: [requester.id], expect: 1 },
];

const licenseParams = (license: License): Value[] => [
  license.id,
  license.requesterId,
  license.type,
  JSON.stringify(license.features),
  license.scope === null ? null : JSON.stringify(license.scope),
  license.startsAt,
  license.expiresAt,
  license.status,
  JSON.stringify(license.metadata),
  license.createdAt,
  license.updatedAt,
];

/** A Conflict when the requester is gone. */
export const insertLicense = (license: License): Step[] => [
  {
    sql: `insert into licenses (${LICENSE}, expiry_due) select $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12
          where exists (select 1 from requesters where id = $2)`,
    // One that had run out before it was given does not run out any more.
    params: [...licenseParams(license), (license.expiresAt ?? 0) > license.createdAt ? license.expiresAt : null],
    expect: 1,
  },
  licenseVersion(license),
];

/** A Conflict unless it is as it was at `before`. */
export const updateLicense = (license: License, before: License): Step[] => [
  {
    sql: `update licenses set type = $3, features = $4, scope = $5, starts_at = $6, expires_at = $7, status = $8,
            metadata = $9, created_at = $10, updated_at = $11,
            expiry_due = case when $8 = 'revoked' then null when expires_at = $7 then expiry_due else $7 end
          where id = $1 and requester_id = $2 and updated_at = $12 and status = $13`,
    params: [...licenseParams(license), before.updatedAt, before.status],
    expect: 1,
  },
  licenseVersion(license),
];

/** Those whose expiry has come and is not announced, the longest due first. */
export async function findExpired(db: Db, now: number, limit: number): Promise<License[]> {
  const rows = await db.read<LicenseRow>(
    `select ${LICENSE} from licenses where expiry_due <= $1 order by expiry_due limit ${limit}`,
    [now],
  );
  return rows.map(toLicense);
}

/** A Conflict when this expiry was announced before, or moved. */
export const announceExpiry = (license: License): Step => ({
  sql: 'update licenses set expiry_due = null where id = $1 and expiry_due = $2',
  params: [license.id, license.expiresAt],
  expect: 1,
});

export const deleteLicense = (license: License, at: number): Step[] => [
  { sql: 'delete from licenses where id = $1', params: [license.id], expect: 1 },
  historyStep('license', license.id, license.requesterId, Math.max(at, license.updatedAt), null),
];
