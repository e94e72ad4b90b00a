/**
 * Loaded before the service: blocks and waits are so small that a few hundred decisions and some seconds have what
 * millions and hours have. A constant that is not found is a fault.
 */
import { registerHooks } from 'node:module';
import { SMALL } from './small.ts';

registerHooks({
  load(url, context, next) {
    const loaded = next(url, context);
    const [, file = ''] = /\/src\/(.+)$/.exec(url) ?? [];
    const changes = SMALL[file];
    if (changes === undefined) return loaded;
    let source = String(loaded.source);
    for (const [usual, small] of changes) {
      if (!source.includes(usual)) throw new Error(`${url} has no ${usual}`);
      source = source.replace(usual, small);
    }
    return { ...loaded, source };
  },
});
