/**
 * Fetches a small document from an address that an operator named, such as a key directory. Promise: it connects only
 * to public addresses (`lib/outgoing/connect`), follows no redirect, and is bounded in time and size. Every fetch
 * resolves the name anew.
 */
import type { IncomingHttpHeaders } from 'node:http';
import type { LookupFunction } from 'node:net';
import type { Agent, Dispatcher, request } from 'undici';
import { findUrlFault } from './address.ts';
import { connectorFor, describeFailure } from './connect.ts';
import { tracedRequest } from './span.ts';

export interface GetterOptions {
  userAgent: string;
  /** Accepts http and private addresses, for development. */
  allowPrivate: boolean;
  /** Resolves names; the operating system's resolver by default. */
  lookup?: LookupFunction | undefined;
}

export interface GetOptions {
  /** Media types, for the `Accept` header. */
  accept: string;
  maxBytes: number;
  /** For everything from the look-up of the name to the last byte. */
  timeoutMs: number;
}

/** `error` is undefined for a status of 200 with a body within the bounds. */
export type Fetched =
  | { error?: undefined; headers: IncomingHttpHeaders; body: Buffer }
  | { error: string; status?: number; headers?: IncomingHttpHeaders };

export interface Getter {
  /** Never throws. */
  get(url: string, wanted: GetOptions): Promise<Fetched>;
  /** Aborts fetches in flight. */
  close(): Promise<void>;
}

export function openGetter({ userAgent, allowPrivate, lookup }: GetterOptions): Getter {
  const closed = new AbortController();
  // undici takes 40 ms to load, which a start without fetches does without.
  let opened: Promise<{ agent: Agent; send: typeof request }> | undefined;
  async function open(): Promise<{ agent: Agent; send: typeof request }> {
    const undici = await import('undici');
    // Without pipelining, a connection ends with its request.
    const agent = new undici.Agent({ connect: await connectorFor(allowPrivate, lookup), pipelining: 0 });
    return { agent, send: undici.request };
  }

  return {
    async get(url, { accept, maxBytes, timeoutMs }) {
      if (!URL.canParse(url)) return { error: 'The URL is invalid; nothing was sent.' };
      const fault = findUrlFault(url, allowPrivate);
      if (fault !== undefined) return { error: `The URL ${fault}; nothing was sent.` };
      const signal = AbortSignal.any([closed.signal, AbortSignal.timeout(timeoutMs)]);
      try {
        opened ??= open();
        const { agent, send } = await opened;
        const headers = { accept, 'user-agent': userAgent };
        return await tracedRequest('GET', url, async (answered) => {
          const answer = await send(url, { dispatcher: agent, method: 'GET', headers, signal });
          answered(answer.statusCode);
          return read(answer, maxBytes);
        });
      } catch (error) {
        return { error: describeFailure(error as Error, timeoutMs) };
      }
    },
    async close() {
      closed.abort();
      await (await opened)?.agent.destroy();
    },
  };
}

async function read({ statusCode, headers, body }: Dispatcher.ResponseData, maxBytes: number): Promise<Fetched> {
  const refuse = (error: string): Fetched => {
    body.on('error', () => undefined).destroy();
    return { error, status: statusCode, headers };
  };
  if (statusCode >= 300 && statusCode < 400) {
    return refuse(`It answered with HTTP ${statusCode}; redirects are not followed.`);
  }
  if (statusCode !== 200) return refuse(`It answered with HTTP ${statusCode}.`);
  // No encoding was accepted, so a compressed body is not decoded: its size could be anything.
  if (!/^(identity)?$/.test(String(headers['content-encoding'] ?? ''))) return refuse('The answer is compressed.');
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > maxBytes) return refuse(`The answer is larger than ${maxBytes / 1024} KiB.`);
    chunks.push(chunk);
  }
  return { headers, body: Buffer.concat(chunks) };
}
