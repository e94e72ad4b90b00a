/** The table `api_keys`; rows never leave this file. */

import type { Db, Row, Step } from '../db/db.ts';
import { type Page, type PageQuery, readPage } from '../db/page.ts';
import type { Permission } from '../permissions.ts';
import type { Key, KeyType } from './key.ts';

interface KeyRow extends Row {
  id: string;
  prefix: string;
  name: string;
  type: string;
  permissions: string;
  allowed_ips: string;
  expires_at: number | null;
  revoked_at: number | null;
  last_used_at: number | null;
  created_at: number;
}

const COLUMNS = 'id, prefix, name, type, permissions, allowed_ips, expires_at, revoked_at, last_used_at, created_at';

const toKey = (row: KeyRow): Key => ({
  id: row.id,
  prefix: row.prefix,
  name: row.name,
  type: row.type as KeyType,
  permissions: JSON.parse(row.permissions) as Permission[],
  allowedIps: JSON.parse(row.allowed_ips) as string[],
  expiresAt: row.expires_at,
  revokedAt: row.revoked_at,
  lastUsedAt: row.last_used_at,
  createdAt: row.created_at,
});

export async function findKeyByHash(db: Db, hash: string): Promise<Key | undefined> {
  const [row] = await db.read<KeyRow>(`select ${COLUMNS} from api_keys where hash = $1`, [hash]);
  return row && toKey(row);
}

/** A key that was not revoked. */
export async function findKey(db: Db, id: string): Promise<Key | undefined> {
  const [row] = await db.read<KeyRow>(`select ${COLUMNS} from api_keys where id = $1 and revoked_at is null`, [id]);
  return row && toKey(row);
}

export const listKeys = (db: Db, query: PageQuery): Promise<Page<Key>> =>
  readPage<KeyRow, Key>(
    db,
    { select: `select ${COLUMNS}`, from: 'api_keys', where: ['revoked_at is null'], params: [], order: 'id' },
    query,
    /^key_\w{26}$/,
    toKey,
  );

/** Whether a key other than `id` can manage keys for good. */
export async function hasOtherAdmin(db: Db, id: string): Promise<boolean> {
  return (await db.read(`${OTHER_ADMIN} limit 1`, [id])).length > 0;
}

/** Keys that were not revoked, do not expire and hold `*` or `api_keys:manage` (the list is JSON text). */
const OTHER_ADMIN = `select 1 from api_keys as other where other.id <> $1 and other.revoked_at is null
  and other.expires_at is null
  and (other.permissions like '%"*"%' or other.permissions like '%"api_keys:manage"%')`;

export async function hasKeys(db: Db): Promise<boolean> {
  return (await db.read('select 1 from api_keys limit 1')).length > 0;
}

/** Whether a request came with it; its last use may not have been written down yet, its edits have been. */
export async function isUsed(db: Db, id: string): Promise<boolean> {
  const used = await db.read(
    `select 1 from api_keys where id = $1 and last_used_at is not null
     union all select 1 from changes where key_id = $1 limit 1`,
    [id],
  );
  return used.length > 0;
}

export const insertKey = (key: Key, hash: string): Step => ({
  sql: `insert into api_keys (id, hash, prefix, name, type, permissions, allowed_ips, expires_at, created_at)
        values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
  params: [
    key.id,
    hash,
    key.prefix,
    key.name,
    key.type,
    JSON.stringify(key.permissions),
    JSON.stringify(key.allowedIps),
    key.expiresAt,
    key.createdAt,
  ],
});

/** With `guarded`, a Conflict unless another key can manage keys for good. */
export const revokeKey = (id: string, at: number, guarded: boolean): Step => ({
  sql: `update api_keys set revoked_at = $2 where id = $1 and revoked_at is null${guarded ? GUARD : ''}`,
  params: [id, at],
  expect: 1,
});

export const expireKey = (id: string, at: number): Step => ({
  sql: 'update api_keys set expires_at = $2 where id = $1 and revoked_at is null',
  params: [id, at],
  expect: 1,
});

const GUARD = ` and exists (${OTHER_ADMIN})`;

export const touchKey = (id: string, at: number): Step => ({
  sql: 'update api_keys set last_used_at = $2 where id = $1 and (last_used_at is null or last_used_at < $2)',
  params: [id, at],
});
