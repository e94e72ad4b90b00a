/**
 * Monotonic milliseconds, independent of the machine's clock and comparable between threads: `performance.now()` counts
 * from the start of its thread, `process.hrtime()` from one origin for all.
 */
const [seconds, nanoseconds] = process.hrtime();
const OFFSET = seconds * 1_000 + nanoseconds / 1e6 - performance.now();

export const monotonicMs = (): number => performance.now() + OFFSET;
