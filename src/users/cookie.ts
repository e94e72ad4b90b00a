/** Cookies that scripts cannot read. */
import type { FastifyRequest } from 'fastify';

export function cookieOf({ headers }: Pick<FastifyRequest, 'headers'>, wanted: string): string | undefined {
  for (const pair of headers.cookie?.split(';') ?? []) {
    const [name, value = ''] = pair.trim().split('=', 2);
    if (name === wanted) return value;
  }
  return undefined;
}

interface Cookie {
  name: string;
  value: string;
  path: string;
  sameSite: 'Strict' | 'Lax';
  /** 0 deletes it. */
  maxAgeSeconds: number;
  /** The browser's scheme counts, not that of a proxy in between. */
  origin: string | undefined;
}

export function toCookie({ name, value, path, sameSite, maxAgeSeconds, origin }: Cookie): string {
  const secure = origin?.startsWith('https:') === true ? '; Secure' : '';
  return `${name}=${value}; Path=${path}; HttpOnly; SameSite=${sameSite}; Max-Age=${maxAgeSeconds}${secure}`;
}
