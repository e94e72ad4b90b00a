/**
 * For tests that wait for periodic work: what a service does every second or more seldom, such as retention or moving
 * decisions, it does ten times as often. Nothing else of that work changes.
 */

const FROM_MS = 1_000;
/** Users would wait for rarer work too long: a test that waits for it shall fail. */
const TO_MS = 30_000;
const TIMES = 10;

/** For the services that start in this process from now on. */
export function hurry(): void {
  const { setInterval: begin } = globalThis;
  const sooner = (work: () => void, ms = 0): NodeJS.Timeout =>
    begin(work, ms < FROM_MS || ms > TO_MS ? ms : ms / TIMES);
  globalThis.setInterval = sooner as typeof globalThis.setInterval;
}

/** The environment of a service that is a process. */
export const HURRIED = { NODE_OPTIONS: `--import=${import.meta.url}` };

if (process.env.NODE_OPTIONS === HURRIED.NODE_OPTIONS) hurry();
