/**
 * Empties SQLite's write-ahead log, which keeps what was erased until it is written anew. A reader may hold that up and
 * a crash may come before it: it is due at the start, and repeated until it is done. PostgreSQL's log is not in reach.
 */
import type { Db } from '../../db/db.ts';
import type { PostgresDb } from '../../db/postgres/db.ts';
import type { SqliteDb } from '../../db/sqlite/db.ts';

export interface WriteAheadLog {
  /** Something is being erased. */
  markStale(): void;
  /** Empties the log if that is due and no reader needs it. */
  tryEmpty(): Promise<void>;
}

export function openWriteAheadLog(db: Db | SqliteDb | PostgresDb): WriteAheadLog {
  let isDue = true;
  return {
    markStale() {
      isDue = true;
    },
    async tryEmpty() {
      if (!isDue || !('checkpoint' in db)) return;
      // What is erased meanwhile makes it due again.
      isDue = false;
      // A store that fails says so to the work that needs it.
      const isEmpty = await db.checkpoint().catch(() => false);
      if (!isEmpty) isDue = true;
    },
  };
}
