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

/** The parts of a request that guards of Node's servers use, so that none of their types is needed. */
export interface NodeRequest {
  method?: string | undefined;
  url?: string | undefined;
  /** The target before any middleware changed it. */
  originalUrl?: string;
  headers: Readonly<Record<string, string | string[] | undefined>>;
}

export function visitOfFetch(request: Request): Visit {
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

export function visitOfNode(request: NodeRequest): Visit {
  const { authority, target } = readTarget(request.originalUrl ?? request.url ?? '/');
  const mark = target.indexOf('?');
  const host = hostOf(request);
  return {
    method: request.method ?? 'GET',
    path: mark === -1 ? target : target.slice(0, mark),
    query: new URLSearchParams(mark === -1 ? '' : target.slice(mark + 1)),
    search: mark === -1 ? '' : target.slice(mark),
    // Two names contradict each other: then the host is not known.
    host: authority === undefined || authority === host?.toLowerCase() ? host : undefined,
    header(name) {
      const value = request.headers[name.toLowerCase()];
      return Array.isArray(value) ? value.join(', ') : value;
    },
    request,
  };
}

const ABSOLUTE = /^https?:\/\/([^/?#]*)([^]*)$/i;

/** Routers take an absolute target by its path, and `*` as a path of that name. */
function readTarget(sent: string): { authority: string | undefined; target: string } {
  const [, authority, rest = sent] = ABSOLUTE.exec(sent) ?? [];
  return { authority: authority?.toLowerCase(), target: rest.startsWith('/') ? rest : `/${rest}` };
}

function hostOf({ headers }: NodeRequest): string | undefined {
  const host = headers.host ?? headers[':authority'];
  return Array.isArray(host) ? host.join() : host;
}

/** Tests for a CORS preflight: a browser's question about the request that would follow. */
export const isPreflight = ({ method, header }: Visit): boolean =>
  method === 'OPTIONS' && header('origin') !== undefined && header('access-control-request-method') !== undefined;
