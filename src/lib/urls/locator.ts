/**
 * Locators: host, path and query of a URL in one spelling, by which the URL that a proxy was asked for finds its item.
 * Promise: two spellings that a web server may take for the same file have the same locator or none. Paths that servers
 * read differently (dot segments, empty segments, encoded slashes, double encoding) have none and find nothing.
 */
import { hash } from 'node:crypto';

export interface Locator {
  /** In lowercase, with its port unless that is 80 or 443. The scheme does not count. */
  host: string;
  /** Decoded; starts with a slash. */
  path: string;
  /** Not decoded, without the question mark. */
  query: string;
}

/** Encoded slashes and backslashes. */
const DECEPTIVE = /%(?:2f|5c)/i;
/** Escapes that remain after decoding once: the path was encoded twice. */
const ENCODED = /%(?:[0-9a-f]{2}|u[0-9a-f]{4})/i;

/** Returns the decoded path, or undefined when servers may disagree about it. */
export function parsePath(raw: string): string | undefined {
  if (!/^\/[\x21-\x7e]*$/.test(raw) || /[\\#?]/.test(raw) || DECEPTIVE.test(raw)) return undefined;
  const path = decoded(raw);
  if (path === undefined || /\p{Cc}/u.test(path) || ENCODED.test(path)) return undefined;
  return isPlainPath(path) ? path : undefined;
}

const ODD_SEGMENT = /\/(?:\.\.?)?\/|\/\.\.?$/;

/** Returns whether no server resolves a segment of a decoded path: none is empty, or made of dots. */
export function isPlainPath(path: string): boolean {
  return !ODD_SEGMENT.test(path);
}

function decoded(raw: string): string | undefined {
  try {
    return decodeURIComponent(raw);
  } catch {
    return undefined;
  }
}

/** Parses the value of a Host header; undefined when it is no host. */
export function parseHost(text: string): string | undefined {
  if (!/^[\w.:[\]-]{1,260}$/.test(text) || !URL.canParse(`http://${text}/`)) return undefined;
  const { hostname, port } = new URL(`http://${text}/`);
  const name = hostname.replace(/\.$/, '');
  // Servers may drop all dots at the end, or one.
  if (name === '' || name.endsWith('.')) return undefined;
  return port === '' || port === '443' ? name : `${name}:${port}`;
}

/** Parses a host that people write: a name in another script is the one in its `xn--` form. */
export function parseNamedHost(text: string): string | undefined {
  if (!/^[\p{L}\p{M}\p{N}\w.。．｡:[\]-]{1,260}$/u.test(text)) return undefined;
  if (/^\p{ASCII}*$/u.test(text)) return parseHost(text);
  const url = `http://${text}/`;
  return URL.canParse(url) ? parseHost(new URL(url).host) : undefined;
}

const LABEL = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/;
const NAME_MAX = 253;

/** Returns whether something can be served at a host in its one spelling: URL parsers also accept names such as `-`. */
export function isServable(host: string): boolean {
  const [, name = '', port] = /^(.*?)(?::(\d+))?$/.exec(host) ?? [];
  if (port === '0') return false;
  return /^\[.*\]$/.test(name) || (name.length <= NAME_MAX && name.split('.').every((label) => LABEL.test(label)));
}

/** Parses a request target: a path and perhaps a query. */
export function parseTarget(target: string): Pick<Locator, 'path' | 'query'> | undefined {
  const mark = target.indexOf('?');
  const path = parsePath(mark === -1 ? target : target.slice(0, mark));
  const query = mark === -1 ? '' : target.slice(mark + 1);
  // Clients never send a fragment; some servers would read one as part of the query.
  return path === undefined || !/^[\x21-\x7e]*$/.test(query) || query.includes('#') ? undefined : { path, query };
}

/** Parses an absolute http or https URL, such as an item's `source`. */
export function parseLocator(url: string): Locator | undefined {
  const plain = parsePlain(url);
  if (plain !== null) return plain;
  if (!URL.canParse(url)) return undefined;
  const { protocol, host, pathname, search } = new URL(url);
  const known = protocol === 'http:' || protocol === 'https:' ? parseHost(host) : undefined;
  const target = parseTarget(pathname + search);
  return known === undefined || target === undefined ? undefined : { host: known, ...target };
}

/**
 * A URL in the one spelling already, as most are: a name that ends in a word, and characters that stand for themselves.
 * Parsing it any further takes ten times as long, and edits of collections do so for every item.
 */
const PLAIN_URL =
  /^https?:\/\/((?:[a-z0-9-]{1,63}\.){1,30}[a-z]{2,63})(\/[\w\-.~!$&()*+,;=:@/]*)(?:\?([\w\-.~!$&()*+,;=:@/?]*))?$/;
/** Segments that begin with a dot, and labels in another script. */
const RESOLVED = /\/\.|xn--/;

/** Returns null unless the URL is in the one spelling. */
function parsePlain(url: string): Locator | undefined | null {
  const [all, host, path, query = ''] = PLAIN_URL.exec(url) ?? [];
  if (all === undefined || host === undefined || path === undefined || RESOLVED.test(url)) return null;
  return isPlainPath(path) ? { host, path, query } : undefined;
}

/**
 * Parses a URL as a visitor pastes it: its fragment is dropped, and characters beyond ASCII are encoded. Unlike
 * `parseLocator`, it refuses what URL parsers resolve, such as `..`: a server may resolve it differently.
 */
export function parseVisited(url: string): Locator | undefined {
  const plain = parsePlain(url);
  if (plain !== null) return plain;
  const [, origin = '', authority = '', rest = ''] = /^(https?:\/\/([^/?#\\@]+))(?=[/?#]|$)([^#]*)/i.exec(url) ?? [];
  if (authority === '' || !rest.isWellFormed()) return undefined;
  const host = PLAIN_AUTHORITY.test(authority) ? hostOfOrigin(origin) : hostOf(url);
  if (host === undefined) return undefined;
  const encoded = rest.replaceAll(/\P{ASCII}+/gu, encodeURIComponent);
  const target = parseTarget(encoded.startsWith('/') ? encoded : `/${encoded}`);
  return target === undefined ? undefined : { host, ...target };
}

/** Nothing of it is dropped or ended by what follows. */
const PLAIN_AUTHORITY = /^[\w.:[\]-]{1,260}$/;
const ORIGINS_MAX = 1_000;
/** Hosts by origin: parsing takes longer than a check's rules, and most visitors ask for few hosts. */
const hosts = new Map<string, string | undefined>();

function hostOfOrigin(origin: string): string | undefined {
  const known = hosts.get(origin);
  if (known !== undefined || hosts.has(origin)) return known;
  if (hosts.size >= ORIGINS_MAX) hosts.clear();
  const host = hostOf(`${origin}/`);
  hosts.set(origin, host);
  return host;
}

const hostOf = (url: string): string | undefined => (URL.canParse(url) ? parseHost(new URL(url).host) : undefined);

export interface LocatorKeys {
  /** Digest of host and path. */
  path: string;
  /** Digest of the query; empty without one. */
  query: string;
}

/** Returns the digests that the store looks up; URLs are too long for an index. */
export const toLocatorKeys = ({ host, path, query }: Locator): LocatorKeys => ({
  path: digest(host + path),
  query: query === '' ? '' : digest(query),
});

const digest = (text: string): string => hash('sha256', text, 'base64url');
