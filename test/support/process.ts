/** The real process, as it is started in production. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const MAIN = resolve(import.meta.dirname, '../../src/main.ts');

export interface Run extends AsyncDisposable {
  child: ChildProcess;
  url: string;
  /** Holds every permission. */
  key: string;
  /** What it logged. */
  err(): string;
  /** Its exit code; null when a signal ended it. */
  ended: Promise<number | null>;
}

/** Ready, on a data directory of its own. */
export async function spawnService(env: Record<string, string>): Promise<Run> {
  const dataDir = mkdtempSync(join(tmpdir(), 'postern-process-'));
  const child = spawn(process.execPath, [MAIN], {
    env: { PATH: process.env.PATH, POSTERN_PORT: '0', POSTERN_DATA_DIR: dataDir, ...env },
    stdio: 'pipe',
  });
  let out = '';
  let err = '';
  const ended = new Promise<number | null>((done) => child.once('close', (code) => done(code)));
  const [url, key] = await new Promise<[string, string]>((done, refuse) => {
    child.stdout?.on('data', (chunk) => {
      out += chunk;
      const found = /http:\/\/127\.0\.0\.1:\d+/.exec(out)?.[0];
      const first = /svc_sk_\w{49}/.exec(out)?.[0];
      if (found !== undefined && first !== undefined && out.includes('/docs')) done([found, first]);
    });
    child.stderr?.on('data', (chunk) => {
      err += chunk;
    });
    ended.then((code) => refuse(new Error(`ended with ${code} before it was ready: ${out}${err}`)));
  });
  return {
    child,
    url,
    key,
    err: () => err,
    ended,
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await ended;
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
