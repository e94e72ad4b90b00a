/**
 * The web server: what is the same for every request. In order: request id, caller and permission (onRequest), body
 * (parseJson), schema (validate), idempotency (preHandler), handler; every refusal leaves through `answerError`.
 */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
  type RawServerDefault,
} from 'fastify';
import { Failure, fail } from '../errors.ts';
import { stringifyOrdered } from '../lib/json.ts';
import { hooksOf } from './hooks.ts';
import { parseJson } from './json.ts';
import { answerError, errorBody, toFailure } from './reply.ts';
import { NoQuery, validatorCompiler } from './validate.ts';

export type App = FastifyInstance<
  RawServerDefault,
  IncomingMessage,
  ServerResponse,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>;

export const BODY_BYTES_MAX = 1024 * 1024;
export const BULK_BODY_BYTES_MAX = 16 * 1024 * 1024;

/** An externalId of 255 characters can take 12 bytes of a path for each. */
const PARAM_LENGTH_MAX = 4096;
const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 60_000;
const REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/;

function requestId(request: IncomingMessage): string {
  const given = request.headers['x-request-id'];
  return typeof given === 'string' && REQUEST_ID.test(given) ? given : `req_${randomUUID()}`;
}

export function createServer(logger: FastifyBaseLogger): App {
  const app = Fastify({
    loggerInstance: logger,
    logController: new LogController({ disableRequestLogging: true }),
    // A logger for each request costs some microseconds and few requests log; those that do name their id.
    childLoggerFactory: (parent) => parent,
    genReqId: requestId,
    bodyLimit: BODY_BYTES_MAX,
    requestTimeout: REQUEST_TIMEOUT_MS,
    connectionTimeout: 0,
    keepAliveTimeout: 72_000,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    // Refused below, with an answer of our form.
    http: { requireHostHeader: false },
    routerOptions: { maxParamLength: PARAM_LENGTH_MAX },
    frameworkErrors: (error, request, reply) => {
      reply.header('request-id', request.id);
      void answerError(toFailure(error), request, reply);
    },
    clientErrorHandler: (error, socket) => answerMalformed(error, socket),
  }).withTypeProvider<TypeBoxTypeProvider>();
  app.server.headersTimeout = HEADERS_TIMEOUT_MS;
  app.server.on('connect', (_request, socket: Socket) =>
    answerMalformed(Object.assign(new Error('not a proxy'), { code: 'CONNECT' }), socket),
  );
  app.server.on('checkExpectation', (request) => answerMalformed(new Error('expectation'), request.socket));

  app.setValidatorCompiler(validatorCompiler as never);
  app.setSerializerCompiler(() => stringifyOrdered);
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    // Some clients name a content type on a DELETE without a body; nothing is nothing.
    if (body.length === 0) return done(null, undefined);
    if (isEncoded(request)) return done(ENCODED);
    try {
      const value = parseJson(body as Buffer);
      if (request.headers['idempotency-key'] !== undefined) request.rawBody = body as Buffer;
      done(null, value);
    } catch (error) {
      done(error as Error);
    }
  });
  app.decorateRequest('rawBody', null);
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('request-id', request.id);
    if (request.headers.host === undefined && request.raw.httpVersion === '1.1') done(NO_HOST);
    else done();
  });
  app.addHook('onRoute', (route) => {
    if (route.url.startsWith('/v1')) route.schema = { querystring: NoQuery, ...route.schema };
  });
  app.addHook('onRoute', (route) => {
    if (route.schema?.body !== undefined) return;
    // A body where none is known would be silently ignored.
    route.preValidation = hooksOf(route.preValidation, ({ body }, _reply, done) => {
      if (body === undefined || body === null || isEmpty(body)) return done();
      done(fail('invalid_request', 'This operation takes no body; send none.'));
    });
  });
  app.addHook('onRoute', (route) => {
    if (!route.url.includes('/:')) return;
    route.preValidation = hooksOf(route.preValidation, ({ params }, _reply, done) => done(uncarriedPart(params)));
  });
  app.addHook('onRoute', (route) => {
    if (route.schema?.querystring === undefined || route.schema.querystring === NoQuery) return;
    route.preValidation = hooksOf(route.preValidation, ({ url }, _reply, done) => done(undecodedQuery(url)));
  });
  app.setErrorHandler((error, request, reply) => answerError(toFailure(error), request, reply));
  refuseUnknownRoutes(app);
  return app;
}

/** No store holds such text, so nothing can have that name. */
function uncarriedPart(params: unknown): Failure | undefined {
  for (const [name, text] of Object.entries(params as Record<string, string>)) {
    if (!text.includes('\0')) continue;
    const message = `\`${name}\` in the path contains a NUL character; remove it.`;
    return fail('invalid_request', message, { param: name });
  }
  return undefined;
}

/** The parser would take what it cannot decode as it stands, and the query would ask for other text. */
function undecodedQuery(url: string): Failure | undefined {
  const query = url.includes('?') ? url.slice(url.indexOf('?') + 1) : '';
  if (decoded(query) !== undefined) return undefined;
  const pair = query.split('&').find((one) => decoded(one) === undefined) ?? '';
  const name = pair.split('=', 1)[0] ?? '';
  const param = decoded(name) ?? name;
  return fail('invalid_request', `\`${param}\` is not valid: percent-encode it as UTF-8.`, { param });
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

const isEmpty = (body: unknown): boolean => typeof body === 'object' && Object.keys(body as object).length === 0;

/** RFC 9110, section 8.4: what is compressed is not the JSON that the length and the parser take it for. */
const isEncoded = ({ headers }: FastifyRequest): boolean =>
  headers['content-encoding'] !== undefined && headers['content-encoding'].trim().toLowerCase() !== 'identity';

const ENCODED = fail('unsupported_media_type', 'Send the body as it is, without a Content-Encoding.');

declare module 'fastify' {
  interface FastifyRequest {
    /** The body as it came; kept only for requests with an Idempotency-Key. */
    rawBody: Buffer | null;
  }
}

const nothingAt = ({ method, url }: FastifyRequest): Failure =>
  fail('route_not_found', `There is no ${method} ${pathOf(url).slice(0, 200)}. See /docs for what there is.`);

const pathOf = (url: string): string => url.split('?', 1)[0] ?? '';

/** 404, or 405 with `Allow` when the path is known under other methods. */
function refuseUnknownRoutes(app: App): void {
  const routes: { method: string; path: RegExp }[] = [];
  app.addHook('onRoute', ({ method, url }) => {
    const pattern = url.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll(/:\w+/g, '[^/]+');
    for (const one of [method].flat()) routes.push({ method: one, path: new RegExp(`^${pattern}$`) });
  });
  const refuse = (request: FastifyRequest, reply: FastifyReply): Failure => {
    const path = pathOf(request.url);
    const methods = new Set(routes.filter((route) => route.path.test(path)).map((route) => route.method));
    if (methods.size === 0) return nothingAt(request);
    const allow = [...methods].sort().join(', ');
    reply.header('allow', allow);
    return fail('method_not_allowed', `${path.slice(0, 200)} does not take ${request.method}, only ${allow}.`);
  };
  // The router takes `/v1/content/` for an item whose name is empty. No record has such a name.
  app.addHook('onRoute', (route) => {
    if (!route.url.includes('/:')) return;
    route.onRequest = hooksOf(route.onRequest, (request, reply, done) => {
      if (Object.values(request.params as object).includes('')) done(refuse(request, reply));
      else done();
    });
  });
  // Before the body is looked at: what is wrong with it does not matter here.
  app.addHook('onRequest', (request, reply, done) => (request.is404 ? done(refuse(request, reply)) : done()));
  // A route that takes any path and found no file there.
  app.setNotFoundHandler((request, reply) => answerError(nothingAt(request), request, reply));
}

/** What is not even HTTP gets an answer of the same form, with an id to ask about. */
function answerMalformed(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const failure = new Failure('invalid_request', MALFORMED[error.code ?? ''] ?? 'The request is not valid HTTP/1.1.');
  const id = `req_${randomUUID()}`;
  const body = errorBody(failure, id);
  socket.end(
    `HTTP/1.1 400 Bad Request\r\nRequest-Id: ${id}\r\nContent-Type: application/json; charset=utf-8\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}

const NO_HOST = fail('invalid_request', 'The request has no Host header, which HTTP/1.1 demands.');

const MALFORMED: Record<string, string> = {
  CONNECT: 'This is not a proxy: it does not take CONNECT.',
  HPE_HEADER_OVERFLOW: 'The request headers are larger than 16 KiB.',
  ERR_HTTP_REQUEST_TIMEOUT: 'The request did not arrive in time.',
};
