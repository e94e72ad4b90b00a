/**
 * Connects Postern's own requests to addresses that others name: webhooks, feeds, key directories. Promise: it connects
 * only to public addresses. A name is resolved once for each connection and every address is checked; environment
 * proxies are ignored.
 */
import { lookup as systemLookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import type { buildConnector } from 'undici';
import { isPublicAddress, NOT_PUBLIC, parseLiteral } from './address.ts';
import { withoutContinue } from './interim.ts';

const CONNECT_TIMEOUT_MS = 10_000;

/** The address is not public; nothing was sent. The message is the same for all: addresses of names stay unknown. */
export class BlockedAddress extends Error {
  constructor() {
    super(`The URL ${NOT_PUBLIC}; nothing was sent.`);
  }
}

/** `allowPrivate` connects to any address, for development. `lookup` is the operating system's resolver by default. */
export const connectorFor = (allowPrivate: boolean, lookup?: LookupFunction): Promise<buildConnector.connector> =>
  allowPrivate ? connector(lookup) : publicConnector(lookup);

async function connector(lookup = systemLookup as LookupFunction): Promise<buildConnector.connector> {
  const { buildConnector: build } = await import('undici');
  const connect = build({ lookup, timeout: CONNECT_TIMEOUT_MS, allowH2: false });
  return (options, callback) =>
    connect(options, (...[error, socket]) => {
      if (error === null) callback(null, withoutContinue(socket));
      else callback(error, null);
    });
}

/** Connects an undici `Agent` to public addresses only; others fail with `BlockedAddress` before any packet is sent. */
export async function publicConnector(lookup = systemLookup as LookupFunction): Promise<buildConnector.connector> {
  const connect = await connector(guarded(lookup));
  return (options, callback) => {
    // An IP literal is never resolved, so it is checked here.
    const literal = parseLiteral(options.hostname);
    if (literal !== undefined && !isPublicAddress(literal)) callback(new BlockedAddress(), null);
    else connect(options, callback);
  };
}

/** Wraps a resolver: refuses a name when one of its addresses is not public. */
function guarded(lookup: LookupFunction): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, found) => {
      if (error !== null) return callback(error, '');
      const addresses = found as unknown as { address: string; family: number }[];
      const [first] = addresses;
      const isPublic = addresses.every(({ address }) => isPublicAddress(address));
      if (!isPublic || first === undefined) callback(new BlockedAddress(), '');
      else if (options.all === true) callback(null, addresses);
      else callback(null, first.address, first.family);
    });
  };
}

/** Describes the failure of a request for people. */
export function describeFailure(error: Error & { code?: string }, timeoutMs: number): string {
  if (error instanceof BlockedAddress) return error.message;
  if (error.cause instanceof BlockedAddress) return error.cause.message;
  if (error.name === 'TimeoutError' || /TIMEOUT|TIMEDOUT/.test(error.code ?? '')) {
    return `No answer within ${timeoutMs / 1000} seconds.`;
  }
  if (error.name === 'AbortError') return 'Postern was stopped before an answer came.';
  return WORDS[error.code ?? ''] ?? `The request failed: ${(error.code ?? error.message).slice(0, 200)}.`;
}

const WORDS: Record<string, string> = {
  ECONNREFUSED: 'The connection was refused: nothing listens there.',
  ECONNRESET: 'The connection was closed before an answer came.',
  UND_ERR_SOCKET: 'The connection was closed before an answer came.',
  ENOTFOUND: 'The name in the URL cannot be resolved.',
  EAI_AGAIN: 'The name in the URL cannot be resolved right now.',
  CERT_HAS_EXPIRED: "The endpoint's TLS certificate has expired.",
  DEPTH_ZERO_SELF_SIGNED_CERT: "The endpoint's TLS certificate is not trusted: it is self-signed.",
  ERR_TLS_CERT_ALTNAME_INVALID: "The endpoint's TLS certificate is for another name.",
};
