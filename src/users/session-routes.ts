/** Sign in to the console by key or link; read the session; sign out. Only for the console. */
import { Type } from 'typebox';
import type { Db } from '../db/db.ts';
import type { App } from '../http/app.ts';
import { findKey } from '../keys/store.ts';
import { toIso } from '../lib/clock.ts';
import { userAnswer } from './schema.ts';
import { type Opened, requireOwnPage, type Sessions } from './sessions.ts';
import { type SignInDeps, signInByLink } from './sign-in.ts';
import { findUser } from './store.ts';
import { isUserId } from './user.ts';

const PATH = '/console/session';
/** Not in the API document. */
const hide = { hide: true } as object;
const config = { permission: null };

const secret = Type.String({ minLength: 1, maxLength: 200 });
const SignIn = Type.Union([
  Type.Object({ key: secret }, { additionalProperties: false }),
  Type.Object({ link: secret }, { additionalProperties: false }),
]);

export interface SessionDeps extends SignInDeps {
  db: Db;
  sessions: Sessions;
}

export function sessionRoutes(app: App, deps: SessionDeps): void {
  const { db, sessions } = deps;
  app.addHook('onRoute', (route) => {
    if (route.url === PATH) route.onSend = noStore;
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
    provider: null,
  }));
}

async function answer(db: Db, { caller, expiresAt }: Opened) {
  const { keyId: id, permissions, readOnly } = caller;
  const who = isUserId(id) ? { key: null, user: await userOf(db, id) } : { key: await keyOf(db, caller), user: null };
  return { object: 'console_session', ...who, permissions: [...permissions], readOnly, expiresAt: toIso(expiresAt) };
}

async function userOf(db: Db, id: string) {
  const user = await findUser(db, id);
  return user === undefined ? null : userAnswer(user);
}

async function keyOf(db: Db, { keyId: id, permissions, readOnly }: Opened['caller']) {
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
