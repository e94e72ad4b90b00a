/** Waits for what happens elsewhere: looks again and again, and fails when it has not happened in time. */
import { setTimeout as pause } from 'node:timers/promises';

const LOOK_EVERY_MS = 10;
/** A long answer would bury what is not so. */
const LAST_MAX = 2_000;

/** Returns what `look` found, once it is `done`: by itself, anything but undefined, null and false. */
export async function until<T>(
  what: string,
  look: () => T | Promise<T>,
  withinMs = 20_000,
  done = (found: T): boolean => found !== undefined && found !== null && found !== false,
): Promise<NonNullable<T>> {
  const end = performance.now() + withinMs;
  for (;;) {
    const found = await look();
    if (done(found)) return found as NonNullable<T>;
    if (performance.now() > end) throw new Error(`not within ${withinMs} ms: ${what}; last: ${describe(found)}`);
    await pause(LOOK_EVERY_MS);
  }
}

const describe = (found: unknown): string => String(JSON.stringify(found)).slice(0, LAST_MAX);
