/** Bounds the requests that one partner has in progress on this node, so that no partner slows down the checks. */
import { fail } from '../errors.ts';

const AT_ONCE_MAX = 8;

export interface Gate {
  /** Throws api_rate_limit_exceeded. */
  pass<T>(requesterId: string, work: () => Promise<T>): Promise<T>;
}

export function openGate(): Gate {
  const inProgress = new Map<string, number>();
  return {
    async pass(requesterId, work) {
      const before = inProgress.get(requesterId) ?? 0;
      if (before >= AT_ONCE_MAX) {
        const message = `You have ${AT_ONCE_MAX} requests in progress; wait for their answers.`;
        throw fail('api_rate_limit_exceeded', message, { headers: { 'retry-after': '1' } });
      }
      inProgress.set(requesterId, before + 1);
      try {
        return await work();
      } finally {
        const left = (inProgress.get(requesterId) ?? 1) - 1;
        if (left === 0) inProgress.delete(requesterId);
        else inProgress.set(requesterId, left);
      }
    },
  };
}
