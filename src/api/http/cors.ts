/**
 * Lets pages of the origins that the operator names call the API, mostly with public keys. Only the key of the request
 * counts; cookies of the console are neither sent nor read. Source: fetch.spec.whatwg.org, CORS protocol.
 */
import cors from '@fastify/cors';
import type { App } from './app.ts';

const REMEMBERED_SECONDS = 600;

const TERMS = {
  methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
  allowedHeaders: ['Authorization', 'Content-Type', 'Idempotency-Key', 'If-Match', 'If-None-Match', 'X-Request-Id'],
  exposedHeaders: ['Request-Id', 'ETag', 'Retry-After', 'Idempotent-Replayed', 'RateLimit', 'RateLimit-Policy'],
  maxAge: REMEMBERED_SECONDS,
  strictPreflight: false,
};

/** Call it before the routes. `origins` are spelled as browsers send them, or `*`; empty refuses all others. */
export async function allowOrigins(app: App, origins: readonly string[]): Promise<void> {
  if (origins.length === 0) return;
  await app.register(cors, {
    delegator: ({ url, headers }, done) =>
      done(null, {
        ...TERMS,
        origin: url.startsWith('/v1/') ? [...origins] : false,
        // Any other OPTIONS request is refused as it is without the setting.
        preflight: headers.origin !== undefined && headers['access-control-request-method'] !== undefined,
      }),
  });
}
