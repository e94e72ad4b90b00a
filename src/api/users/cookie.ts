/** Cookies that scripts cannot read. */
import type { FastifyRequest } from 'fastify';

/**
 * Browsers take a cookie with this prefix only over HTTPS, from the host itself and for all paths. So neither another
 * host of the domain nor an attacker on the network can plant one (RFC 6265bis, 4.1.3).
 */
const HOST = '__Host-';

const isHttps = (origin: string | undefined): boolean => origin?.startsWith('https:') === true;

/** The cookie with the prefix comes first. One without it was set over plain HTTP, for development. */
export function findCookie({ headers }: Pick<FastifyRequest, 'headers'>, wanted: string): string | undefined {
  const cookies = new Map<string, string>();
  for (const pair of headers.cookie?.split(';') ?? []) {
    const [name = '', value = ''] = pair.trim().split('=', 2);
    if (!cookies.has(name)) cookies.set(name, value);
  }
  return cookies.get(HOST + wanted) ?? cookies.get(wanted);
}

interface Cookie {
  name: string;
  value: string;
  /** Over plain HTTP; over HTTPS the cookie is for all paths, as its prefix demands. */
  path: string;
  sameSite: 'Strict' | 'Lax';
  /** 0 deletes it. */
  maxAgeSeconds: number;
  /** The browser's scheme counts, not that of a proxy in between. */
  origin: string | undefined;
}

export function toCookie({ name, value, path, sameSite, maxAgeSeconds, origin }: Cookie): string {
  const rest = `HttpOnly; SameSite=${sameSite}; Max-Age=${maxAgeSeconds}`;
  return isHttps(origin)
    ? `${HOST}${name}=${value}; Path=/; ${rest}; Secure`
    : `${name}=${value}; Path=${path}; ${rest}`;
}
