/** Sign in to the console by key, link or provider; read the session; sign out. Only for the console. */
import { Type } from 'typebox';
import type { Db } from '../../db/db.ts';
import { toIso } from '../../lib/clock.ts';
import { unavailable } from '../errors.ts';
import type { App } from '../http/app.ts';
import { logFields } from '../http/log.ts';
import { findKey } from '../keys/store.ts';
import { findCookie, toCookie } from './cookie.ts';
import { SignInFailed } from './person.ts';
import { CALLBACK, type Provider } from './provider.ts';
import { userAnswer } from './schema.ts';
import { type Opened, requireOwnPage, type Sessions } from './sessions.ts';
import { type SignInDeps, signInByLink, signInPerson } from './sign-in.ts';
import { findUser } from './store.ts';
import { deriveSecrets, isSame, readTrip, TRIP_COOKIE, TRIP_MS, toConsolePage, writeTrip } from './trip.ts';
import { isUserId } from './user.ts';

const PATH = '/console/session';
const OIDC = '/console/oidc';
/** Not in the API document. */
const hide = { hide: true } as object;
const config = { permission: null };

const secret = Type.String({ minLength: 1, maxLength: 200 });
const SignIn = Type.Union([
  Type.Object({ key: secret }, { additionalProperties: false }),
  Type.Object({ link: secret }, { additionalProperties: false }),
]);
const BeginTrip = Type.Object({ to: Type.Optional(Type.String({ maxLength: 2000 })) }, { additionalProperties: false });

export interface SessionDeps extends SignInDeps {
  db: Db;
  sessions: Sessions;
  /** null: none is configured. */
  provider: Provider | null;
}

export function sessionRoutes(app: App, deps: SessionDeps): void {
  const { db, sessions, provider } = deps;
  app.addHook('onRoute', (route) => {
    if (route.url === PATH || route.url.startsWith(OIDC)) route.onSend = noStore;
  });
  app.post(PATH, { config, schema: { ...hide, body: SignIn } }, async (request, reply) => {
    if ('key' in request.body) {
      const opened = await sessions.openWithKey(request.body.key.trim(), request, reply);
      return reply.code(201).send(await answer(db, opened));
    }
    requireOwnPage(request);
    const { user, session } = await signInByLink(deps, request, request.body.link);
    sessions.handOver(reply, request.headers.origin, session.token);
    const caller = await sessions.callerOf(user.id, session.token);
    return reply.code(201).send(await answer(db, { caller, expiresAt: session.expiresAt }));
  });
  app.get(PATH, { config, schema: hide }, async (request) => answer(db, await sessions.resume(request)));
  app.delete(PATH, { config, schema: hide }, async (request, reply) => {
    await sessions.close(request, reply);
    return { object: 'console_session', deleted: true };
  });
  app.get('/console/sign-in', { config, schema: hide }, async () => ({
    object: 'sign_in_options',
    provider: provider === null ? null : new URL(provider.issuer).host,
  }));
  if (provider !== null) tripRoutes(app, deps, provider);
}

/** The way to the provider and back. */
function tripRoutes(app: App, deps: SessionDeps, provider: Provider): void {
  const { clock, sessions } = deps;
  const cookie = (value: string, origin: string, maxAgeSeconds: number): string =>
    toCookie({ name: TRIP_COOKIE, value, path: OIDC, sameSite: 'Lax', maxAgeSeconds, origin });

  app.post(OIDC, { config, schema: { ...hide, body: BeginTrip } }, async (request, reply) => {
    requireOwnPage(request);
    const origin = request.headers.origin ?? `http://${request.headers.host}`;
    const trip = writeTrip({ origin, to: toConsolePage(request.body.to), startedAt: clock.now() });
    try {
      const url = await provider.begin(origin, deriveSecrets(trip, provider.id));
      reply.header('set-cookie', cookie(trip, origin, TRIP_MS / 1000));
      return { object: 'sign_in', url };
    } catch (error) {
      if (!(error instanceof SignInFailed)) throw error;
      app.logger.warn({ ...logFields(request), problem: error.message }, 'the OpenID Connect provider cannot be used');
      throw unavailable(
        'The sign-in provider cannot be reached. Sign in with a key or a link, or retry later.',
        error,
        5,
      );
    }
  });

  app.get(CALLBACK, { config, schema: hide }, async (request, reply) => {
    const held = findCookie(request, TRIP_COOKIE) ?? '';
    const trip = readTrip(held, clock.now());
    reply.header('set-cookie', cookie('', trip?.origin ?? '', 0));
    try {
      if (trip === undefined) throw new SignInFailed('expired', 'the browser has no round trip that began here');
      const callback = new URL(request.originalUrl, trip.origin);
      const secrets = deriveSecrets(held, provider.id);
      if (!isSame(callback.searchParams.get('state') ?? '', secrets.state)) {
        throw new SignInFailed('expired', 'the state is that of another round trip');
      }
      const { session } = await signInPerson(deps, request, await provider.finish(callback, secrets));
      sessions.handOver(reply, trip.origin, session.token);
      return reply.redirect(trip.to, 303);
    } catch (error) {
      if (!(error instanceof SignInFailed)) throw error;
      app.logger.warn({ ...logFields(request), reason: error.reason, problem: error.message }, 'a sign-in failed');
      return reply.redirect(`/console?signIn=${error.reason}`, 303);
    }
  });
}

async function answer(db: Db, { caller, expiresAt }: Opened) {
  const { keyId: id, permissions, readOnly } = caller;
  const who = isUserId(id)
    ? { key: null, user: await describeUser(db, id) }
    : { key: await describeKey(db, caller), user: null };
  return { object: 'console_session', ...who, permissions: [...permissions], readOnly, expiresAt: toIso(expiresAt) };
}

async function describeUser(db: Db, id: string) {
  const user = await findUser(db, id);
  return user === undefined ? null : userAnswer(user);
}

async function describeKey(db: Db, { keyId: id, permissions, readOnly }: Opened['caller']) {
  const key = await findKey(db, id);
  return {
    id,
    name: key?.name ?? id,
    type: readOnly ? 'public' : 'secret',
    permissions: key?.permissions ?? [...permissions],
  };
}

const noStore = (
  _request: unknown,
  reply: { header(name: string, value: string): unknown },
  payload: unknown,
  done: (error: null, payload: unknown) => void,
): void => {
  reply.header('cache-control', 'no-store');
  done(null, payload);
};
