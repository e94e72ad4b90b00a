/**
 * The target of a request: path and query. A path that leads nowhere is refused first; text that is not encoded
 * correctly is refused, never read as other text.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isServable, parseNamedHost } from '../../lib/urls/locator.ts';
import { type Failure, fail } from '../errors.ts';
import { type App, appendHook } from './app.ts';
import { answerError } from './reply.ts';
import { NoQuery } from './validate.ts';

export function checkTargets(app: App): void {
  app.addHook('onRoute', (route) => {
    if (!route.url.includes('/:')) return;
    route.preValidation = appendHook(route.preValidation, ({ params }, _reply, done) => done(uncarriedPart(params)));
  });
  app.addHook('onRoute', (route) => {
    if (route.schema?.querystring === undefined || route.schema.querystring === NoQuery) return;
    route.preValidation = appendHook(route.preValidation, ({ url }, _reply, done) => done(undecodedQuery(url)));
  });
  refuseUnknownRoutes(app);
}

/** The absolute form of RFC 9112, section 3.2.2. */
const ABSOLUTE = /^https?:\/\/([^/?#@\\]+)(?=[/?]|$)/i;

/**
 * Normalizes the target for routing. The absolute form leads to its path only if it names the host of the request, as
 * clients must send it. Any other target that is not a path leads nowhere: a proxy that forwards a visitor's target
 * must not reach another route.
 */
export function pathTarget({ url = '', headers }: { url?: string; headers: { host?: string | undefined } }): string {
  if (url.startsWith('/')) return url;
  const [all = '', authority] = ABSOLUTE.exec(url) ?? [];
  const isOwn = authority !== undefined && authority.toLowerCase() === headers.host?.toLowerCase();
  const target = isOwn ? url.slice(all.length) : url;
  return target.startsWith('/') ? target : `/${target}`;
}

/** No store holds such text, so no record has this name. */
function uncarriedPart(params: unknown): Failure | undefined {
  for (const [name, text] of Object.entries(params as Record<string, string>)) {
    if (!text.includes('\0')) continue;
    const message = `\`${name}\` in the path contains a NUL character; remove it.`;
    return fail('invalid_request', message, { param: name });
  }
  return undefined;
}

/** The parser would keep undecodable text as it is, and query for other text. */
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

const nothingAt = ({ method, url }: FastifyRequest): Failure =>
  fail('route_not_found', `There is no ${method} ${stripQuery(url).slice(0, 200)}. See /docs for what there is.`);

const stripQuery = (url: string): string => url.split('?', 1)[0] ?? '';

/** 404, or 405 with `Allow` when the path is known under other methods. */
function refuseUnknownRoutes(app: App): void {
  const routes: { method: string; path: RegExp }[] = [];
  app.addHook('onRoute', ({ method, url }) => {
    const pattern = url.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll(/:\w+/g, '[^/]+');
    for (const one of [method].flat()) routes.push({ method: one, path: new RegExp(`^${pattern}$`) });
  });
  const refuse = (request: FastifyRequest, reply: FastifyReply): Failure => {
    const path = stripQuery(request.url);
    const methods = new Set(routes.filter((route) => route.path.test(path)).map((route) => route.method));
    if (methods.size === 0) return nothingAt(request);
    const allow = [...methods].toSorted().join(', ');
    reply.header('allow', allow);
    return fail('method_not_allowed', `${path.slice(0, 200)} does not take ${request.method}, only ${allow}.`);
  };
  // The router takes `/v1/content/` for an item whose name is empty. No record has such a name.
  app.addHook('onRoute', (route) => {
    if (!route.url.includes('/:')) return;
    route.onRequest = appendHook(route.onRequest, (request, reply, done) => {
      if (Object.values(request.params as object).includes('')) done(refuse(request, reply));
      else done();
    });
  });
  // Before the body is read: its faults do not matter here.
  app.addHook('onRequest', (request, reply, done) => (request.is404 ? done(refuse(request, reply)) : done()));
  // A route that takes any path: it found no file there, or is that of preflights.
  app.setNotFoundHandler((request, reply) =>
    answerError(request.method === 'OPTIONS' ? refuse(request, reply) : nothingAt(request), request, reply),
  );
}

/** Returns the host that a caller names, in a path or a query, in one spelling. Throws invalid_request. */
export function requireHost(text: string): string {
  const host = parseNamedHost(text);
  if (host === undefined) throw noHost();
  return host;
}

/** For hosts that are to be stored. Throws invalid_request. */
export function requireServable(host: string): void {
  if (!isServable(host)) throw noHost();
}

const noHost = () =>
  fail('invalid_request', '`host` must be a host such as www.example.com or localhost:8080.', { param: 'host' });
