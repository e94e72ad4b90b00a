/** A connection of one's own, such as a thread's, which reads at length. */
import { type Row, type Step, Unavailable } from './db.ts';
import { connectionOptions, streamOf, WriterClient } from './postgres-connection.ts';
import { toDbError } from './postgres-errors.ts';
import { pipeline } from './postgres-pipeline.ts';

export interface PostgresReader {
  /** Rows of each statement, in one round trip. Same errors as `read`. */
  all(steps: readonly Step[]): Promise<Row[][]>;
  /** The server is silent: what is under way ends now, and so does all that follows. */
  abandon(): void;
  close(): Promise<void>;
}

const READ_WITHIN_MS = 60_000;
/** The server ends it first, if there is one. */
const SILENT_READ_WITHIN_MS = READ_WITHIN_MS + 5_000;
const FAREWELL_WITHIN_MS = 1_000;

/** Throws Unavailable. */
export async function openPostgresReader(url: string): Promise<PostgresReader> {
  const client = new WriterClient({
    ...connectionOptions(url),
    statement_timeout: READ_WITHIN_MS,
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
  return {
    async all(steps) {
      try {
        return await within(SILENT_READ_WITHIN_MS, pipeline(client, steps));
      } catch (error) {
        throw toDbError(error, false);
      }
    },
    abandon,
    close: () => within(FAREWELL_WITHIN_MS, client.end()),
  };
}
