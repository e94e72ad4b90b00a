/**
 * Guards a server with decisions. Promise: only what Postern allows is served. A timeout, an error and unregistered
 * content are denials unless the options say otherwise. No visitor can turn a denial into a failure.
 */
import { type Ask, type Asked, openAsker } from './asker.ts';
import { isRefusal } from './breaker.ts';
import { createPostern } from './client.ts';
import type { GuardOptions, RouterUrls } from './guard-options.ts';
import { putHeaders, withHeaders } from './put-headers.ts';
import { askOnce, checkOf, urlOf } from './question.ts';
import {
  type Looseness,
  loosenessOfExpress,
  loosenessOfFastify,
  loosenessOfHono,
  loosenessOfOptions,
  otherSpellings,
  type RoutedRequest,
  STRICT,
  together,
  urlsOf,
} from './routers.ts';
import { isListedFile, isSiteFile, toPlainPath } from './site-files.ts';
import type { Check } from './types.ts';
import {
  allowedWithout,
  answeredPreflight,
  preferredBy,
  refusedUnknown,
  refusedWithout,
  servedAlways,
  type Verdict,
  verdictOf,
} from './verdict.ts';
import { isPreflight, type NodeRequest, type Visit, visitOfFetch, visitOfNode } from './visit.ts';

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

export interface ExpressRequest extends NodeRequest {
  app?: unknown;
}
export interface ExpressResponse {
  statusCode: number;
  getHeader?(name: string): unknown;
  setHeader(name: string, value: string): unknown;
  end(text?: string): unknown;
}
export interface FastifyRequest extends NodeRequest, RoutedRequest {
  raw?: object;
}
export interface FastifyReply {
  code(status: number): unknown;
  getHeader?(name: string): unknown;
  header(name: string, value: string): unknown;
  send(payload?: unknown): unknown;
}
export interface HonoContext {
  req: { raw: Request; path?: string };
  res: Response;
  header(name: string, value: string): void;
}

const TIMEOUT_MS = 1_000;
const KEPT_MAX = 1_000;

/** Throws TypeError for invalid options: a misconfigured guard must not start. */
export function guard(options: GuardOptions): Guard {
  requireOptions(options);
  const decide = openDecide(options);
  const checkFor = (request: Request, router: Looseness): Promise<Verdict> =>
    decide(visitOfFetch(request), { view: request, isOfNode: false, router });
  const check = (request: Request): Promise<Verdict> => checkFor(request, STRICT);
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
      const router = loosenessOfExpress(request);
      decide(visitOfNode(request), { view: request, isOfNode: true, router }).then((verdict) => {
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
      const router = loosenessOfFastify(request);
      const verdict = await decide(visitOfNode(request), { view: request.raw ?? request, isOfNode: true, router });
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
      const { raw, path } = context.req;
      const verdict = await checkFor(raw, loosenessOfHono(raw, path));
      if (!verdict.allowed) return verdict.toResponse();
      await next();
      putHeaders(
        verdict,
        (name) => context.res.headers.get(name) ?? undefined,
        (name, value) => context.header(name, value),
      );
      return undefined;
    },
  };
}

function requireOptions({ content, origin, onError, unknown, urls, sitemaps = [] }: GuardOptions): void {
  if (content !== 'url' && typeof content !== 'function') {
    throw new TypeError("`content` must be 'url' or a function that returns the item of a request");
  }
  if (origin !== undefined && !/^https?:\/\/[^/?#\s@\\]+\/?$/.test(origin)) {
    throw new TypeError('`origin` must be the origin of your site, such as https://example.com');
  }
  requireOneOf('onError', onError);
  requireOneOf('unknown', unknown);
  if (urls !== undefined) requireUrls(content, urls);
  const odd = sitemaps.find((path) => toPlainPath(path) === undefined);
  if (odd !== undefined) throw new TypeError(`\`sitemaps\` takes paths such as /sitemap.xml, not ${odd}`);
}

function requireUrls(content: GuardOptions['content'], urls: RouterUrls): void {
  if (content !== 'url') throw new TypeError("`urls` needs `content: 'url'`: your function reads the path by itself");
  for (const [name, value] of Object.entries(urls)) {
    if ((name === 'case' || name === 'finalSlash') && (value === undefined || value === 'ignored')) continue;
    throw new TypeError("`urls` takes `case: 'ignored'` and `finalSlash: 'ignored'`, for what your router ignores");
  }
}

function requireOneOf(name: string, value: unknown): void {
  if (value === undefined || value === 'deny' || value === 'allow') return;
  throw new TypeError(`\`${name}\` must be 'deny' or 'allow'`);
}

interface From {
  /** The request of the visitor, the same object for every guard that it passes. */
  view: object;
  /** Tests for a server of Node's, whose visitors may wait for each other. */
  isOfNode: boolean;
  /** The settings of its router. */
  router: Looseness;
}

function openDecide(options: GuardOptions): (visit: Visit, from: From) => Promise<Verdict> {
  const { url, key, timeoutMs = TIMEOUT_MS, keptMax = KEPT_MAX } = options;
  const postern = createPostern({ url, key, ...(options.fetch === undefined ? {} : { fetch: options.fetch }) });
  const asker = openAsker(postern, { timeoutMs, keptMax });
  const sitemaps = new Set(options.sitemaps?.map((path) => toPlainPath(path) as string));
  const service = `${url} ${key}`;
  const stated = loosenessOfOptions(options.urls);
  return async (visit, { view, isOfNode, router: seen }) => {
    if (isPreflight(visit)) return answeredPreflight();
    if (isSiteFile(visit, sitemaps)) return servedAlways();
    const isTogether = (options.batch ?? isOfNode) && mayBatch();
    const ask: Ask = (check) => askOnce((each) => asker(each, isTogether), check, { view, service });
    return preferredBy(
      options.pages === false ? undefined : visit.header('accept'),
      await decideFor(options, ask, { ...visit, router: together(seen, stated) }),
    );
  };
}

function shownOf(options: GuardOptions, asked: Asked): Asked {
  if (options.signals !== false || 'error' in asked) return asked;
  const { signals: _, ...rest } = asked;
  return rest;
}

/** workerd also runs Express, and says by this name who it is. */
const mayBatch = (): boolean => globalThis.navigator?.userAgent !== 'Cloudflare-Workers';

interface Routed extends Visit {
  /** The settings of the router. */
  router: Looseness;
}

async function decideFor(options: GuardOptions, ask: Ask, visit: Routed): Promise<Verdict> {
  // An error of your own callbacks reaches you and never becomes an allow.
  const checks = await checksOf(options, visit);
  try {
    const verdict = await firstOf(checks, (one) => answerTo(options, ask, { check: one, visit }));
    return verdict ?? (options.unknown === 'allow' ? allowedWithout('content_unknown') : refusedUnknown());
  } catch (error) {
    options.report?.(error);
    // A refusal of the guard's own request, such as its key, never allows.
    return options.onError === 'allow' && !isRefusal(error) ? allowedWithout('no_decision') : refusedWithout();
  }
}

/** Returns the verdict on the first check that finds something. */
async function firstOf(
  [check, ...others]: readonly Check[],
  answer: (check: Check) => Promise<Verdict | undefined>,
): Promise<Verdict | undefined> {
  return check === undefined ? undefined : ((await answer(check)) ?? firstOf(others, answer));
}

/**
 * Returns the check of the visit. Where your own function finds the item, and what it does not find is let through,
 * those of the other spellings follow: the service finds them only by URL.
 */
async function checksOf(options: GuardOptions, { router, ...visit }: Routed): Promise<Check[]> {
  const isByUrl = options.content === 'url';
  const others = isByUrl || options.unknown !== 'allow' ? [] : otherSpellings(visit.path, router);
  const paths = [visit.path, ...others];
  const urls = isByUrl ? urlsOf(router) : undefined;
  const checks = await Promise.all(paths.map((path) => checkOf(options, { ...visit, path }, urls)));
  return checks.filter((check) => check !== null);
}

/** Returns the verdict; undefined for unregistered content. */
async function answerTo(
  options: GuardOptions,
  ask: Ask,
  { check, visit }: { check: Check; visit: Visit },
): Promise<Verdict | undefined> {
  const asked = await ask(check);
  if (isListedFile(asked, visit)) return servedAlways();
  if ('error' in asked && asked.error.code === 'content_not_found') return undefined;
  return verdictOf(shownOf(options, asked), options.challenge ?? 'Bearer', urlOf(options, visit));
}
