/**
 * Drops partitions whose decisions all moved, or left the log. Promise: the database refused new rows, and validated
 * that there is none. Reads that began before a decision left have ended.
 */
import { movedTo } from '../moved/blocks.ts';
import { retiredTo } from '../retention/retire.ts';
import { addLeft, drop, dropLeft, validate } from './changes.ts';
import type { PartitionDeps } from './deps.ts';
import { LEFT, type Piece } from './table.ts';

/** Longer than any read takes: it may need rows that were there when it began. */
const READS_MS = 120_000;

/** Returns a function that makes the next change of partitions with an upper end, and returns whether it did. */
export function openLeaving({ db, connection, now, onChange }: PartitionDeps, mayGoOn: () => boolean) {
  const since = new Map<string, number>();
  /** Names of partitions that have rows although none was expected. */
  const kept = new Set<string>();

  return async (pieces: readonly Piece[]): Promise<boolean> => {
    const to = Math.max(await movedTo(db), await retiredTo(db));
    const [piece] = pieces.filter((one) => one.to !== null && one.to <= to + 1 && !kept.has(one.name));
    if (piece === undefined) return false;
    const at = since.get(piece.name) ?? now();
    since.set(piece.name, at);
    if (now() - at < READS_MS) return false;
    if (piece.left === null) await connection.run(addLeft(piece));
    else if (!piece.left.isKnown) await requireEmpty(piece);
    else {
      await connection.run(drop(piece));
      onChange(`the partition of decisions before number ${piece.to} was dropped: all of them moved, or left the log`);
    }
    return true;
  };

  async function requireEmpty(piece: Piece): Promise<void> {
    try {
      await connection.run(validate(piece, LEFT), async () => mayGoOn());
    } catch (error) {
      if (!isCheckViolation(error)) throw error;
      kept.add(piece.name);
      await connection.run(dropLeft(piece));
      throw new Error(`${piece.name} has decisions that should have moved, and stays`, { cause: error });
    }
  }
}

const isCheckViolation = (error: unknown): boolean => (error as { code?: unknown } | null)?.code === '23514';
