/**
 * Sends requests and retries them. Promise: a write is retried only under the same idempotency key, so it takes effect
 * once; no call waits longer than its options allow; the caller's signal ends it at once.
 */
import { baseOf, type Incoming, isFine, toError, unreachable, within } from './edge/attempt.ts';
import { PosternError, PosternUnreachable } from './errors.ts';
import type { CallOptions } from './types.ts';

export interface ConnectionOptions {
  /** Where the service answers, such as `https://postern.example.com`. */
  url: string;
  /** An API key. */
  key: string;
  /** Milliseconds for each attempt; 10,000 by default. */
  timeoutMs?: number;
  /** Attempts after the first; 2 by default. */
  retries?: number;
  /** Ends every request that has no signal of its own. */
  signal?: AbortSignal;
  /** Another `fetch`. */
  fetch?: typeof fetch;
}

/** A connection whose requests may carry something other than a key, such as the session of a browser. */
export interface TransportOptions extends Omit<ConnectionOptions, 'url' | 'key'> {
  /** Absent: the origin of the page. */
  url?: string;
  key?: string;
  /** Headers of every request. */
  headers?: Readonly<Record<string, string>>;
}

export interface Connection {
  send(request: Outgoing, options?: CallOptions): Promise<Incoming>;
  /** Resolves when the answer begins; never retries. Throws as `send` does. */
  open(request: Outgoing, options?: CallOptions): Promise<Response>;
}

export interface Outgoing {
  method: string;
  /** With its query. */
  path: string;
  body?: unknown;
  accept?: string;
  /** The header of the key, if not `Authorization`. */
  keyHeader?: string;
  /** Statuses that count as answers, besides success. */
  alsoFine?: readonly number[];
}

const TIMEOUT_MS = 10_000;
const RETRIES = 2;
const FIRST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 5_000;
/** A longer Retry-After is returned to the caller as an error. */
const LONGEST_WAIT_MS = 30_000;
const TEMPORARY = new Set([408, 429, 500, 502, 503, 504]);
const SAFE = new Set(['GET', 'HEAD', 'PUT', 'DELETE']);

/** A request with the options of its call. */
interface Sending {
  request: Outgoing;
  options: CallOptions & { timeoutMs: number };
  idempotencyKey: string | undefined;
}

export function connect(connection: TransportOptions): Connection {
  const base = connection.url === undefined ? '' : baseOf(connection.url);
  // Looks the global up for each request, so that a later replacement counts.
  const call: typeof fetch = connection.fetch ?? ((input, init) => fetch(input, init));

  const start = ({ request, options, idempotencyKey }: Sending, signal: AbortSignal | undefined): Promise<Response> =>
    call(base + request.path, {
      method: request.method,
      headers: {
        ...headersOf(request, options, idempotencyKey, connection.headers),
        ...credentials(connection, request),
      },
      ...(request.body === undefined ? {} : { body: textOf(request.body) }),
      // A redirect must not carry the key elsewhere.
      redirect: 'manual',
      ...(signal && { signal }),
    });

  /** Returns the answer or the failure. Throws the reason of the caller's signal. */
  async function attempt(sending: Sending, made: number): Promise<Incoming | PosternError | PosternUnreachable> {
    const { request, options } = sending;
    try {
      const get = async (signal?: AbortSignal): Promise<Incoming> => toIncoming(await start(sending, signal));
      const answer = await within(options.timeoutMs, get, endingWith(options.signal));
      return isFine(answer.status) || request.alsoFine?.includes(answer.status) === true ? answer : toError(answer);
    } catch (error) {
      return failureOf(error, options.signal, made);
    }
  }

  return {
    async send(request, own = {}) {
      const sending = toSending(connection, request, own);
      const isRepeatable = SAFE.has(request.method) || sending.idempotencyKey !== undefined;
      const retries = isRepeatable ? (own.retries ?? connection.retries ?? RETRIES) : 0;
      for (let made = 1; ; made++) {
        const outcome = await attempt(sending, made);
        if (!(outcome instanceof Error)) return outcome;
        if (made > retries || !isTemporary(outcome)) throw outcome;
        const waitMs = pauseMs(made, outcome instanceof PosternError ? outcome.retryAfter : undefined);
        if (waitMs > LONGEST_WAIT_MS) throw outcome;
        await pause(waitMs, sending.options.signal);
      }
    },

    async open(request, own = {}) {
      const sending = { ...toSending(connection, request, own), idempotencyKey: undefined };
      const { signal: outer, timeoutMs } = sending.options;
      // The time limit applies only until the answer begins: a stream has no end.
      const ending = new AbortController();
      const end = (): void => ending.abort(outer?.reason);
      outer?.addEventListener('abort', end, { once: true });
      try {
        const get = async (signal: AbortSignal | undefined): Promise<Response> => {
          signal?.addEventListener('abort', () => ending.abort(signal.reason), { once: true });
          const begun = await start(sending, ending.signal);
          if (isFine(begun.status)) return begun;
          throw toError(await toIncoming(begun));
        };
        return await within(timeoutMs, get, endingWith(outer));
      } catch (error) {
        outer?.removeEventListener('abort', end);
        throw error instanceof PosternError ? error : failureOf(error, outer, 1);
      }
    },
  };
}

const toIncoming = async (response: Response): Promise<Incoming> => ({
  status: response.status,
  headers: response.headers,
  text: await response.text(),
});

/** Stops an attempt with the caller's signal. Throws its reason if it has ended. */
const endingWith = (signal: AbortSignal | undefined) => {
  signal?.throwIfAborted();
  return (stop: (reason: unknown) => void): (() => void) => {
    const end = (): void => stop(signal?.reason);
    signal?.addEventListener('abort', end, { once: true });
    return () => signal?.removeEventListener('abort', end);
  };
};

const toSending = (connection: TransportOptions, request: Outgoing, own: CallOptions): Sending => ({
  request,
  options: { signal: connection.signal, timeoutMs: connection.timeoutMs ?? TIMEOUT_MS, ...defined(own) },
  idempotencyKey: keyOf(request, own),
});

/** The failure of a request without an answer. Throws the reason of the caller's signal. */
function failureOf(error: unknown, signal: AbortSignal | undefined, made: number): PosternUnreachable {
  if (signal?.aborted === true) throw signal.reason;
  return unreachable(error, made);
}

/** The options that are set: an explicit undefined does not hide a default. */
const defined = (options: CallOptions): CallOptions =>
  Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));

/** A text is CSV; every other body is JSON. */
const textOf = (body: unknown): string => (typeof body === 'string' ? body : JSON.stringify(body));

const headersOf = (
  request: Outgoing,
  options: CallOptions,
  idempotencyKey: string | undefined,
  always: Readonly<Record<string, string>> | undefined,
): Record<string, string> => ({
  accept: request.accept ?? 'application/json',
  ...(request.body === undefined
    ? {}
    : { 'content-type': typeof request.body === 'string' ? 'text/csv' : 'application/json' }),
  ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
  ...(options.ifMatch === undefined ? {} : { 'if-match': options.ifMatch }),
  ...always,
  ...options.headers,
});

function credentials({ key }: TransportOptions, { keyHeader }: Outgoing): Record<string, string> {
  if (key === undefined) return {};
  return keyHeader === undefined ? { authorization: `Bearer ${key}` } : { [keyHeader]: key };
}

function keyOf({ method }: Outgoing, { idempotencyKey }: CallOptions): string | undefined {
  if (idempotencyKey === false || (method !== 'POST' && method !== 'PATCH')) return undefined;
  return idempotencyKey ?? newIdempotencyKey();
}

/** Returns a random key. A page loaded over plain HTTP has no crypto.randomUUID. */
export const newIdempotencyKey = (): string => crypto.getRandomValues(new Uint8Array(16)).join('.');

const isTemporary = (failure: PosternError | PosternUnreachable): boolean =>
  failure instanceof PosternUnreachable || TEMPORARY.has(failure.status) || failure.code === 'idempotency_key_in_use';

/** Random, so that clients that failed together do not retry together. */
function pauseMs(made: number, retryAfter: number | undefined): number {
  const most = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (made - 1));
  return (retryAfter ?? 0) * 1000 + Math.random() * most;
}

/** Throws the signal's reason as soon as it aborts. */
export function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((done, refuse) => {
    const end = (): void => {
      clearTimeout(timer);
      refuse(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', end);
      done();
    }, ms);
    if (signal?.aborted === true) end();
    else signal?.addEventListener('abort', end, { once: true });
  });
}
