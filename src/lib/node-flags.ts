/** Flags of V8: limits that it only takes when the process starts, and the growth of heaps. */
import { flushCompileCache } from 'node:module';
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';

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

const LOOK_EVERY_MS = 1_000;
/** A heap is collected once in as many looks, or has little garbage. */
const LOOKS = 10;

/**
 * Collects the old generation of every thread when it has grown by so many percent. V8 reads the flag at each
 * collection. `growthOf`: of what is alive in the old generation of this thread, in MiB.
 */
export function limitGrowth(growthOf: (oldMiB: number) => number): void {
  const seen: number[] = [];
  let last: number | undefined;
  const limit = (): void => {
    if (seen.push(oldMiB()) > LOOKS) seen.shift();
    // The least of them is nearest to what is alive.
    const percent = growthOf(Math.min(...seen));
    if (percent === last) return;
    last = percent;
    setFlagsFromString(`--heap-growing-percent=${percent}`);
  };
  limit();
  setInterval(limit, LOOK_EVERY_MS).unref();
}

function oldMiB(): number {
  const old = getHeapSpaceStatistics().filter(({ space_name: name }) => !name.startsWith('new_'));
  return old.reduce((sum, { space_used_size: bytes }) => sum + bytes, 0) / 1024 ** 2;
}
