/**
 * Console sessions. Promise: the browser holds a random token, never the key; the store holds the token's hash, never
 * the token; and every request reads the key again, so that a session ends with its key, on every node.
 *
 * Browsers send a cookie with requests from any page. The cookie counts only with a header that other sites cannot set
 * without a preflight (Fetch Standard), and never when the browser says that the request came from another site.
 */
import { hash, randomBytes } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Db } from '../db/db.ts';
import { fail } from '../errors.ts';
import type { Authenticate } from '../http/auth.ts';
import type { Clock } from '../lib/clock.ts';
import type { Caller } from '../permissions.ts';
import type { Keys } from './authenticate.ts';
import { deleteSession, findSession, insertSession } from './session-store.ts';

const COOKIE = 'postern_console';
const HEADER = 'x-postern-console';
const LIFETIME_MS = 12 * 3_600_000;
/** Sessions of one key; the oldest ones end. */
const SESSIONS_MAX = 50;
const TOKEN = /^[A-Za-z0-9_-]{43}$/;

export interface Sessions {
  /** Authenticates by the key in the header or, without one, by the session. */
  authenticate: Authenticate;
  /** Opens a session and sets its cookie. Throws what `authenticate` throws for the key. */
  open(keyText: string, request: FastifyRequest, reply: FastifyReply): Promise<{ caller: Caller; expiresAt: number }>;
  /** Returns the session of the request. Throws missing_api_key, invalid_api_key. */
  resume(request: FastifyRequest): Promise<{ caller: Caller; expiresAt: number }>;
  /** Ends the session, if there is one, and deletes the cookie. */
  close(request: FastifyRequest, reply: FastifyReply): Promise<void>;
}

export interface SessionsDeps {
  db: Db;
  clock: Clock;
  keys: Keys;
  /** Authenticates by key. */
  authenticate: Authenticate;
}

export function openSessions({ db, clock, keys, authenticate }: SessionsDeps): Sessions {
  async function resume(request: FastifyRequest): Promise<{ caller: Caller; expiresAt: number }> {
    const token = tokenIn(request);
    if (token === undefined) throw fail('missing_api_key', 'Not signed in. Sign in with an API key.');
    requireOwnPage(request);
    const session = await findSession(db, hashOf(token), clock.now());
    if (session === undefined) throw fail('invalid_api_key', 'The session has ended. Sign in again.');
    return { caller: await keys.authenticateId(session.keyId, token, request), expiresAt: session.expiresAt };
  }

  return {
    authenticate(request, credentials) {
      // A proxy forwards its visitors' cookies, so only the key counts there.
      const forVisitor = request.routeOptions.config.keyHeader !== undefined;
      if (forVisitor || credentials !== undefined || tokenIn(request) === undefined) {
        return authenticate(request, credentials);
      }
      return resume(request).then(({ caller }) => caller);
    },
    async open(keyText, request, reply) {
      requireOwnPage(request);
      const caller = await keys.authenticateText(keyText, request);
      const token = randomBytes(32).toString('base64url');
      const now = clock.now();
      const expiresAt = now + LIFETIME_MS;
      await db.atomic(insertSession(hashOf(token), { keyId: caller.keyId, expiresAt }, now, SESSIONS_MAX));
      setCookie(request, reply, token, LIFETIME_MS / 1000);
      return { caller, expiresAt };
    },
    resume,
    async close(request, reply) {
      const token = tokenIn(request);
      if (token !== undefined) {
        requireOwnPage(request);
        await db.atomic([deleteSession(hashOf(token))]);
      }
      setCookie(request, reply, '', 0);
    },
  };
}

const hashOf = (token: string): string => hash('sha256', token, 'base64url');

function tokenIn({ headers }: FastifyRequest): string | undefined {
  for (const pair of headers.cookie?.split(';') ?? []) {
    const [name, value = ''] = pair.trim().split('=', 2);
    if (name === COOKIE && TOKEN.test(value)) return value;
  }
  return undefined;
}

/** Refuses the cookie on requests of other sites, by headers that pages cannot forge. Throws missing_api_key. */
function requireOwnPage({ headers }: FastifyRequest): void {
  const site = headers['sec-fetch-site'];
  const own =
    headers[HEADER] === '1' &&
    (site === undefined || site === 'same-origin') &&
    (site === 'same-origin' || headers.origin === undefined || hostOf(headers.origin) === headers.host);
  if (own) return;
  throw fail('missing_api_key', `A console session counts only for the console's own requests, with ${HEADER}: 1.`);
}

const hostOf = (origin: string): string | undefined => (URL.canParse(origin) ? new URL(origin).host : undefined);

function setCookie(request: FastifyRequest, reply: FastifyReply, token: string, maxAgeSeconds: number): void {
  // The browser's scheme counts, not that of a proxy in between.
  const secure = request.headers.origin?.startsWith('https:') === true ? '; Secure' : '';
  reply.header(
    'set-cookie',
    `${COOKIE}=${token}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${maxAgeSeconds}${secure}`,
  );
}
