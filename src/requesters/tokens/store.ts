/** The table `requester_tokens`; rows never leave this file. */
import type { Db, Step } from '../../db/db.ts';
import { idForm, type Page, type PageQuery, readPage } from '../../db/page.ts';
import { Where } from '../../db/query.ts';
import { columns } from '../../db/record.ts';
import type { Lifetime } from '../../lib/credential.ts';
import { type RequesterToken, TOKEN_PREFIX } from './token.ts';

const TOKEN = columns<RequesterToken>({
  id: 'fixed',
  requesterId: 'fixed',
  prefix: 'fixed',
  name: 'fixed',
  expiresAt: 'fixed',
  replacedAt: 'fixed',
  ownExpiresAt: 'fixed',
  revokedAt: 'fixed',
  lastUsedAt: 'fixed',
  createdAt: 'fixed',
  updatedAt: 'fixed',
});

/** Finds a token, revoked ones included. */
export async function findTokenByHash(db: Db, hash: string): Promise<RequesterToken | undefined> {
  const [row] = await db.read(`select ${TOKEN.list} from requester_tokens where hash = $1`, [hash]);
  return row && TOKEN.toRecord(row);
}

/** Finds a requester's token that is not revoked. */
export async function findToken(db: Db, requesterId: string, id: string): Promise<RequesterToken | undefined> {
  const [row] = await db.read(
    `select ${TOKEN.list} from requester_tokens where id = $1 and requester_id = $2 and revoked_at is null`,
    [id, requesterId],
  );
  return row && TOKEN.toRecord(row);
}

/** Returns all tokens of a requester that are not revoked. */
export async function findRequesterTokens(db: Db, requesterId: string): Promise<RequesterToken[]> {
  const rows = await db.read(
    `select ${TOKEN.list} from requester_tokens where requester_id = $1 and revoked_at is null order by id`,
    [requesterId],
  );
  return rows.map(TOKEN.toRecord);
}

export const listTokens = (db: Db, requesterId: string, query: PageQuery): Promise<Page<RequesterToken>> =>
  readPage(
    db,
    {
      select: TOKEN.list,
      from: 'requester_tokens',
      where: new Where().and('requester_id = ?', requesterId).and('revoked_at is null'),
      order: 'id',
      form: idForm(TOKEN_PREFIX),
      toRecord: TOKEN.toRecord,
    },
    query,
  );

const insertRow = TOKEN.step(
  `insert into requester_tokens ({columns}, hash) select {values}, :hash
   where exists (select 1 from requesters where id = :requesterId)`,
  1,
);

/** A Conflict when the requester was deleted. */
export const insertToken = (token: RequesterToken, hash: string): Step => insertRow(token, { hash });

/** A Conflict when the token was revoked. */
export const revokeToken = (id: string, at: number): Step => ({
  sql: 'update requester_tokens set revoked_at = $2, updated_at = $2 where id = $1 and revoked_at is null',
  params: [id, at],
  expect: 1,
});

/** A Conflict unless the requester has so many tokens. */
export const revokeRequesterTokens = (requesterId: string, tokens: number, at: number): Step => ({
  sql: `update requester_tokens set revoked_at = $2, updated_at = $2
        where requester_id = $1 and revoked_at is null`,
  params: [requesterId, at],
  expect: tokens,
});

/** A Conflict when the token was revoked or its expiry changed since it was read. */
export const replaceToken = ({ id, expiresAt }: RequesterToken, to: Lifetime, at: number): Step => ({
  sql: `update requester_tokens set expires_at = $3, replaced_at = $4, own_expires_at = $5, updated_at = $6
        where id = $1 and revoked_at is null and coalesce(expires_at, -1) = $2`,
  params: [id, expiresAt ?? -1, to.expiresAt, to.replacedAt, to.ownExpiresAt, at],
  expect: 1,
});

export const touchToken = (id: string, at: number): Step => ({
  sql: `update requester_tokens set last_used_at = $2
        where id = $1 and (last_used_at is null or last_used_at < $2)`,
  params: [id, at],
});
