/** The real service as a process of its own: started, asked over HTTP, killed. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newKeyText } from '../src/api/keys/key.ts';
import { type Answer, readAnswer } from './answer.ts';
import { assertBackgroundWorked, isFailedWork } from './background.ts';
import { compileCache } from './compile-cache.ts';
import { programFile, SOURCE } from './programs.ts';

const READY_WITHIN_MS = 60_000;
const ENDED_WITHIN_MS = 20_000;
const OUTPUT_MAX = 200_000;

export interface Ask {
  body?: unknown;
  idempotencyKey?: string | undefined;
  headers?: Record<string, string>;
}

export interface End {
  code: number | null;
  signal: NodeJS.Signals | null;
}

export interface LaunchOptions {
  dataDir: string;
  key: string;
  /** The service makes its first key itself and prints it. */
  ownKey?: boolean;
  /** A command that runs the service as its own process, such as strace -D. */
  wrap?: readonly string[];
  /** The entry, where it is not this source's. */
  main?: string | undefined;
  /** Given to Node before the entry, which is then the source: hooks name its modules. */
  nodeOptions?: readonly string[];
  env?: Record<string, string>;
  /** In a process group of its own. */
  detached?: boolean;
  /** The test makes background work fail. */
  housekeepingMayFail?: boolean;
}

/** Killed when it is disposed of. */
export interface Running extends AsyncDisposable {
  readonly child: ChildProcess;
  readonly pid: number;
  /** Rejects when the process ends first, or takes too long. */
  readonly ready: Promise<void>;
  readonly exited: Promise<End>;
  /** Where it answers, once it is ready. */
  url(): string;
  /** The newest of what it has written, for reports. */
  output(): string;
  /** Rejects when the connection breaks before the whole answer is there. */
  ask(method: string, path: string, ask?: Ask): Promise<Answer>;
  /** Rejects when its background work failed, unless that is expected. */
  end(signal: NodeJS.Signals): Promise<End>;
}

export const newTestKey = (): string => newKeyText('secret');

export function temporaryFolder(): Disposable & { path: string } {
  const path = mkdtempSync(join(tmpdir(), 'postern-fault-'));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}

export function launch(options: LaunchOptions): Running {
  const { dataDir, key, ownKey = false, wrap = [], nodeOptions = [] } = options;
  const { env = {}, detached = false, housekeepingMayFail = false } = options;
  const main = options.main ?? (nodeOptions.length === 0 ? programFile('main') : SOURCE);
  const [command, ...args] = [...wrap, process.execPath, ...nodeOptions, main];
  const child = spawn(command, args, {
    env: {
      PATH: process.env.PATH,
      ...compileCache(),
      HOME: process.env.HOME,
      POSTERN_PORT: '0',
      POSTERN_CRAWLER_LISTS: 'false',
      POSTERN_DATA_DIR: dataDir,
      ...(ownKey ? {} : { POSTERN_BOOTSTRAP_KEY: key }),
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached,
  });
  const { url, output, failures, exited, ready } = watch(child);
  const end = async (signal: NodeJS.Signals): Promise<End> => {
    if (child.exitCode === null && child.signalCode === null) child.kill(signal);
    const timer = setTimeout(() => child.kill('SIGKILL'), ENDED_WITHIN_MS);
    const ended = await exited;
    clearTimeout(timer);
    if (!housekeepingMayFail) assertBackgroundWorked(failures.join('\n'));
    return ended;
  };
  return {
    child,
    pid: child.pid ?? 0,
    ready,
    exited,
    url,
    output,
    async ask(method, path, { body, idempotencyKey, headers = {} } = {}) {
      const response = await fetch(url() + path, {
        method,
        headers: {
          authorization: `Bearer ${key}`,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      return readAnswer(response);
    },
    end,
    async [Symbol.asyncDispose]() {
      await end('SIGKILL');
    },
  };
}

/** Returns when it takes requests. */
export async function launched(options: LaunchOptions): Promise<Running> {
  const running = launch(options);
  await running.ready.catch(async (error: unknown) => {
    await running.end('SIGKILL');
    throw error;
  });
  return running;
}

/** Collects the output of a service, finds its address in it, and sees its end. */
function watch(
  child: ChildProcess,
): Pick<Running, 'url' | 'output' | 'exited' | 'ready'> & { failures: readonly string[] } {
  // Apart from the output, of which old parts are dropped.
  const failures: string[] = [];
  let output = '';
  let url = '';
  // `close` comes after the last output; `exit` may come before.
  const exited = new Promise<End>((resolve) => child.once('close', (code, signal) => resolve({ code, signal })));
  const ready = new Promise<void>((resolve, reject) => {
    let rest = '';
    const timer = setTimeout(() => reject(new Error(`not ready in time:\n${output}`)), READY_WITHIN_MS);
    const hear = (chunk: Buffer): void => {
      output = (output + chunk.toString()).slice(-OUTPUT_MAX);
      rest += chunk.toString();
      const lines = rest.split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        if (isFailedWork(line)) failures.push(line);
        if (url !== '') continue;
        const address = /"address":"([^"]+)".*"msg":"ready"/.exec(line)?.[1];
        if (address === undefined) continue;
        url = address;
        clearTimeout(timer);
        resolve();
      }
    };
    child.stdout?.on('data', hear);
    child.stderr?.on('data', hear);
    child.once('error', reject);
    void exited.then(({ code, signal }) => {
      clearTimeout(timer);
      reject(new EndedEarly(`ended before it was ready (${code ?? signal}):\n${output}`));
    });
  });
  ready.catch(() => {});
  return { url: () => url, output: () => output, failures, exited, ready };
}

/** The process ended before it was ready. */
export class EndedEarly extends Error {}
