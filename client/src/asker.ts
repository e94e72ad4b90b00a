/**
 * Batches the checks of many visitors. Promise: each check gets a decision made for it, or a reusable one within its
 * `maxAge`. Checks that arrive while others are in flight go out as one batch.
 */
import type { Postern } from './client.ts';
import { PosternError } from './errors.ts';
import type { AccessDecision, ApiError, CallOptions, Check } from './types.ts';

export type Asked = AccessDecision | { error: ApiError };
export type Ask = (check: Check) => Promise<Asked>;

export interface AskerOptions {
  timeoutMs: number;
  /** The number of answers kept for reuse. */
  keptMax: number;
}

/** Requests in flight; further checks wait and are batched. */
const IN_FLIGHT_MAX = 4;
/** The service takes 1,000; smaller batches keep one slow check from delaying many. */
const BATCH_MAX = 200;

interface Waiting {
  check: Check;
  settle(asked: Asked): void;
  fail(error: unknown): void;
}

export function openAsker(postern: Pick<Postern, 'checkAccess' | 'checkAccessBatch'>, options: AskerOptions): Ask {
  const kept = new Map<string, { asked: AccessDecision; until: number }>();
  let waiting: Waiting[] = [];
  let inFlight = 0;
  // A visitor waits: no retry, and so no idempotency key.
  const call: CallOptions = { timeoutMs: options.timeoutMs, retries: 0, idempotencyKey: false };

  function findKept(name: string): AccessDecision | undefined {
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
    if (kept.size >= options.keptMax && oldest !== undefined) kept.delete(oldest);
    if (options.keptMax > 0) kept.set(name, { asked, until: begun + asked.maxAge * 1000 });
  }

  function next(): void {
    while (waiting.length > 0 && inFlight < IN_FLIGHT_MAX) {
      const batch = waiting.slice(0, BATCH_MAX);
      waiting = waiting.slice(BATCH_MAX);
      inFlight++;
      void askTogether(batch).then(() => {
        inFlight--;
        next();
      });
    }
  }

  async function askTogether(batch: readonly Waiting[]): Promise<void> {
    try {
      const answers =
        batch.length === 1 ? [await askOne(postern, (batch[0] as Waiting).check, call)] : await askMany(batch);
      for (const [i, one] of batch.entries()) one.settle(answers[i] as Asked);
    } catch (error) {
      for (const one of batch) one.fail(error);
    }
  }

  async function askMany(batch: readonly Waiting[]): Promise<readonly Asked[]> {
    const { data } = await postern.checkAccessBatch({ checks: batch.map(({ check }) => check) }, call);
    if (data.length !== batch.length) throw new PosternError(200, {});
    return data;
  }

  return async (check) => {
    const name = JSON.stringify(check);
    const again = findKept(name);
    if (again !== undefined) return again;
    const begun = performance.now();
    const asked = await new Promise<Asked>((settle, fail) => {
      waiting.push({ check, settle, fail });
      // Batches all other checks of this turn of the event loop.
      if (waiting.length === 1) queueMicrotask(next);
    });
    keep(name, asked, begun);
    return asked;
  };
}

async function askOne(postern: Pick<Postern, 'checkAccess'>, check: Check, call: CallOptions): Promise<Asked> {
  try {
    return await postern.checkAccess(check, call);
  } catch (error) {
    // As in a batch: an error in the check itself is its answer.
    if (!(error instanceof PosternError) || (error.status !== 404 && error.status !== 400)) throw error;
    return { error: { code: error.code, message: error.message, type: 'validation_error' } as ApiError };
  }
}
