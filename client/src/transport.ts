/**
 * One request, tried as often as it may be. Promise: what writes is sent again only under the same idempotency key, so it is
 * done once; nothing waits longer than it was told to; the caller's signal ends it at once.
 */
import { PosternError, PosternUnreachable } from './errors.ts';
import type { ApiError, CallOptions } from './types.ts';

export interface ConnectionOptions {
  /** Where the service answers, such as `https://postern.example.com`. */
  url: string;
  /** An API key. */
  key: string;
  /** For each attempt, in milliseconds; 10,000 without it. */
  timeoutMs?: number;
  /** Attempts after the first; 2 without it. */
  retries?: number;
  /** Another `fetch`. */
  fetch?: typeof fetch;
}

export interface Connection {
  send(request: Outgoing, options?: CallOptions): Promise<Incoming>;
  /** The same, without waiting for the end of the answer and without trying again. Throws as `send` does. */
  open(request: Outgoing, options?: CallOptions): Promise<Response>;
}

export interface Outgoing {
  method: string;
  /** With its query. */
  path: string;
  body?: unknown;
  accept?: string;
  /** Where the key goes instead of `Authorization`. */
  keyHeader?: string;
  /** Statuses that are answers, besides those of success. */
  alsoFine?: readonly number[];
}

export interface Incoming {
  status: number;
  headers: Headers;
  text: string;
}

const TIMEOUT_MS = 10_000;
const RETRIES = 2;
const FIRST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 5_000;
/** Who is told to wait longer than this is told so. */
const LONGEST_WAIT_MS = 30_000;
const TEMPORARY = new Set([408, 429, 500, 502, 503, 504]);
const SAFE = new Set(['GET', 'HEAD', 'DELETE']);

export function connect(connection: ConnectionOptions): Connection {
  const base = baseOf(connection.url);
  // Called through the global, so that one that is put there later counts.
  const ask: typeof fetch = connection.fetch ?? ((input, init) => fetch(input, init));

  function headersOf(request: Outgoing, options: CallOptions, key: string | undefined): Record<string, string> {
    return {
      accept: request.accept ?? 'application/json',
      ...(request.body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(key === undefined ? {} : { 'idempotency-key': key }),
      ...(options.ifMatch === undefined ? {} : { 'if-match': options.ifMatch }),
      ...options.headers,
      ...(request.keyHeader === undefined
        ? { authorization: `Bearer ${connection.key}` }
        : { [request.keyHeader]: connection.key }),
    };
  }

  const start = (request: Outgoing, options: CallOptions, key: string | undefined, signal: AbortSignal) =>
    ask(base + request.path, {
      method: request.method,
      headers: headersOf(request, options, key),
      ...(request.body === undefined ? {} : { body: JSON.stringify(request.body) }),
      // A key must not follow to wherever somebody points.
      redirect: 'manual',
      signal,
    });

  async function attempt(request: Outgoing, options: CallOptions, key: string | undefined): Promise<Incoming> {
    const timeoutMs = options.timeoutMs ?? connection.timeoutMs ?? TIMEOUT_MS;
    return within(timeoutMs, options.signal, async (signal) => {
      const response = await start(request, options, key, signal);
      return { status: response.status, headers: response.headers, text: await response.text() };
    });
  }

  return {
    async send(request, options = {}) {
      const key = keyOf(request, options);
      const isRepeatable = SAFE.has(request.method) || key !== undefined;
      const retries = options.retries ?? connection.retries ?? RETRIES;
      for (let made = 1; ; made++) {
        const isLast = made > retries || !isRepeatable;
        let failure: PosternError | PosternUnreachable;
        try {
          const answer = await attempt(request, options, key);
          if (isFine(answer.status) || request.alsoFine?.includes(answer.status) === true) return answer;
          failure = toError(answer);
          if (isLast || !isTemporary(failure)) throw failure;
        } catch (error) {
          if (error instanceof PosternError) throw error;
          if (options.signal?.aborted === true) throw options.signal.reason;
          failure = unreachable(error, made);
          if (isLast) throw failure;
        }
        const waitMs = pauseMs(made, failure instanceof PosternError ? failure.retryAfter : undefined);
        if (waitMs > LONGEST_WAIT_MS) throw failure;
        await pause(waitMs, options.signal);
      }
    },

    async open(request, options = {}) {
      // Only until it begins: a stream has no end to wait for.
      const timeoutMs = options.timeoutMs ?? connection.timeoutMs ?? TIMEOUT_MS;
      const ending = new AbortController();
      const end = (): void => ending.abort(options.signal?.reason);
      options.signal?.addEventListener('abort', end, { once: true });
      try {
        const response = await within(timeoutMs, options.signal, async (signal) => {
          signal.addEventListener('abort', () => ending.abort(signal.reason), { once: true });
          const begun = await start(request, options, undefined, ending.signal);
          if (isFine(begun.status)) return begun;
          throw toError({ status: begun.status, headers: begun.headers, text: await begun.text() });
        });
        return response;
      } catch (error) {
        options.signal?.removeEventListener('abort', end);
        if (error instanceof PosternError) throw error;
        if (options.signal?.aborted === true) throw options.signal.reason;
        throw unreachable(error, 1);
      }
    },
  };
}

/** Throws TypeError for what is no http or https URL. */
function baseOf(url: string): string {
  const { protocol, origin, pathname } = new URL(url);
  if (protocol !== 'http:' && protocol !== 'https:')
    throw new TypeError(`Postern answers at an http or https URL, not ${url}`);
  return origin + pathname.replace(/\/+$/, '');
}

function keyOf({ method }: Outgoing, { idempotencyKey }: CallOptions): string | undefined {
  if (idempotencyKey === false || (method !== 'POST' && method !== 'PATCH')) return undefined;
  return idempotencyKey ?? crypto.randomUUID();
}

const isFine = (status: number): boolean => status >= 200 && status < 300;

const isTemporary = ({ status, code }: PosternError): boolean =>
  TEMPORARY.has(status) || code === 'idempotency_key_in_use';

/** The error that an answer says; also of one that is not Postern's. */
export function toError({ status, headers, text }: Incoming): PosternError {
  const requestId = headers.get('request-id') ?? undefined;
  const retryAfter = secondsOf(headers.get('retry-after'));
  return new PosternError(status, errorIn(text), {
    ...(requestId === undefined ? {} : { requestId }),
    ...(retryAfter === undefined ? {} : { retryAfter }),
  });
}

function errorIn(text: string): Partial<ApiError> {
  try {
    const { error } = JSON.parse(text) as { error?: Partial<ApiError> };
    return typeof error?.code === 'string' ? error : {};
  } catch {
    return {};
  }
}

/** Retry-After is seconds or a date (RFC 9110, 10.2.3). */
function secondsOf(header: string | null): number | undefined {
  if (header === null) return undefined;
  if (/^\d{1,9}$/.test(header)) return Number(header);
  const at = Date.parse(header);
  return Number.isNaN(at) ? undefined : Math.max(0, Math.ceil((at - Date.now()) / 1000));
}

const unreachable = (error: unknown, attempts: number): PosternUnreachable => {
  const isTimeout = error instanceof TimedOut;
  const what = isTimeout ? `Postern did not answer within ${error.timeoutMs} ms` : 'Postern could not be reached';
  return new PosternUnreachable(`${what} (attempt ${attempts}).`, { cause: error, isTimeout, attempts });
};

class TimedOut extends Error {
  readonly timeoutMs: number;
  constructor(timeoutMs: number) {
    super(`no answer within ${timeoutMs} ms`);
    this.timeoutMs = timeoutMs;
  }
}

async function within<T>(
  timeoutMs: number,
  outer: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  outer?.throwIfAborted();
  const inner = new AbortController();
  const timer = setTimeout(() => inner.abort(new TimedOut(timeoutMs)), timeoutMs);
  const end = (): void => inner.abort(outer?.reason);
  outer?.addEventListener('abort', end, { once: true });
  try {
    return await work(inner.signal);
  } catch (error) {
    // Runtimes wrap the reason in errors of their own.
    throw inner.signal.aborted ? inner.signal.reason : error;
  } finally {
    clearTimeout(timer);
    outer?.removeEventListener('abort', end);
  }
}

/** Random, so that those who failed together do not come back together. */
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
