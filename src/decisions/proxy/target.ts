/**
 * The target of a visitor's request, read from what the proxy alone says. Headers that contradict each other, and URLs
 * that servers read differently, are refused, never guessed.
 */

import { type Locator, parseHost, parseLocator, parseTarget } from '../../lib/urls/locator.ts';
import type { UnclearVisitor } from '../visitors/visitors.ts';

/** The reasons why a request gets no decision. Access is then refused under every configuration. */
export type Unclear =
  | 'no_url'
  | 'conflicting_urls'
  | 'unreadable_url'
  | 'ambiguous_content'
  | UnclearVisitor
  | 'invalid_requester';

/** The visitor's request as its proxy passes it on. */
export interface Forwarded {
  headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The visitor's path and query, where the proxy appended them to our path. */
  suffix: string | undefined;
  /** The site's origin, where the proxy is configured for one; then hosts in headers are ignored. */
  origin: string | undefined;
}

/** Returns the address, with an empty host where none is known. */
export function readTarget(forwarded: Forwarded): Locator | Unclear {
  const url = readUrl(forwarded);
  if (url === undefined) return 'no_url';
  if (url === null) return 'conflicting_urls';
  const named = readHost(forwarded);
  const host = named === undefined ? undefined : parseHost(named);
  if (named !== undefined && host === undefined) return 'unreadable_url';
  return url.startsWith('/') ? toLocator(url, host) : readAbsolute(url, host);
}

function toLocator(url: string, host = ''): Locator | Unclear {
  const target = parseTarget(url);
  return target === undefined ? 'unreadable_url' : { host, ...target };
}

function readAbsolute(url: string, host: string | undefined): Locator | Unclear {
  const locator = parseLocator(url);
  if (locator === undefined || !isPlain(url)) return 'unreadable_url';
  return host !== undefined && host !== locator.host ? 'conflicting_urls' : locator;
}

/** Returns the URL as the visitor sent it, undecoded. `target` must have been read from the same headers. */
export function readSentUrl(forwarded: Forwarded, { host }: Locator): string {
  const url = readUrl(forwarded) ?? '/';
  const scheme = forwarded.origin?.split(':', 1)[0] ?? toText(forwarded.headers['x-forwarded-proto']) ?? 'https';
  return url.startsWith('/') ? `${scheme}://${host}${url}` : url;
}

/**
 * Returns the method of the visitor's request; undefined where the proxy does not say it, or says two. `own`: that of
 * the proxy's request, which is the visitor's where the path follows ours.
 */
export function readMethod({ headers, suffix }: Forwarded, own: string): string | undefined {
  if (suffix !== undefined) return own;
  const forwarded = toText(headers['x-forwarded-method']);
  const original = toText(headers['x-original-method']);
  return forwarded === undefined || original === undefined || forwarded === original
    ? (forwarded ?? original)
    : undefined;
}

/** Returns the URL as the proxy names it, often without the host; undefined without one. */
export const readNamedUrl = (forwarded: Forwarded): string | undefined => readUrl(forwarded) ?? undefined;

/** Returns null when two headers differ. */
function readUrl({ headers, suffix }: Forwarded): string | null | undefined {
  if (suffix !== undefined) return suffix;
  const original = toText(headers['x-original-uri']);
  const forwarded = toText(headers['x-forwarded-uri']);
  if (original !== undefined && forwarded !== undefined && original !== forwarded) return null;
  return original ?? forwarded;
}

/** Several hosts come joined by a comma, which no host parses. */
function readHost({ headers, suffix, origin }: Forwarded): string | undefined {
  return (
    origin?.replace(/^https?:\/\/|\/$/gi, '') ??
    toText(headers['x-forwarded-host']) ??
    (suffix === undefined ? undefined : toText(headers.host))
  );
}

const toText = (value: string | string[] | undefined): string | undefined =>
  Array.isArray(value) ? value.join() : value;

/** Returns whether a URL's path means the same to all servers; parsing has already resolved where they differ. */
function isPlain(url: string): boolean {
  const target = /^https?:\/\/[^/?#\\]+(\/[^]*)?$/i.exec(url)?.[1];
  return target === undefined ? false : parseTarget(target) !== undefined;
}
