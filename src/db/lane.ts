/** Work that a store does so many at once, in the order it came. The queue is bounded; beyond it: Unavailable. */
import { Unavailable } from './db.ts';

const QUEUE_MAX = 10_000;

export interface Lane {
  run<T>(work: () => Promise<T>): Promise<T>;
  idle(): Promise<void>;
}

export function lane(atOnce: number): Lane {
  let waiting: (() => void)[] = [];
  let next = 0;
  let running = 0;
  let whenIdle: (() => void)[] = [];

  async function start<T>(work: () => Promise<T>): Promise<T> {
    running++;
    try {
      return await work();
    } finally {
      running--;
      leave();
    }
  }

  function leave(): void {
    const first = waiting[next];
    if (first !== undefined) {
      next++;
      first();
      return;
    }
    waiting = [];
    next = 0;
    if (running > 0) return;
    for (const done of whenIdle) done();
    whenIdle = [];
  }

  return {
    run(work) {
      if (running < atOnce) return start(work);
      if (waiting.length - next >= QUEUE_MAX) return Promise.reject(new Unavailable('too many requests are waiting'));
      return new Promise((resolve) => waiting.push(() => resolve(start(work))));
    },
    idle: () => (running === 0 ? Promise.resolve() : new Promise((resolve) => whenIdle.push(resolve))),
  };
}
