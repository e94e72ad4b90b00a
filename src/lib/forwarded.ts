/**
 * Reads the addresses that proxies forward, in every form that they send: `203.0.113.9`, `203.0.113.9:50123`,
 * `2001:db8::9`, `[2001:db8::9]:443`, with a zone, in quotes, and `for=…` of RFC 7239. Pure.
 * Promise: the address that is read is the one that the last proxy wrote; nothing further left changes how it is read.
 */
import { contains, formatAddress, parseAddress, type Range } from './ip-range.ts';

/** Where a request comes from; undefined: no proxy said anything. */
export type Origin = { readonly address: string } | { readonly unreadable: string } | undefined;

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** Characters that are kept of an entry that cannot be read. */
const SHOWN_MAX = 64;
/** Longer entries are none that a proxy sends. */
const ENTRY_MAX = 512;

/**
 * Returns the entries of `X-Forwarded-For`, or without it those of `Forwarded`, from the visitor to the last proxy.
 * Entries end at every comma, also at one in quotes: a quote that a visitor opens must not hide what a proxy appended,
 * and no entry with an address has a comma in quotes.
 */
export function forwardedBy(headers: Headers): string[] {
  const named = joinHeader(headers['x-forwarded-for']);
  if (named !== '') return named.split(',');
  const standard = joinHeader(headers.forwarded);
  // An element may have the host or the scheme alone.
  return /\bfor\s*=/i.test(standard) ? standard.split(',') : [];
}

const joinHeader = (value: string | string[] | undefined): string => [value ?? []].flat().join(',').trim();

/**
 * Walks from the right, over trusted proxies, to the first address of another. An entry that cannot be read ends the
 * walk: a trusted proxy wrote it, and nothing vouches for what is before it.
 */
export function findOrigin(entries: readonly string[], trusted: readonly Range[]): Origin {
  for (let i = entries.length - 1; i >= 0; i--) {
    const entry = (entries[i] as string).trim();
    const address = readForwarded(entry);
    if (address === undefined) return { unreadable: entry.slice(0, SHOWN_MAX) };
    if (i === 0 || !isWithin(address, trusted)) return { address };
  }
  return undefined;
}

function isWithin(text: string, ranges: readonly Range[]): boolean {
  const address = parseAddress(text);
  return address !== undefined && ranges.some((range) => contains(range, address));
}

/** Returns the address of one entry in the one form of messages and logs; undefined for one that cannot be read. */
export function readForwarded(entry: string): string | undefined {
  // Nearly all are addresses alone.
  if (parseAddress(entry) !== undefined) return formatAddress(entry);
  if (entry.length > ENTRY_MAX) return undefined;
  const node = entry.includes('=') ? readFor(entry) : unquoted(entry);
  const text = node === undefined ? undefined : bareAddress(node);
  return text === undefined || parseAddress(text) === undefined ? undefined : formatAddress(text);
}

/** A pair of a `Forwarded` element. Proxies also write values with colons and brackets without quotes. */
const PAIR = /^\s*([\w!#$%&'*+.^`|~-]+)\s*=\s*("(?:[^"\\]|\\.)*"|[^\s";,=]+)\s*$/;

/** Returns the value of `for`; undefined unless the element is well formed and has exactly one. */
function readFor(element: string): string | undefined {
  const pairs = element.split(';').map((pair) => PAIR.exec(pair));
  if (pairs.includes(null)) return undefined;
  const values = pairs.filter((pair) => pair?.[1]?.toLowerCase() === 'for');
  return values.length === 1 ? unquoted(values[0]?.[2] ?? '') : undefined;
}

const unquoted = (text: string): string | undefined => {
  if (!text.startsWith('"')) return text;
  return /^"(?:[^"\\]|\\.)*"$/.test(text) ? text.slice(1, -1).replaceAll(/\\(.)/g, '$1').trim() : undefined;
};

const PORT = '(?::(?:\\d{1,5}|_[\\w.-]+))?';
const ZONE = '(?:%[\\w.~%-]+)?';
const BRACKETED = new RegExp(`^\\[([\\da-f:.]+)${ZONE}\\]${PORT}$`, 'i');
/** A dotted IPv4 address, also at the end of an IPv6 address: what follows it can only be a port. */
const DOTTED = new RegExp(`^([\\da-f:]*[\\d.]+)${PORT}$`, 'i');
const ZONED = new RegExp(`^([\\da-f:]+)${ZONE}$`, 'i');

/** Returns the text without brackets, zone and port. */
function bareAddress(node: string): string | undefined {
  const bracketed = BRACKETED.exec(node)?.[1];
  if (bracketed !== undefined) return bracketed.includes(':') ? bracketed : undefined;
  return (node.includes('.') ? (DOTTED.exec(node) ?? ZONED.exec(node)) : ZONED.exec(node))?.[1];
}
