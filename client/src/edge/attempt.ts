/** Makes one request to the service. Promise: it ends in time, with an answer or an error that says why. */
import { PosternError, PosternUnreachable } from '../errors.ts';
import type { ApiError } from '../types.ts';

export interface Incoming {
  status: number;
  headers: Headers;
  text: string;
}

export const isFine = (status: number): boolean => status >= 200 && status < 300;

/** Throws TypeError for anything but an http or https URL. */
export function baseOf(url: string): string {
  if (!/^\s*https?:/i.test(url)) throw new TypeError(`Postern answers at an http or https URL, not ${url}`);
  const { origin, pathname } = new URL(url);
  return origin + pathname.replace(/\/+$/, '');
}

/** Tests for a key that a header can carry: the error of an invalid header would quote it. */
export const isWord = (key: unknown): boolean => typeof key === 'string' && /^[\x21-\x7e]+$/.test(key);

/** The error in an answer, which may come from a proxy instead of Postern. */
export function toError({ status, headers, text }: Incoming): PosternError {
  const requestId = headers.get('request-id') ?? undefined;
  const retryAfter = secondsOf(headers.get('retry-after'));
  return new PosternError(status, errorIn(jsonIn(text)), {
    ...(requestId === undefined ? {} : { requestId }),
    ...(retryAfter === undefined ? {} : { retryAfter }),
  });
}

/** Returns the value of a text; undefined for what is no JSON. */
export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns the error in an answer; empty where something else answered, such as a proxy. */
export function errorIn(value: unknown): Partial<ApiError> {
  const { error } = (value ?? {}) as { error?: Partial<ApiError> };
  return typeof error?.code === 'string' ? error : {};
}

/** Retry-After is seconds or a date (RFC 9110, 10.2.3). */
function secondsOf(header: string | null): number | undefined {
  if (header === null) return undefined;
  if (/^\d{1,9}$/.test(header)) return Number(header);
  const at = Date.parse(header);
  return Number.isNaN(at) ? undefined : Math.max(0, Math.ceil((at - Date.now()) / 1000));
}

const TIMED_OUT = 'TimeoutError';

export const unreachable = (error: unknown, attempts: number): PosternUnreachable => {
  const { name, message } = (error ?? {}) as Partial<Error>;
  const isTimeout = name === TIMED_OUT;
  const what = isTimeout ? message : 'could not be reached';
  return new PosternUnreachable(`Postern ${what} (attempt ${attempts}).`, { cause: error, isTimeout, attempts });
};

/**
 * Throws an error of its own, or the reason that `bind` passes on to what it gets, also where `work` does not heed its
 * signal. `bind` returns what releases it.
 */
export async function within<T>(
  timeoutMs: number,
  work: (signal: AbortSignal | undefined) => Promise<T>,
  bind?: (stop: (reason: unknown) => void) => () => void,
): Promise<T> {
  // Fastly Compute has none: there the request ends with its visitor.
  const inner = globalThis.AbortController && new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let release: (() => void) | undefined;
  const ended = new Promise<never>((_, fail) => {
    const stop = (reason: unknown): void => {
      // First, because runtimes wrap the reason of a signal in errors of their own.
      fail(reason);
      inner?.abort(reason);
    };
    release = bind?.(stop);
    const message = `did not answer within ${timeoutMs} ms`;
    timer = setTimeout(() => stop(Object.assign(new Error(message), { name: TIMED_OUT })), timeoutMs);
  });
  try {
    return await Promise.race([work(inner?.signal), ended]);
  } finally {
    clearTimeout(timer);
    release?.();
  }
}
