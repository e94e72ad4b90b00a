/**
 * Asks for visitors. Promise: each check gets a decision made for it, or a reusable one within its `maxAge`; no visitor
 * waits longer than `timeoutMs`, and none for the request of another: workerd, the runtime of Cloudflare Workers, ends
 * a visit that does. What visitors share are plain values.
 */
import { PosternError } from '../errors.ts';
import type { AccessDecision, ApiError, Check } from '../types.ts';
import { baseOf, errorIn, isWord, jsonIn, unreachable, within } from './attempt.ts';
import { isOfQuestion, isRefusal, openBreaker } from './breaker.ts';

export type Asked = AccessDecision | { error: ApiError };
export type Ask = (check: Check) => Promise<Asked>;
/** Sends a body and returns the answer. Throws PosternError or PosternUnreachable. */
export type Post = (path: string, body: object, timeoutMs: number) => Promise<unknown>;

export interface Service {
  url: string;
  key: string;
  /** Another `fetch`. */
  fetch?: typeof fetch;
}

/** Throws TypeError for an invalid URL or key. A visitor waits: nothing is sent twice. */
export function openPost({ url, key, fetch: other, timeoutMs: longestMs }: Service & { timeoutMs: number }): Post {
  if (!isWord(key)) throw new TypeError('`key` must be one word');
  const base = baseOf(url);
  const breaker = openBreaker(longestMs);
  return async (path, body, timeoutMs) => {
    const asking = breaker.begin();
    try {
      const [status, value] = await within(timeoutMs, async (signal) => {
        // Looks the global up for each request, so that a later replacement counts. A redirect must not carry the key.
        const response = await (other ?? fetch)(base + path, {
          method: 'POST',
          headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
          body: JSON.stringify(body),
          redirect: 'manual',
          ...(signal && { signal }),
        });
        return [response.status, jsonIn(await response.text())] as const;
      });
      if (status !== 200 || value === undefined) throw new PosternError(status, errorIn(value));
      breaker.answered(asking);
      return value;
    } catch (error) {
      const failure = error instanceof PosternError ? error : unreachable(error, 1);
      breaker.failed(asking, failure);
      throw failure;
    }
  };
}

/** Throws for JSON of something else that answers at the address: it must not pass for a decision. */
export function decisionIn(answer: unknown): AccessDecision {
  const { allowed, enforced } = (answer ?? {}) as Partial<AccessDecision>;
  if (typeof allowed !== 'boolean' || typeof enforced !== 'boolean') throw new PosternError(200, {});
  return answer as AccessDecision;
}

/** An error in the check itself is its answer, as in a batch. */
export async function askOne(post: Post, check: Check, timeoutMs: number): Promise<Asked> {
  try {
    return decisionIn(await post('/v1/access/check', check, timeoutMs));
  } catch (error) {
    // At a wrong address of the service, no question is answered.
    if (!isRefusal(error) || !isOfQuestion(error) || error.code === 'route_not_found') throw error;
    return { error: { code: error.code, message: error.message, type: 'validation_error' } as ApiError };
  }
}

/** Returns what reuses answers for as long as the service says; `keptMax` of them. */
export function openKept(keptMax: number): (check: Check, ask: Ask) => Promise<Asked> {
  const kept = new Map<string, { asked: Asked; until: number }>();
  return async (check, ask) => {
    // Any field may decide, so the whole check is the name.
    const name = JSON.stringify(check);
    // The earliest time at which a decision is made for it.
    const begun = performance.now();
    const found = kept.get(name);
    if (found !== undefined && begun < found.until) return found.asked;
    kept.delete(name);
    const asked = await ask(check);
    const ms = 'error' in asked ? 0 : (asked.maxAge ?? 0) * 1000;
    if (ms > 0 && keptMax > 0) {
      const [oldest = name] = kept.keys();
      if (kept.size >= keptMax) kept.delete(oldest);
      kept.set(name, { asked, until: begun + ms });
    }
    return asked;
  };
}
