/**
 * Remembers a service that does not answer. Promise: after three failures in a row nothing is asked for some seconds,
 * then one trial request at a time; and a service that is slow is asked a bounded number of questions at once. Holds
 * plain values only: edge runtimes forbid visitors to share anything else.
 */
import { PosternError, PosternUnreachable } from '../errors.ts';

/** A question in flight. */
interface Asking {
  /** The time at which it ends at the latest. */
  until: number;
}

export interface Breaker {
  /** Throws PosternUnreachable where nothing is asked; else the caller asks, and says how it went. */
  begin(): Asking;
  answered(asking: Asking): void;
  failed(asking: Asking, error: unknown): void;
}

const FAILURES_MAX = 3;
const PAUSE_MS = 5_000;
/** More visitors than this at once, each with a question of its own, only wait for a service that is slow. */
const ASKING_MAX = 250;

/** Tests for a refusal of the request itself, such as its key: a service that refuses is alive. */
export const isRefusal = (error: unknown): error is PosternError =>
  error instanceof PosternError &&
  error.status >= 400 &&
  error.status < 500 &&
  error.status !== 429 &&
  // Without a code, it is the answer of something else, such as an ingress that does not reach the service.
  (error.code !== 'unexpected_answer' || !isOfQuestion(error));

/** Tests for a status with which the service refuses a question. */
export const isOfQuestion = ({ status }: PosternError): boolean => status === 400 || status === 404;

/** `timeoutMs`: the time that a request has. */
export function openBreaker(timeoutMs: number): Breaker {
  const pauseMs = Math.max(PAUSE_MS, timeoutMs);
  const all = new Set<Asking>();
  let failures = 0;
  let until = 0;
  return {
    begin() {
      const now = performance.now();
      // Of a visitor who leaves, a runtime may never say that its question has ended.
      for (const one of all) if (one.until < now) all.delete(one);
      if (all.size >= ASKING_MAX) throw notAsked(`${ASKING_MAX} visitors wait for it`);
      if (failures >= FAILURES_MAX) {
        if (now < until)
          throw notAsked(
            `it failed ${FAILURES_MAX} times in a row. It is asked again in ${Math.ceil((until - now) / 1000)} s`,
          );
        // Such a trial may never end either, so the next one does not wait for it.
        until = now + pauseMs;
      }
      const asking = { until: now + timeoutMs };
      all.add(asking);
      return asking;
    },
    answered(asking) {
      all.delete(asking);
      failures = 0;
    },
    failed(asking, error) {
      all.delete(asking);
      failures = isRefusal(error) ? 0 : failures + 1;
      if (failures >= FAILURES_MAX) until = performance.now() + pauseMs;
    },
  };
}

const notAsked = (why: string): PosternUnreachable => new PosternUnreachable(`Postern was not asked: ${why}.`);
