/** Loaded before the service: checkpoints come every 300 ms instead of every minute. */
import { registerHooks } from 'node:module';

registerHooks({
  load(url, context, next) {
    const loaded = next(url, context);
    if (!url.endsWith('/sealed/publish.ts')) return loaded;
    const source = String(loaded.source);
    const often = source.replace('PUBLISH_EVERY_MS = 60_000', 'PUBLISH_EVERY_MS = 300');
    if (often === source) throw new Error('the interval of checkpoints was not found');
    return { ...loaded, source: often };
  },
});
