/** Constants below src, and the small ones that small-hack.ts puts in their place. */
export const SMALL: Record<string, readonly [usual: string, small: string][]> = {
  'decisions/history/clickhouse/blocks.ts': [
    ['BLOCK_MAX = 131_072', 'BLOCK_MAX = 700'],
    ['BLOCK_MIN = 8_192', 'BLOCK_MIN = 150'],
  ],
  'decisions/history/clickhouse/tables.ts': [['PARTITION = 16_777_216', 'PARTITION = 4_096']],
  'decisions/history/clickhouse/store.ts': [['RUN_WITHIN_S = 30', 'RUN_WITHIN_S = 8']],
  'decisions/history/moved/block-work.ts': [['ROWS_A_BLOCK = 8_192', 'ROWS_A_BLOCK = 300']],
  'decisions/history/moved/row.ts': [['PARTITION = 16_777_216', 'PARTITION = 4_096']],
  'decisions/history/moved/moving.ts': [['LOOK_EVERY_MS = 5_000', 'LOOK_EVERY_MS = 500']],
  'service/health/clock-watch.ts': [['SURE_AFTER_MS = 3_600_000', 'SURE_AFTER_MS = 0']],
};
