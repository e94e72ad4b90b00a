/**
 * Sends one HTTP request to a webhook's endpoint, to public addresses only (`lib/outgoing/connect`). Redirects are not
 * followed; time and size are bounded.
 */
import type { LookupFunction } from 'node:net';
import type { Agent, request } from 'undici';
import { findUrlFault } from '../../lib/outgoing/address.ts';
import { connectorFor, describeFailure } from '../../lib/outgoing/connect.ts';
import { tracedRequest } from '../../lib/outgoing/span.ts';

const TIMEOUT_MS = 15_000;
/** The part of a response body that is kept, unless another is asked for. */
const KEPT_BYTES = 1024;
/** A longer response is not read to its end; its connection is closed. */
const READ_BYTES_MAX = 64 * 1024;
const IDLE_MS = 10_000;

export interface SendOutcome {
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
  post(url: string, headers: Record<string, string>, body: string, aborted: AbortSignal): Promise<SendOutcome>;
  close(): Promise<void>;
}

export interface SenderOptions {
  /** Accepts http and private addresses, for development. */
  allowPrivate: boolean;
  /** Resolves names; the operating system's resolver by default. */
  lookup?: LookupFunction;
  /** The part of a response body that is kept, at most 64 KiB. */
  keptBytes?: number;
}

export function openSender({ allowPrivate, lookup, keptBytes = KEPT_BYTES }: SenderOptions): Sender {
  // undici takes 40 ms to load, which a start without webhooks does without.
  let opened: Promise<{ agent: Agent; send: typeof request }> | undefined;
  async function open(): Promise<{ agent: Agent; send: typeof request }> {
    const undici = await import('undici');
    const agent = new undici.Agent({
      connect: await connectorFor(allowPrivate, lookup),
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
      const outcome = (part: Partial<SendOutcome>): SendOutcome => ({
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
        if (fault !== undefined) return outcome({ error: `The URL ${fault}; nothing was sent.` });
        opened ??= open();
        const { agent, send } = await opened;
        return await tracedRequest('POST', url, async (answered) => {
          const {
            statusCode,
            headers: received,
            body: text,
          } = await send(url, {
            dispatcher: agent,
            method: 'POST',
            headers,
            body,
            signal,
          });
          answered(statusCode);
          const retryAfter = [received['retry-after'] ?? []].flat()[0];
          return outcome({ statusCode, responseBody: await readBeginning(text, keptBytes), retryAfter });
        });
      } catch (error) {
        return outcome({ error: describeFailure(error as Error, TIMEOUT_MS) });
      }
    },
    close: async () => (await opened)?.agent.destroy(),
  };
}

/** Returns the beginning as text. Drains the rest, so that the connection can be reused, up to a bound. */
async function readBeginning(body: AsyncIterable<Buffer> & { destroy(): unknown }, keptBytes: number): Promise<string> {
  const kept: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    if (bytes < keptBytes) kept.push(chunk);
    bytes += chunk.length;
    if (bytes > READ_BYTES_MAX) break;
  }
  // PostgreSQL's text holds no NUL.
  return Buffer.concat(kept).subarray(0, keptBytes).toString().replaceAll('\0', '\ufffd');
}
