/**
 * Guards a server with decisions. Promise: only what Postern allows is served. A timeout, an error and unregistered
 * content are denials unless the options say otherwise. No visitor can turn a denial into a failure.
 */
import { type Ask, openAsker } from './asker.ts';
import { createPostern } from './client.ts';
import { PosternError } from './errors.ts';
import { putHeaders, withHeaders } from './put-headers.ts';
import type { ConnectionOptions } from './transport.ts';
import type { Check } from './types.ts';
import { allowedWithout, preferredBy, refusedUnknown, refusedWithout, type Verdict, verdictOf } from './verdict.ts';

/** A visitor's request, the same for every kind of server. */
export interface Visit {
  method: string;
  /** The path as sent: not decoded, without the query, starting with a slash. */
  path: string;
  query: URLSearchParams;
  /** The query as sent, with its question mark; empty without one. */
  search: string;
  /** The host that the visitor named. */
  host: string | undefined;
  /** Joins repeated headers with commas. */
  header(name: string): string | undefined;
  /** The server's own object. */
  request: unknown;
}

type Maybe<T> = T | undefined | Promise<T | undefined>;

export interface GuardOptions extends Pick<ConnectionOptions, 'url' | 'key' | 'fetch'> {
  /**
   * Returns the id or externalId of the item; undefined for unregistered content, see `unknown`. Or `'url'`: asks by
   * the URL of the request, so that items are found by their `source`, and collections decide about the rest.
   */
  content: 'url' | ((visit: Visit) => Maybe<string>);
  /** With `content: 'url'`, the origin of your site, such as `https://example.com`; else the visitor's Host counts. */
  origin?: string;
  /** Returns the requester id from your login or key check; undefined if anonymous. Never trust a visitor's header. */
  requester?(visit: Visit): Maybe<string>;
  /** Returns the visitor's address and country, as your server knows them. The user agent is added. */
  context?(visit: Visit): Maybe<{ ip?: string; country?: string }>;
  /** The permission to request. */
  permission?: string;
  purpose?: string;
  /** The verdict on unregistered content; `deny` by default. */
  unknown?: 'deny' | 'allow';
  /** The verdict without an answer of the service; `deny` by default. */
  onError?: 'deny' | 'allow';
  /** Milliseconds to wait for an answer; 1,000 by default. */
  timeoutMs?: number;
  /** Shows remedies and offers to visitors; true by default. Without them no denial is 402. */
  remedies?: boolean;
  /** Answers a visitor whose `Accept` prefers HTML with a small page; true by default. */
  pages?: boolean;
  /** Adds what the signals of your site say about the page, such as `tdm-reservation`; true by default. */
  signals?: boolean;
  /** WWW-Authenticate of a 401; `Bearer` by default. */
  challenge?: string;
  /** The number of answers kept for their `maxAge`; 1,000 by default. */
  keptMax?: number;
  /** Receives the error of every failed check. */
  report?(error: unknown): void;
}

export type Handler<Rest extends unknown[]> = (request: Request, ...rest: Rest) => Response | Promise<Response>;

export interface Guard {
  /** Returns the verdict, for servers with Request and Response such as Workers or Next. */
  check(request: Request): Promise<Verdict>;
  /** Wraps a handler so that it runs only for allowed requests. */
  fetch<Rest extends unknown[]>(handler: Handler<Rest>): (request: Request, ...rest: Rest) => Promise<Response>;
  /** Middleware of Express. */
  express(): (request: ExpressRequest, response: ExpressResponse, next: (error?: unknown) => void) => void;
  /** Hook of Fastify, for `onRequest`. */
  fastify(): (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>;
  /** Middleware of Hono. */
  hono(): (context: HonoContext, next: () => Promise<void>) => Promise<Response | undefined>;
}

/** The parts of Express, Fastify and Hono that guards use, so that none of their types is needed. */
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
  getHeader?(name: string): unknown;
  setHeader(name: string, value: string): unknown;
  end(text?: string): unknown;
}
export interface FastifyRequest extends NodeRequest {
  originalUrl?: string;
}
export interface FastifyReply {
  code(status: number): unknown;
  getHeader?(name: string): unknown;
  header(name: string, value: string): unknown;
  send(payload?: unknown): unknown;
}
export interface HonoContext {
  req: { raw: Request };
  header(name: string, value: string, options?: { append?: boolean }): void;
}

const TIMEOUT_MS = 1_000;
const KEPT_MAX = 1_000;

/** Throws TypeError for invalid options: a misconfigured guard must not start. */
export function guard(options: GuardOptions): Guard {
  if (options.content !== 'url' && typeof options.content !== 'function') {
    throw new TypeError("`content` must be 'url' or a function that returns the item of a request");
  }
  requireOrigin(options.origin);
  requireOneOf('onError', options.onError);
  requireOneOf('unknown', options.unknown);
  const { url, key, timeoutMs = TIMEOUT_MS, keptMax = KEPT_MAX } = options;
  const postern = createPostern({ url, key, ...(options.fetch === undefined ? {} : { fetch: options.fetch }) });
  const ask = openAsker(postern, { timeoutMs, keptMax });
  const decide = async (visit: Visit): Promise<Verdict> =>
    preferredBy(options.pages === false ? undefined : visit.header('accept'), await decideFor(options, ask, visit));

  const check = (request: Request): Promise<Verdict> => decide(visitOfFetch(request));
  return {
    check,
    fetch:
      (handler) =>
      async (request, ...rest) => {
        const verdict = await check(request);
        if (!verdict.allowed) return verdict.toResponse();
        const response = await handler(request, ...rest);
        return withHeaders(response, verdict);
      },
    express: () => (request, response, next) => {
      decide(visitOfNode(request, request.originalUrl)).then((verdict) => {
        putHeaders(
          verdict,
          (name) => response.getHeader?.(name),
          (name, value) => response.setHeader(name, value),
        );
        if (verdict.allowed) return next();
        response.statusCode = verdict.status;
        response.end(verdict.body?.text);
      }, next);
    },
    fastify: () => async (request, reply) => {
      const verdict = await decide(visitOfNode(request, request.originalUrl));
      putHeaders(
        verdict,
        (name) => reply.getHeader?.(name),
        (name, value) => reply.header(name, value),
      );
      if (verdict.allowed) return undefined;
      reply.code(verdict.status);
      reply.send(verdict.body?.text);
      return reply;
    },
    hono: () => async (context, next) => {
      const verdict = await check(context.req.raw);
      if (!verdict.allowed) return verdict.toResponse();
      await next();
      for (const [name, value] of Object.entries(verdict.headers)) {
        context.header(name, value, { append: name === 'link' });
      }
      return undefined;
    },
  };
}

function requireOrigin(origin: string | undefined): void {
  if (origin === undefined || /^https?:\/\/[^/?#\s@\\]+\/?$/.test(origin)) return;
  throw new TypeError('`origin` must be the origin of your site, such as https://example.com');
}

function requireOneOf(name: string, value: unknown): void {
  if (value === undefined || value === 'deny' || value === 'allow') return;
  throw new TypeError(`\`${name}\` must be 'deny' or 'allow'`);
}

async function decideFor(options: GuardOptions, ask: Ask, visit: Visit): Promise<Verdict> {
  const { unknown = 'deny', onError = 'deny', challenge = 'Bearer', report } = options;
  const missing = (): Verdict => (unknown === 'allow' ? allowedWithout('content_unknown') : refusedUnknown());
  // An error of your own callbacks reaches you and never becomes an allow.
  const check = await checkOf(options, visit);
  if (check === null) return missing();
  try {
    const asked = await ask(check);
    return 'error' in asked && asked.error.code === 'content_not_found'
      ? missing()
      : verdictOf(asked, challenge, urlOf(options, visit));
  } catch (error) {
    report?.(error);
    return onError === 'allow' && !isRefusal(error) ? allowedWithout('no_decision') : refusedWithout();
  }
}

/** Tests for a refusal of the guard's own request, such as its key; `onError` never allows that. */
const isRefusal = (error: unknown): boolean =>
  error instanceof PosternError && error.status >= 400 && error.status < 500 && error.status !== 429;

/** Returns the check of a visit; null without an item. */
async function checkOf(options: GuardOptions, visit: Visit): Promise<Check | null> {
  const asked = options.content === 'url' ? { url: urlOf(options, visit) } : await itemOf(options.content, visit);
  if (asked === null) return null;
  const requesterId = await options.requester?.(visit);
  const known = await options.context?.(visit);
  const userAgent = visit.header('user-agent');
  const context = { ...known, ...(userAgent === undefined ? {} : { userAgent }) };
  return {
    ...asked,
    ...visitorOf(options, visit),
    ...(requesterId === undefined ? {} : { requesterId }),
    ...(options.permission === undefined ? {} : { permission: options.permission }),
    ...(options.purpose === undefined ? {} : { purpose: options.purpose }),
    ...(Object.keys(context).length === 0 ? {} : { context }),
    ...(options.remedies === false ? {} : { explain: true }),
    ...(options.signals === false ? {} : pageOf(urlOf(options, visit))),
  };
}

const PAGE_LENGTH_MAX = 2048;

/** A URL that the service would refuse has no signals; the check itself is about the item. */
const pageOf = (url: string): Pick<Check, 'page'> => (url.length > PAGE_LENGTH_MAX ? {} : { page: url });

/** The proofs of the visitor. Other credentials than requester tokens are not Postern's to see. */
function visitorOf(options: GuardOptions, visit: Visit): Pick<Check, 'visitor'> {
  const authorization = visit.header('authorization');
  const signatureInput = visit.header('signature-input');
  const visitor = {
    ...(/^bearer +svc_rt_/i.test(authorization ?? '') ? { authorization } : {}),
    ...(signatureInput === undefined ? {} : { signatureInput, ...signedPartsOf(options, visit) }),
  };
  return Object.keys(visitor).length === 0 ? {} : { visitor };
}

function signedPartsOf(options: GuardOptions, visit: Visit): Omit<NonNullable<Check['visitor']>, 'signatureInput'> {
  const signature = visit.header('signature');
  const signatureAgent = visit.header('signature-agent');
  return {
    method: visit.method,
    url: urlOf(options, visit),
    ...(signature === undefined ? {} : { signature }),
    ...(signatureAgent === undefined ? {} : { signatureAgent }),
  };
}

async function itemOf(
  content: Exclude<GuardOptions['content'], 'url'>,
  visit: Visit,
): Promise<{ contentId: string } | null> {
  const contentId = await content(visit);
  return contentId === undefined || contentId === null || contentId === '' ? null : { contentId };
}

/** A visit without a host names no URL, which the service refuses. */
function urlOf({ origin }: GuardOptions, { host = '', path, search }: Visit): string {
  return `${origin?.replace(/\/$/, '') ?? `https://${host}`}${path}${search}`;
}

function visitOfFetch(request: Request): Visit {
  const { host, pathname, search, searchParams } = new URL(request.url);
  return {
    method: request.method,
    path: pathname,
    query: searchParams,
    search,
    host,
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
    search: mark === -1 ? '' : target.slice(mark),
    host: hostOf(request),
    header(name) {
      const value = request.headers[name.toLowerCase()];
      return Array.isArray(value) ? value.join(', ') : value;
    },
    request,
  };
}

function hostOf({ headers }: NodeRequest): string | undefined {
  const host = headers.host ?? headers[':authority'];
  return Array.isArray(host) ? host.join() : host;
}
