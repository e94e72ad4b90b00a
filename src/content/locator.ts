/**
 * Where an item is served: host and path of a URL in one spelling, so that an item is found by whatever a proxy was asked
 * for. Promise: two spellings that a web server may take for the same file have either the same locator or none. What
 * servers read differently (dot segments, empty segments, encoded slashes, double encoding) has none: it finds nothing.
 */
import { createHash } from 'node:crypto';

export interface Locator {
  /** In lower case, with its port unless it is that of http or https. The scheme does not count. */
  host: string;
  /** Decoded, beginning with a slash. */
  path: string;
  /** As it was sent, without the question mark. */
  query: string;
}

/** Encoded slashes and backslashes; a percent sign that is there to be decoded twice. */
const DECEPTIVE = /%(?:2f|5c|25[0-9a-f]{2})/i;

/** The path as a file would be named, or undefined when servers may disagree about it. */
export function parsePath(raw: string): string | undefined {
  if (!/^\/[\x21-\x7e]*$/.test(raw) || /[\\#?]/.test(raw) || DECEPTIVE.test(raw)) return undefined;
  const path = decoded(raw);
  if (path === undefined || /\p{Cc}/u.test(path)) return undefined;
  const segments = path.slice(1).split('/');
  const isOdd = (segment: string, i: number): boolean =>
    segment === '.' || segment === '..' || (segment === '' && i < segments.length - 1);
  return segments.some(isOdd) ? undefined : path;
}

function decoded(raw: string): string | undefined {
  try {
    return decodeURIComponent(raw);
  } catch {
    return undefined;
  }
}

/** A host as a Host header has it, in the spelling of locators; undefined when it is none. */
export function parseHost(text: string): string | undefined {
  if (!/^[\w.:[\]-]{1,260}$/.test(text) || !URL.canParse(`http://${text}/`)) return undefined;
  const { hostname, port } = new URL(`http://${text}/`);
  const name = hostname.replace(/\.$/, '');
  if (name === '') return undefined;
  return port === '' || port === '443' ? name : `${name}:${port}`;
}

/** Of a target as requests carry it: a path and perhaps a query. */
export function parseTarget(target: string): Pick<Locator, 'path' | 'query'> | undefined {
  const mark = target.indexOf('?');
  const path = parsePath(mark === -1 ? target : target.slice(0, mark));
  const query = mark === -1 ? '' : target.slice(mark + 1);
  // A fragment is never sent; what follows the mark is read by some and not by others.
  return path === undefined || !/^[\x21-\x7e]*$/.test(query) || query.includes('#') ? undefined : { path, query };
}

/** Of an absolute http or https URL, such as an item's `source`. */
export function parseLocator(url: string): Locator | undefined {
  if (!URL.canParse(url)) return undefined;
  const { protocol, host, pathname, search } = new URL(url);
  const known = protocol === 'http:' || protocol === 'https:' ? parseHost(host) : undefined;
  const target = parseTarget(pathname + search);
  return known === undefined || target === undefined ? undefined : { host: known, ...target };
}

export interface LocatorKeys {
  /** Of host and path. */
  path: string;
  /** Of the query; empty without one. */
  query: string;
}

/** As the store looks it up: digests, because URLs have no useful bound. */
export const keysOf = ({ host, path, query }: Locator): LocatorKeys => ({
  path: digest(host + path),
  query: query === '' ? '' : digest(query),
});

const digest = (text: string): string => createHash('sha256').update(text).digest('base64url');
