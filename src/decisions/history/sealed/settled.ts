/** The number up to which no more decisions will appear in the records. */
import type { Db } from '../../../db/db.ts';
import { type DecisionSource, openSource } from '../columns/source.ts';
import { findNewest } from '../ends.ts';

export interface Settled {
  /** A number that changes when a decision is recorded; cheap. */
  newest(): Promise<number>;
  /** On PostgreSQL, what is settled was noted at an earlier call. */
  read(): Promise<number>;
  close(): Promise<void>;
}

export function openSettled(db: Db, records: string): Settled {
  if (db.engine === 'sqlite') {
    const read = async (): Promise<number> => (await findNewest(db))?.seq ?? 0;
    return { newest: read, read, close: async () => {} };
  }
  // Opened by the node that needs it, and again after a failure.
  let source: Promise<DecisionSource> | undefined;
  const close = async (): Promise<void> => {
    const open = source;
    source = undefined;
    await (await open?.catch(() => undefined))?.close().catch(() => {});
  };
  return {
    async newest() {
      const [row] = await db.read<{ seq: number }>('select last_value as seq from decisions_seq_seq');
      return row?.seq ?? 0;
    },
    async read() {
      try {
        source ??= openSource(records, 0);
        return await (await source).read(async (snapshot) => (await snapshot.head()).settledSeq);
      } catch (error) {
        await close();
        throw error;
      }
    },
    close,
  };
}
