/**
 * Loaded before each test file: a file whose tests have ended, but which left something open, fails and says what.
 * Otherwise the whole run would wait for it without a word.
 */
import { after } from 'node:test';
import { isMainThread } from 'node:worker_threads';

const ENDS_WITHIN_MS = 30_000;

// Threads of the service load it too.
if (isMainThread && process.env.NODE_TEST_CONTEXT !== undefined) {
  after(() => {
    const end = (): void => {
      const open = [...new Set(process.getActiveResourcesInfo())].join(', ');
      process.stderr.write(`${process.argv[1]}: its tests have ended, but this is still open: ${open}\n`);
      process.exit(1);
    };
    setTimeout(end, ENDS_WITHIN_MS).unref();
  });
}
