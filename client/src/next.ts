/**
 * Guards a site of Next.js, on Vercel or on a server of your own: `export const proxy = guardSite(environment, …)`.
 * Promise: an image that Next.js makes smaller, and a page that it sends as data, are asked about by their own address.
 */
import { type EdgeOptions, withoutForged } from './edge/edge.ts';
import type { Known } from './edge/options.ts';
import { putHeaders } from './edge/put-headers.ts';
import type { Environment } from './edge/settings.ts';
import { openSite, type SiteGuard } from './edge/site.ts';
import { isRead, toPlainPath } from './edge/site-files.ts';

/** `NextResponse` of `next/server`. */
interface Next {
  next(init: { request: { headers: Headers } }): Response;
}

interface Event {
  waitUntil(work: Promise<unknown>): void;
}

type Proxy = (request: Request, event?: Event) => Promise<Response>;

/** `options` add to the settings of the environment, and win over them. */
export function guardSite(environment: Environment, next: Next, options: Partial<EdgeOptions> = {}): Proxy {
  let site: SiteGuard | undefined;
  return async (request, event) => {
    // The build loads this file, too: there the settings may be missing.
    site ??= open(environment, options);
    const file = await site.file(request);
    if (file !== undefined) return file;
    if (isBuilt(request)) return next.next({ request: { headers: withoutForged(request).headers } });
    const later = event === undefined ? {} : { later: (work: Promise<unknown>) => event.waitUntil(work) };
    const verdict = await site.check(askedAbout(request), { known: readKnown(environment, request), ...later });
    if (!verdict.allowed) return verdict.toResponse();
    const passed = next.next({ request: { headers: withoutForged(request).headers } });
    putHeaders(
      verdict,
      (name) => passed.headers.get(name),
      (name, value) => passed.headers.set(name, value),
    );
    return passed;
  };
}

const isVercel = (environment: Environment): boolean => environment.VERCEL === '1';

function open(environment: Environment, options: Partial<EdgeOptions>): SiteGuard {
  const origin = options.origin ?? environment.POSTERN_ORIGIN;
  if (!isVercel(environment) && (origin === undefined || origin === '')) {
    throw new TypeError('Set POSTERN_ORIGIN: outside of Vercel, a visitor chooses the host of its request');
  }
  return openSite(environment, { platform: 'next', ...options });
}

/** Vercel overwrites these headers. Elsewhere only the one counts that your own proxy overwrites, its last entry. */
function readKnown(environment: Environment, { headers }: Request): Known {
  if (isVercel(environment)) {
    return {
      ip: headers.get('x-real-ip') ?? undefined,
      country: headers.get('x-vercel-ip-country') ?? undefined,
    };
  }
  const name = environment.POSTERN_IP_HEADER;
  const sent = typeof name === 'string' && name !== '' ? headers.get(name) : null;
  return { ip: sent?.split(',').at(-1)?.trim() };
}

/** Tests for a script or a style of the build, by a path that no route of the site reads as another page. */
function isBuilt(request: Request & { nextUrl?: { pathname: string } }): boolean {
  // Without the `basePath`.
  const path = toPlainPath(request.nextUrl?.pathname ?? new URL(request.url).pathname);
  return isRead(request.method) && path?.startsWith('/_next/static/') === true;
}

/** Data of a page, as Vercel names it. */
const DATA = /(?:\.segments\/.+\.segment)?\.rsc$/;

/** Images that Next.js makes smaller, below any `basePath`. */
const IMAGE = /\/_next\/image\/?$/;

/** Returns the request for what is served by another address. */
function askedAbout(request: Request): Request {
  const url = new URL(request.url);
  const image = IMAGE.test(url.pathname) ? url.searchParams.get('url') : null;
  if (image?.startsWith('/')) return moved(request, new URL(image, url.origin));
  if (!DATA.test(url.pathname)) return request;
  url.pathname = url.pathname.replace(DATA, '').replace(/\/index$/, '/');
  return moved(request, url);
}

/** Another origin is not a page of the site: it is asked about as the image that it is. */
const moved = (request: Request, url: URL): Request =>
  url.origin === new URL(request.url).origin
    ? new Request(url, { method: request.method, headers: request.headers })
    : request;
