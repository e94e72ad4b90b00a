/**
 * Sign-in links. Promise: a link works once, for a quarter of an hour, on any node; the store holds its hash. The token
 * is in the fragment, which browsers send to no server, so that no log has it. Programs that open links to preview them
 * do not use it up: the page asks first.
 */

import type { Db, Step } from '../../db/db.ts';
import { type Clock, toIso } from '../../lib/clock.ts';
import { newId } from '../../lib/id.ts';
import { type Edit, SYSTEM } from '../changes/change.ts';
import type { Changes } from '../changes/changes.ts';
import { fail } from '../errors.ts';
import { type Holder, requireMayEnd, requireMayGrant } from '../keys/grant.ts';
import { laterThan } from './edits.ts';
import { type CreateLink, userAnswer } from './schema.ts';
import { findUserBySubject, insertLink, insertUser, requireUnchangedUser, updateUser } from './store.ts';
import { hashToken, newToken } from './token.ts';
import { BY_LINK, grantForRole, type User } from './user.ts';

const LIFETIME_MS = 15 * 60_000;

export interface LinkPlan {
  db: Db;
  now: number;
  /** null: the operator, who may do everything. */
  holder: Holder | null;
}

/** The link replaces earlier ones of the same user. Throws insufficient_permissions, invalid_request. */
export async function planLink({ db, now, holder }: LinkPlan, { name, role }: CreateLink): Promise<Edit> {
  const before = await findUserBySubject(db, BY_LINK, name);
  if (holder !== null) {
    requireMayGrant(holder, grantForRole(role));
    if (before !== undefined) requireMayEnd(holder, grantForRole(before.role), 'change a user with a role');
  }
  if (before?.status === 'suspended') {
    throw fail('invalid_request', `${name} is suspended. Reinstate the user first.`, { param: 'name' });
  }
  const user: User = before === undefined ? newUser(name, role, now) : withRole(before, role, now);
  const token = newToken();
  const expiresAt = now + LIFETIME_MS;
  const link = { kind: 'user.link_created', id: user.id, object: userAnswer(user) } as const;
  return {
    steps: [
      ...(holder === null ? [] : [holder.unchanged]),
      toUserStep(before, user),
      ...insertLink(hashToken(token), user.id, expiresAt),
    ],
    changes:
      before === undefined
        ? [{ kind: 'user.created', id: user.id, object: userAnswer(user) }, link]
        : [{ ...link, before: userAnswer(before) }],
    status: 201,
    secret: true,
    body: {
      object: 'sign_in_link',
      path: `/console#link=${token}`,
      user: userAnswer(user),
      expiresAt: toIso(expiresAt),
    },
  };
}

const newUser = (name: string, role: User['role'], now: number): User => ({
  id: newId('usr_', now),
  issuer: BY_LINK,
  subject: name,
  name,
  email: null,
  role,
  status: 'active',
  lastSeenAt: null,
  createdAt: now,
  updatedAt: now,
});

const withRole = (user: User, role: User['role'], now: number): User =>
  user.role === role ? user : { ...user, role, updatedAt: laterThan(user, now) };

function toUserStep(before: User | undefined, after: User): Step {
  if (before === undefined) return insertUser(after);
  return before === after ? requireUnchangedUser(before) : updateUser(after, { before: before.updatedAt });
}

/** The user of links without a name. */
export const OPERATOR = 'Operator';

/** Returns the path to open in a browser. It signs the operator in, once, as an admin. */
export async function makeFirstLink({
  db,
  changes,
  clock,
}: {
  db: Db;
  changes: Changes;
  clock: Clock;
}): Promise<string> {
  const made = await changes.commit(SYSTEM, 'sign-in', () =>
    planLink({ db, now: clock.now(), holder: null }, { name: OPERATOR, role: 'admin' }),
  );
  return (JSON.parse(made.text) as { path: string }).path;
}
