/**
 * The settings of a server's router. Promise: a router that serves a page in several spellings is recognized, whether
 * its settings are those of the application, of a router in it, or hidden.
 */

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

/** Takes the request of Fastify. */
export function loosenessOfFastify({ server }: { server?: { initialConfig?: unknown } }): Looseness {
  const { routerOptions, ...own } = (server?.initialConfig ?? {}) as FastifySettings;
  return [own, routerOptions ?? {}].map(toLooseness).reduce(either);
}

const toLooseness = ({ caseSensitive, ignoreTrailingSlash }: FastifySettings): Looseness => ({
  ignoresCase: caseSensitive === false,
  ignoresSlash: ignoreTrailingSlash === true,
});

/** Returns the other spellings by which the router may know a path. */
export function otherSpellings(path: string, { ignoresCase, ignoresSlash, capitals }: Looseness): string[] {
  const folded = ignoresCase ? toFolded(path) : path;
  const spelled = ignoresCase ? folded.split('/').map((part) => capitals?.get(part) ?? part) : [];
  const found = spelled.length === 0 ? [folded] : [folded, spelled.join('/')];
  const bare = ignoresSlash ? found.map((one) => (one.length > 1 ? one.replace(/\/$/, '') : one)) : found;
  return [...new Set(bare)].filter((one) => one !== path);
}

/** Changes the case of ASCII letters, escaped ones as well. */
const toFolded = (path: string): string =>
  path.replaceAll(/%[0-9a-f]{2}|[A-Z]+/gi, (part) => {
    const text = /^%(?:4[1-9a-f]|5[0-9a])$/i.test(part) ? decodeURIComponent(part) : part;
    return text.startsWith('%') ? text : text.toLowerCase();
  });
