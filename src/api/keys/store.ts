/** The table `api_keys`; rows never leave this file. */

import type { Db, Step } from '../../db/db.ts';
import { idForm, type Page, type PageQuery, readPage } from '../../db/page.ts';
import { Where } from '../../db/query.ts';
import { columns } from '../../db/record.ts';
import type { Lifetime } from '../../lib/credential.ts';
import type { Key } from './key.ts';

const KEY = columns<Key>({
  id: 'fixed',
  prefix: 'fixed',
  name: 'fixed',
  type: 'fixed',
  mode: 'fixed',
  permissions: 'json',
  allowedIps: 'json',
  expiresAt: 'fixed',
  replacedAt: 'fixed',
  ownExpiresAt: 'fixed',
  revokedAt: 'fixed',
  lastUsedAt: 'fixed',
  createdAt: 'fixed',
});

export async function findKeyByHash(db: Db, hash: string): Promise<Key | undefined> {
  const [row] = await db.read(`select ${KEY.list} from api_keys where hash = $1`, [hash]);
  return row && KEY.toRecord(row);
}

/** Returns hashes of secret keys that may ask for decisions, the last used first; with `id`, of this key alone. */
export async function findAskingHashes(db: Db, now: number, max: number, id: string | null): Promise<string[]> {
  const rows = await db.read<{ hash: string }>(
    `select hash from api_keys where revoked_at is null and type = 'secret' and (expires_at is null or expires_at > $1)
     and (permissions like '%"*"%' or permissions like '%"access:check"%') and ($3 = '' or id = $3)
     order by coalesce(last_used_at, created_at) desc, id desc limit $2`,
    [now, max, id ?? ''],
  );
  return rows.map(({ hash }) => hash);
}

/** Finds a key that is not revoked. */
export async function findKey(db: Db, id: string): Promise<Key | undefined> {
  const [row] = await db.read(`select ${KEY.list} from api_keys where id = $1 and revoked_at is null`, [id]);
  return row && KEY.toRecord(row);
}

export const listKeys = (db: Db, query: PageQuery): Promise<Page<Key>> =>
  readPage(
    db,
    {
      select: KEY.list,
      from: 'api_keys',
      where: new Where().and('revoked_at is null'),
      order: 'id',
      form: idForm('key_'),
      toRecord: KEY.toRecord,
    },
    query,
  );

/** Looks for an unrestricted key other than `id`. */
export async function hasOtherUnrestricted(db: Db, id: string): Promise<boolean> {
  return (await db.read(`${OTHER_UNRESTRICTED} limit 1`, [id])).length > 0;
}

/** Says what `isUnrestricted` says, of keys that are not revoked. The lists are JSON text. */
const OTHER_UNRESTRICTED = `select 1 from api_keys as other where other.id <> $1 and other.revoked_at is null
  and other.expires_at is null and other.allowed_ips = '[]' and other.permissions like '%"*"%'`;

export async function hasKeys(db: Db): Promise<boolean> {
  return (await db.read('select 1 from api_keys limit 1')).length > 0;
}

/** True once a request came with the key. Its last use may not be stored yet, but its edits are. */
export async function isUsed(db: Db, id: string): Promise<boolean> {
  const used = await db.read(
    `select 1 from api_keys where id = $1 and last_used_at is not null
     union all select 1 from changes where key_id = $1 limit 1`,
    [id],
  );
  return used.length > 0;
}

const insertRow = KEY.step('insert into api_keys ({columns}, hash) values ({values}, :hash)');

export const insertKey = (key: Key, hash: string): Step => insertRow(key, { hash });

/** A Conflict when the key was revoked or its expiry changed since it was read. */
export const requireUnchanged = ({ id, expiresAt }: Pick<Key, 'id' | 'expiresAt'>): Step => ({
  sql: `update api_keys set name = name where id = $1 and revoked_at is null and coalesce(expires_at, -1) = $2`,
  params: [id, expiresAt ?? -1],
  expect: 1,
});

/** With `guarded`, a Conflict unless another unrestricted key exists. */
export const revokeKey = (id: string, at: number, guarded: boolean): Step => ({
  sql: `update api_keys set revoked_at = $2 where id = $1 and revoked_at is null${guarded ? GUARD : ''}`,
  params: [id, at],
  expect: 1,
});

export const replaceKey = (id: string, { expiresAt, replacedAt, ownExpiresAt }: Lifetime): Step => ({
  sql: `update api_keys set expires_at = $2, replaced_at = $3, own_expires_at = $4
        where id = $1 and revoked_at is null`,
  params: [id, expiresAt, replacedAt, ownExpiresAt],
  expect: 1,
});

const GUARD = ` and exists (${OTHER_UNRESTRICTED})`;

export const touchKey = (id: string, at: number): Step => ({
  sql: 'update api_keys set last_used_at = $2 where id = $1 and (last_used_at is null or last_used_at < $2)',
  params: [id, at],
});
