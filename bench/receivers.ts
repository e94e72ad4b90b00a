/** Webhook endpoints in a process of their own, so that they take nothing from the service that delivers to them. */
import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { onCore } from './machine.ts';

export const KINDS = ['good', 'dead', 'hanging', 'streaming'] as const;
export type Kind = (typeof KINDS)[number];

/** Deliveries to good endpoints since the last `reset`. */
export interface Received {
  count: number;
  /** From an event's commit until it was received. */
  p50Ms: number;
  p99Ms: number;
  /** From the first to the last. */
  tookMs: number;
}

export type Order = { kinds: Kind[] } | 'reset' | 'report';

export interface Receivers extends AsyncDisposable {
  /** In the order of the kinds. */
  urls: string[];
  reset(): Promise<void>;
  report(): Promise<Received>;
}

export async function openReceivers(kinds: readonly Kind[], core: number | null = null): Promise<Receivers> {
  const [file, args] = onCore(core, process.execPath, [join(import.meta.dirname, 'receivers-process.ts')]);
  const child: ChildProcess = spawn(file, args, {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    serialization: 'advanced',
  });
  const ask = <T>(order: Order): Promise<T> =>
    new Promise((resolve, reject) => {
      const onExit = (code: number | null): void => reject(new Error(`the receivers ended with ${code}`));
      child.once('exit', onExit);
      child.once('message', (message) => {
        child.off('exit', onExit);
        resolve(message as T);
      });
      child.send(order);
    });
  const ports = await ask<number[]>({ kinds: [...kinds] });
  return {
    urls: ports.map((port) => `http://127.0.0.1:${port}/`),
    reset: () => ask('reset'),
    report: () => ask('report'),
    async [Symbol.asyncDispose]() {
      if (child.exitCode !== null) return;
      const gone = new Promise((resolve) => child.once('exit', resolve));
      child.disconnect();
      await gone;
    },
  };
}
