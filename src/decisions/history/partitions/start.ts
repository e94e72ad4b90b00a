/** Maintains the partitions of decisions in the background, on one node at a time. */
import { every } from '../../../lib/every.ts';
import { openChangeConnection } from './connection.ts';
import type { PartitionDeps } from './deps.ts';
import { openPartitions } from './upkeep.ts';

const LOOK_EVERY_MS = 5_000;
/** A million decisions take a third of a gigabyte: smaller partitions would return little. */
const NUMBERS_AT_LEAST = 1_000_000;
const AHEAD_MS = 3_600_000;

export interface PartitioningDeps extends Omit<PartitionDeps, 'connection' | 'numbersAtLeast' | 'aheadMs'> {
  /** The URL of the database. */
  url: string;
  /** Returns whether this node does the work. */
  isOurs(): boolean;
  /** Receives a problem once, until another one occurs. */
  onProblem(error: unknown): void;
}

/** Returns a function that stops the work. */
export function startPartitions(deps: PartitioningDeps): () => Promise<void> {
  let isOver = false;
  let said: string | undefined;
  const connection = openChangeConnection(deps.db, deps.url);
  const look = openPartitions(
    { ...deps, connection, numbersAtLeast: NUMBERS_AT_LEAST, aheadMs: AHEAD_MS },
    () => !isOver && deps.isOurs(),
  );
  const stop = every(LOOK_EVERY_MS, look, (error) => {
    if (isOver || String(error) === said) return;
    said = String(error);
    deps.onProblem(error);
  });
  return async () => {
    isOver = true;
    await connection.cancel();
    await stop();
  };
}
