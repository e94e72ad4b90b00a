/**
 * `Idempotency-Key`: a request that is repeated after its answer was lost has its effect once. The answer is kept 24 hours
 * in the transaction of the effect; refusals are not kept. Scope: the key, the method and the path.
 */
import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest, onSendHookHandler, preHandlerHookHandler } from 'fastify';
import type { Db } from '../db/db.ts';
import { receiptStep, receiptsEnd } from '../db/receipt.ts';
import { fail } from '../errors.ts';
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
}

declare module 'fastify' {
  interface FastifyRequest {
    idempotency: Idempotency | null;
  }
}

interface Stored {
  body_hash: string;
  status: number;
  body: string;
}

export function supportIdempotency(app: App, db: Db, clock: Clock): void {
  const inFlight = new Set<string>();
  const hash = (...parts: (string | Buffer)[]): string => {
    const digest = createHash('sha256');
    for (const part of parts) digest.update(part).update('\0');
    return digest.digest('base64url');
  };

  app.decorateRequest('idempotency', null);
  const before: preHandlerHookHandler = (request, reply, done) => {
    const key = request.headers['idempotency-key'];
    if (key === undefined) return done();
    if (typeof key !== 'string' || !KEY.test(key)) {
      return done(
        fail('invalid_request', 'The Idempotency-Key must have 1 to 255 printable ASCII characters.', {
          param: 'Idempotency-Key',
        }),
      );
    }
    const scope = hash(request.caller.keyId, request.method, request.url, key);
    if (inFlight.has(scope)) {
      return done(
        fail(
          'idempotency_key_in_use',
          'A request with this Idempotency-Key is still being worked on; repeat it later.',
          {
            headers: { 'retry-after': '1' },
          },
        ),
      );
    }
    inFlight.add(scope);
    reply.raw.once('close', () => inFlight.delete(scope));
    const bodyHash = hash(request.rawBody ?? '');
    begin(scope, bodyHash, request, reply).then((replayed) => {
      if (!replayed) done();
    }, done);
  };

  async function begin(
    scope: string,
    bodyHash: string,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<boolean> {
    const [stored] = await db.read<Stored & Record<string, string | number>>(
      'select body_hash, status, body from receipts where scope = $1 and created_at > $2',
      [scope, receiptsEnd(clock.now())],
    );
    if (stored === undefined) {
      request.idempotency = { scope, bodyHash, stored: false };
      return false;
    }
    if (stored.body_hash !== bodyHash) {
      throw fail(
        'idempotency_key_reused',
        'This Idempotency-Key was used with another body; use a new key for a new request.',
      );
    }
    sendJson(reply.header('idempotent-replayed', 'true'), stored.status, stored.body);
    return true;
  }

  const after: onSendHookHandler = (request, reply, payload, done) => {
    const receipt = request.idempotency;
    if (receipt === null || receipt.stored || reply.statusCode >= 400) return done(null, payload);
    // An answer without an effect: a dry run, a public key's check.
    const body = String(payload);
    db.atomic([receiptStep({ ...receipt, status: reply.statusCode, body }, clock.now())]).then(
      () => done(null, payload),
      done,
    );
  };

  app.addHook('onRoute', (route) => {
    const methods = [route.method].flat();
    if (!route.url.startsWith('/v1') || !(methods.includes('POST') || methods.includes('PATCH'))) return;
    route.preHandler = hooksOf(route.preHandler, before);
    route.onSend = hooksOf(route.onSend, after);
  });
}
