/**
 * Who may do what: every route names the permission it needs; the caller is found before the body is read. How a key is
 * checked is the keys room's; it is handed in, so that this room knows no feature.
 */
import type { FastifyRequest } from 'fastify';
import type { Permission } from '../permissions.ts';
import { hooksOf } from './hooks.ts';
import type { App } from './server.ts';

/** Whose key a request carries. */
export interface Caller {
  keyId: string;
  /** What the request proved it with: known to the client, not to the store. */
  credential: string;
  permissions: ReadonlySet<string>;
  /** A public key reads: its checks use nothing up and are not recorded. */
  readOnly: boolean;
}

/**
 * From the credentials as `Authorization` carries them. Throws missing_api_key, invalid_api_key, ip_not_allowed. Answers at
 * once for a key in memory.
 */
export type Authenticate = (request: FastifyRequest, credentials: string | undefined) => Caller | Promise<Caller>;

/** Throws insufficient_permissions. */
export type Authorize = (caller: Caller, permission: Permission) => void;

declare module 'fastify' {
  interface FastifyContextConfig {
    /** What a key must hold; `null` for the few routes that need no key. */
    permission?: Permission | null;
    /** Where the key is instead of `Authorization`, when that is somebody else's. */
    keyHeader?: string;
  }
  interface FastifyRequest {
    caller: Caller;
    /** The address it came from, past trusted proxies. */
    source(): string;
  }
}

export function requireKeys(
  app: App,
  authenticate: Authenticate,
  authorize: Authorize,
  sourceOf: (request: FastifyRequest) => string,
): void {
  app.decorateRequest('caller', null as never);
  app.decorateRequest('source', function source() {
    return sourceOf(this);
  });
  app.addHook('onRoute', (route) => {
    const { permission, keyHeader } = route.config ?? {};
    // Forgetting it must not open a route to everybody.
    if (route.url.startsWith('/v1') && permission === undefined) throw new Error(`${route.url} names no permission`);
    if (permission === undefined || permission === null) return;
    route.onRequest = hooksOf(route.onRequest, (request, _reply, done) => {
      const enter = (caller: Caller): void => {
        authorize(caller, permission);
        request.caller = caller;
        done();
      };
      try {
        const caller = authenticate(request, credentialsOf(request, keyHeader));
        if (caller instanceof Promise) caller.then(enter).catch(done);
        else enter(caller);
      } catch (error) {
        done(error as Error);
      }
    });
  });
}

function credentialsOf({ headers }: FastifyRequest, keyHeader: string | undefined): string | undefined {
  if (keyHeader === undefined) return headers.authorization;
  const key = headers[keyHeader];
  return typeof key === 'string' ? `Bearer ${key}` : undefined;
}
