/**
 * Builds dist/ when it is missing or not what the sources become, so that the service loads few files. Runs before `npm
 * start`. Where it cannot be built, the service runs from src/.
 */
import { isBuilt } from '../bin/built.js';

if (!isBuilt()) {
  process.stderr.write('Building the service …\n');
  await import('./build.ts').catch((error: Error) => {
    process.stderr.write(`Not built (${error.message}): it starts from its sources, which takes longer.\n`);
  });
}
