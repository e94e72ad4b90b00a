/**
 * Decides which addresses the requests of Postern may reach: public ones only, so a URL that others name cannot probe
 * its network. Pure.
 * Sources: the IANA special-purpose address registries (RFC 6890) and the metadata addresses of hosting providers.
 */
import { contains, type IpAddress, parseAddress, parseRange, type Range } from '../ip-range.ts';

const ranges = (texts: readonly string[]): Range[] =>
  texts.map((text) => {
    const range = parseRange(text);
    if (range === undefined) throw new Error(`no range: ${text}`);
    return range;
  });

/** All other IPv4 addresses are public. */
const NOT_PUBLIC_V4 = ranges([
  '0.0.0.0/8', // this network
  '10.0.0.0/8', // private
  '100.64.0.0/10', // shared (carriers, some clouds' metadata)
  '127.0.0.0/8', // loopback
  '168.63.129.16', // a cloud's own platform
  '169.254.0.0/16', // link-local, metadata
  '172.16.0.0/12', // private
  '192.0.0.0/24', // protocol assignments, metadata
  '192.0.2.0/24', // documentation
  '192.88.99.0/24', // 6to4 relays
  '192.168.0.0/16', // private
  '198.18.0.0/15', // benchmarking
  '198.51.100.0/24', // documentation
  '203.0.113.0/24', // documentation
  '224.0.0.0/4', // multicast
  '240.0.0.0/4', // reserved, broadcast
]);

/** IPv6 is public only in this block, */
const PUBLIC_V6 = ranges(['2000::/3']);
/** except in these. */
const NOT_PUBLIC_V6 = ranges([
  '2001::/23', // protocol assignments: Teredo, benchmarking, ORCHID
  '2001:db8::/32', // documentation
  '2002::/16', // 6to4
  '2620:4f:8000::/48', // AS112
  '3fff::/20', // documentation
]);

/** Returns false also for text that is not an address, and for every `::ffff:a.b.c.d`. */
export function isPublicAddress(text: string): boolean {
  const address = parseAddress(text);
  if (address === undefined || (address.family === 4 && text.includes(':'))) return false;
  const within = (all: readonly Range[]): boolean => all.some((range) => contains(range, address satisfies IpAddress));
  return address.family === 4 ? !within(NOT_PUBLIC_V4) : within(PUBLIC_V6) && !within(NOT_PUBLIC_V6);
}

/** The fault of every URL that leads elsewhere. It names no address, which would map the network of Postern. */
export const NOT_PUBLIC = 'must lead to a public address';

/** Names reserved for the machine or its network (RFC 6761, RFC 6762, RFC 8375, ICANN). */
const LOCAL_NAME = /(^|\.)(localhost|local|internal|home\.arpa|localdomain)\.?$/;

/**
 * Returns why Postern sends nothing to a URL, or undefined. Checks the text only: the addresses of a name are checked
 * at each connection. `allowPrivate` accepts http and private addresses.
 */
export function findUrlFault(text: string, allowPrivate: boolean): string | undefined {
  const url = new URL(text);
  if (url.username !== '' || url.password !== '') return 'must not carry a user name or password';
  if (allowPrivate) return undefined;
  if (url.protocol !== 'https:') return 'must be an https URL';
  const literal = parseLiteral(url.hostname);
  const isBlocked = literal === undefined ? LOCAL_NAME.test(url.hostname) : !isPublicAddress(literal);
  return isBlocked ? NOT_PUBLIC : undefined;
}

/** Returns an IP literal without brackets; undefined for a name. */
export function parseLiteral(hostname: string): string | undefined {
  const plain = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
  return parseAddress(plain) === undefined ? undefined : plain;
}
