/** The tables `users`, `sign_in_links` and `used_sign_ins`; rows never leave this file. */
import type { Db, Step } from '../../db/db.ts';
import { idForm, type Page, type PageQuery, readPage } from '../../db/page.ts';
import { Where } from '../../db/query.ts';
import { columns } from '../../db/record.ts';
import type { Role } from '../permissions.ts';
import type { User, UserStatus } from './user.ts';

const USER = columns<User>({
  id: 'fixed',
  issuer: 'fixed',
  subject: 'fixed',
  name: 'plain',
  email: 'plain',
  role: 'plain',
  status: 'plain',
  lastSeenAt: 'plain',
  createdAt: 'fixed',
  updatedAt: 'plain',
});

export async function findUser(db: Db, id: string): Promise<User | undefined> {
  const [row] = await db.read(`select ${USER.list} from users where id = $1`, [id]);
  return row && USER.toRecord(row);
}

export async function findUserBySubject(db: Db, issuer: string, subject: string): Promise<User | undefined> {
  const [row] = await db.read(`select ${USER.list} from users where issuer = $1 and subject = $2`, [issuer, subject]);
  return row && USER.toRecord(row);
}

export interface UserFilter {
  role?: Role;
  status?: UserStatus;
}

export const listUsers = (db: Db, { role, status, ...page }: UserFilter & PageQuery): Promise<Page<User>> =>
  readPage(
    db,
    {
      select: USER.list,
      from: 'users',
      where: new Where().and('role = ?', role).and('status = ?', status),
      order: 'id',
      form: idForm('usr_'),
      toRecord: USER.toRecord,
    },
    page,
  );

export const insertUser = USER.step('insert into users ({columns}) values ({values})');

/** A Conflict when the user changed, other than by being seen, since it was read at `before`. */
export const updateUser = USER.step('update users set {changes} where id = :id and updated_at = :before', 1);

export const requireUnchangedUser = ({ id, updatedAt }: User): Step => ({
  sql: 'update users set name = name where id = $1 and updated_at = $2',
  params: [id, updatedAt],
  expect: 1,
});

export const deleteUser = (id: string): Step => ({ sql: 'delete from users where id = $1', params: [id], expect: 1 });

export const touchUser = (id: string, at: number): Step => ({
  sql: 'update users set last_seen_at = $2 where id = $1 and (last_seen_at is null or last_seen_at < $2)',
  params: [id, at],
});

/** Finds the user of a link that was not used and has not expired. */
export async function findLink(db: Db, tokenHash: string, now: number): Promise<string | undefined> {
  const [row] = await db.read<{ user_id: string }>(
    'select user_id from sign_in_links where token_hash = $1 and expires_at > $2',
    [tokenHash, now],
  );
  return row?.user_id;
}

/** The user's new link; it replaces those before. */
export const insertLink = (tokenHash: string, userId: string, expiresAt: number): Step[] => [
  deleteLinks(userId),
  {
    sql: 'insert into sign_in_links (token_hash, user_id, expires_at) values ($1, $2, $3)',
    params: [tokenHash, userId, expiresAt],
  },
];

/** A Conflict when the link was used meanwhile. */
export const useLink = (tokenHash: string): Step => ({
  sql: 'delete from sign_in_links where token_hash = $1',
  params: [tokenHash],
  expect: 1,
});

export const deleteLinks = (userId: string): Step => ({
  sql: 'delete from sign_in_links where user_id = $1',
  params: [userId],
});

export async function isSignInUsed(db: Db, stateHash: string): Promise<boolean> {
  return (await db.read('select 1 from used_sign_ins where state_hash = $1', [stateHash])).length > 0;
}

/** A UniqueViolation for the second use. */
export const useSignIn = (stateHash: string, expiresAt: number): Step => ({
  sql: 'insert into used_sign_ins (state_hash, expires_at) values ($1, $2)',
  params: [stateHash, expiresAt],
});

export const sweepSignIns = (db: Db, now: number): Promise<void> =>
  db.atomic([
    { sql: 'delete from sign_in_links where expires_at <= $1', params: [now] },
    { sql: 'delete from used_sign_ins where expires_at <= $1', params: [now] },
  ]);
