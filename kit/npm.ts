/**
 * npm as it is outside this project, with the machine's own Node.js. How it reaches its registry may be said in the
 * environment; what an npm around this one says of its own folder does not count.
 */
import { execFile } from 'node:child_process';
import { delimiter } from 'node:path';

/** Without the Node.js that `npm ci` put in front. */
export const outsidePath = (process.env.PATH ?? '')
  .split(delimiter)
  .filter((part) => !part.includes('node_modules'))
  .join(delimiter);

export const outside: NodeJS.ProcessEnv = Object.fromEntries(
  Object.entries(process.env).filter(
    ([name]) =>
      !/^(?:POSTERN_|NODE_(?!EXTRA_CA)|INIT_CWD|npm_(?:lifecycle|package|command|config_(?:local_)?prefix|.*execpath))/.test(
        name,
      ),
  ),
);

export interface Ran {
  status: number;
  stdout: string;
  stderr: string;
}

export interface RunOptions {
  cwd: string;
  env?: Record<string, string>;
  input?: string;
  withinMs?: number;
}

export function runOutside(file: string, args: readonly string[], options: RunOptions): Promise<Ran> {
  const { cwd, env = {}, input = '', withinMs = 150_000 } = options;
  return new Promise((done) => {
    const given = { cwd, env: { ...outside, PATH: outsidePath, ...env }, timeout: withinMs, maxBuffer: 64 << 20 };
    const child = execFile(file, args, given, (error, stdout, stderr) =>
      done({ status: error === null ? 0 : Number(error.code ?? -1), stdout, stderr }),
    );
    child.stdin?.end(input);
  });
}
