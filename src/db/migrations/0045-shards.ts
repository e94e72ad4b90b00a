import type { Migration } from '../db.ts';

/** The shard of a cluster of ClickHouse that has a block of moved decisions; 0: one server has it. */
export const SHARDS: Migration = [
  { postgres: 'alter table record_blocks add column shard smallint not null default 0' },
];
