/**
 * Signs people in, by a link or by what the provider says of them. Promise: the session, the user and the entry in the
 * audit log are committed together, and each link and each answer of the provider opens one session.
 */
import type { FastifyRequest } from 'fastify';
import type { Db, Step } from '../../db/db.ts';
import type { Clock } from '../../lib/clock.ts';
import { newId } from '../../lib/id.ts';
import type { Edit } from '../changes/change.ts';
import type { Changes } from '../changes/changes.ts';
import { fail } from '../errors.ts';
import { laterThan, planRoleLost } from './edits.ts';
import { type Person, SignInFailed } from './person.ts';
import { userAnswer } from './schema.ts';
import type { NewSession, Sessions } from './sessions.ts';
import {
  findLink,
  findUser,
  findUserBySubject,
  insertUser,
  isSignInUsed,
  requireUnchangedUser,
  touchUser,
  updateUser,
  useLink,
  useSignIn,
} from './store.ts';
import { hashToken, isToken } from './token.ts';
import type { User } from './user.ts';

/** Longer than a round trip to the provider counts. */
const USED_FOR_MS = 3_600_000;

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
    const tokenHash = hashToken(token);
    const userId = isToken(token) ? await findLink(db, tokenHash, clock.now()) : undefined;
    const user = userId === undefined ? undefined : await findUser(db, userId);
    if (user?.status !== 'active') {
      throw fail(
        'invalid_api_key',
        'This link was used, replaced by a newer one, or has expired. Make another where Postern is installed: npx postern console link.',
      );
    }
    return { before: user, after: user, once: useLink(tokenHash) };
  });
}

/** Opens a session of the person that the provider named. Throws SignInFailed. */
export async function signInPerson(deps: SignInDeps, request: FastifyRequest, person: Person): Promise<SignedIn> {
  const { db, changes, clock } = deps;
  const { issuer, subject, name, email, role } = person;
  const before = await findUserBySubject(db, issuer, subject);
  if (role === null) {
    if (before !== undefined) {
      await changes.commit(toAuthor(request, before.id), before.id, async () =>
        planRoleLost((await findUser(db, before.id)) ?? before, clock.now()),
      );
    }
    throw new SignInFailed('no_role', `no role for ${subject}`);
  }
  const stateHash = hashToken(person.state);
  return open(deps, request, async () => {
    if (await isSignInUsed(db, stateHash)) throw new SignInFailed('expired', 'this round trip was used');
    const now = clock.now();
    const known = await findUserBySubject(db, issuer, subject);
    if (known?.status === 'suspended') throw new SignInFailed('suspended', `${known.id} is suspended`);
    const after: User = known === undefined ? newUser(person, now) : { ...known, name, email, role };
    const isSame = known?.name === name && known.email === email && known.role === role;
    return {
      before: known,
      after: isSame || known === undefined ? after : { ...after, updatedAt: laterThan(known, now) },
      once: useSignIn(stateHash, now + USED_FOR_MS),
    };
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
  const author = toAuthor(request, '');
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

const toAuthor = (request: FastifyRequest, id: string) => ({
  caller: { keyId: id },
  id: request.id as string | null,
  idempotency: null,
  source: () => request.source(),
});

const newUser = ({ issuer, subject, name, email, role }: Person, now: number): User => ({
  id: newId('usr_', now),
  issuer,
  subject,
  name,
  email,
  role,
  status: 'active',
  lastSeenAt: null,
  createdAt: now,
  updatedAt: now,
});
