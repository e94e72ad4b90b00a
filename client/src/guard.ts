/**
 * Guards: the decision in front of what you serve. Promise: nothing is served that Postern did not allow. No answer in time,
 * an error and content that nobody registered are denials, unless you say otherwise in so many words; and no visitor can
 * make an answer fail that would otherwise be a denial.
 */
import { type Ask, openAsker } from './asker.ts';
import { createPostern } from './client.ts';
import { PosternError } from './errors.ts';
import type { ConnectionOptions } from './transport.ts';
import type { Check } from './types.ts';
import { allowedWithout, refusedUnknown, refusedWithout, type Verdict, verdictOf } from './verdict.ts';

/** A visitor's request, the same for every kind of server. */
export interface Visit {
  method: string;
  /** As it was sent, beginning with a slash, without the query and not decoded. */
  path: string;
  query: URLSearchParams;
  /** Of several with the same name, all, joined by commas. */
  header(name: string): string | undefined;
  /** The server's own object. */
  request: unknown;
}

type Maybe<T> = T | undefined | Promise<T | undefined>;

export interface GuardOptions extends Pick<ConnectionOptions, 'url' | 'key' | 'fetch'> {
  /** Which item: its id or externalId. undefined: none that is registered; see `unknown`. */
  content(visit: Visit): Maybe<string>;
  /** Who asks, as your login or key check knows it; undefined: anonymous. Not a header that a visitor can choose. */
  requester?(visit: Visit): Maybe<string>;
  /** The address and country of the visitor, as your server knows them; the user agent is added. */
  context?(visit: Visit): Maybe<{ ip?: string; country?: string }>;
  /** The right that is wanted. */
  permission?: string;
  purpose?: string;
  /** What comes of content that is not registered; `deny` without it. */
  unknown?: 'deny' | 'allow';
  /** What comes of no answer; `deny` without it. */
  onError?: 'deny' | 'allow';
  /** Milliseconds until no answer is none; 1,000 without it. */
  timeoutMs?: number;
  /** Tell visitors what would help; true without it. */
  remedies?: boolean;
  /** WWW-Authenticate of a 401; `Bearer` without it. */
  challenge?: string;
  /** Answers kept while the service's `maxAge` lasts; 1,000 without it. */
  keptMax?: number;
  /** Told of every answer that failed. */
  report?(error: unknown): void;
}

export type Handler<Rest extends unknown[]> = (request: Request, ...rest: Rest) => Response | Promise<Response>;

export interface Guard {
  /** For servers that speak Request and Response, such as Workers or Next: the decision, to act on. */
  check(request: Request): Promise<Verdict>;
  /** A handler that is only called for what is allowed. */
  fetch<Rest extends unknown[]>(handler: Handler<Rest>): (request: Request, ...rest: Rest) => Promise<Response>;
  /** Middleware of Express. */
  express(): (request: ExpressRequest, response: ExpressResponse, next: (error?: unknown) => void) => void;
  /** Hook of Fastify, for `onRequest`. */
  fastify(): (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>;
  /** Middleware of Hono. */
  hono(): (context: HonoContext, next: () => Promise<void>) => Promise<Response | undefined>;
}

/** What is used of Express, Fastify and Hono: no type of theirs is needed. */
interface NodeRequest {
  method?: string | undefined;
  url?: string | undefined;
  headers: Readonly<Record<string, string | string[] | undefined>>;
}
export interface ExpressRequest extends NodeRequest {
  originalUrl?: string;
}
export interface ExpressResponse {
  statusCode: number;
  setHeader(name: string, value: string): unknown;
  end(text?: string): unknown;
}
export interface FastifyRequest extends NodeRequest {
  originalUrl?: string;
}
export interface FastifyReply {
  code(status: number): unknown;
  header(name: string, value: string): unknown;
  send(payload?: unknown): unknown;
}
export interface HonoContext {
  req: { raw: Request };
  header(name: string, value: string): void;
}

const TIMEOUT_MS = 1_000;
const KEPT_MAX = 1_000;

/** Throws TypeError for options that are none: a guard that is set up wrongly must not start. */
export function guard(options: GuardOptions): Guard {
  if (typeof options.content !== 'function') throw new TypeError('`content` must say which item a request is for');
  requireOneOf('onError', options.onError);
  requireOneOf('unknown', options.unknown);
  const { url, key, timeoutMs = TIMEOUT_MS, keptMax = KEPT_MAX } = options;
  const postern = createPostern({ url, key, ...(options.fetch === undefined ? {} : { fetch: options.fetch }) });
  const ask = openAsker(postern, { timeoutMs, keptMax });
  const decide = (visit: Visit): Promise<Verdict> => decideFor(options, ask, visit);

  const check = (request: Request): Promise<Verdict> => decide(visitOfFetch(request));
  return {
    check,
    fetch:
      (handler) =>
      async (request, ...rest) => {
        const verdict = await check(request);
        if (!verdict.allowed) return verdict.toResponse();
        const response = await handler(request, ...rest);
        return withHeaders(response, verdict.headers);
      },
    express: () => (request, response, next) => {
      decide(visitOfNode(request, request.originalUrl)).then((verdict) => {
        for (const [name, value] of Object.entries(verdict.headers)) response.setHeader(name, value);
        if (verdict.allowed) return next();
        response.statusCode = verdict.status;
        response.end(JSON.stringify(verdict.problem));
      }, next);
    },
    fastify: () => async (request, reply) => {
      const verdict = await decide(visitOfNode(request, request.originalUrl));
      for (const [name, value] of Object.entries(verdict.headers)) reply.header(name, value);
      if (verdict.allowed) return undefined;
      reply.code(verdict.status);
      reply.send(JSON.stringify(verdict.problem));
      return reply;
    },
    hono: () => async (context, next) => {
      const verdict = await check(context.req.raw);
      if (!verdict.allowed) return verdict.toResponse();
      await next();
      for (const [name, value] of Object.entries(verdict.headers)) context.header(name, value);
      return undefined;
    },
  };
}

function requireOneOf(name: string, value: unknown): void {
  if (value === undefined || value === 'deny' || value === 'allow') return;
  throw new TypeError(`\`${name}\` must be 'deny' or 'allow'`);
}

async function decideFor(options: GuardOptions, ask: Ask, visit: Visit): Promise<Verdict> {
  const { unknown = 'deny', onError = 'deny', challenge = 'Bearer', report } = options;
  const missing = (): Verdict => (unknown === 'allow' ? allowedWithout('content_unknown') : refusedUnknown());
  // What you wrote fails for what a visitor sent: its errors are yours to see, and never an allow.
  const check = await checkOf(options, visit);
  if (check === null) return missing();
  try {
    const asked = await ask(check);
    return 'error' in asked && asked.error.code === 'content_not_found' ? missing() : verdictOf(asked, challenge);
  } catch (error) {
    report?.(error);
    // The service is there and refuses: a wrong key, not a failure that passes.
    const isRefused =
      error instanceof PosternError && error.status >= 400 && error.status < 500 && error.status !== 429;
    return onError === 'allow' && !isRefused ? allowedWithout('no_decision') : refusedWithout();
  }
}

/** null: no item. */
async function checkOf(options: GuardOptions, visit: Visit): Promise<Check | null> {
  const contentId = await options.content(visit);
  if (contentId === undefined || contentId === null || contentId === '') return null;
  const requesterId = await options.requester?.(visit);
  const known = await options.context?.(visit);
  const userAgent = visit.header('user-agent');
  const context = { ...known, ...(userAgent === undefined ? {} : { userAgent }) };
  return {
    contentId,
    ...(requesterId === undefined ? {} : { requesterId }),
    ...(options.permission === undefined ? {} : { permission: options.permission }),
    ...(options.purpose === undefined ? {} : { purpose: options.purpose }),
    ...(Object.keys(context).length === 0 ? {} : { context }),
    ...(options.remedies === false ? {} : { explain: true }),
  };
}

function visitOfFetch(request: Request): Visit {
  const { pathname, searchParams } = new URL(request.url);
  return {
    method: request.method,
    path: pathname,
    query: searchParams,
    header: (name) => request.headers.get(name) ?? undefined,
    request,
  };
}

function visitOfNode(request: NodeRequest, originalUrl: string | undefined): Visit {
  const target = originalUrl ?? request.url ?? '/';
  const mark = target.indexOf('?');
  return {
    method: request.method ?? 'GET',
    path: mark === -1 ? target : target.slice(0, mark),
    query: new URLSearchParams(mark === -1 ? '' : target.slice(mark + 1)),
    header(name) {
      const value = request.headers[name.toLowerCase()];
      return Array.isArray(value) ? value.join(', ') : value;
    },
    request,
  };
}

/** Those of a Response that came from elsewhere cannot be changed. */
function withHeaders(response: Response, headers: Verdict['headers']): Response {
  const changed = new Response(response.body, response);
  for (const [name, value] of Object.entries(headers)) changed.headers.set(name, value);
  return changed;
}
