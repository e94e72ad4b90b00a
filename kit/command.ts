/** The command `postern`, as a process and in this one. */
import { type ChildProcess, spawn } from 'node:child_process';
import { run } from '../src/cli/program.ts';
import type { Terminal } from '../src/cli/terminal.ts';
import { compileCache } from './compile-cache.ts';
import { programFile } from './programs.ts';

export interface Ran {
  status: number | null;
  stdout: string;
  stderr: string;
}

export interface Options {
  env?: Record<string, string | undefined>;
  cwd?: string;
  /** For its standard input. */
  input?: string | Uint8Array;
}

export interface Running {
  child: ChildProcess;
  /** The output so far. */
  written: { stdout: string; stderr: string };
  ended: Promise<Ran>;
}

/** Nothing of the environment but the path gets through. */
export function startCommand(args: readonly string[], { env = {}, cwd, input = '' }: Options = {}): Running {
  const child = spawn(process.execPath, ['--', programFile('postern'), ...args], {
    cwd,
    env: { PATH: process.env.PATH, ...compileCache(), ...env },
    stdio: 'pipe',
  });
  const written = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text) => (written.stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text) => (written.stderr += text));
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  const ended = new Promise<Ran>((done) => child.once('close', (status) => done({ status, ...written })));
  return { child, written, ended };
}

export const command = (args: readonly string[], options?: Options): Promise<Ran> => startCommand(args, options).ended;

interface Here extends Partial<Terminal> {
  /** The folder of this process while the command runs; so no two commands at once. */
  cwd?: string;
}

/** Runs the command without a process of its own, which is twenty times as fast; the terminal may be replaced. */
export async function commandHere(args: readonly string[], { cwd, ...world }: Here = {}): Promise<Ran> {
  const ran: Ran = { status: null, stdout: '', stderr: '' };
  const terminal: Terminal = {
    out: async (text) => void (ran.stdout += text),
    err: (text) => void (ran.stderr += text),
    toFile: false,
    color: false,
    interactive: false,
    moving: false,
    width: 100,
    env: {},
    now: Date.now,
    signal: new AbortController().signal,
    ...world,
  };
  const before = process.cwd();
  if (cwd !== undefined) process.chdir(cwd);
  try {
    ran.status = await run(args, terminal, () => Promise.reject(new Error('not served here')));
  } finally {
    process.chdir(before);
  }
  return ran;
}
