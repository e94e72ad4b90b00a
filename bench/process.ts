/** Runs servers as child processes, from the start until they answer, and cleans up afterwards. */
import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { query } from '../kit/postgres.ts';
import { onCore } from './machine.ts';

export interface Running extends AsyncDisposable {
  port: number;
  pid: number;
  /** Time from the spawn to the first answer. */
  readyMs: number;
  residentMiB(): number;
  /** Processor time of all threads so far. */
  cpuMs(): number;
  stop(): Promise<void>;
}

/** The fields of proc(5) after the name, from the state on. */
const fieldsOf = (pid: number | string): string[] =>
  readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];

/** Returns the processor time of a process so far. Linux counts in hundredths of a second; see proc(5). */
export function cpuMs(pid: number): number {
  const fields = fieldsOf(pid);
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

/** Returns the processor time of a process and its children so far, those that have ended too, ms. */
function familyClock(parent: string): () => number {
  const ticksOf = (pid: string): number => {
    try {
      const fields = fieldsOf(pid);
      const sum = (...places: number[]): number => places.reduce((ticks, i) => ticks + Number(fields[i]), 0);
      if (pid === parent) return sum(11, 12, 13, 14);
      return fields[1] === parent ? sum(11, 12) : 0;
    } catch {
      // It has ended meanwhile.
      return 0;
    }
  };
  return () => readdirSync('/proc').reduce((sum, name) => sum + (/^\d+$/.test(name) ? ticksOf(name) : 0), 0) * 10;
}

/** Returns the processor time of all processes of a server on this machine, ms. */
export async function databaseClock(url: string): Promise<() => number> {
  const [row] = await query<{ pid: string }>(url, `select split_part(pg_read_file('postmaster.pid'), e'\n', 1) as pid`);
  return familyClock(row?.pid as string);
}

export interface Launch {
  command: string;
  args: readonly string[];
  env?: Record<string, string>;
  port: number;
  /** Path that answers 200 when the server is ready. */
  readyPath: string;
  core?: number | null;
}

const READY_WITHIN_MS = 60_000;

export async function launch({ command, args, env = {}, port, readyPath, core = null }: Launch): Promise<Running> {
  const [file, argv] = onCore(core, command, args);
  const began = performance.now();
  const child = spawn(file, argv, { env: { ...process.env, ...env }, stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => {
    said = (said + chunk.toString()).slice(-4000);
  });
  await until(port, readyPath, child, () => said);
  let stopping = false;
  child.once('exit', (code, signal) => {
    if (!stopping) process.stderr.write(`The server ended with ${code ?? signal}: ${said}\n`);
  });
  const readyMs = performance.now() - began;
  const pid = child.pid as number;
  const stop = (): Promise<void> => {
    stopping = true;
    return ended(child);
  };
  return {
    port,
    pid,
    readyMs,
    residentMiB: () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024,
    cpuMs: () => cpuMs(pid),
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

async function until(port: number, path: string, child: ChildProcess, said: () => string): Promise<void> {
  const giveUp = performance.now() + READY_WITHIN_MS;
  while (performance.now() < giveUp) {
    if (child.exitCode !== null) throw new Error(`the server ended with ${child.exitCode}: ${said()}`);
    try {
      const response = await fetch(`http://127.0.0.1:${port}${path}`);
      await response.arrayBuffer();
      if (response.status === 200) return;
    } catch {
      // Not listening yet.
    }
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  child.kill('SIGKILL');
  throw new Error(`the server was not ready in time: ${said()}`);
}

function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((resolve) => {
    const timer = setTimeout(() => child.kill('SIGKILL'), 15_000);
    child.once('exit', () => {
      clearTimeout(timer);
      resolve();
    });
    child.kill('SIGTERM');
  });
}
