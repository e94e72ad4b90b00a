/**
 * The records on PostgreSQL, for any number of nodes. A transaction is one round trip. `atomic` runs one at a time in the
 * whole cluster, as it does on SQLite: what a step expects cannot be made wrong by another before the commit, edits never
 * wait for each other in a circle, and numbers given by the log of changes are in the order of commits. Decisions do not
 * pass through here (see ledger/postgres).
 */
import { Pool, type PoolClient } from 'pg';
import type { Clock } from '../lib/clock.ts';
import { type DatabaseClock, followClock } from './database-clock.ts';
import { type Db, type Row, type Step, Unavailable, type Value } from './db.ts';
import { type Lane, lane } from './lane.ts';
import { connectionOptions, onConnection, openTrust, WriterClient } from './postgres-connection.ts';
import { BeginAnew, isBroken, isRetryable, toDbError } from './postgres-errors.ts';
import { pipeline } from './postgres-pipeline.ts';

/** Connections of a node: reads, edits (one is under way while the next waits at the database), decisions. */
const READS_AT_ONCE = 5;
const ATOMICS_AT_ONCE = 2;
const EXCHANGES_AT_ONCE = 1;

const ATTEMPTS_MAX = 5;
const RETRY_MS = 20;
/** What waited this long for a lock is not asked again. */
const RETRY_WITHIN_MS = 4_000;
const IDLE_CONNECTION_MS = 60_000;
const OLDEST_VERSION = 140_000;

/** Any number will do, as long as nobody else takes it: "postern" in ASCII. */
const ATOMIC_LOCK = '31647739056321134';
/** Before what others must see in the order of its places: nobody else writes such things until the commit. */
export const IN_ORDER: Step = { sql: `select pg_advisory_xact_lock(${ATOMIC_LOCK})` };

/** What settings call the records: the URL of a PostgreSQL, or else a file of SQLite. */
export const isPostgresUrl = (records: string): boolean => /^postgres(ql)?:\/\//.test(records);

export interface PostgresDb extends Db {
  readonly engine: 'postgres';
  readonly url: string;
  /** The database's, the same on all nodes. */
  readonly clock: Clock;
  /**
   * One transaction in two round trips, beside the atomic ones: `second` works out the other half from the rows of the
   * first, or undefined when it has to be begun anew; it may be asked several times. Same errors as `atomic`.
   */
  exchange<T>(first: readonly Step[], second: (rows: Row[][]) => SecondHalf<T> | undefined): Promise<T>;
  /** One transaction in one round trip, beside the atomic ones; rows of each step. Same errors as `atomic`. */
  write(steps: readonly Step[]): Promise<Row[][]>;
  /** The server is silent: what is under way ends now, in doubt, and all that follows goes over new connections. */
  abandon(): void;
}

export interface SecondHalf<T> {
  steps: readonly Step[];
  value: T;
}

/** Connects once, to see that it can. Throws Unavailable, or an Error when the server is not one that can be used. */
export async function openPostgres(url: string): Promise<PostgresDb> {
  const pool = new Pool({
    ...connectionOptions(url),
    Client: WriterClient as never,
    max: READS_AT_ONCE + ATOMICS_AT_ONCE + EXCHANGES_AT_ONCE,
    idleTimeoutMillis: IDLE_CONNECTION_MS,
  });
  // An idle connection that breaks is taken out of the pool; the next request makes another.
  pool.on('error', () => {});
  // One that breaks while in use says so twice: to the query, and here, where it would end the process.
  pool.on('connect', (client) => client.on('error', () => {}));
  const reads = lane(READS_AT_ONCE);
  const atomics = lane(ATOMICS_AT_ONCE);
  const exchanges = lane(EXCHANGES_AT_ONCE);
  let closing: Promise<void> | undefined;
  let clock: DatabaseClock | undefined;
  const trusted = openTrust(pool);

  /** Runs `work` on a connection, again if the server asks for it. */
  async function attempt<T>(room: Lane, work: (client: PoolClient) => Promise<T>): Promise<T> {
    const begun = performance.now();
    for (let attempts = 1; ; attempts++) {
      try {
        return await onConnection(pool, trusted, work);
      } catch (error) {
        // What the other half wants begun anew has met no fault: how often does not matter, how long does.
        const often = attempts >= ATTEMPTS_MAX && !(error instanceof BeginAnew);
        const last = often || performance.now() - begun > RETRY_WITHIN_MS;
        if (last || !isRetryable(error)) throw toDbError(error, room !== reads);
        const waitMs = RETRY_MS * Math.min(attempts, ATTEMPTS_MAX) * Math.random();
        await new Promise((resolve) => setTimeout(resolve, waitMs));
      }
    }
  }

  const enter = <T>(room: Lane, work: (client: PoolClient) => Promise<T>): Promise<T> =>
    closing === undefined
      ? room.run(() => attempt(room, work))
      : Promise.reject(new Unavailable('the store is closed'));

  const db: Omit<PostgresDb, 'clock'> = {
    engine: 'postgres',
    url,
    read: <R extends Row>(sql: string, params: readonly Value[] = []) =>
      enter(reads, async (client) => (await pipeline(client, [{ sql, params }]))[0] as R[]),
    async atomic(steps) {
      await enter(atomics, (client) => pipeline(client, [IN_ORDER, ...steps]));
    },
    write: (steps) => enter(exchanges, (client) => pipeline(client, steps)),
    exchange: (first, second) =>
      enter(exchanges, async (client) => {
        try {
          const [, ...rows] = await pipeline(client, [{ sql: 'begin' }, ...first]);
          const half = second(rows);
          if (half === undefined) throw new BeginAnew();
          await pipeline(client, [...half.steps, { sql: 'commit' }]);
          return half.value;
        } catch (error) {
          if (!isBroken(error)) await pipeline(client, [{ sql: 'rollback' }]);
          throw error;
        }
      }),
    abandon: trusted.end,
    close() {
      clock?.stop();
      closing ??= Promise.all([reads.idle(), atomics.idle(), exchanges.idle()]).then(() => pool.end());
      return closing;
    },
  };
  try {
    await checkServer(db);
    clock = await followClock(() => readMoment(db));
  } catch (error) {
    await db.close();
    throw error;
  }
  return { ...db, clock };
}

/** The database's clock now, epoch ms; not the transaction's beginning. */
export const MOMENT_SQL = 'floor(extract(epoch from clock_timestamp()) * 1000)::bigint';

async function readMoment(db: Pick<Db, 'read'>): Promise<number> {
  const [row] = await db.read<{ at: number }>(`select ${MOMENT_SQL} as at`);
  return row?.at ?? 0;
}

async function checkServer(db: Pick<Db, 'read'>): Promise<void> {
  const [row] = await db.read<{ version: string; encoding: string }>(
    `select current_setting('server_version_num') as version, current_setting('server_encoding') as encoding`,
  );
  if (Number(row?.version) < OLDEST_VERSION) throw new Error('PostgreSQL 14 or newer is needed');
  if (row?.encoding !== 'UTF8') throw new Error(`the database must have the encoding UTF8, not ${row?.encoding}`);
}

/** An array as PostgreSQL reads it from text (postgresql.org/docs/current/arrays.html#ARRAYS-IO). */
export const toArray = (values: readonly Value[]): string => `{${values.map(toElement).join(',')}}`;

function toElement(value: Value): string {
  if (value === null) return 'NULL';
  return typeof value === 'number' ? String(value) : `"${value.replaceAll(/["\\]/g, '\\$&')}"`;
}
