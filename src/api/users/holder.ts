/** Finds who makes a request, a key or a user, with what they may grant. */
import type { Db } from '../../db/db.ts';
import { fail } from '../errors.ts';
import { keyHolder } from '../keys/edits.ts';
import type { Holder } from '../keys/reach.ts';
import { findUser, requireUnchangedUser } from './store.ts';
import { grantForRole, isUserId } from './user.ts';

/** Throws invalid_api_key when the key or the user has ended. */
export async function getHolder(db: Db, id: string): Promise<Holder> {
  if (!isUserId(id)) return keyHolder(db, id);
  const user = await findUser(db, id);
  if (user === undefined || user.status !== 'active') throw fail('invalid_api_key', 'This user was suspended.');
  return { ...grantForRole(user.role), unchanged: requireUnchangedUser(user) };
}
