/**
 * The settings of a server's router. Promise: a router that serves a page in several spellings is recognized, whether
 * its settings are those of the application, of a router in it, or hidden.
 */

import type { RouterUrls } from './edge/options.ts';

export interface Looseness {
  /** `/A` leads to the route `/a`. */
  readonly ignoresCase: boolean;
  /** `/a/` leads to the route `/a`. */
  readonly ignoresSlash: boolean;
  /** Segments of routes that have capitals, by their lowercase. */
  readonly capitals?: ReadonlyMap<string, string>;
}

export const STRICT: Looseness = { ignoresCase: false, ignoresSlash: false };
const LOOSE: Looseness = { ignoresCase: true, ignoresSlash: true };

/** Returns what one of them ignores. */
export const together = (one: Looseness, other: Looseness): Looseness => ({ ...one, ...either(one, other) });

/** Returns what a check says of the router; undefined if it ignores nothing. */
export function urlsOf({ ignoresCase, ignoresSlash }: Looseness): RouterUrls | undefined {
  if (!ignoresCase && !ignoresSlash) return undefined;
  return { ...(ignoresCase && { case: 'ignored' }), ...(ignoresSlash && { finalSlash: 'ignored' }) };
}

export const loosenessOfOptions = ({ case: letters, finalSlash }: RouterUrls = {}): Looseness => ({
  ignoresCase: letters === 'ignored',
  ignoresSlash: finalSlash === 'ignored',
});

const either = (one: Looseness, other: Looseness): Looseness => ({
  ignoresCase: one.ignoresCase || other.ignoresCase,
  ignoresSlash: one.ignoresSlash || other.ignoresSlash,
});

interface ExpressLayer {
  name?: string;
  handle?: Partial<ExpressRouter>;
  route?: { path?: unknown };
  /** The path of a mount in later versions of Express 5. */
  rawPath?: unknown;
  /** The same in Express 4. */
  regexp?: RegExp;
}
interface ExpressRouter {
  caseSensitive: boolean | undefined;
  strict: boolean | undefined;
  stack: readonly ExpressLayer[];
}
interface ExpressApp {
  /** Express 5. Express 4 throws when it is read. */
  router?: ExpressRouter;
  /** Express 4. */
  _router?: ExpressRouter;
  parent?: ExpressApp;
}

/** Takes the request of Express 4 or 5. */
export function loosenessOfExpress({ app }: { app?: unknown }): Looseness {
  let found = STRICT;
  const capitals = new Map<string, string>();
  const seen = new Set<ExpressRouter>();
  for (let one = app as ExpressApp | undefined; one !== undefined; one = one.parent) {
    const { _router: router = one.router } = one;
    found = either(found, ofRouter(router, capitals, seen));
  }
  return { ...found, capitals };
}

function ofRouter(
  router: ExpressRouter | undefined,
  capitals: Map<string, string>,
  seen: Set<ExpressRouter>,
): Looseness {
  if (router === undefined) return LOOSE;
  let found: Looseness = { ignoresCase: router.caseSensitive !== true, ignoresSlash: router.strict !== true };
  if (seen.has(router)) return found;
  seen.add(router);
  for (const { name, handle, route, rawPath, regexp } of router.stack) {
    for (const path of [route?.path ?? rawPath ?? regexp?.source].flat(9)) addCapitals(path, capitals);
    // An application within an application does not show its settings.
    if (name === 'mounted_app') found = LOOSE;
    else if (Array.isArray(handle?.stack)) found = either(found, ofRouter(handle as ExpressRouter, capitals, seen));
  }
  return found;
}

/** Adds the segments of a path that are text and have capitals. */
function addCapitals(path: unknown, capitals: Map<string, string>): void {
  if (typeof path !== 'string' || !/[A-Z]/.test(path)) return;
  for (const part of path.split(/\\?\//))
    if (/^[\w.~-]*[A-Z][\w.~-]*$/.test(part)) capitals.set(part.toLowerCase(), part);
}

interface FastifySettings {
  caseSensitive?: boolean;
  ignoreTrailingSlash?: boolean;
  routerOptions?: FastifySettings;
}

/** The request of Fastify; `routeOptions` is the route that it leads to. */
export interface RoutedRequest {
  server?: { initialConfig?: unknown };
  routeOptions?: { url?: string | undefined };
}

export function loosenessOfFastify({ server, routeOptions }: RoutedRequest): Looseness {
  const { routerOptions, ...own } = (server?.initialConfig ?? {}) as FastifySettings;
  const capitals = new Map<string, string>();
  addCapitals(routeOptions?.url, capitals);
  return { ...[own, routerOptions ?? {}].map(toLooseness).reduce(either), capitals };
}

const toLooseness = ({ caseSensitive, ignoreTrailingSlash }: FastifySettings): Looseness => ({
  ignoresCase: caseSensitive === false,
  ignoresSlash: ignoreTrailingSlash === true,
});

/**
 * Takes a request of Hono and the path that its router sees: with `strict: false`, or a `getPath` of your own, that is
 * another one than the visitor sent.
 */
export function loosenessOfHono({ url }: { url: string }, seen: string | undefined): Looseness {
  const sent = new URL(url).pathname;
  if (seen === undefined || seen === sent) return STRICT;
  return {
    ignoresCase: hasCapitals(sent) && !hasCapitals(seen),
    ignoresSlash: sent.endsWith('/') && !seen.endsWith('/'),
  };
}

/** Escapes are no letters, other than those of letters. */
const hasCapitals = (path: string): boolean =>
  /[A-Z]/.test(path.replaceAll(/%(?!4[1-9a-f]|5[0-9a])[0-9a-f]{2}/gi, '')) || /%(?:4[1-9a-f]|5[0-9a])/i.test(path);

/** More spellings than these are not tried one by one. */
const SPELLINGS_MAX = 16;

/**
 * Returns the other spellings by which the router may know a path. It ignores the case of its own segments, not of what
 * a parameter or a folder of files has: so each segment is as sent, or as the router may know it.
 */
export function otherSpellings(path: string, { ignoresCase, ignoresSlash, capitals }: Looseness): string[] {
  const found = ignoresCase ? casesOf(path.split('/'), capitals) : [path];
  const bare = ignoresSlash ? found.map((one) => (one.length > 1 ? one.replace(/\/$/, '') : one)) : found;
  return [...new Set(bare)].filter((one) => one !== path);
}

function casesOf(sent: readonly string[], capitals: Looseness['capitals']): string[] {
  const folded = sent.map(toFolded);
  const named = folded.map((part) => capitals?.get(part) ?? part);
  const choices = sent.map((part, i) => [...new Set([part, named[i] as string, folded[i] as string])]);
  if (choices.reduce((count, { length }) => count * length, 1) > SPELLINGS_MAX) {
    // Segments of the router mostly come first.
    const begun = sent.map((_, i) => [...named.slice(0, i + 1), ...sent.slice(i + 1)]);
    return [...begun, folded].map((parts) => parts.join('/'));
  }
  const [first = [''], ...rest] = choices;
  return rest.reduce((heads, parts) => heads.flatMap((head) => parts.map((part) => `${head}/${part}`)), first);
}

/** Changes the case of ASCII letters, escaped ones as well. */
const toFolded = (path: string): string =>
  path.replaceAll(/%[0-9a-f]{2}|[A-Z]+/gi, (part) => {
    const text = /^%(?:4[1-9a-f]|5[0-9a])$/i.test(part) ? decodeURIComponent(part) : part;
    return text.startsWith('%') ? text : text.toLowerCase();
  });
