/**
 * Remembers a service that does not answer. Promise: after three failures in a row nothing is asked for some seconds,
 * then one trial request at a time. Holds plain numbers only: edge runtimes forbid visitors to share anything else.
 */
import { PosternError, PosternUnreachable } from '../errors.ts';

export interface Breaker {
  /** Throws PosternUnreachable while nothing is asked; else the caller asks, and says how it went. */
  begin(): void;
  answered(): void;
  failed(error: unknown): void;
}

const FAILURES_MAX = 3;
const PAUSE_MS = 5_000;

/** Tests for a refusal of the request itself, such as its key: a service that refuses is alive. */
export const isRefusal = (error: unknown): boolean =>
  error instanceof PosternError && error.status >= 400 && error.status < 500 && error.status !== 429;

/** `timeoutMs`: the time that a request has. */
export function openBreaker(timeoutMs: number): Breaker {
  const pauseMs = Math.max(PAUSE_MS, timeoutMs);
  let failures = 0;
  let until = 0;
  return {
    begin() {
      if (failures < FAILURES_MAX) return;
      const now = performance.now();
      if (now < until) throw notAsked(until - now);
      // A trial whose visitor leaves may never end, so the next one does not wait for it.
      until = now + pauseMs;
    },
    answered() {
      failures = 0;
    },
    failed(error) {
      if (isRefusal(error)) {
        failures = 0;
        return;
      }
      failures++;
      if (failures >= FAILURES_MAX) until = performance.now() + pauseMs;
    },
  };
}

const notAsked = (ms: number): PosternUnreachable =>
  new PosternUnreachable(
    `Postern was not asked: it failed ${FAILURES_MAX} times in a row. It is asked again in ${Math.ceil(ms / 1000)} s.`,
    { cause: undefined, isTimeout: false, attempts: 0 },
  );
