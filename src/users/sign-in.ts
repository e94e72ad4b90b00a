/**
 * Signs people in, by a link. Promise: the session, the user and the entry in the audit log are committed together, and
 * each link opens one session.
 */
import type { FastifyRequest } from 'fastify';
import type { Edit } from '../changes/change.ts';
import type { Changes } from '../changes/changes.ts';
import type { Db, Step } from '../db/db.ts';
import { fail } from '../errors.ts';
import type { Clock } from '../lib/clock.ts';
import { userAnswer } from './schema.ts';
import type { NewSession, Sessions } from './sessions.ts';
import { findLink, findUser, insertUser, requireUnchangedUser, touchUser, updateUser, useLink } from './store.ts';
import { hashOf, isToken } from './token.ts';
import type { User } from './user.ts';

export interface SignInDeps {
  db: Db;
  changes: Changes;
  clock: Clock;
  sessions: Sessions;
}

export interface SignedIn {
  user: User;
  session: NewSession;
}

/** Opens a session of the link's user. Throws invalid_api_key. */
export async function signInByLink(deps: SignInDeps, request: FastifyRequest, token: string): Promise<SignedIn> {
  const { db, clock } = deps;
  return open(deps, request, async () => {
    const tokenHash = hashOf(token);
    const userId = isToken(token) ? await findLink(db, tokenHash, clock.now()) : undefined;
    const user = userId === undefined ? undefined : await findUser(db, userId);
    if (user?.status !== 'active') {
      throw fail('invalid_api_key', 'This link was used, or it has expired. Make another: postern console link.');
    }
    return { before: user, after: user, once: useLink(tokenHash) };
  });
}

interface Entering {
  before: User | undefined;
  after: User;
  /** Conflicts for a second use. */
  once: Step;
}

async function open(
  { changes, clock, sessions }: SignInDeps,
  request: FastifyRequest,
  enter: () => Promise<Entering>,
): Promise<SignedIn> {
  let signedIn: SignedIn | undefined;
  // The user who signs in is the author; only the plan knows the id.
  const author = authorOf(request, '');
  await changes.commit(author, 'sign-in', async () => {
    const { before, after, once } = await enter();
    const now = clock.now();
    const session = sessions.create(after.id);
    const user: User = { ...after, lastSeenAt: now };
    author.caller.keyId = user.id;
    signedIn = { user, session };
    return planEntry({ before, user, steps: [once, ...session.steps], now });
  });
  return signedIn as unknown as SignedIn;
}

interface Entry {
  before: User | undefined;
  user: User;
  steps: Step[];
  now: number;
}

function planEntry({ before, user, steps, now }: Entry): Edit {
  const entered = { kind: 'user.signed_in', id: user.id, object: userAnswer(user) } as const;
  if (before === undefined) {
    return {
      steps: [insertUser(user), ...steps],
      changes: [{ kind: 'user.created', id: user.id, object: userAnswer(user) }, entered],
      status: 201,
      body: null,
    };
  }
  const isSame = before.updatedAt === user.updatedAt;
  return {
    steps: [
      ...(isSame
        ? [requireUnchangedUser(before), touchUser(user.id, now)]
        : [updateUser(user, { before: before.updatedAt })]),
      ...steps,
    ],
    changes: [{ ...entered, before: userAnswer(before) }],
    status: 201,
    body: null,
  };
}

const authorOf = (request: FastifyRequest, id: string) => ({
  caller: { keyId: id },
  id: request.id as string | null,
  idempotency: null,
  source: () => request.source(),
});
