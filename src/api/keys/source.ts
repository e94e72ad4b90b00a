/** The address that a request comes from, past trusted proxies. */
import type { FastifyRequest } from 'fastify';
import { findOrigin, forwardedBy, type Origin } from '../../lib/forwarded.ts';
import type { Range } from '../../lib/ip-range.ts';

/**
 * Returns the socket's address or, if the peer is a trusted proxy, the first address from the right that is not one in
 * what it forwards; undefined for a connection that has no address, or is closed.
 */
export function findSource(request: FastifyRequest, trusted: readonly Range[]): Origin {
  const peer = request.socket.remoteAddress;
  if (peer === undefined) return undefined;
  const entries = trusted.length === 0 ? [] : forwardedBy(request.headers);
  return findOrigin([...entries, peer], trusted);
}

/** Walks in the same way without the peer, whose key makes what it forwards trusted. */
export const findVisitorOrigin = ({ headers }: FastifyRequest, trusted: readonly Range[]): Origin =>
  findOrigin(forwardedBy(headers), trusted);
