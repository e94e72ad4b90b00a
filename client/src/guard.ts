/**
 * Guards a server with decisions. Promise: only what Postern allows is served. A timeout, an error and unregistered
 * content are denials unless the options say otherwise. No visitor can turn a denial into a failure.
 */
import { type Ask, askOne, openKept, openPost } from './edge/asker.ts';
import { openCore } from './edge/core.ts';
import type { RouterUrls } from './edge/options.ts';
import { putHeaders, withHeaders } from './edge/put-headers.ts';
import { checkOf, urlOf } from './edge/question.ts';
import { refusals } from './edge/refusals.ts';
import { isRead, toPlainPath, VERSION } from './edge/site-files.ts';
import { openStatus } from './edge/status.ts';
import { servedAlways, type Verdict } from './edge/verdict.ts';
import { type NodeRequest, type Visit, visitOfFetch, visitOfNode } from './edge/visit.ts';
import type { GuardOptions } from './guard-options.ts';
import { openQueue } from './queue.ts';
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
import type { Check } from './types.ts';
import { askOnce } from './views.ts';

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

function requireOptions({ content, urls, sitemaps = [] }: GuardOptions): void {
  if (content !== 'url' && typeof content !== 'function') {
    throw new TypeError("`content` must be 'url' or a function that returns the item of a request");
  }
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

interface From {
  /** The request of the visitor, the same object for every guard that it passes. */
  view: object;
  /** Tests for a server of Node's, whose visitors may wait for each other. */
  isOfNode: boolean;
  /** The settings of its router. */
  router: Looseness;
}

function openDecide(options: GuardOptions): (visit: Visit, from: From) => Promise<Verdict> {
  const { timeoutMs = TIMEOUT_MS, keptMax = KEPT_MAX } = options;
  const post = openPost({ ...options, timeoutMs });
  const queue = openQueue(post, timeoutMs);
  const kept = openKept(keptMax);
  const { ask: about = 'everyone', onError = 'deny', pages = true } = options;
  const said = pages ? refusals : { ...refusals, page: undefined };
  const decide = openCore({ ...options, ask: about, onError, refusals: said });
  const status = openStatus({ platform: 'guard', ...options, ask: about, onError, timeoutMs });
  const service = `${options.url} ${options.key}`;
  const stated = loosenessOfOptions(options.urls);
  const sitemaps = new Set(options.sitemaps?.map(toPlainPath));
  return async (visit, { view, isOfNode, router }) => {
    const isSitemap = isRead(visit.method) && VERSION.test(visit.search) && sitemaps.has(toPlainPath(visit.path));
    if (isSitemap) return servedAlways();
    // A visitor may name a host that no URL can have.
    const answer = URL.canParse(urlOf(options, visit)) ? await status(visit) : undefined;
    if (answer !== undefined) return verdictWith(await answer.text());
    const isTogether = (options.batch ?? isOfNode) && mayBatch();
    const send: Ask = isTogether ? queue : (check) => askOne(post, check, timeoutMs);
    const ask: Ask = (check) => askOnce((one) => kept(one, send), check, { view, service });
    const checks = () => checksOf(options, { ...visit, router: together(router, stated) });
    return decide({ visit, known: {}, ask, checks, later: () => {} });
  };
}

/** Answers `postern doctor`, which proved that it may ask, in place of the application. */
const verdictWith = (text: string): Verdict => {
  const [type, headers] = ['application/json', { 'cache-control': 'no-store' }];
  const toResponse = () => new Response(text, { headers: { ...headers, 'content-type': type } });
  return { ...servedAlways(), allowed: false, headers, body: { type, text }, toResponse };
};

/** workerd also runs Express, and says by this name who it is. */
const mayBatch = (): boolean => globalThis.navigator?.userAgent !== 'Cloudflare-Workers';

interface Routed extends Visit {
  /** The settings of the router. */
  router: Looseness;
}

/**
 * Returns the check of the visit. Where your own function finds the item, and what it does not find is let through,
 * those of the other spellings follow: the service finds them only by URL.
 */
async function checksOf(options: GuardOptions, { router, ...visit }: Routed): Promise<Check[]> {
  const { content } = options;
  if (content === 'url') {
    const urls = urlsOf(router);
    return [await toCheck(options, visit, { url: urlOf(options, visit), ...(urls && { urls }) })];
  }
  const others = options.unknown === 'allow' ? otherSpellings(visit.path, router) : [];
  const checks = [visit.path, ...others].map(async (path) => {
    const contentId = await content({ ...visit, path });
    // Callers without types return null as well.
    return contentId == null || contentId === '' ? [] : [await toCheck(options, { ...visit, path }, { contentId })];
  });
  return (await Promise.all(checks)).flat();
}

async function toCheck(options: GuardOptions, visit: Visit, asked: Pick<Check, 'contentId' | 'url' | 'urls'>) {
  const requesterId = await options.requester?.(visit);
  const context = await options.context?.(visit);
  return checkOf(options, visit, { ...asked, requesterId, context });
}
