/** The service as a process that makes its own first key, as a new user starts it. */
import type { ChildProcess } from 'node:child_process';
import { launch, temporaryFolder } from './launch.ts';
import { until } from './until.ts';

export interface Run extends AsyncDisposable {
  child: ChildProcess;
  url: string;
  /** Holds every permission. */
  key: string;
  /** The output so far. */
  output(): string;
  /** The exit code; null when a signal ended it. */
  ended: Promise<number | null>;
}

/** Starts a service on a data directory of its own, and returns when it takes requests. */
export async function spawnService(env: Record<string, string>): Promise<Run> {
  const folder = temporaryFolder();
  const running = launch({ dataDir: folder.path, key: '', ownKey: true, env });
  await running.ready;
  const key = await until('the first key', () => /svc_sk_\w{49}/.exec(running.output())?.[0]);
  return {
    child: running.child,
    url: running.url(),
    key,
    output: running.output,
    ended: running.exited.then(({ code }) => code),
    async [Symbol.asyncDispose]() {
      await running.end('SIGKILL');
      folder[Symbol.dispose]();
    },
  };
}
