/**
 * The web server: the steps of every request. In order: request id, caller and permission (onRequest), body
 * (parseJson), schema (validate), idempotency (preHandler), handler. Every refusal leaves through `answerError`.
 */
import { randomBytes, randomFillSync } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import Fastify, {
  type FastifyBaseLogger,
  type FastifyReply,
  type FastifyRequest,
  type preSerializationAsyncHookHandler,
} from 'fastify';
import { monotonicMs } from '../../lib/clock.ts';
import { Failure, fail } from '../errors.ts';
import { type App, appendHook } from './app.ts';
import { BODY_BYTES_MAX, readBodies } from './body.ts';
import { bindCursors } from './cursor.ts';
import { answersPage, pageText } from './list.ts';
import { logRequests } from './log.ts';
import { readForms } from './oauth.ts';
import { answerError, errorBody, toFailure } from './reply.ts';
import { traceRequests } from './spans.ts';
import { checkTargets, pathTarget } from './target.ts';
import { NoQuery, validatorCompiler } from './validate.ts';

/** The body limit of routes without a key. */
export const KEYLESS_BODY_BYTES_MAX = 4 * 1024;

/** An externalId of 255 characters can take 12 bytes of a path for each. */
const PARAM_LENGTH_MAX = 4096;
const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 60_000;
const REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/;

/**
 * For the ids of requests that bring none: a count would show how many others ask. Many at once, because random bytes
 * for each cost more.
 */
const drawn = Buffer.alloc(12 * 512);
let next = drawn.length;

function toRequestId({ headers: { 'x-request-id': given } }: Pick<IncomingMessage, 'headers'>): string {
  if (typeof given === 'string' && REQUEST_ID.test(given)) return given;
  if (next === drawn.length) {
    randomFillSync(drawn);
    next = 0;
  }
  return `req_${drawn.toString('hex', next, (next += 12))}`;
}

declare module 'fastify' {
  interface FastifyInstance {
    /** Fastify has none of its own: with one, it would make a logger and listeners for each request. */
    logger: FastifyBaseLogger;
  }
  interface FastifyRequest {
    /** See monotonicMs. */
    arrivedAt: number;
  }
}

export function createServer(logger: FastifyBaseLogger): App {
  const app = Fastify({
    genReqId: toRequestId,
    bodyLimit: BODY_BYTES_MAX,
    requestTimeout: REQUEST_TIMEOUT_MS,
    connectionTimeout: 0,
    keepAliveTimeout: 72_000,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    // Refused below, in the usual form.
    http: { requireHostHeader: false },
    // Given here, not set later: Fastify would load Ajv and a compiler of serializers that nothing uses.
    schemaController: {
      compilersFactory: {
        buildValidator: () => validatorCompiler as never,
        buildSerializer: () => () => JSON.stringify,
      },
    },
    routerOptions: { maxParamLength: PARAM_LENGTH_MAX },
    rewriteUrl: pathTarget,
    frameworkErrors: (error, request, reply) => {
      reply.header('request-id', request.id);
      void answerError(toFailure(error, request.routeOptions.bodyLimit), request, reply);
    },
    clientErrorHandler: (error, socket) => answerMalformed(error, socket),
  }).withTypeProvider<TypeBoxTypeProvider>();
  app.server.headersTimeout = HEADERS_TIMEOUT_MS;
  app.server.on('connect', (_request, socket: Socket) =>
    answerMalformed(Object.assign(new Error('not a proxy'), { code: 'CONNECT' }), socket),
  );
  app.server.on('checkExpectation', (request) => answerMalformed(new Error('expectation'), request.socket));

  app.decorate('logger', logger);
  traceRequests(app);
  logRequests(app);
  readBodies(app);
  readForms(app);
  app.decorateRequest('arrivedAt', 0);
  app.addHook('onRequest', (request, reply, done) => {
    request.arrivedAt = monotonicMs();
    reply.header('request-id', request.id);
    if (request.headers.host === undefined && request.raw.httpVersion === '1.1') done(NO_HOST);
    else done();
  });
  app.addHook('onRoute', (route) => {
    if (route.url.startsWith('/v1')) route.schema = { querystring: NoQuery, ...route.schema };
    else if (route.config?.permission == null) route.bodyLimit ??= KEYLESS_BODY_BYTES_MAX;
  });
  bindCursors(app);
  app.addHook('onRoute', (route) => {
    if (answersPage(route.schema)) route.preSerialization = appendHook(route.preSerialization, writePage);
  });
  app.setErrorHandler((error, request, reply) => {
    const failure = toFailure(error, request.routeOptions.bodyLimit);
    if (failure.code === 'payload_too_large') takeRest(request, reply);
    return answerError(failure, request, reply);
  });
  checkTargets(app);
  return app;
}

/**
 * Lets the rest of a body come and drops it, as after every other refusal: a client that still sends when the
 * connection is closed sees that alone, not the answer.
 */
function takeRest({ raw }: FastifyRequest, reply: FastifyReply): void {
  reply.removeHeader('connection');
  raw.resume();
}

const writePage: preSerializationAsyncHookHandler = async (_request, reply, payload) => {
  const text = await pageText(payload);
  if (text !== undefined) reply.serializer(() => text);
  return payload;
};

const NO_HOST = fail('invalid_request', 'The request has no Host header, which HTTP/1.1 demands.');

/** Answers malformed HTTP in the usual form, with a request id. */
function answerMalformed(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const failure = new Failure('invalid_request', MALFORMED[error.code ?? ''] ?? 'The request is not valid HTTP/1.1.');
  const id = `req_${randomBytes(12).toString('hex')}`;
  const body = errorBody(failure, id);
  socket.end(
    `HTTP/1.1 400 Bad Request\r\nRequest-Id: ${id}\r\nContent-Type: application/json; charset=utf-8\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}

const MALFORMED: Record<string, string> = {
  CONNECT: 'This is not a proxy: it does not take CONNECT.',
  HPE_HEADER_OVERFLOW: 'The request headers are larger than 16 KiB.',
  ERR_HTTP_REQUEST_TIMEOUT: 'The request did not arrive in time.',
};
