/**
 * Loaded into a service before its own modules (`node --import`): SIGUSR2 holds its long work, and the next one
 * lets it continue. The work is the service's own; it only waits before a piece.
 */
import { registerHooks } from 'node:module';
import * as own from '../src/db/pace.ts';

// The rests, which other modules import from there.
export * from '../src/db/pace.ts';

const PACE = new URL('../src/db/pace.ts', import.meta.url).href;
registerHooks({
  resolve(specifier, context, next) {
    const found = next(specifier, context);
    return found.url === PACE ? { ...found, url: import.meta.url } : found;
  },
});

let held: PromiseWithResolvers<void> | undefined;
process.on('SIGUSR2', () => {
  if (held === undefined) {
    held = Promise.withResolvers();
    return;
  }
  held.resolve();
  held = undefined;
});

export const openPace: typeof own.openPace = (engine, rest) => {
  const pace = own.openPace(engine, rest);
  return async (work) => {
    await held?.promise;
    return pace(work);
  };
};
