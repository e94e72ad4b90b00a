/** Runs Postern as its users do: `bin/postern.js serve` in a process of its own, reached over HTTP. */
import { join } from 'node:path';
import { freePort } from '../kit/port.ts';
import { newKeyText } from '../src/api/keys/key.ts';
import type { Rule } from '../src/rules/policy.ts';
import type { Item } from './inputs.ts';
import { launch, type Running } from './process.ts';

const COMMAND = join(import.meta.dirname, '../bin/postern.js');
const SOURCE = join(import.meta.dirname, '../src/main.ts');

/** The same key for all data directories, so that prepared ones can be read; kept ones need it said. */
export const KEY = process.env.POSTERN_BENCH_KEY ?? newKeyText('secret');
export const HEADERS: Record<string, string> = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' };

export interface Postern extends Running {
  get<T>(path: string): Promise<T>;
  post<T>(path: string, body: unknown): Promise<T>;
  put<T>(path: string, body: unknown): Promise<T>;
  patch<T>(path: string, body: unknown): Promise<T>;
}

export interface PosternOptions {
  dataDir: string;
  core?: number | null;
  env?: Record<string, string>;
  /** The `bin/postern.js` of a package, instead of the clone's. */
  command?: string;
  /** Folder for CPU profiles, of the sources as they are; without it there are none. */
  profileDir?: string | undefined;
  /** A module that is loaded before the service's own. */
  preload?: string;
}

export async function startPostern(options: PosternOptions): Promise<Postern> {
  const { dataDir, core = null, env = {}, command = COMMAND, profileDir, preload } = options;
  const port = await freePort();
  const args = profileDir === undefined ? [command, 'serve'] : ['--cpu-prof', `--cpu-prof-dir=${profileDir}`, SOURCE];
  const running = await launch({
    command: process.execPath,
    args: [...(preload === undefined ? [] : [`--import=${preload}`]), ...args],
    env: {
      POSTERN_PORT: String(port),
      POSTERN_DATA_DIR: dataDir,
      POSTERN_BOOTSTRAP_KEY: KEY,
      POSTERN_LOG_LEVEL: 'warn',
      POSTERN_CRAWLER_LISTS: 'false',
      ...env,
    },
    port,
    readyPath: '/readyz',
    core,
  });
  async function call<T>(method: string, path: string, body?: unknown): Promise<T> {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      headers: body === undefined ? { authorization: HEADERS.authorization as string } : HEADERS,
      body: body === undefined ? null : JSON.stringify(body),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text.slice(0, 500)}`);
    return JSON.parse(text) as T;
  }
  return {
    ...running,
    get: (path) => call('GET', path),
    post: (path, body) => call('POST', path, body),
    put: (path, body) => call('PUT', path, body),
    patch: (path, body) => call('PATCH', path, body),
  };
}

export async function createPolicy(postern: Postern, name: string, rules: readonly Rule[]): Promise<string> {
  return (await postern.post<{ id: string }>('/v1/policies', { name, rules })).id;
}

export async function upsertItems(postern: Postern, items: readonly Item[], policyId: string): Promise<void> {
  for (let i = 0; i < items.length; i += 1000) {
    const part = items.slice(i, i + 1000).map((item) => ({ ...item, policyId }));
    const { failed } = await postern.post<{ failed: number }>('/v1/content/bulk-upsert', { items: part });
    if (failed > 0) throw new Error(`${failed} items were refused`);
  }
}
