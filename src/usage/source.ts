/**
 * The truth as the columns read it: one snapshot at a time, in pages. Promise: everything read inside one `read` is of
 * one moment, and that moment is not earlier than the call. Rows come in the order in which they were committed, so
 * "after this place" never skips one that is committed later. One implementation per engine.
 */
import { openConnection } from '../db/sqlite-connection.ts';

export interface DecisionRow {
  seq: number;
  at: number;
  contentNo: number;
  requesterId: string | null;
  policyNo: number;
  reason: number;
}

export interface ContentRow {
  no: number;
  id: string;
  type: string;
}

/** An edit of a content record; what the record is now is asked for separately. */
export interface ContentChange {
  seq: number;
  at: number;
  contentNo: number;
}

export interface Head {
  /** Which ledger this is; null before it was first opened. */
  ledgerNo: string | null;
  /** Places of the newest decision and change, 0 when there is none. */
  decisionsSeq: number;
  changesSeq: number;
  /** The oldest change still kept, 0 when there is none. */
  changesFromSeq: number;
}

/** The truth at one moment. Every method may throw SourceFailed. */
export interface Snapshot {
  head(): Promise<Head>;
  /** Decisions after a place, in order, without those of content that does not exist. */
  decisionsAfter(seq: number, limit: number): Promise<DecisionRow[]>;
  /** When the decision at this place was made; undefined when there is none. */
  decidedAt(seq: number): Promise<number | undefined>;
  contentChangesAfter(seq: number, limit: number): Promise<ContentChange[]>;
  changedAt(seq: number): Promise<number | undefined>;
  /** Those of the records that exist. */
  contentOf(nos: readonly number[]): Promise<ContentRow[]>;
  contentAfter(no: number, limit: number): Promise<ContentRow[]>;
}

export interface Source {
  read<T>(work: (truth: Snapshot) => Promise<T>): Promise<T>;
  close(): void;
}

/** The truth cannot be read now. The columns are as good as before. */
export class SourceFailed extends Error {}

/** The records on SQLite, through a read-only connection of the calling thread. Throws SourceFailed. */
export function openSqliteSource(file: string): Source {
  const guarded = <T>(work: () => T): T => {
    try {
      return work();
    } catch (cause) {
      throw new SourceFailed('the records cannot be read', { cause });
    }
  };
  const connection = guarded(() => openConnection(file, { readOnly: true, cacheKiB: 4096 }));
  const all = <R>(sql: string, params: readonly (string | number)[] = []): R[] =>
    guarded(() => connection.all(sql, params) as unknown as R[]);

  const truth: Snapshot = {
    async head() {
      const [row] = all<Head>(
        `select (select value from settings where name = 'ledger_no') as "ledgerNo",
           coalesce((select max(seq) from decisions), 0) as "decisionsSeq",
           coalesce((select max(seq) from changes), 0) as "changesSeq",
           coalesce((select min(seq) from changes), 0) as "changesFromSeq"`,
      );
      return row as Head;
    },
    async decisionsAfter(seq, limit) {
      return all<DecisionRow>(
        `select seq, at, content_no as "contentNo", requester_id as "requesterId", policy_no as "policyNo", reason
         from decisions d where seq > $1 and exists (select 1 from content where no = d.content_no)
         order by seq limit $2`,
        [seq, limit],
      );
    },
    async decidedAt(seq) {
      return all<{ at: number }>('select at from decisions where seq = $1', [seq])[0]?.at;
    },
    async contentChangesAfter(seq, limit) {
      return all<ContentChange>(
        `select seq, at, object_no as "contentNo" from changes
         where seq > $1 and kind like 'content.%' and object_no is not null order by seq limit $2`,
        [seq, limit],
      );
    },
    async changedAt(seq) {
      return all<{ at: number }>('select at from changes where seq = $1', [seq])[0]?.at;
    },
    async contentOf(nos) {
      return all<ContentRow>('select no, id, type from content where no in (select value from json_each($1))', [
        JSON.stringify(nos),
      ]);
    },
    async contentAfter(no, limit) {
      return all<ContentRow>('select no, id, type from content where no > $1 order by no limit $2', [no, limit]);
    },
  };

  return {
    async read(work) {
      // Deferred: the snapshot is of the first read that follows, hence not earlier than now.
      guarded(() => connection.exec('begin'));
      try {
        return await work(truth);
      } finally {
        guarded(() => connection.exec('rollback'));
      }
    },
    close: () => connection.close(),
  };
}
