/** Waits for what happens elsewhere: looks again and again, and fails when it has not happened in time. */
import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';

const LOOK_EVERY_MS = 5;

/** Gives what `look` found: anything but undefined and false. What it asserts may fail until the end of the time. */
export async function until<T>(what: string, look: () => T | Promise<T>, withinMs = 15_000): Promise<NonNullable<T>> {
  const end = performance.now() + withinMs;
  for (;;) {
    const found = await look();
    if (found !== undefined && found !== null && found !== false) return found;
    assert.ok(performance.now() < end, `not within ${withinMs} ms: ${what}`);
    await pause(LOOK_EVERY_MS);
  }
}
