/**
 * Asking for many visitors at once. Promise: each ask is answered by a decision made for it, or by one that the service said
 * may be used again and that is not older than that. While questions are on their way, those that come are asked together.
 */
import type { Postern } from './client.ts';
import { PosternError } from './errors.ts';
import type { ApiError, CallOptions, Check, Decision } from './types.ts';

export type Asked = Decision | { error: ApiError };
export type Ask = (check: Check) => Promise<Asked>;

export interface AskerOptions {
  timeoutMs: number;
  /** Answers kept for using them again. */
  keptMax: number;
}

/** As many as are asked in a row before those that come wait for each other. */
const IN_FLIGHT_MAX = 4;
/** The service takes 1,000; fewer keep one slow batch from holding up many. */
const BATCH_MAX = 200;

interface Waiting {
  check: Check;
  settle(asked: Asked): void;
  fail(error: unknown): void;
}

export function openAsker(postern: Pick<Postern, 'checkAccess' | 'checkAccessBatch'>, options: AskerOptions): Ask {
  const kept = new Map<string, { asked: Decision; until: number }>();
  let waiting: Waiting[] = [];
  let inFlight = 0;
  // A visitor waits: no second try, so no key that would make one safe.
  const call: CallOptions = { timeoutMs: options.timeoutMs, retries: 0, idempotencyKey: false };

  function findKept(name: string): Decision | undefined {
    const found = kept.get(name);
    if (found === undefined) return undefined;
    if (performance.now() < found.until) return found.asked;
    kept.delete(name);
    return undefined;
  }

  /** `begun`: the decision cannot be older. */
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
      const answers = batch.length === 1 ? [await askOne(batch[0] as Waiting)] : await askMany(batch);
      for (const [i, one] of batch.entries()) one.settle(answers[i] as Asked);
    } catch (error) {
      for (const one of batch) one.fail(error);
    }
  }

  async function askOne({ check }: Waiting): Promise<Asked> {
    try {
      return await postern.checkAccess(check, call);
    } catch (error) {
      // Alone as in a batch: what is wrong with this question is its answer.
      if (!(error instanceof PosternError) || (error.status !== 404 && error.status !== 400)) throw error;
      return { error: { code: error.code, message: error.message, type: 'validation_error' } as ApiError };
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
      // After whatever else asks in this turn.
      if (waiting.length === 1) queueMicrotask(next);
    });
    keep(name, asked, begun);
    return asked;
  };
}
