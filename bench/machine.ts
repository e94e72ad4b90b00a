/** The machine the figures are of, without its name, and which cores a measurement may use. */
import { execFileSync } from 'node:child_process';
import { availableParallelism, cpus, loadavg, totalmem } from 'node:os';

export interface Machine {
  cores: number;
  model: string;
  memory: string;
  system: string;
  node: string;
  commit: string;
  /** Processes that wanted a core during the minute before. */
  load: string;
}

export function describeMachine(): Machine {
  return {
    cores: availableParallelism(),
    model: cpus()[0]?.model ?? 'unknown',
    memory: `${(totalmem() / 2 ** 30).toFixed(0)} GiB`,
    system: `${process.platform} ${process.arch}`,
    node: process.version,
    commit: commit(),
    load: (loadavg()[0] ?? 0).toFixed(1),
  };
}

function commit(): string {
  try {
    const git = (...args: string[]): string =>
      execFileSync('git', ['--no-optional-locks', ...args], { cwd: import.meta.dirname, encoding: 'utf8' }).trim();
    const changed = git('status', '--porcelain', '--', '../src') !== '';
    return `${git('rev-parse', '--short=12', 'HEAD')}${changed ? ' with uncommitted changes' : ''}`;
  } catch {
    return 'unknown';
  }
}

/** A core each for the server and for the load; null where the processes cannot be pinned. */
export interface CoreSplit {
  server: number | null;
  load: number | null;
  note: string;
}

export function splitCores(): CoreSplit {
  if (availableParallelism() < 2 || !hasTaskset()) {
    return { server: null, load: null, note: 'Not pinned: it takes `taskset` and two cores.' };
  }
  return { server: 0, load: 1, note: 'The server is pinned to one core, the load generator to another (`taskset`).' };
}

function hasTaskset(): boolean {
  try {
    execFileSync('taskset', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** The command that runs `command` on one core. */
export const onCore = (core: number | null, command: string, args: readonly string[]): [string, string[]] =>
  core === null ? [command, [...args]] : ['taskset', ['-c', String(core), command, ...args]];
