/** The address that a request comes from, past trusted proxies. */
import type { FastifyRequest } from 'fastify';
import { contains, formatAddress, parseAddress, type Range } from '../lib/ip-range.ts';

/**
 * Returns the socket's address or, if the peer is a trusted proxy, the first hop of X-Forwarded-For from the right that
 * is not one. A hop that is no address ends the walk, because nothing vouches for what is before it.
 */
export function sourceOf(request: FastifyRequest, trusted: readonly Range[]): string {
  const peer = request.socket.remoteAddress ?? '';
  const hops = trusted.length === 0 ? [] : hopsOf(request);
  return formatAddress(lastHop([...hops, peer], trusted));
}

/** Walks in the same way without the peer, whose key makes its X-Forwarded-For trusted. */
export function visitorOf(request: FastifyRequest, trusted: readonly Range[]): string | undefined {
  const hop = lastHop(hopsOf(request), trusted);
  return parseAddress(hop) === undefined ? undefined : formatAddress(hop);
}

function hopsOf({ headers }: FastifyRequest): string[] {
  const forwarded = [headers['x-forwarded-for'] ?? []].flat().join(',');
  return forwarded === '' ? [] : forwarded.split(',').map((hop) => hop.trim());
}

function lastHop(hops: string[], trusted: readonly Range[]): string {
  const isTrusted = (text: string): boolean => {
    const address = parseAddress(text);
    return address !== undefined && trusted.some((range) => contains(range, address));
  };
  let hop = hops.pop() ?? '';
  while (hops.length > 0 && isTrusted(hop)) hop = hops.pop() as string;
  return hop;
}
