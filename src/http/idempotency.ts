/**
 * `Idempotency-Key`: a request that is repeated after its answer was lost has its effect once. The answer is kept 24 hours
 * in the transaction of the effect; refusals are not kept. Scope: the key, the method and the path.
 */
import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import type { FastifyReply, FastifyRequest, onSendHookHandler, preHandlerHookHandler } from 'fastify';
import type { Db } from '../db/db.ts';
import { receiptStep, receiptsEnd } from '../db/receipt.ts';
import { type Failure, fail } from '../errors.ts';
import type { Clock } from '../lib/clock.ts';
import { hooksOf } from './hooks.ts';
import { sendJson } from './reply.ts';
import type { App } from './server.ts';

const KEY = /^[\x20-\x7e]{1,255}$/;

/** A request that carries an Idempotency-Key and was not answered before. */
export interface Idempotency {
  scope: string;
  bodyHash: string;
  /** The receipt is in the transaction of the effect; else it is written before the answer goes out. */
  stored: boolean;
  /** An answer with a secret in it, so that only who can repeat the request can read it back. */
  seal(body: string): string;
}

declare module 'fastify' {
  interface FastifyRequest {
    idempotency: Idempotency | null;
    /** The scope this request holds until it is answered. */
    heldScope: string | null;
  }
}

interface Stored {
  body_hash: string;
  status: number;
  body: string;
}

export const inUse = (): Failure =>
  fail('idempotency_key_in_use', 'A request with this Idempotency-Key is still being worked on; repeat it later.', {
    headers: { 'retry-after': '1' },
  });

/** Whether a scope was answered since it was last looked up: by another node. */
export async function isAnswered(db: Db, scope: string, now: number): Promise<boolean> {
  return (await findReceipt(db, scope, now)) !== undefined;
}

async function findReceipt(db: Db, scope: string, now: number): Promise<Stored | undefined> {
  const [stored] = await db.read<Stored & Record<string, string | number>>(
    'select body_hash, status, body from receipts where scope = $1 and created_at > $2',
    [scope, receiptsEnd(now)],
  );
  return stored;
}

export function supportIdempotency(app: App, db: Db, clock: Clock): void {
  const inFlight = new Set<string>();
  app.decorateRequest('idempotency', null);
  app.decorateRequest('heldScope', null);

  const before: preHandlerHookHandler = (request, reply, done) => {
    const key = request.headers['idempotency-key'];
    if (key === undefined) return done();
    if (typeof key !== 'string' || !KEY.test(key)) {
      const message = 'The Idempotency-Key must have 1 to 255 printable ASCII characters.';
      return done(fail('invalid_request', message, { param: 'Idempotency-Key' }));
    }
    const scope = digest(request.caller.keyId, request.method, request.url, key);
    if (inFlight.has(scope)) return done(inUse());
    // Held until the answer is written down, not until the client hangs up: the effect may still be on its way.
    inFlight.add(scope);
    request.heldScope = scope;
    begin(request, reply, scope, key).then((replayed) => {
      if (!replayed) done();
    }, done);
  };

  async function begin(request: FastifyRequest, reply: FastifyReply, scope: string, key: string): Promise<boolean> {
    const bodyHash = digest(request.rawBody ?? '');
    const stored = await findReceipt(db, scope, clock.now());
    const sealKey = createHash('sha256').update(`${request.caller.credential}\0${key}`).digest();
    if (stored === undefined) {
      request.idempotency = { scope, bodyHash, stored: false, seal: (body) => seal(sealKey, body) };
      return false;
    }
    if (stored.body_hash !== bodyHash) {
      const message = 'This Idempotency-Key was used with another body; use a new key for a new request.';
      throw fail('idempotency_key_reused', message);
    }
    const body = unseal(sealKey, stored.body);
    if (body === undefined) {
      // A secret is read back only by who proves to be the same as when it was made.
      throw fail('idempotency_key_reused', 'This Idempotency-Key was used in another session; use a new key.');
    }
    sendJson(reply.header('idempotent-replayed', 'true'), stored.status, body);
    return true;
  }

  const after: onSendHookHandler = (request, reply, payload, done) => {
    if (request.heldScope === null) return done(null, payload);
    const release = (error: Error | null): void => {
      inFlight.delete(request.heldScope as string);
      if (error === null) done(null, payload);
      else done(error);
    };
    const receipt = request.idempotency;
    if (receipt === null || receipt.stored || reply.statusCode >= 400) return release(null);
    // An answer without an effect: a dry run, a public key's check.
    receipt.stored = true;
    const body = String(payload);
    db.atomic([receiptStep({ ...receipt, status: reply.statusCode, body }, clock.now())]).then(
      () => release(null),
      release,
    );
  };

  app.addHook('onRoute', (route) => {
    const methods = [route.method].flat();
    if (!route.url.startsWith('/v1') || !(methods.includes('POST') || methods.includes('PATCH'))) return;
    route.preHandler = hooksOf(route.preHandler, before);
    route.onSend = hooksOf(route.onSend, after);
  });
}

function digest(...parts: (string | Buffer)[]): string {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part).update('\0');
  return hash.digest('base64url');
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
