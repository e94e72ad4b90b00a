/**
 * The progress of the columns in ClickHouse, kept in PostgreSQL: restored to an earlier time, it goes back with the
 * decisions. One writer at a time holds the lock, on the connection that everything here is written with: a writer that
 * lost the lock writes nothing more.
 */
import type { PostgresReader } from '../../../db/postgres/reader.ts';

/** A block of decisions, with what all of them add up to. */
export interface Block {
  first: number;
  last: number;
  rows: number;
  sums: number[];
  hash: string;
}

export interface ColumnsState {
  ledgerNo: string;
  /** Set until the columns were filled for the first time. */
  isNew: boolean;
  /** The last step that a writer began, and the last one that it completed: see writer.ts. */
  begun: number;
  done: number;
  /** The block that is being written: with these decisions and no others. */
  planned: (Block & { at: number }) | null;
  /** All decisions up to it are in blocks. */
  to: number;
  newest: Pick<Block, 'first' | 'rows'>;
  changesSeq: number;
  changesAt: number;
  retiredTo: number;
  inputsErasedTo: number;
  erasedNo: number;
  /** Texts that were copied. */
  namesNo: number;
  /** Decisions beyond the blocks. */
  tail: { no: number; rows: number; sum: number };
  /** A tail that was the newest one then: earlier ones can be dropped a while later. */
  formerTail: { no: number; at: number };
  /** All that was overwritten and deleted for good: decisions up to these numbers, and items. */
  forgotten: { retiredTo: number; inputsErasedTo: number; changesSeq: number };
  /** When there was first something to forget since; 0: nothing. */
  forgetSince: number;
}

export const EMPTY: ColumnsState = {
  ledgerNo: '',
  isNew: true,
  begun: 0,
  done: 0,
  planned: null,
  to: 0,
  newest: { first: 0, rows: 0 },
  changesSeq: 0,
  changesAt: 0,
  retiredTo: 0,
  inputsErasedTo: 0,
  erasedNo: 0,
  namesNo: 0,
  tail: { no: 0, rows: 0, sum: 0 },
  formerTail: { no: 0, at: 0 },
  forgotten: { retiredTo: 0, inputsErasedTo: 0, changesSeq: 0 },
  forgetSince: 0,
};

/** The number of decisions in the newest block while some of them may be deleted. */
export const UNKNOWN = -1;

/** Longer than any question takes. */
export const QUESTIONS_MS = 60_000;

export const isForgetDue = ({ forgetSince }: ColumnsState): boolean =>
  forgetSince > 0 && Date.now() - forgetSince >= QUESTIONS_MS;

const NAME = 'clickhouse_columns';
/** Any number that no other lock of the database has. */
const LOCK = 7_239_641_301;

export interface StateStore {
  read(): Promise<ColumnsState>;
  write(state: ColumnsState): Promise<void>;
  /** Returns false while another writer has it. */
  lock(): Promise<boolean>;
  unlock(): Promise<void>;
}

export function openState(reader: PostgresReader): StateStore {
  const one = async (sql: string): Promise<unknown> => Object.values((await reader.all([{ sql }]))[0]?.[0] ?? {})[0];
  return {
    async read() {
      const value = await one(`select value from settings where name = '${NAME}'`);
      return value === undefined ? EMPTY : { ...EMPTY, ...(JSON.parse(value as string) as ColumnsState) };
    },
    async write(state) {
      const sql = `insert into settings (name, value) values ('${NAME}', $1)
        on conflict (name) do update set value = excluded.value`;
      await reader.all([
        { sql: `select set_config('synchronous_commit', 'on', true)` },
        { sql, params: [JSON.stringify(state)] },
      ]);
    },
    lock: async () => (await one(`select case when pg_try_advisory_lock(${LOCK}) then 1 else 0 end`)) === 1,
    async unlock() {
      await one(`select pg_advisory_unlock(${LOCK})::text`);
    },
  };
}
