/** A dedicated connection for long reads, such as those of a thread. */
import { type Row, type Step, Unavailable, type Value } from '../db.ts';
import { binaryRows, type TakeRow } from './binary.ts';
import { connectionOptions, streamOf, WriterClient } from './connection.ts';
import { toDbError } from './errors.ts';
import { arraysOf, pipeline } from './pipeline.ts';

export interface PostgresReader {
  /** Returns the rows of each statement, in one round trip. Throws as `read` does. */
  all(steps: readonly Step[]): Promise<Row[][]>;
  /** Returns the rows of a statement, each in the order of its columns. */
  arrays(step: Step): Promise<Value[][]>;
  /** Passes on the rows of a statement in the binary format, as they arrive. */
  binary(step: Step, take: TakeRow): Promise<void>;
  /** Fails all reads, now and later: the server is unresponsive. */
  abandon(): void;
  close(): Promise<void>;
}

const READ_WITHIN_MS = 60_000;
/** Longer than the server's own timeout, which comes first when the server is alive. */
const SILENT_MS = 5_000;
const FAREWELL_WITHIN_MS = 1_000;

/** `withinMs`: limit on a statement. Throws Unavailable. */
export async function openPostgresReader(url: string, withinMs = READ_WITHIN_MS): Promise<PostgresReader> {
  const client = new WriterClient({
    ...connectionOptions(url),
    statement_timeout: withinMs,
    idle_in_transaction_session_timeout: READ_WITHIN_MS,
  });
  client.on('error', () => {});
  try {
    await client.connect();
  } catch (cause) {
    throw new Unavailable('the database cannot be reached', { cause });
  }
  const abandon = (): void => void streamOf(client).destroy();
  const within = async <T>(ms: number, work: Promise<T>): Promise<T> => {
    const timer = setTimeout(abandon, ms);
    try {
      return await work;
    } finally {
      clearTimeout(timer);
    }
  };
  const read = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await within(withinMs + SILENT_MS, work);
    } catch (error) {
      throw toDbError(error, false);
    }
  };
  return {
    all: (steps) => read(pipeline(client, steps)),
    arrays: (step) => read(arraysOf(client, step)),
    binary: (step, take) => read(binaryRows(client, step, take)),
    abandon,
    close: () => within(FAREWELL_WITHIN_MS, client.end()),
  };
}
