/**
 * The truth as the columns read it: one snapshot at a time, in pages. Promise: everything read inside one `read` is of
 * one moment, and that moment is not earlier than the call. Changes come in the order in which they were committed, so
 * "after this place" never skips one that is committed later; decisions do up to the place that is settled, beyond which
 * others may still come in between.
 */
import type { Db, Row, Value } from '../db/db.ts';
import { isPostgresUrl } from '../db/postgres.ts';
import { openPostgresReader } from '../db/postgres-reader.ts';
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

/** Decisions after the file before it and up to `toSeq` are in this file of the archive. */
export interface ArchivedFile {
  toSeq: number;
  file: string;
}

export interface Head {
  /** Which ledger this is; null before it was first opened. */
  ledgerNo: string | null;
  /** Places of the newest decision and change, 0 when there is none. */
  decisionsSeq: number;
  /** Up to this place no decision will be added any more. */
  settledSeq: number;
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
  /** In order. */
  archived(): Promise<ArchivedFile[]>;
}

export interface Source {
  read<T>(work: (truth: Snapshot) => Promise<T>): Promise<T>;
  /** No answer is to be hoped for any more: what is under way fails now. */
  abandon(): void;
  close(): Promise<void>;
}

/** The truth cannot be read now. The columns are as good as before. */
export class SourceFailed extends Error {}

/** `records` is a file of SQLite or the URL of a PostgreSQL. Throws SourceFailed. */
export const openSource = (records: string): Promise<Source> =>
  isPostgresUrl(records) ? openPostgresSource(records) : openSqliteSource(records);

type All = <R>(sql: string, params?: readonly Value[]) => Promise<R[]>;

/** The same questions on both engines; what is settled only the engine knows. */
function snapshotOf(engine: Db['engine'], all: All, settledSeq: (newest: number) => number): Snapshot {
  return {
    async head() {
      const [row] = await all<Omit<Head, 'settledSeq'>>(
        `select (select value from settings where name = 'ledger_no') as "ledgerNo",
           coalesce((select max(seq) from decisions), 0) as "decisionsSeq",
           coalesce((select max(seq) from changes), 0) as "changesSeq",
           coalesce((select min(seq) from changes), 0) as "changesFromSeq"`,
      );
      const head = row as Omit<Head, 'settledSeq'>;
      return { ...head, settledSeq: settledSeq(head.decisionsSeq) };
    },
    decisionsAfter: (seq, limit) =>
      all<DecisionRow>(
        `select seq, at, content_no as "contentNo", requester_id as "requesterId", policy_no as "policyNo", reason
         from decisions d where seq > $1 and exists (select 1 from content where no = d.content_no)
         order by seq limit $2`,
        [seq, limit],
      ),
    async decidedAt(seq) {
      return (await all<{ at: number }>('select at from decisions where seq = $1', [seq]))[0]?.at;
    },
    contentChangesAfter: (seq, limit) =>
      all<ContentChange>(
        `select seq, at, object_no as "contentNo" from changes
         where seq > $1 and kind like 'content.%' and object_no is not null order by seq limit $2`,
        [seq, limit],
      ),
    async changedAt(seq) {
      return (await all<{ at: number }>('select at from changes where seq = $1', [seq]))[0]?.at;
    },
    contentOf: (nos) =>
      all<ContentRow>(`select no, id, type from content where no in (${NUMBERS[engine]})`, [JSON.stringify(nos)]),
    archived: () => all<ArchivedFile>('select to_seq as "toSeq", file from archives order by to_seq'),
    contentAfter: (no, limit) =>
      all<ContentRow>('select no, id, type from content where no > $1 order by no limit $2', [no, limit]),
  };
}

/** The numbers of a JSON list. */
const NUMBERS = {
  sqlite: 'select value from json_each($1)',
  postgres: 'select value::bigint from json_array_elements_text($1)',
};

/** Through a read-only connection of the calling thread. One writer commits after the other: all places are settled. */
async function openSqliteSource(file: string): Promise<Source> {
  const guarded = <T>(work: () => T): T => {
    try {
      return work();
    } catch (cause) {
      throw new SourceFailed('the records cannot be read', { cause });
    }
  };
  const connection = guarded(() => openConnection(file, { readOnly: true, cacheKiB: 4096 }));
  const all: All = async <R>(sql: string, params: readonly Value[] = []) =>
    guarded(() => connection.all(sql, params) as unknown as R[]);
  const truth = snapshotOf('sqlite', all, (newest) => newest);
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
    abandon: () => {},
    close: async () => connection.close(),
  };
}

/** More would be kept only while a transaction stays open for that many steps. */
const NOTES_MAX = 1_000;

/**
 * Places are given before their transactions commit, so a low one may appear after a higher one. What is settled follows
 * from transaction numbers. A note says: before this transaction number of ours was drawn, `place` was the last one given.
 * A transaction gets its number before its first place, so whoever holds a place up to `place` has a lower number than
 * ours. Once a later snapshot's `xmin` has come that far, all of them have ended: it shows their decisions or never
 * will. (A snapshot's own `xmax` is no such number: it follows the last one that ended, and others may be open above it.)
 * A transaction that stays open, of whomever, delays what is settled, never an answer.
 */
async function openPostgresSource(url: string): Promise<Source> {
  const failed = (cause: unknown): never => {
    throw new SourceFailed('the records cannot be read', { cause });
  };
  const reader = await openPostgresReader(url).catch(failed);
  const all: All = async <R>(sql: string, params: readonly Value[] = []) =>
    (await reader.all([{ sql, params }]).catch(failed))[0] as unknown as R[];
  let notes: { place: number; number: number }[] = [];
  let settled = 0;
  const truth = snapshotOf('postgres', all, (newest) => Math.min(newest, settled));

  return {
    async read(work) {
      const [[given], [own]] = (await reader
        .all([
          { sql: 'select case when is_called then last_value else 0 end as place from decisions_seq_seq' },
          { sql: 'select pg_current_xact_id()::text::bigint as number' },
        ])
        .catch(failed)) as [{ place: number }[], { number: number }[]];
      const [, [numbers]] = (await reader
        .all([
          { sql: 'begin isolation level repeatable read read only' },
          {
            sql: 'select pg_snapshot_xmin(pg_current_snapshot())::text::bigint as xmin',
          },
        ])
        .catch(failed)) as [Row[], { xmin: number }[]];
      const { xmin } = numbers as { xmin: number };
      if (notes.length < NOTES_MAX)
        notes.push({ place: given?.place ?? 0, number: own?.number ?? Number.POSITIVE_INFINITY });
      for (const note of notes) if (note.number <= xmin) settled = Math.max(settled, note.place);
      notes = notes.filter((note) => note.number > xmin);
      try {
        return await work(truth);
      } finally {
        await all('rollback');
      }
    },
    abandon: () => reader.abandon(),
    close: () => reader.close(),
  };
}
