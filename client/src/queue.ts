/**
 * Asks for visitors together. Promise: checks that arrive while others are in flight go in one request, and no visitor
 * waits longer than `timeoutMs`, the wait in the queue included. A check then waits for the request of another visitor,
 * so only guards of Node's own servers do this, and others where the options say so.
 */
import { type Ask, type Asked, askOne, decisionIn, type Post } from './edge/asker.ts';
import { PosternError, PosternUnreachable } from './errors.ts';
import type { Check } from './types.ts';

/** Requests in flight; further checks wait and are batched. */
const IN_FLIGHT_MAX = 4;
/** The service takes 1,000; smaller batches keep one slow check from delaying many. */
const BATCH_MAX = 200;

interface Waiting {
  check: Check;
  /** The time at which its visitor has waited long enough. */
  until: number;
  timer: ReturnType<typeof setTimeout> | undefined;
  settle(asked: Asked): void;
  fail(error: unknown): void;
}

export function openQueue(post: Post, timeoutMs: number): Ask {
  // In the order in which they came.
  const waiting = new Set<Waiting>();
  let inFlight = 0;

  function next(): void {
    while (waiting.size > 0 && inFlight < IN_FLIGHT_MAX) {
      const batch = [...waiting].slice(0, BATCH_MAX);
      for (const one of batch) waiting.delete(one);
      inFlight++;
      void askTogether(batch).then(() => {
        inFlight--;
        next();
      });
    }
  }

  async function askTogether(batch: readonly Waiting[]): Promise<void> {
    const last = batch.at(-1) as Waiting;
    // The request ends when the last of them has waited long enough; the others give up by themselves.
    clearTimeout(last.timer);
    const leftMs = Math.max(1, Math.ceil(last.until - performance.now()));
    const checks = batch.map(({ check }) => check);
    try {
      const answers = batch.length === 1 ? [await askOne(post, last.check, leftMs)] : await askMany(checks, leftMs);
      for (const [i, one] of batch.entries()) one.settle(answers[i] as Asked);
    } catch (error) {
      for (const one of batch) one.fail(error);
    } finally {
      for (const { timer } of batch) clearTimeout(timer);
    }
  }

  async function askMany(checks: Check[], leftMs: number): Promise<readonly Asked[]> {
    const { data } = (await post('/v1/access/check/batch', { checks }, leftMs)) as { data?: Asked[] };
    if (data?.length !== checks.length) throw new PosternError(200, {});
    return data.map((one) => ('error' in one ? one : decisionIn(one)));
  }

  return (check) =>
    new Promise<Asked>((settle, fail) => {
      const one: Waiting = { check, until: performance.now() + timeoutMs, timer: undefined, settle, fail };
      one.timer = setTimeout(() => {
        waiting.delete(one);
        fail(tooLate(timeoutMs));
      }, timeoutMs);
      waiting.add(one);
      // Batches all other checks of this turn of the event loop.
      if (waiting.size === 1) queueMicrotask(next);
    });
}

const tooLate = (timeoutMs: number): PosternUnreachable =>
  new PosternUnreachable(`Postern did not answer within ${timeoutMs} ms.`, { isTimeout: true, attempts: 1 });
