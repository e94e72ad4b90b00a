/**
 * Forms whose answer was lost. Promise: pressing the button of an open form again has no second effect. The form sends
 * the same request under the same idempotency key until it succeeds; a changed field makes it another request.
 */
import { useRef } from 'react';
import { newIdempotencyKey } from '../../../client/src/transport.ts';
import { PosternError, PosternUnreachable } from './client.ts';

interface Sent {
  body?: unknown;
}

/**
 * Returns what sends a request with `send`. A request without a body, such as a suspension, sets a state that others
 * may have changed in between: it is a new one each time.
 */
export function useRepeat(): <S extends Sent, T>(
  operation: string,
  args: S,
  send: (args: S & { idempotencyKey?: string }) => Promise<T>,
) => Promise<T> {
  const last = useRef<{ request: string; idempotencyKey: string }>(undefined);
  return async (operation, args, send) => {
    if (!operation.startsWith('POST ') || args.body === undefined) return send(args);
    const request = JSON.stringify([operation, args]);
    if (last.current?.request !== request) last.current = { request, idempotencyKey: newIdempotencyKey() };
    try {
      const answer = await send({ ...args, idempotencyKey: last.current.idempotencyKey });
      last.current = undefined;
      return answer;
    } catch (error) {
      throw isLost(error as Error) ? new Error(`${(error as Error).message} ${REPEAT}`, { cause: error }) : error;
    }
  };
}

const REPEAT = 'It may have taken effect all the same. Press the button again: it takes effect only once.';

/** Returns whether the request may have taken effect: it has no answer, or only that of a proxy. */
const isLost = (error: Error): boolean =>
  error instanceof PosternUnreachable ||
  (error instanceof PosternError && error.code === 'unexpected_answer' && error.status >= 500);
