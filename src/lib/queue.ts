/** Queues of asynchronous work. Work begins in the order of arrival. */

export interface Queue {
  /**
   * Runs `work` in its turn. Rejects with what `work` throws, with `full()` where too much waits already, and with the
   * signal's reason when that aborts before the turn has come.
   */
  run<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T>;
  /** Settles when nothing runs and nothing waits. */
  idle(): Promise<void>;
}

export interface Bound {
  /** The most that may wait. */
  waiting: number;
  /** Returns the refusal of anything more. */
  full(): Error;
}

/** Runs one piece of work at a time. */
export const serial = (): Queue => atMost(1);

/** Runs at most `n` pieces of work at a time. Without a bound, any number may wait. */
export function atMost(n: number, bound?: Bound): Queue {
  const waiting: (() => void)[] = [];
  let running = 0;
  let idle: PromiseWithResolvers<void> | undefined;

  async function start<T>(work: () => Promise<T>): Promise<T> {
    running++;
    try {
      return await work();
    } finally {
      running--;
      const next = waiting.shift();
      if (next !== undefined) next();
      else if (running === 0) {
        idle?.resolve();
        idle = undefined;
      }
    }
  }

  return {
    run(work, signal) {
      if (signal?.aborted === true) return Promise.reject(signal.reason);
      if (running < n) return start(work);
      if (bound !== undefined && waiting.length >= bound.waiting) return Promise.reject(bound.full());
      return new Promise((resolve, reject) => {
        const begin = (): void => {
          signal?.removeEventListener('abort', leave);
          resolve(start(work));
        };
        const leave = (): void => {
          waiting.splice(waiting.indexOf(begin), 1);
          reject(signal?.reason);
        };
        signal?.addEventListener('abort', leave, { once: true });
        waiting.push(begin);
      });
    },
    idle: () => (running === 0 ? Promise.resolve() : (idle ??= Promise.withResolvers<void>()).promise),
  };
}

/** Runs one piece of work at a time for each key; different keys never wait for each other. */
export function keyed(): <T>(key: string, work: () => Promise<T>) => Promise<T> {
  const tails = new Map<string, Promise<unknown>>();
  return async (key, work) => {
    const before = tails.get(key);
    const run = before === undefined ? work() : before.then(work, work);
    tails.set(key, run);
    try {
      return await run;
    } finally {
      if (tails.get(key) === run) tails.delete(key);
    }
  };
}
