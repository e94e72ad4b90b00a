/**
 * One HTTP request to a webhook's endpoint. Promise: it goes to a public address that was checked, and to no other: names
 * are resolved once for each connection, every address is judged, the connection goes to those; redirects are answers,
 * proxies in the environment are not asked. Time and size are bounded.
 */
import { lookup as systemLookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { Agent, buildConnector, request as send } from 'undici';
import { isPublicAddress, literalOf, urlFault } from './destination.ts';

const TIMEOUT_MS = 15_000;
const CONNECT_TIMEOUT_MS = 10_000;
/** What is kept of an answer. */
const KEPT_BYTES = 1024;
/** A longer answer is not read to its end; its connection is given up. */
const READ_BYTES_MAX = 64 * 1024;
const IDLE_MS = 10_000;

export interface Outcome {
  /** null when no answer came. */
  statusCode: number | null;
  durationMs: number;
  error: string | null;
  responseBody: string | null;
  /** The header as it came. */
  retryAfter: string | undefined;
}

export interface Sender {
  /** Never throws: what went wrong is in the outcome. `aborted` ends it before its time. */
  post(url: string, headers: Record<string, string>, body: string, aborted: AbortSignal): Promise<Outcome>;
  close(): Promise<void>;
}

export interface SenderOptions {
  /** For development: any address, http too. */
  allowPrivate: boolean;
  /** How names become addresses; the operating system's way unless a test says otherwise. */
  lookup?: LookupFunction;
}

/** The endpoint leads where no delivery may go. */
class BlockedAddress extends Error {}

export function openSender({ allowPrivate, lookup = systemLookup as LookupFunction }: SenderOptions): Sender {
  const connect = buildConnector({
    lookup: allowPrivate ? lookup : guarded(lookup),
    timeout: CONNECT_TIMEOUT_MS,
    allowH2: false,
  } as buildConnector.BuildOptions);
  const agent = new Agent({
    // An address in the place of a name is never looked up, so it is judged here.
    connect: (options, callback) => {
      const literal = literalOf(options.hostname);
      if (literal !== undefined && !allowPrivate && !isPublicAddress(literal)) callback(blocked(literal), null);
      else connect(options, callback);
    },
    headersTimeout: TIMEOUT_MS,
    bodyTimeout: TIMEOUT_MS,
    keepAliveTimeout: IDLE_MS,
    keepAliveMaxTimeout: IDLE_MS,
  });

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
        // Once more: it may have been made when private addresses were allowed.
        const fault = urlFault(url, allowPrivate);
        if (fault !== undefined) return outcome({ error: `The webhook's URL ${fault}; nothing was sent.` });
        const answer = await send(url, { dispatcher: agent, method: 'POST', headers, body, signal });
        const responseBody = await beginningOf(answer.body);
        const retryAfter = [answer.headers['retry-after'] ?? []].flat()[0];
        return outcome({ statusCode: answer.statusCode, responseBody, retryAfter });
      } catch (error) {
        return outcome({ error: wordsFor(error as Error & { code?: string }) });
      }
    },
    close: () => agent.destroy(),
  };
}

/** A look-up that refuses a name as soon as one of its addresses is not public. */
function guarded(lookup: LookupFunction): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, found) => {
      if (error !== null) return callback(error, '');
      const addresses = found as unknown as { address: string; family: number }[];
      const wrong = addresses.find(({ address }) => !isPublicAddress(address));
      const [first] = addresses;
      if (wrong !== undefined || first === undefined) callback(blocked(wrong?.address ?? hostname), '');
      else if (options.all === true) callback(null, addresses as never);
      else callback(null, first.address, first.family);
    });
  };
}

const blocked = (address: string): BlockedAddress =>
  new BlockedAddress(`The URL leads to ${address}, which is not a public address; nothing was sent.`);

/** The first kilobyte as text. The rest is read away, so that the connection can serve again, or given up. */
async function beginningOf(body: AsyncIterable<Buffer> & { destroy(): unknown }): Promise<string> {
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

function wordsFor(error: Error & { code?: string }): string {
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
  EAI_AGAIN: 'The name in the URL cannot be resolved at the moment.',
  CERT_HAS_EXPIRED: "The endpoint's TLS certificate has expired.",
  DEPTH_ZERO_SELF_SIGNED_CERT: "The endpoint's TLS certificate is not trusted: it is self-signed.",
  ERR_TLS_CERT_ALTNAME_INVALID: "The endpoint's TLS certificate is for another name.",
};
