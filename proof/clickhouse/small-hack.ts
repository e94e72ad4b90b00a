/**
 * Loaded before the service: blocks and waits are so small that a few hundred decisions and some seconds have what
 * millions and hours have. A constant that is not found is a fault.
 */
import { registerHooks } from 'node:module';

/** Below src/decisions/history. */
const SMALL: Record<string, [string, string][]> = {
  'clickhouse/blocks.ts': [
    ['BLOCK_MAX = 131_072', 'BLOCK_MAX = 700'],
    ['BLOCK_MIN = 8_192', 'BLOCK_MIN = 150'],
  ],
  'clickhouse/tables.ts': [['PARTITION = 16_777_216', 'PARTITION = 4_096']],
  'clickhouse/store.ts': [['RUN_WITHIN_S = 30', 'RUN_WITHIN_S = 8']],
  'moved/block-work.ts': [['ROWS_A_BLOCK = 8_192', 'ROWS_A_BLOCK = 300']],
  'moved/row.ts': [['PARTITION = 16_777_216', 'PARTITION = 4_096']],
  'moved/moving.ts': [['LOOK_EVERY_MS = 5_000', 'LOOK_EVERY_MS = 500']],
};
const SURE: [string, string][] = [['SURE_AFTER_MS = 3_600_000', 'SURE_AFTER_MS = 0']];

registerHooks({
  load(url, context, next) {
    const loaded = next(url, context);
    const [, file = ''] = /\/src\/decisions\/history\/(.+)$/.exec(url) ?? [];
    const changes = url.endsWith('/src/service/health/clock-watch.ts') ? SURE : SMALL[file];
    if (changes === undefined) return loaded;
    let source = String(loaded.source);
    for (const [usual, small] of changes) {
      if (!source.includes(usual)) throw new Error(`${url} has no ${usual}`);
      source = source.replace(usual, small);
    }
    return { ...loaded, source };
  },
});
