/** Plans the edits of users by a key or by another user, who must hold what they grant or end. */

import type { Db } from '../../db/db.ts';
import type { Edit } from '../changes/change.ts';
import type { ChangeKind } from '../changes/kinds.ts';
import { fail } from '../errors.ts';
import { keyHolder } from '../keys/edits.ts';
import { type FindHolder, type Holder, requireMayEnd, requireMayGrant } from '../keys/grant.ts';
import { userAnswer } from './schema.ts';
import { deleteSessions } from './session-store.ts';
import { deleteLinks, deleteUser, findUser, requireUnchangedUser, updateUser } from './store.ts';
import { grantForRole, isUserId, type User } from './user.ts';

export interface UserEdit {
  callerId: string;
  holderOf: FindHolder;
  now: number;
}

export const userNotFound = (id: string) => fail('user_not_found', `There is no user ${id}.`);

/** Ends all sessions and links of the user. Throws insufficient_permissions. */
export async function planSuspend({ callerId, holderOf, now }: UserEdit, user: User): Promise<Edit> {
  const caller = await holderOf(callerId);
  requireMayEnd(caller, grantForRole(user.role), 'suspend a user with a role');
  if (user.status === 'suspended') return unchanged(user);
  const after: User = { ...user, status: 'suspended', updatedAt: laterThan(user, now) };
  const edit = editUser('user.suspended', user, after);
  return { ...edit, steps: [caller.unchanged, ...edit.steps, deleteSessions(user.id), deleteLinks(user.id)] };
}

/** Throws insufficient_permissions. */
export async function planReinstate({ callerId, holderOf, now }: UserEdit, user: User): Promise<Edit> {
  const caller = await holderOf(callerId);
  requireMayGrant(caller, grantForRole(user.role));
  if (user.status === 'active') return unchanged(user);
  const edit = editUser('user.reinstated', user, { ...user, status: 'active', updatedAt: laterThan(user, now) });
  return { ...edit, steps: [caller.unchanged, ...edit.steps] };
}

/** The person may come back as a new user, unless the provider refuses. Throws insufficient_permissions. */
export async function planDelete({ callerId, holderOf }: UserEdit, user: User): Promise<Edit> {
  const caller = await holderOf(callerId);
  requireMayEnd(caller, grantForRole(user.role), 'delete a user with a role');
  return {
    steps: [
      caller.unchanged,
      requireUnchangedUser(user),
      deleteUser(user.id),
      deleteSessions(user.id),
      deleteLinks(user.id),
    ],
    changes: [{ kind: 'user.deleted', id: user.id, object: userAnswer(user) }],
    status: 200,
    body: { id: user.id, object: 'user', deleted: true },
  };
}

/** The provider no longer gives the person a role. */
export function planRoleLost(user: User, now: number): Edit {
  if (user.role === null) return unchanged(user);
  const edit = editUser('user.role_lost', user, { ...user, role: null, updatedAt: laterThan(user, now) });
  return { ...edit, steps: [...edit.steps, deleteSessions(user.id)] };
}

/** The time distinguishes the versions of a user. */
export const laterThan = ({ updatedAt }: User, now: number): number => Math.max(now, updatedAt + 1);

const unchanged = (user: User): Edit => ({ steps: [], changes: [], status: 200, body: userAnswer(user) });

const editUser = (kind: ChangeKind, before: User, after: User): Edit => ({
  steps: [updateUser(after, { before: before.updatedAt })],
  changes: [{ kind, id: after.id, object: userAnswer(after), before: userAnswer(before) }],
  status: 200,
  body: userAnswer(after),
});

/**
 * Finds who makes a request, a key or a user, with what they may grant. Throws invalid_api_key when the key or the user
 * has ended.
 */
export async function getHolder(db: Db, id: string): Promise<Holder> {
  if (!isUserId(id)) return keyHolder(db, id);
  const user = await findUser(db, id);
  if (user === undefined || user.status !== 'active') throw fail('invalid_api_key', 'This user was suspended.');
  return { ...grantForRole(user.role), unchanged: requireUnchangedUser(user) };
}
