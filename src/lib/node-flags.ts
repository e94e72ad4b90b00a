/** Flags of V8: limits that it only takes when the process starts, and the growth of heaps. */
import { flushCompileCache } from 'node:module';
import { setFlagsFromString } from 'node:v8';

/**
 * Gives the main thread these limits. Unless this process has them, it is replaced by the same one that has: same
 * number, same files, same settings. Where the system cannot do that, the limits stay as they are.
 */
export function requireFlags(flags: readonly string[], file: string): void {
  if (flags.every((flag) => process.execArgv.includes(flag))) {
    // Taken back for the threads: a flag would override the limits that each of them is given.
    for (const flag of flags) setFlagsFromString(flag.replace(/=.*/, '=0'));
    return;
  }
  // More arenas of glibc's malloc, one for nearly every thread, hold 20 MiB more. Without the threshold, it keeps more
  // of what is free after each large block: 20 MiB too.
  const malloc = { MALLOC_ARENA_MAX: '2', MALLOC_TRIM_THRESHOLD_: '131072' };
  const env = { ...malloc, ...process.env } as Record<string, string>;
  const args = [process.execPath, ...process.execArgv, ...flags, file];
  // Otherwise kept when a process exits: this one would strip the same types at each start, which takes 100 ms.
  flushCompileCache();
  try {
    process.execve?.(process.execPath, args, env);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_FEATURE_UNAVAILABLE_ON_PLATFORM') throw error;
  }
}

/**
 * Collects the old generation of every thread when it has grown by so many percent, and puts nothing into it at once.
 * V8 would allocate there what outlives several collections, such as the rows of batches on their way to disk: with
 * that garbage the whole heap is collected six times a second.
 */
export function limitOldGenerations(percent: number): void {
  setFlagsFromString(`--heap-growing-percent=${percent}`);
  setFlagsFromString('--no-allocation-site-pretenuring');
}
