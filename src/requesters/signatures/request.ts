/** The parts of a request that a signature may cover (RFC 9421, 2), and the text that is signed. Pure. */
import { type Dictionary, isInnerList, parseDictionary, serializeInnerList, serializeItem } from 'structured-headers';

/** Names in lowercase. Repeated headers are joined, or in an array. */
export type RequestHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/** A request as its sender made it: behind a proxy, the one that the proxy received. */
export interface SignedRequest {
  method: string;
  /** Host and port of the site, as the visitor addressed it. */
  authority: string;
  /** With path and query as they were sent, undecoded. */
  targetUri: string;
  headers: RequestHeaders;
  /** Epoch milliseconds. */
  at: number;
}

/** A covered component: a header, or with `@` a part of the request line. */
export interface Component {
  name: string;
  parameters: ReadonlyMap<string, unknown>;
  /** In the form of the signature base, such as `"signature-agent";key="sig1"`. */
  identifier: string;
  /** The value, where it was read together with the signature. */
  value?: string | undefined;
}

/** Fields beyond this length are neither parsed nor covered. */
const FIELD_LENGTH_MAX = 4096;

/** Returns a header as one line; undefined if it is absent or too long to be worth the work. */
export function readField(headers: RequestHeaders, name: string): string | undefined {
  const value = Object.hasOwn(headers, name) ? headers[name] : undefined;
  if (value === undefined) return undefined;
  const line = (typeof value === 'string' ? value : value.join(', ')).trim();
  return line.length > FIELD_LENGTH_MAX ? undefined : line;
}

/** Returns undefined for text that is not a Dictionary of Structured Fields (RFC 9651). */
export function readDictionary(text: string): Dictionary | undefined {
  try {
    return parseDictionary(text);
  } catch {
    return undefined;
  }
}

const DERIVED = new Set(['@authority', '@target-uri', '@method', '@scheme', '@request-target', '@path', '@query']);

/** Says whether this verifier can find the value of a component. It has no trailers and decodes no `sf` and `bs`. */
export function isSupported({ name, parameters }: Component): boolean {
  const [first, ...more] = parameters.keys();
  if (more.length > 0) return false;
  if (DERIVED.has(name)) return first === undefined;
  if (name === '@query-param') return first === 'name' && typeof parameters.get('name') === 'string';
  if (name.startsWith('@')) return false;
  return first === undefined || (first === 'key' && typeof parameters.get('key') === 'string');
}

/** Returns the value of each supported component; undefined for one that the request lacks. */
export function openValues({ method, authority, targetUri, headers }: SignedRequest) {
  const target = /^([a-z][a-z0-9+.-]*):\/\/[^/?#]*([^?#]*)(\?[^#]*)?$/i.exec(targetUri);
  const scheme = target?.[1]?.toLowerCase();
  const path = target === null ? undefined : target[2] || '/';
  const query = target?.[3] ?? '';
  const host = authority.toLowerCase().replace(scheme === 'http' ? /:80$/ : /:443$/, '');
  const derived: Record<string, string | undefined> = {
    '@method': method,
    '@authority': host,
    '@scheme': scheme,
    '@target-uri': path === undefined ? undefined : `${scheme}://${host}${path}${query}`,
    '@request-target': path === undefined ? undefined : path + query,
    '@path': path,
    '@query': path === undefined ? undefined : query || '?',
  };
  return ({ name, parameters }: Component): string | undefined => {
    if (name === '@query-param') return queryParameter(query, parameters.get('name') as string);
    if (name.startsWith('@')) return derived[name];
    const line = readField(headers, name);
    const key = parameters.get('key') as string | undefined;
    return line === undefined || key === undefined ? line : readDictionaryMember(line, key);
  };
}

export function readDictionaryMember(line: string, key: string): string | undefined {
  const member = readDictionary(line)?.get(key);
  if (member === undefined) return undefined;
  return isInnerList(member) ? serializeInnerList(member) : serializeItem(member);
}

/** Names and values are encoded as in forms, except that a space is `%20` (RFC 9421, 2.2.8). */
function queryParameter(query: string, name: string): string | undefined {
  const [value, ...more] = [...new URLSearchParams(query)].filter(([key]) => encodeForm(key) === name);
  return value === undefined || more.length > 0 ? undefined : encodeForm(value[1]);
}

/** Lone surrogates never come from a parsed query, so encoding cannot throw. */
const encodeForm = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()~]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`);
