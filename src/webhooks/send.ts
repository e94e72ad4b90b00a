/**
 * Sends one HTTP request to a webhook's endpoint. Promise: it connects only to public addresses. A name is resolved
 * once for each connection and every address is checked; redirects are not followed and environment proxies are
 * ignored. Time and size are bounded.
 */
import { lookup as systemLookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import type { Agent, buildConnector, request } from 'undici';
import { findUrlFault, isPublicAddress, parseLiteral } from './destination.ts';

const TIMEOUT_MS = 15_000;
const CONNECT_TIMEOUT_MS = 10_000;
/** The part of a response body that is kept. */
const KEPT_BYTES = 1024;
/** A longer response is not read to its end; its connection is closed. */
const READ_BYTES_MAX = 64 * 1024;
const IDLE_MS = 10_000;

export interface Outcome {
  /** null without a response. */
  statusCode: number | null;
  durationMs: number;
  error: string | null;
  responseBody: string | null;
  /** The `Retry-After` header as received. */
  retryAfter: string | undefined;
}

export interface Sender {
  /** Never throws: the outcome holds the error. `aborted` cancels the request. */
  post(url: string, headers: Record<string, string>, body: string, aborted: AbortSignal): Promise<Outcome>;
  close(): Promise<void>;
}

export interface SenderOptions {
  /** Accepts http and private addresses, for development. */
  allowPrivate: boolean;
  /** Resolves names; the operating system's resolver by default. */
  lookup?: LookupFunction;
}

/** The address is not public; nothing was sent. */
export class BlockedAddress extends Error {}

export function openSender({ allowPrivate, lookup = systemLookup }: SenderOptions): Sender {
  // undici takes 40 ms to load, which a start without webhooks does without.
  let opened: Promise<{ agent: Agent; send: typeof request }> | undefined;
  async function open(): Promise<{ agent: Agent; send: typeof request }> {
    const undici = await import('undici');
    const agent = new undici.Agent({
      connect: await (allowPrivate ? connector(lookup) : publicConnector(lookup)),
      headersTimeout: TIMEOUT_MS,
      bodyTimeout: TIMEOUT_MS,
      keepAliveTimeout: IDLE_MS,
      keepAliveMaxTimeout: IDLE_MS,
    });
    return { agent, send: undici.request };
  }

  return {
    async post(url, headers, body, aborted) {
      const from = performance.now();
      const outcome = (part: Partial<Outcome>): Outcome => ({
        statusCode: null,
        error: null,
        responseBody: null,
        retryAfter: undefined,
        ...part,
        durationMs: Math.round(performance.now() - from),
      });
      const signal = AbortSignal.any([aborted, AbortSignal.timeout(TIMEOUT_MS)]);
      try {
        // The webhook may have been created while private addresses were allowed.
        const fault = findUrlFault(url, allowPrivate);
        if (fault !== undefined) return outcome({ error: `The webhook's URL ${fault}; nothing was sent.` });
        opened ??= open();
        const { agent, send } = await opened;
        const answer = await send(url, { dispatcher: agent, method: 'POST', headers, body, signal });
        const responseBody = await readBeginning(answer.body);
        const retryAfter = [answer.headers['retry-after'] ?? []].flat()[0];
        return outcome({ statusCode: answer.statusCode, responseBody, retryAfter });
      } catch (error) {
        return outcome({ error: describe(error as Error & { code?: string }) });
      }
    },
    close: async () => (await opened)?.agent.destroy(),
  };
}

const connector = async (lookup: LookupFunction): Promise<buildConnector.connector> =>
  (await import('undici')).buildConnector({ lookup, timeout: CONNECT_TIMEOUT_MS, allowH2: false });

/** Connects an undici `Agent` to public addresses only; others fail with `BlockedAddress` before any packet is sent. */
export async function publicConnector(lookup = systemLookup as LookupFunction): Promise<buildConnector.connector> {
  const connect = await connector(guarded(lookup));
  return (options, callback) => {
    // An IP literal is never resolved, so it is checked here.
    const literal = parseLiteral(options.hostname);
    if (literal !== undefined && !isPublicAddress(literal)) callback(blocked(literal), null);
    else connect(options, callback);
  };
}

/** Wraps a resolver: refuses a name when one of its addresses is not public. */
function guarded(lookup: LookupFunction): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, found) => {
      if (error !== null) return callback(error, '');
      const addresses = found as unknown as { address: string; family: number }[];
      const wrong = addresses.find(({ address }) => !isPublicAddress(address));
      const [first] = addresses;
      if (wrong !== undefined || first === undefined) callback(blocked(wrong?.address ?? hostname), '');
      else if (options.all === true) callback(null, addresses);
      else callback(null, first.address, first.family);
    });
  };
}

const blocked = (address: string): BlockedAddress =>
  new BlockedAddress(`The URL leads to ${address}, which is not a public address; nothing was sent.`);

/** Returns the first kilobyte as text. Drains the rest, so that the connection can be reused, up to a bound. */
async function readBeginning(body: AsyncIterable<Buffer> & { destroy(): unknown }): Promise<string> {
  const kept: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    if (bytes < KEPT_BYTES) kept.push(chunk);
    bytes += chunk.length;
    if (bytes > READ_BYTES_MAX) break;
  }
  // PostgreSQL's text holds no NUL.
  return Buffer.concat(kept).subarray(0, KEPT_BYTES).toString().replaceAll('\0', '\ufffd');
}

function describe(error: Error & { code?: string }): string {
  if (error instanceof BlockedAddress) return error.message;
  if (error.cause instanceof BlockedAddress) return error.cause.message;
  if (error.name === 'TimeoutError' || /TIMEOUT|TIMEDOUT/.test(error.code ?? '')) return 'No answer within 15 seconds.';
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
