/**
 * The records as the columns read them: one snapshot at a time, in pages. Promise: everything inside one `read` is of
 * one snapshot, which is not older than the call. Changes are numbered in commit order, so reading after a sequence
 * number skips none that commits later. For decisions that holds up to the settled number; beyond it, others may still
 * appear in between.
 */
import type { Db, Row, Value } from '../../../db/db.ts';
import type { TakeRow } from '../../../db/postgres/binary.ts';
import type { PostgresReader } from '../../../db/postgres/reader.ts';
import { isPostgresUrl } from '../../../db/postgres/url.ts';
import { inList, toList } from '../../../db/query.ts';
import { openConnection } from '../../../db/sqlite/connection.ts';
import { findMoved, type MovedBlock, type ReadAll } from '../moved/blocks.ts';
import { readMovedAfter, readMovedAt } from '../moved/read.ts';
import { type MovedStore, UNKNOWN } from '../moved/store.ts';
import { type DecisionRow, NO_INPUTS, withOlderInputs } from './decision-row.ts';
import { type Gone, goneQueries } from './gone.ts';
import type { ArchivedFile, ContentRow, Head, RecordChange, RequesterRow } from './record-rows.ts';
import { type Sums, sumQueries, sumRows } from './sums.ts';

export type { ArchivedFile, ContentRow, Head, RecordChange, RequesterRow } from './record-rows.ts';

/** The records at one time. Every method may throw SourceFailed. */
export interface ColumnsSnapshot extends Gone, Sums {
  head(): Promise<Head>;
  /** Decisions to read at once. */
  readonly page: number;
  /** Returns decisions after a number, in order, also on content that is deleted. */
  decisionsAfter(seq: number, limit: number): Promise<DecisionRow[]>;
  /**
   * Passes the same on with the fields of `DecisionRow` in PostgreSQL's binary format. Returns false, and passes none
   * on, where some are elsewhere.
   */
  binaryAfter(seq: number, limit: number, take: TakeRow): Promise<boolean>;
  /** Returns the time of a decision; undefined: it does not exist. */
  decidedAt(seq: number): Promise<number | undefined>;
  /** Finds blocks that moved, of numbers after one and up to another. Decisions of later numbers did not move. */
  movedBetween(after: number, to: number): Promise<MovedBlock[]>;
  changesAfter(seq: number, limit: number): Promise<RecordChange[]>;
  changedAt(seq: number): Promise<number | undefined>;
  /** Returns the existing items. */
  contentOf(nos: readonly number[]): Promise<ContentRow[]>;
  contentAfter(no: number, limit: number): Promise<ContentRow[]>;
  /** Returns the registered requesters. */
  requestersOf(ids: readonly string[]): Promise<RequesterRow[]>;
  /** Returns registered requesters, by id. */
  requestersAfter(id: string, limit: number): Promise<RequesterRow[]>;
  /** Returns archive files in order. */
  archived(): Promise<ArchivedFile[]>;
}

/** For sources that pay for each query. */
export const MANY = 16_384;
/** V8 copies rows that outlive its young generation, and visits each of their values in every collection meanwhile. */
const FEW = 4_096;

export interface DecisionSource {
  read<T>(work: (records: ColumnsSnapshot) => Promise<T>): Promise<T>;
  /** Fails pending reads; the server has stopped responding. */
  abandon(): void;
  close(): Promise<void>;
}

/** The records cannot be read now. The columns are unaffected. */
export class SourceFailed extends Error {}

/**
 * `records`: a SQLite file or a PostgreSQL URL. `moved`: where decisions moved to, closed with the source; null: none
 * are read. Throws SourceFailed.
 */
export const openSource = (
  records: string,
  pagesKiB: number,
  moved: MovedStore | null = null,
): Promise<DecisionSource> =>
  isPostgresUrl(records) ? openPostgresSource(records, moved) : openSqliteSource(records, pagesKiB);

type All = ReadAll;

/** The part that differs by engine. */
interface Own {
  page: number;
  settledSeq(newest: number): number;
  decisionsAfter: ColumnsSnapshot['decisionsAfter'];
  /** Finds the time of a decision that moved. */
  movedAt(seq: number): Promise<number | undefined>;
}

/** The same queries for both engines. */
function toSnapshot(
  engine: Db['engine'],
  all: All,
  { page, settledSeq, decisionsAfter, movedAt }: Own,
): ColumnsSnapshot {
  return {
    page,
    async head() {
      const [row] = await all<Omit<Head, 'settledSeq'>>(
        `select (select value from settings where name = 'ledger_no') as "ledgerNo",
           coalesce((select max(seq) from decisions), 0) as "decisionsSeq",
           coalesce((select max(seq) from changes), 0) as "changesSeq",
           coalesce((select min(seq) from changes), 0) as "changesFromSeq",
           coalesce((select cast(value as bigint) from settings where name = 'decisions_retired_to'), 0) as "retiredTo",
           coalesce((select cast(value as bigint) from settings where name = 'inputs_erased_to'), 0) as "inputsErasedTo",
           coalesce((select cast(value as bigint) from settings where name = 'decisions_retiring'), 0) as retiring,
           coalesce((select max(no) from erasures where status in ('columns', 'done')), 0) as "erasedNo"`,
      );
      const head = row as Omit<Head, 'settledSeq'>;
      return { ...head, settledSeq: settledSeq(head.decisionsSeq) };
    },
    decisionsAfter,
    binaryAfter: async () => false,
    ...sumQueries(all),
    async decidedAt(seq) {
      return (await all<{ at: number }>('select at from decisions where seq = $1', [seq]))[0]?.at ?? movedAt(seq);
    },
    movedBetween: (after, to) => (engine === 'sqlite' ? Promise.resolve([]) : findMoved(all, { after, last: to })),
    changesAfter: (seq, limit) =>
      all<RecordChange>(
        `select seq, at, case when kind like 'content.%' then object_no end as "contentNo", object_id as "objectId"
         from changes
         where seq > $1 and (kind like 'content.%' and object_no is not null or kind like 'requester.%')
         order by seq limit $2`,
        [seq, limit],
      ),
    async changedAt(seq) {
      return (await all<{ at: number }>('select at from changes where seq = $1', [seq]))[0]?.at;
    },
    ...goneQueries(all),
    contentOf: (nos) =>
      all<ContentRow>(`select no, id, type from content where ${inList(engine, 'no', 'bigint')}`, [toList(nos)]),
    archived: () => all<ArchivedFile>('select to_seq as "toSeq", file from archives order by to_seq'),
    contentAfter: (no, limit) =>
      all<ContentRow>('select no, id, type from content where no > $1 order by no limit $2', [no, limit]),
    requestersOf: (ids) =>
      all<RequesterRow>(`select ${REQUESTER} from requesters where ${inList(engine, 'id', 'text')}`, [toList(ids)]),
    requestersAfter: (id, limit) =>
      all<RequesterRow>(`select ${REQUESTER} from requesters where id > $1 order by id limit $2`, [id, limit]),
  };
}

const REQUESTER = 'id, name, type, status, tags';

/** The inputs. Erased requesters have none, even if they sent nothing: columns follow an erasure by its id alone. */
const INPUTS = `case when ${['requester_id', 'claimed'].map((name) => `${name} in (select pseudonym from erasures)`).join(' or ')}
    then '${NO_INPUTS}' else inputs end as inputs`;
const decisionsAfterSql = (table: string): string => `
  select seq, at, content_no, requester_id, policy_no, reason, purpose, permission, collection_id, crawler, license_id,
    claimed, coalesce(verified, 0) as verified, enforced, policy_version, coalesce(rule_index, -1) as rule_index, wanted,
    candidate, url, file, ${INPUTS}
  from ${table} as d where seq > $1 order by seq limit $2`;
const DECISIONS_AFTER = decisionsAfterSql('decisions');

/**
 * Uses a read-only connection of the calling thread. Writers commit one after the other, so all decisions are settled.
 */
async function openSqliteSource(file: string, cacheKiB: number): Promise<DecisionSource> {
  const guarded = <T>(work: () => T): T => {
    try {
      return work();
    } catch (cause) {
      throw new SourceFailed('the records cannot be read', { cause });
    }
  };
  const connection = guarded(() => openConnection(file, { readOnly: true, cacheKiB }));
  const all: All = async <R>(sql: string, params: readonly Value[] = []) =>
    guarded(() => connection.all(sql, params) as unknown as R[]);
  const decisions = guarded(() => connection.prepare(DECISIONS_AFTER));
  decisions.setReturnArrays(true);
  const snapshot = toSnapshot('sqlite', all, {
    page: FEW,
    settledSeq: (newest) => newest,
    movedAt: async () => undefined,
    decisionsAfter: async (seq, limit) =>
      guarded(() => (decisions.all(seq, limit) as unknown as DecisionRow[]).map(withOlderInputs)),
  });
  return {
    async read(work) {
      // Deferred: the snapshot is taken by the first read, so it is not older than now.
      guarded(() => connection.exec('begin'));
      try {
        return await work(snapshot);
      } finally {
        guarded(() => connection.exec('rollback'));
      }
    },
    abandon: () => {},
    close: async () => connection.close(),
  };
}

/** More notes accumulate only while a transaction stays open for that many steps. */
const NOTES_MAX = 1_000;

/**
 * Sequence numbers are assigned before their transactions commit, so a low one may appear after a higher one. Settled
 * numbers follow from transaction ids. A note records: before our transaction id was assigned, `seq` was the last one
 * assigned. A transaction gets its id before its first sequence number, so every transaction with a number up to `seq`
 * has a lower id than ours. Once the `xmin` of a later snapshot reaches our id, all of them have ended: the snapshot
 * shows their decisions or never will. (Its `xmax` would not do: it follows the last transaction that ended, and others
 * may be open above it.) A transaction that stays open delays what is settled, never an answer.
 */
async function openPostgresSource(url: string, moved: MovedStore | null): Promise<DecisionSource> {
  const failed = (cause: unknown): never => {
    throw new SourceFailed('the records cannot be read', { cause });
  };
  const { openPostgresReader } = await import('../../../db/postgres/reader.ts');
  const reader = await openPostgresReader(url).catch(failed);
  const all: All = async <R>(sql: string, params: readonly Value[] = []) =>
    (await reader.all([{ sql, params }]).catch(failed))[0] as unknown as R[];
  let notes: { seq: number; xid: number }[] = [];
  let settled = 0;
  const log = toSnapshot('postgres', all, {
    page: MANY,
    settledSeq: (newest) => Math.min(newest, settled),
    movedAt: async (seq) => (moved === null ? undefined : await readMovedAt(all, moved, seq)),
    async decisionsAfter(seq, limit) {
      const found = moved === null ? [] : await readMovedAfter(all, moved, decisionsAfterSql, { after: seq, limit });
      const rows = found.map((row) => Object.values(row));
      const after = (found.at(-1)?.seq as number | undefined) ?? seq;
      const params = [after, limit - rows.length];
      if (rows.length < limit) rows.push(...(await reader.arrays({ sql: DECISIONS_AFTER, params }).catch(failed)));
      for (const row of rows) withOlderInputs(row as DecisionRow);
      return rows as DecisionRow[];
    },
  });
  const records = withLog(log, { reader, all, failed });
  const snapshot: ColumnsSnapshot =
    moved === null || moved.isKnown ? records : { ...records, head: () => headUnmoved(records) };

  return {
    async read(work) {
      const [[last], [own]] = (await reader
        .all([
          { sql: 'select case when is_called then last_value else 0 end as seq from decisions_seq_seq' },
          { sql: 'select pg_current_xact_id()::text::bigint as xid' },
        ])
        .catch(failed)) as [{ seq: number }[], { xid: number }[]];
      const [, [numbers]] = (await reader
        .all([
          { sql: 'begin isolation level repeatable read read only' },
          {
            sql: 'select pg_snapshot_xmin(pg_current_snapshot())::text::bigint as xmin',
          },
        ])
        .catch(failed)) as [Row[], { xmin: number }[]];
      const { xmin } = numbers as { xmin: number };
      if (notes.length < NOTES_MAX) notes.push({ seq: last?.seq ?? 0, xid: own?.xid ?? Number.POSITIVE_INFINITY });
      for (const note of notes) if (note.xid <= xmin) settled = Math.max(settled, note.seq);
      notes = notes.filter((note) => note.xid > xmin);
      try {
        return await work(snapshot);
      } finally {
        await all('rollback');
      }
    },
    abandon: () => reader.abandon(),
    async close() {
      await moved?.close();
      await reader.close();
    },
  };
}

/** Reads of the log where none of its decisions moved, and slower ones otherwise. */
function withLog(
  records: ColumnsSnapshot,
  { reader, all, failed }: { reader: PostgresReader; all: All; failed(cause: unknown): never },
): ColumnsSnapshot {
  const areMoved = async (seq: number): Promise<boolean> =>
    (await findMoved(all, { after: seq, last: Number.MAX_SAFE_INTEGER }, 1)).length > 0;
  return {
    ...records,
    async binaryAfter(seq, limit, take) {
      if (await areMoved(seq)) return false;
      await reader.binary({ sql: DECISIONS_AFTER, params: [seq, limit] }, take).catch(failed);
      return true;
    },
    sumAfter: async (seq, last) => ((await areMoved(seq)) ? sumRows(records, seq) : records.sumAfter(seq, last)),
  };
}

/** The head for a node that knows no ClickHouse. */
async function headUnmoved(records: ColumnsSnapshot): Promise<Head> {
  const moved = await records.movedBetween(0, Number.MAX_SAFE_INTEGER);
  if (moved.length > 0) throw new SourceFailed(UNKNOWN);
  return records.head();
}
