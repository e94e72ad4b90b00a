/**
 * What a proxy asks, read from its request. Promise: what is wanted is told by the proxy alone or not at all. Headers that
 * contradict each other, and URLs that servers read differently, are refused, never guessed.
 */
import { type Locator, parseHost, parseLocator, parseTarget } from '../content/locator.ts';

/** Why a question gets no decision; then access is refused whatever the configuration says. */
export type Unclear =
  | 'no_url'
  | 'conflicting_urls'
  | 'unreadable_url'
  | 'ambiguous_content'
  | 'unreadable_user_agent'
  | 'ambiguous_requester'
  | 'invalid_requester';

/** What is wanted. Without a host it can only be named by an externalId. */
export type Target = Omit<Locator, 'host'> & { host: string | undefined };

/** The visitor's request as its proxy tells of it. */
export interface Told {
  headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The visitor's path and query, where the proxy appended them to our path. */
  suffix: string | undefined;
  /** Of the site, when the proxy is set up for one; then no host of a request counts. */
  origin: string | undefined;
}

export function targetOf({ headers, suffix, origin }: Told): Target | Unclear {
  const told =
    suffix === undefined ? ['x-original-uri', 'x-forwarded-uri'].map((name) => one(headers[name])) : [suffix];
  const given = told.filter((text) => text !== undefined);
  const [first] = given;
  if (first === undefined) return 'no_url';
  if (given.some((text) => text !== first)) return 'conflicting_urls';
  // Names of two hosts, joined by a comma, are none.
  const named =
    origin?.replace(/^https?:\/\/|\/$/gi, '') ??
    one(headers['x-forwarded-host']) ??
    (suffix === undefined ? undefined : one(headers.host));
  const host = named === undefined ? undefined : parseHost(named);
  if (named !== undefined && host === undefined) return 'unreadable_url';
  if (first.startsWith('/')) {
    const target = parseTarget(first);
    return target === undefined ? 'unreadable_url' : { host, ...target };
  }
  const locator = parseLocator(first);
  if (locator === undefined || !isPlain(first)) return 'unreadable_url';
  return host !== undefined && host !== locator.host ? 'conflicting_urls' : locator;
}

const one = (value: string | string[] | undefined): string | undefined => (Array.isArray(value) ? value.join() : value);

/** Parsing an absolute URL resolves what servers read differently: it must have been the same before. */
function isPlain(url: string): boolean {
  const target = /^https?:\/\/[^/?#\\]+(\/[^]*)?$/i.exec(url)?.[1];
  return target === undefined ? false : parseTarget(target) !== undefined;
}
