/**
 * Loaded before each test file: a file whose tests have ended, but which left something open, fails and says what.
 * Otherwise the whole run would wait for it without a word.
 */
import { isMainThread } from 'node:worker_threads';

const ENDS_WITHIN_MS = 30_000;

// Threads of the service load this too, and start the sooner for what they do not load.
if (isMainThread && process.env.NODE_TEST_CONTEXT !== undefined) {
  const { after, afterEach, beforeEach } = await import('node:test');
  let running = 0;
  let quietSince = 0;

  const endWhenQuiet = (): void => {
    quietSince = performance.now();
    const end = (): void => {
      if (running > 0 || performance.now() - quietSince < ENDS_WITHIN_MS) return;
      const open = [...new Set(process.getActiveResourcesInfo())].join(', ');
      process.stderr.write(`${process.argv[1]}: its tests have ended, but this is still open: ${open}\n`);
      process.exit(1);
    };
    setInterval(end, ENDS_WITHIN_MS / 10).unref();
  };
  beforeEach(() => {
    running += 1;
  });
  afterEach(() => {
    running -= 1;
    quietSince = performance.now();
  });
  // The runner takes a file for ended as soon as no test is left, also where the file waits for a suite to add others.
  after(endWhenQuiet);
}
