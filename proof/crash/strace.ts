/**
 * strace as the hand that makes system calls fail. Where it is missing or not allowed, a proof says so; see
 * `cannotTrace`.
 */
import { spawn, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { until } from '../../kit/until.ts';

/** Why strace cannot be used here; undefined when it can. */
export function cannotTrace(): string | undefined {
  const tried = spawnSync('strace', ['-f', '-e', 'trace=fsync', '-e', 'inject=fsync:error=EIO', 'true']);
  if (tried.error !== undefined) return 'strace is not installed';
  return tried.status === 0 ? undefined : `strace is not allowed: ${tried.stderr.toString().trim().slice(0, 100)}`;
}

/**
 * Runs the service as a process of its own (not as strace's child), killed at the `when`th fsync of one of its threads.
 */
export const killAtFsync = (when: number): string[] =>
  'strace -D -f -qq -o /dev/null -e trace=fsync,fdatasync -e'
    .split(' ')
    .concat(`inject=fsync,fdatasync:signal=KILL:when=${when}`);

/** Makes system calls of a running process fail with `error`, from now until `heal`. */
export async function failCalls(pid: number, calls: string, error: string): Promise<{ heal(): Promise<void> }> {
  const tracer = spawn(
    'strace',
    ['-f', '-qq', '-p', String(pid), '-o', '/dev/null', '-e', `trace=${calls}`, '-e', `inject=${calls}:error=${error}`],
    { stdio: 'ignore' },
  );
  const gone = new Promise((resolve) => tracer.once('exit', resolve));
  await until('all threads are traced', () => untraced(pid) === 0, 10_000);
  return {
    async heal() {
      tracer.kill('SIGINT');
      await gone;
    },
  };
}

function untraced(pid: number): number {
  const threads = readdirSync(`/proc/${pid}/task`);
  const traced = threads.filter((thread) =>
    /^TracerPid:\t[1-9]/m.test(readFileSync(`/proc/${pid}/task/${thread}/status`, 'utf8')),
  );
  return threads.length - traced.length;
}
