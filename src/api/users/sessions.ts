/**
 * Console sessions. Promise: the browser holds a random token, never the key; the store holds the token's hash, never
 * the token; and every request reads the key or the user again, so that a session ends with them, on every node.
 *
 * Browsers send a cookie with requests from any page. The cookie counts only with a header that other sites cannot set
 * without a preflight (Fetch Standard), and never when the browser says that the request came from another site.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Db, Step } from '../../db/db.ts';
import type { Clock } from '../../lib/clock.ts';
import { fail } from '../errors.ts';
import type { AuthenticateSession } from '../http/auth.ts';
import type { Keys } from '../keys/authenticate.ts';
import { type Caller, ROLES } from '../permissions.ts';
import { findCookie, toCookie } from './cookie.ts';
import { deleteSession, findSession, insertSession } from './session-store.ts';
import { findUser, touchUser } from './store.ts';
import { hashToken, isToken, newToken } from './token.ts';
import { isUserId } from './user.ts';

const COOKIE = 'postern_console';
const HEADER = 'x-postern-console';
const LIFETIME_MS = 12 * 3_600_000;
/** Sessions of one key or user; the oldest ones end. */
const SESSIONS_MAX = 50;
/** The precision of a user's `lastSeen`. */
const SEEN_MS = 60_000;

export interface Opened {
  caller: Caller;
  expiresAt: number;
}

/** A session that begins once its steps are committed. */
export interface NewSession {
  token: string;
  expiresAt: number;
  steps: Step[];
}

export interface Sessions {
  authenticate: AuthenticateSession;
  /** Opens a session and sets its cookie. Throws what `authenticate` throws for the key. */
  openWithKey(keyText: string, request: FastifyRequest, reply: FastifyReply): Promise<Opened>;
  /** Makes a session of a key or a user. */
  create(holderId: string): NewSession;
  /** Returns the caller of a user's session. Throws invalid_api_key. */
  callerOf(userId: string, token: string): Promise<Caller>;
  /** Sets the cookie of a new session. `origin`: the console's, as the browser knows it. */
  handOver(reply: FastifyReply, origin: string | undefined, token: string): void;
  /** Returns the session of the request. Throws missing_api_key, invalid_api_key. */
  resume(request: FastifyRequest): Promise<Opened>;
  /** Ends the session, if there is one, and deletes the cookie. */
  close(request: FastifyRequest, reply: FastifyReply): Promise<void>;
}

export interface SessionsDeps {
  db: Db;
  clock: Clock;
  keys: Keys;
}

async function getCaller(
  { db, clock }: Pick<SessionsDeps, 'db' | 'clock'>,
  userId: string,
  credential: string,
): Promise<Caller> {
  const user = await findUser(db, userId);
  if (user === undefined || user.status !== 'active' || user.role === null) {
    throw fail('invalid_api_key', 'This user is suspended or has no role.');
  }
  const now = clock.now();
  // A full disk, or another node that is faster, is no reason to refuse the user.
  if ((user.lastSeenAt ?? 0) <= now - SEEN_MS) await db.atomic([touchUser(userId, now)]).catch(() => {});
  const { permissions, readOnly } = ROLES[user.role];
  return { keyId: userId, role: user.role, credential, permissions: new Set(permissions), readOnly, mode: 'live' };
}

function newSession(holderId: string, now: number): NewSession {
  const token = newToken();
  const expiresAt = now + LIFETIME_MS;
  return { token, expiresAt, steps: insertSession(hashToken(token), { holderId, expiresAt }, now, SESSIONS_MAX) };
}

const handOver = (reply: FastifyReply, origin: string | undefined, token: string): void =>
  void reply.header('set-cookie', consoleCookie(origin, token, LIFETIME_MS / 1000));

export function openSessions({ db, clock, keys }: SessionsDeps): Sessions {
  async function resume(request: FastifyRequest): Promise<Opened> {
    const token = tokenIn(request);
    if (token === undefined) throw fail('missing_api_key', 'Not signed in. Sign in to the console.');
    requireOwnPage(request);
    const session = await findSession(db, hashToken(token), clock.now());
    if (session === undefined) throw fail('invalid_api_key', 'The session has ended. Sign in again.');
    const { holderId, expiresAt } = session;
    const caller = isUserId(holderId)
      ? await authenticateUser(holderId, token)
      : await keys.authenticateId(holderId, token, request);
    return { caller, expiresAt };
  }

  const authenticateUser = (userId: string, token: string): Promise<Caller> => getCaller({ db, clock }, userId, token);
  const create = (holderId: string): NewSession => newSession(holderId, clock.now());

  return {
    authenticate(request) {
      if (tokenIn(request) === undefined) return keys.authenticate(request, undefined);
      return resume(request).then(({ caller }) => caller);
    },
    async openWithKey(keyText, request, reply) {
      requireOwnPage(request);
      const caller = await keys.authenticateText(keyText, request);
      const { token, expiresAt, steps } = create(caller.keyId);
      await db.atomic(steps);
      handOver(reply, request.headers.origin, token);
      return { caller, expiresAt };
    },
    create,
    callerOf: authenticateUser,
    handOver,
    resume,
    async close(request, reply) {
      const token = tokenIn(request);
      if (token !== undefined) {
        requireOwnPage(request);
        await db.atomic([deleteSession(hashToken(token))]);
      }
      reply.header('set-cookie', consoleCookie(request.headers.origin, '', 0));
    },
  };
}

function tokenIn(request: FastifyRequest): string | undefined {
  const token = findCookie(request, COOKIE);
  return token !== undefined && isToken(token) ? token : undefined;
}

/** Refuses the cookie on requests of other sites, by headers that pages cannot forge. Throws missing_api_key. */
export function requireOwnPage({ headers }: FastifyRequest): void {
  const site = headers['sec-fetch-site'];
  const own =
    headers[HEADER] === '1' &&
    (site === undefined || site === 'same-origin') &&
    (site === 'same-origin' || headers.origin === undefined || hostOf(headers.origin) === headers.host);
  if (own) return;
  throw fail('missing_api_key', `A console session counts only for the console's own requests, with ${HEADER}: 1.`);
}

const hostOf = (origin: string): string | undefined => (URL.canParse(origin) ? new URL(origin).host : undefined);

const consoleCookie = (origin: string | undefined, token: string, maxAgeSeconds: number): string =>
  toCookie({ name: COOKIE, value: token, path: '/', sameSite: 'Strict', maxAgeSeconds, origin });
