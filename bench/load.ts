/**
 * A load generator that costs little beside what it measures: raw sockets, requests built beforehand, each connection a
 * closed loop. It runs in a process of its own, so that it can have a core of its own; see load-process.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { onCore } from './machine.ts';

export interface LoadPlan {
  port: number;
  path: string;
  headers: Record<string, string>;
  /** The expected status of all answers; 200 if absent. */
  status?: number;
  /** Sent with POST in turn, each connection starting elsewhere; none: requests are GET. */
  bodies: readonly string[];
  connections: number;
  warmupMs: number;
  measureMs: number;
  /** Returns the time of each request too. */
  withTimes?: true;
}

export interface LoadResult {
  /** All that were answered, those of the warm-up too. */
  answered: number;
  perSecond: number;
  p50Ms: number;
  p99Ms: number;
  /** Answers of another status than the expected one. */
  failures: number;
  /** Share of a core the generator took: near 1, it was the limit and not the server. */
  ownCpu: number;
  /** When each request began (see monotonicMs), and how long it took. */
  times?: { fromMs: Float64Array; tookMs: Float32Array };
}

export interface Loader extends AsyncDisposable {
  run(plan: LoadPlan): Promise<LoadResult>;
}

export function openLoader(core: number | null = null): Loader {
  const [file, args] = onCore(core, process.execPath, [join(import.meta.dirname, 'load-process.ts')]);
  const child: ChildProcess = spawn(file, args, {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    serialization: 'advanced',
  });
  return {
    run: (plan) =>
      new Promise((resolve, reject) => {
        const onExit = (code: number | null): void => reject(new Error(`the load generator ended with ${code}`));
        child.once('exit', onExit);
        child.once('message', (result) => {
          child.off('exit', onExit);
          const { failures } = result as LoadResult;
          if (failures > 0)
            reject(new Error(`${failures} requests to ${plan.path} were not answered with ${plan.status ?? 200}`));
          else resolve(result as LoadResult);
        });
        child.send(plan);
      }),
    async [Symbol.asyncDispose]() {
      if (child.exitCode !== null) return;
      const gone = new Promise((resolve) => child.once('exit', resolve));
      child.disconnect();
      await gone;
    },
  };
}
