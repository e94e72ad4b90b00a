/**
 * Asks for the visitors of a guard. Promise: each check gets a decision made for it, or a reusable one within its
 * `maxAge`, and no visitor waits longer than `timeoutMs`.
 *
 * A request for each check is right in every runtime. With `isTogether`, checks that arrive while others are in flight
 * are batched. A check then waits for the request of another visitor: workerd, the runtime of Cloudflare
 * Workers, ends a visit that does. So only guards of Node's own servers batch, and others where the options say so.
 */
import { isRefusal, openBreaker } from './breaker.ts';
import type { Postern } from './client.ts';
import { PosternError, PosternUnreachable } from './errors.ts';
import type { AccessDecision, ApiError, CallOptions, Check } from './types.ts';

export type Asked = AccessDecision | { error: ApiError };
export type Ask = (check: Check, isTogether?: boolean) => Promise<Asked>;

export interface AskerOptions {
  timeoutMs: number;
  /** The number of answers kept for reuse. */
  keptMax: number;
}

/** Requests in flight; further checks wait and are batched. */
const IN_FLIGHT_MAX = 4;
/** The service takes 1,000; smaller batches keep one slow check from delaying many. */
const BATCH_MAX = 200;

type Service = Pick<Postern, 'checkAccess' | 'checkAccessBatch'>;
type Send = <T>(timeoutMs: number, request: (call: CallOptions) => Promise<T>) => Promise<T>;

export function openAsker(postern: Service, options: AskerOptions): Ask {
  const breaker = openBreaker(options.timeoutMs);

  const send: Send = async (timeoutMs, request) => {
    breaker.begin();
    try {
      // A visitor waits: no retry, and so no idempotency key.
      const answer = await request({ timeoutMs, retries: 0, idempotencyKey: false });
      breaker.answered();
      return answer;
    } catch (error) {
      breaker.failed(error);
      throw error;
    }
  };

  const queue = openQueue(postern, options.timeoutMs, send);
  return keeping(options.keptMax, (check, isTogether = false) =>
    isTogether ? queue(check) : askOne(postern, check, options.timeoutMs, send),
  );
}

/** Returns what reuses the answers of `ask` for as long as the service says. */
function keeping(keptMax: number, ask: Ask): Ask {
  const kept = new Map<string, { asked: AccessDecision; until: number }>();

  function find(name: string): AccessDecision | undefined {
    const found = kept.get(name);
    if (found === undefined) return undefined;
    if (performance.now() < found.until) return found.asked;
    kept.delete(name);
    return undefined;
  }

  /** `begun` is the earliest time at which the decision was made. */
  function keep(name: string, asked: Asked, begun: number): void {
    if ('error' in asked || asked.maxAge === undefined || asked.maxAge <= 0) return;
    const [oldest] = kept.keys();
    if (kept.size >= keptMax && oldest !== undefined) kept.delete(oldest);
    if (keptMax > 0) kept.set(name, { asked, until: begun + asked.maxAge * 1000 });
  }

  return async (check, isTogether) => {
    // Any field may decide, so the whole check is the name.
    const name = JSON.stringify(check);
    const again = find(name);
    if (again !== undefined) return again;
    const begun = performance.now();
    const asked = await ask(check, isTogether);
    keep(name, asked, begun);
    return asked;
  };
}

interface Waiting {
  check: Check;
  /** The time at which its visitor has waited long enough. */
  until: number;
  timer: ReturnType<typeof setTimeout> | undefined;
  settle(asked: Asked): void;
  fail(error: unknown): void;
}

function openQueue(postern: Service, timeoutMs: number, send: Send): Ask {
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
      const answers =
        batch.length === 1 ? [await askOne(postern, last.check, leftMs, send)] : await askMany(checks, leftMs);
      for (const [i, one] of batch.entries()) one.settle(answers[i] as Asked);
    } catch (error) {
      for (const one of batch) one.fail(error);
    } finally {
      for (const { timer } of batch) clearTimeout(timer);
    }
  }

  const askMany = (checks: Check[], leftMs: number): Promise<readonly Asked[]> =>
    send(leftMs, async (call) => {
      const { data } = await postern.checkAccessBatch({ checks }, call);
      if (data.length !== checks.length) throw new PosternError(200, {});
      return data;
    });

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
  new PosternUnreachable(`Postern did not answer within ${timeoutMs} ms.`, {
    cause: undefined,
    isTimeout: true,
    attempts: 1,
  });

async function askOne(postern: Service, check: Check, timeoutMs: number, send: Send): Promise<Asked> {
  try {
    return await send(timeoutMs, (call) => postern.checkAccess(check, call));
  } catch (error) {
    // As in a batch: an error in the check itself is its answer.
    if (!isRefusal(error) || !(error instanceof PosternError) || ![400, 404].includes(error.status)) throw error;
    return { error: { code: error.code, message: error.message, type: 'validation_error' } as ApiError };
  }
}
