/**
 * Authorization: every route names the permission it needs, and the caller is known before the body is read. The keys
 * room checks keys; its functions are passed in, so that this room knows no feature.
 */
import type { FastifyContextConfig, FastifyReply, FastifyRequest } from 'fastify';
import type { Caller, Permission } from '../permissions.ts';
import { type App, appendHook } from './app.ts';

/**
 * Finds the caller by the credentials as `Authorization` carries them. Throws missing_api_key, invalid_api_key,
 * ip_not_allowed. Answers at once for a key in memory.
 */
export type Authenticate = (request: FastifyRequest, credentials: string | undefined) => Caller | Promise<Caller>;

/** Finds the caller of a request without a key. Throws what `Authenticate` throws. */
export type AuthenticateSession = (request: FastifyRequest) => Caller | Promise<Caller>;

/** The requirements of a route on a key. */
export interface Needs {
  /** All of them. */
  permissions: readonly Permission[];
  /** Refuses public keys, with any permissions. */
  secretKey: boolean;
}

/** The requester behind a request with a requester token. */
export interface PartnerCaller extends Caller {
  requesterId: string;
}

/** Throws missing_requester_token, invalid_requester_token, requester_suspended. */
export type AuthenticatePartner = (credentials: string | undefined) => Promise<PartnerCaller>;

/** Throws insufficient_permissions. */
export type Authorize = (caller: Caller, needs: Needs) => void;

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The required permissions, all of a list; `null` for routes without a key. */
    permission?: Permission | readonly Permission[] | null;
    /** Not for public keys. */
    secretKey?: true;
    /** Takes the token of a requester instead of a key. */
    partner?: true;
    /** Returns whether a request needs no key; its `caller` is then null. */
    openTo?: (request: FastifyRequest) => boolean | Promise<boolean>;
    /** The header that holds the key when `Authorization` belongs to another party. */
    keyHeader?: string;
  }
  interface FastifyRequest {
    caller: Caller;
    /** Set on routes that take the token of a requester. */
    partner: PartnerCaller;
    /** Checks the key again, for a request that has waited and whose key may have changed. */
    admit(): Promise<Caller>;
    /** The address it came from, past trusted proxies; null for one that cannot be read. */
    source(): string | null;
  }
}

/** Where the requester of a token is the caller: every operation there is about its own data. */
const PARTNER_PATH = /^\/v1\/me(\/|$)/;

export interface Doors {
  authenticate: Authenticate;
  authenticateSession: AuthenticateSession;
  authenticatePartner: AuthenticatePartner;
  authorize: Authorize;
  sourceOf: (request: FastifyRequest) => string | null;
}

export function requireKeys(app: App, doors: Doors): void {
  const { authenticatePartner, authorize, sourceOf } = doors;
  app.decorateRequest('caller', null as never);
  app.decorateRequest('partner', null as never);
  app.decorateRequest('admit', async function admit() {
    const { config } = this.routeOptions;
    const caller = await findCaller(doors, this, config.keyHeader);
    const needs = toNeeds(config);
    if (needs !== undefined) authorize(caller, needs);
    return caller;
  });
  app.decorateRequest('source', function source() {
    return sourceOf(this);
  });
  app.addHook('onRoute', (route) => {
    const { permission, keyHeader, partner, openTo } = route.config ?? {};
    // Forgetting it must not open a route to everybody.
    if (route.url.startsWith('/v1') && permission === undefined) throw new Error(`${route.url} names no permission`);
    if (PARTNER_PATH.test(route.url) !== (partner === true)) throw new Error(`${route.url} is for partners, or is not`);
    if (partner === true) {
      route.onRequest = appendHook(route.onRequest, (request, _reply, done) => {
        authenticatePartner(request.headers.authorization).then((caller) => {
          request.partner = caller;
          request.caller = caller;
          done();
        }, done);
      });
      return;
    }
    const needs = toNeeds(route.config ?? {});
    if (needs === undefined) return;
    const requireKey = keyStep(doors, needs, keyHeader);
    const unlessOpen: OnRequest = (request, reply, done) => {
      Promise.resolve(openTo?.(request)).then((isOpen) => (isOpen ? done() : requireKey(request, reply, done)), done);
    };
    route.onRequest = appendHook(route.onRequest, openTo === undefined ? requireKey : unlessOpen);
  });
}

type OnRequest = (request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void) => void;

/** Returns the step that finds the caller of a request. It awaits nothing for a key in memory, as nearly all are. */
function keyStep(doors: Doors, needs: Needs, header?: string): OnRequest {
  const { authorize } = doors;
  const awaitCaller = async (request: FastifyRequest, finding: Promise<Caller>): Promise<void> => {
    const caller = await finding;
    authorize(caller, needs);
    request.caller = caller;
  };
  return (request, _reply, done) => {
    try {
      const found = findCaller(doors, request, header);
      if (found instanceof Promise) return void awaitCaller(request, found).then(() => done(), done);
      authorize(found, needs);
      request.caller = found;
    } catch (error) {
      return done(error as Error);
    }
    done();
  };
}

function toNeeds({ permission, secretKey }: FastifyContextConfig): Needs | undefined {
  return permission == null ? undefined : { permissions: [permission].flat(), secretKey: secretKey === true };
}

/** Nearly every request has a key; another may have a session. */
function findCaller(
  { authenticate, authenticateSession }: Doors,
  request: FastifyRequest,
  keyHeader: string | undefined,
): Caller | Promise<Caller> {
  if (keyHeader === undefined) {
    const { authorization } = request.headers;
    return authorization === undefined ? authenticateSession(request) : authenticate(request, authorization);
  }
  // A proxy forwards its visitors' cookies, so only the key counts there.
  const key = request.headers[keyHeader];
  return authenticate(request, typeof key === 'string' ? `Bearer ${key}` : undefined);
}
