/** Sign in to the console, read the session, sign out. */
import { Type } from 'typebox';
import type { Db } from '../db/db.ts';
import type { App } from '../http/app.ts';
import { toIso } from '../lib/clock.ts';
import type { Caller } from '../permissions.ts';
import type { Sessions } from './sessions.ts';
import { findKey } from './store.ts';

const PATH = '/console/session';
/** Only for the console, so not in the API document. */
const hide = { hide: true } as object;
const config = { permission: null };

const SignIn = Type.Object({ key: Type.String({ minLength: 1, maxLength: 200 }) }, { additionalProperties: false });

export interface SessionDeps {
  db: Db;
  sessions: Sessions;
}

export function sessionRoutes(app: App, { db, sessions }: SessionDeps): void {
  const answer = async ({ caller, expiresAt }: { caller: Caller; expiresAt: number }) => {
    const key = await findKey(db, caller.keyId);
    const permissions = [...caller.permissions];
    return {
      object: 'console_session',
      key: {
        id: caller.keyId,
        name: key?.name ?? caller.keyId,
        type: caller.readOnly ? 'public' : 'secret',
        permissions: key?.permissions ?? permissions,
      },
      permissions,
      expiresAt: toIso(expiresAt),
    };
  };

  app.addHook('onRoute', (route) => {
    if (route.url === PATH) route.onSend = noStore;
  });
  app.post(PATH, { config, schema: { ...hide, body: SignIn } }, async (request, reply) => {
    const opened = await sessions.open(request.body.key.trim(), request, reply);
    return reply.code(201).send(await answer(opened));
  });
  app.get(PATH, { config, schema: hide }, async (request) => answer(await sessions.resume(request)));
  app.delete(PATH, { config, schema: hide }, async (request, reply) => {
    await sessions.close(request, reply);
    return { object: 'console_session', deleted: true };
  });
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
