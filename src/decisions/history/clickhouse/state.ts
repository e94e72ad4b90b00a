/**
 * The progress of the columns in ClickHouse, kept in PostgreSQL: restored to an earlier time, it goes back with the
 * decisions. One writer at a time holds the lock, on the connection that everything here is written with. A writer that
 * only believes it has the lock goes no further than the next step of the other.
 */
import type { PostgresReader } from '../../../db/postgres/reader.ts';

/** Up to where decisions and items were forgotten. */
interface Forgotten {
  retiredTo: number;
  inputsErasedTo: number;
  changesSeq: number;
  erasedNo: number;
}

/** A block of decisions, with what all of them add up to. */
export interface Block {
  first: number;
  last: number;
  rows: number;
  sums: number[];
  hash: string;
  /** On a cluster; 0: on one server. */
  shard: number;
}

export interface ColumnsState {
  ledgerNo: string;
  /** Set until the columns were filled for the first time. */
  isNew: boolean;
  /** The last step that a writer began, and the last one that it completed: see writer.ts. */
  begun: number;
  done: number;
  /** The step that counted all from nothing. */
  built: number;
  /** The block that is being written: with these decisions and no others. */
  planned: (Block & { at: number }) | null;
  /** All decisions up to it are in blocks. */
  to: number;
  /** `sums`: see guard.ts. */
  newest: Pick<Block, 'first' | 'rows' | 'shard' | 'sums'>;
  /** The rows of decisions in blocks on each shard of a cluster; null: on one server. */
  shards: number[] | null;
  /** The name of the server that the last step was written through; empty: there is but one. */
  server: string;
  changesSeq: number;
  changesAt: number;
  retiredTo: number;
  inputsErasedTo: number;
  erasedNo: number;
  /** A requester is being erased: some of their decisions have the pseudonym, and others not yet. */
  erasing: boolean;
  /** Texts that were copied. */
  namesNo: number;
  /** Daily counts of decisions, in places below 0. */
  counts: number;
  /** Decisions beyond the blocks; `hides`: some of them are on items that are gone. */
  tail: { no: number; rows: number; sum: number; hides: boolean };
  /** A tail that was the newest one then: earlier ones can be dropped a while later. */
  formerTail: { no: number; at: number };
  /** All that was overwritten and deleted for good. */
  forgotten: Forgotten;
  /** Hidden since `at`; overwritten and deleted later, with tails before `tail`. null: nothing. */
  forgetting: (Forgotten & { at: number; tail: number }) | null;
  /** Decisions up to `to` were compared with the records, the last time at `at`. */
  compared: { to: number; at: number };
  /** Decisions are hidden that `forgetting` does not include. */
  hides: boolean;
  /** Rows of items that are gone, at least: a step that was interrupted may have left more. */
  gone: number;
}

/** A number of rows of which some may be deleted, or were written since. */
export const UNKNOWN = -1;

export const EMPTY: ColumnsState = {
  ledgerNo: '',
  isNew: true,
  begun: 0,
  done: 0,
  built: 0,
  planned: null,
  to: 0,
  newest: { first: 0, rows: 0, shard: 0, sums: [] },
  shards: null,
  server: '',
  changesSeq: 0,
  changesAt: 0,
  retiredTo: 0,
  inputsErasedTo: 0,
  erasedNo: 0,
  erasing: false,
  namesNo: 0,
  counts: 0,
  tail: { no: 0, rows: 0, sum: 0, hides: false },
  formerTail: { no: 0, at: 0 },
  forgotten: { retiredTo: 0, inputsErasedTo: 0, changesSeq: 0, erasedNo: 0 },
  forgetting: null,
  compared: { to: 0, at: 0 },
  hides: false,
  gone: UNKNOWN,
};

/** No question takes longer. */
export const QUESTIONS_MS = 60_000;
/** Data that a question may read stays for longer than that: times are written a little earlier than states. */
export const KEPT_MS = QUESTIONS_MS + 30_000;

export const isForgetDue = ({ forgetting }: ColumnsState, now: number): boolean =>
  forgetting !== null && now - forgetting.at >= KEPT_MS;

const NAME = 'clickhouse_columns';
/** Any number that no other lock of the database has. */
const LOCK = 7_239_641_301;

export interface StateStore {
  read(): Promise<ColumnsState>;
  /** Returns the time of PostgreSQL as of the last read, in milliseconds: clocks of nodes differ. */
  now(): number;
  /** Throws where the state is no longer what it was, by its steps: another writer took over. */
  write(state: ColumnsState, before: Pick<ColumnsState, 'begun' | 'done'>): Promise<void>;
  /** Returns false while another writer has it. */
  lock(): Promise<boolean>;
  unlock(): Promise<void>;
}

export function openState(reader: PostgresReader): StateStore {
  const one = async (sql: string): Promise<unknown> => Object.values((await reader.all([{ sql }]))[0]?.[0] ?? {})[0];
  let clock = { at: Date.now(), readAt: performance.now() };
  return {
    async read() {
      const sql = `select (select value from settings where name = '${NAME}') as value,
        (extract(epoch from clock_timestamp()) * 1000)::bigint as at`;
      const [[row] = []] = await reader.all([{ sql }]);
      const { value, at } = row as { value: string | null; at: number };
      clock = { at, readAt: performance.now() };
      return value === null ? EMPTY : { ...EMPTY, ...(JSON.parse(value) as ColumnsState) };
    },
    now: () => Math.floor(clock.at + performance.now() - clock.readAt),
    async write(state, { begun, done }) {
      const step = (name: string): string => `(settings.value::json ->> '${name}')::bigint`;
      const sql = `insert into settings (name, value)
        select '${NAME}', $1::text where $2::bigint = 0 or exists (select 1 from settings where name = '${NAME}')
        on conflict (name) do update set value = excluded.value where ${step('begun')} = $2 and ${step('done')} = $3
        returning name`;
      const [, written] = await reader.all([
        { sql: `select set_config('synchronous_commit', 'on', true)` },
        { sql, params: [JSON.stringify(state), begun, done] },
      ]);
      if (written?.length !== 1) throw new Error('another node writes the columns');
    },
    lock: async () => (await one(`select case when pg_try_advisory_lock(${LOCK}) then 1 else 0 end`)) === 1,
    async unlock() {
      await one(`select pg_advisory_unlock(${LOCK})::text`);
    },
  };
}
