/**
 * `Idempotency-Key`: a request that is repeated after its answer was lost has its effect once. The answer is kept 24
 * hours in the transaction of the effect. Refusals and answers without an effect (dry runs, lint, simulations, checks
 * of public keys) are not kept: repeating them is harmless, and keeping them would let read-only keys fill the
 * disk. An answer too long to be kept is refused before it has its effect. Scope: the key, the method and the path. The
 * first attempt may be in flight on another node: no answer goes out beside the one that was kept meanwhile.
 */
import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import type { FastifyReply, FastifyRequest, onSendHookHandler, preHandlerHookHandler } from 'fastify';
import type { Db } from '../../db/db.ts';
import { findReceipt, type Idempotency, type Receipt } from '../../db/receipt.ts';
import type { Clock } from '../../lib/clock.ts';
import { Failure, fail } from '../errors.ts';
import { type App, appendHook } from './app.ts';
import { JSON_TYPE, sendJson, toFailure, writeError } from './reply.ts';

const KEY = /^[\x20-\x7e]{1,255}$/;

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Makes the answer to a repeated request from the body that was kept. */
    repeat?: (body: unknown, kept: string) => string;
  }
  interface FastifyRequest {
    idempotency: Idempotency | null;
    /** The scope this request holds until it is answered. */
    heldScope: string | null;
  }
}

export const inUse = (): Failure =>
  fail('idempotency_key_in_use', 'A request with this Idempotency-Key is still being worked on; repeat it later.', {
    headers: { 'retry-after': '1' },
  });

/** The largest answer that is kept; 1,000 decisions with long messages have less. */
const KEPT_BYTES_MAX = 4 * 1024 * 1024;

/** To be asked before the effect. Throws invalid_request when an answer of so many bytes cannot be kept. */
export function requireKeepable(bytes: number): void {
  if (bytes <= KEPT_BYTES_MAX) return;
  const message =
    'The answer would be longer than the 4 MiB that are kept for an Idempotency-Key. Ask for less at once.';
  throw fail('invalid_request', message, { param: 'Idempotency-Key' });
}

const invalidKey = (): Failure => {
  const message = 'The Idempotency-Key must have 1 to 255 printable ASCII characters.';
  return fail('invalid_request', message, { param: 'Idempotency-Key' });
};

export function supportIdempotency(app: App, db: Db, clock: Clock): void {
  const inFlight = new Set<string>();
  app.decorateRequest('idempotency', null);
  app.decorateRequest('heldScope', null);

  const before: preHandlerHookHandler = (request, reply, done) => {
    const key = request.headers['idempotency-key'];
    if (key === undefined) return done();
    if (typeof key !== 'string' || !KEY.test(key)) return done(invalidKey());
    const scope = digest(request.caller.keyId, request.method, request.url, key);
    if (inFlight.has(scope)) return done(inUse());
    // Held until the answer is stored, not until the client disconnects: the effect may still be in flight.
    inFlight.add(scope);
    request.heldScope = scope;
    begin(request, reply, scope, key).then((replayed) => {
      if (!replayed) done();
    }, done);
  };

  async function begin(request: FastifyRequest, reply: FastifyReply, scope: string, key: string): Promise<boolean> {
    const stored = await findReceipt(db, scope, clock.now());
    const own = toIdempotency(request, scope, key);
    if (stored === undefined) {
      request.idempotency = own;
      return false;
    }
    const kept = keptFor(own, stored, request);
    sendJson(reply.header('idempotent-replayed', 'true'), stored.status, kept);
    return true;
  }

  /** The answer that was kept since the request began, by another node, in place of `payload`. */
  async function answeredMeanwhile(own: Idempotency, request: FastifyRequest, reply: FastifyReply, payload: unknown) {
    try {
      const stored = await findReceipt(db, own.scope, clock.now());
      if (stored === undefined) return payload;
      const body = keptFor(own, stored, request);
      withoutHeaders(reply).code(stored.status).type(JSON_TYPE).header('idempotent-replayed', 'true');
      return body;
    } catch (error) {
      // Fastify answers an error of this hook after a refusal in a form of its own.
      return writeError(toFailure(error), request, withoutHeaders(reply));
    }
  }

  const after: onSendHookHandler = (request, reply, payload, done) => {
    const { heldScope, idempotency: own } = request;
    if (heldScope === null) return done(null, payload);
    const release = (): void => {
      inFlight.delete(heldScope);
      request.heldScope = null;
    };
    if (own === null || own.stored || reply.statusCode >= 500) {
      release();
      return done(null, payload);
    }
    // Nothing was written, perhaps because of what the first attempt wrote.
    answeredMeanwhile(own, request, reply, payload)
      .finally(release)
      .then((answer) => done(null, answer), done);
  };

  app.addHook('onRoute', (route) => {
    const methods = [route.method].flat();
    if (!route.url.startsWith('/v1') || !(methods.includes('POST') || methods.includes('PATCH'))) return;
    route.preHandler = appendHook(route.preHandler, before);
    route.onSend = appendHook(route.onSend, after);
  });
}

/** Removes headers of the answer that is replaced. */
const withoutHeaders = (reply: FastifyReply): FastifyReply => reply.removeHeader('retry-after').removeHeader('etag');

function toIdempotency(request: FastifyRequest, scope: string, key: string): Idempotency {
  const sealKey = createHash('sha256').update(`${request.caller.credential}\0${key}`).digest();
  return {
    scope,
    bodyHash: digest(request.rawBody ?? ''),
    stored: false,
    seal: (body) => seal(sealKey, body),
    unseal: (body) => unseal(sealKey, body),
  };
}

function digest(...parts: (string | Buffer)[]): string {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part).update('\0');
  return hash.digest('base64url');
}

/** The body that was kept, as it is answered. Throws idempotency_key_reused for a request that is another one. */
function keptFor(own: Idempotency, stored: Receipt, { body: asked, routeOptions }: FastifyRequest): string {
  if (stored.body_hash !== own.bodyHash) {
    const message = 'This Idempotency-Key was used with another body; use a new key for a new request.';
    throw fail('idempotency_key_reused', message);
  }
  const body = own.unseal(stored.body);
  if (body !== undefined) return routeOptions.config.repeat?.(asked, body) ?? body;
  // A secret is read back only by who proves to be the same as when it was made.
  throw fail('idempotency_key_reused', 'This Idempotency-Key was used in another session; use a new key.');
}

const SEALED = 'sealed:';

/** AES-256-GCM under a key that is made of what the client sends again and the store does not hold. */
function seal(key: Buffer, body: string): string {
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', key, nonce);
  const text = Buffer.concat([cipher.update(body, 'utf8'), cipher.final()]);
  return SEALED + Buffer.concat([nonce, cipher.getAuthTag(), text]).toString('base64');
}

/** undefined under another key than it was sealed with. */
function unseal(key: Buffer, body: string): string | undefined {
  if (!body.startsWith(SEALED)) return body;
  const bytes = Buffer.from(body.slice(SEALED.length), 'base64');
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12));
  decipher.setAuthTag(bytes.subarray(12, 28));
  try {
    return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString('utf8');
  } catch {
    return undefined;
  }
}
