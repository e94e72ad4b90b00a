/** The settings and the surroundings that all work on partitions shares. */
import type { Db } from '../../../db/db.ts';
import type { ChangeConnection } from './connection.ts';

export interface PartitionDeps {
  db: Db;
  connection: ChangeConnection;
  now(): number;
  /** Decisions move to ClickHouse. Where they do not, a plain table stays so. */
  isWanted: boolean;
  /** Numbers that a partition has at least. */
  numbersAtLeast: number;
  /** A border that is enforced before it is one lies ahead of the newest numbers by what this time brings, ms. */
  aheadMs: number;
  /** Receives a sentence for what was done. */
  onChange(message: string): void;
}
