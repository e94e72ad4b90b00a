/**
 * The records on PostgreSQL, for any number of nodes. A transaction is one round trip. `atomic` runs one at a time in the
 * whole cluster, as it does on SQLite: what a step expects cannot be made wrong by another before the commit, edits never
 * wait for each other in a circle, and numbers given by the log of changes are in the order of commits. Decisions do not
 * pass through here (see ledger/postgres).
 */
import type { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import { Client, type ClientConfig, DatabaseError, Pool, type PoolClient } from 'pg';
import type { Clock } from '../lib/clock.ts';
import { type DatabaseClock, followClock } from './database-clock.ts';
import { type Db, type DbErrorName, dbError, type Row, type Step, Unavailable, type Value } from './db.ts';
import { pipeline } from './postgres-pipeline.ts';

/** Connections of a node: reads, edits (one is under way while the next waits at the database), decisions. */
const READS_AT_ONCE = 5;
const ATOMICS_AT_ONCE = 2;
const EXCHANGES_AT_ONCE = 1;

const QUEUE_MAX = 10_000;
const ATTEMPTS_MAX = 5;
const RETRY_MS = 20;
/** What waited this long for a lock is not asked again. */
const RETRY_WITHIN_MS = 4_000;
const CONNECT_WITHIN_MS = 2_000;
/** The server gives up first, so that a connection is lost only when the server does not answer at all. */
const STATEMENT_WITHIN_MS = 10_000;
const ANSWER_WITHIN_MS = 15_000;
const LOCK_WITHIN_MS = 5_000;
/** A node that is stopped between the two halves of an exchange holds limits that all nodes wait for. */
const IDLE_IN_TRANSACTION_MS = 2_000;
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

export const connectionOptions = (url: string) => ({
  connectionString: url,
  application_name: 'postern',
  keepAlive: true,
  connectionTimeoutMillis: CONNECT_WITHIN_MS,
  statement_timeout: STATEMENT_WITHIN_MS,
  lock_timeout: LOCK_WITHIN_MS,
  idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
});

/**
 * A connection that ends at once where the server only follows another one: what such a server shows may be behind what was
 * acknowledged, and what was read from it would be remembered. A server says so itself while the connection is made.
 */
export class WriterClient extends Client {
  constructor(config: ClientConfig) {
    super(config);
    const { connection } = this as unknown as { connection: EventEmitter };
    connection.on('parameterStatus', ({ parameterName, parameterValue }: Record<string, string>) => {
      if (parameterName !== 'in_hot_standby' || parameterValue !== 'on') return;
      streamOf(this).destroy(new Error('this database only follows another one'));
    });
  }
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

class BeginAnew extends Error {}

/** There was no connection to begin on. */
class NotBegun extends Unavailable {
  constructor(cause: unknown) {
    super('the database cannot be reached', { cause });
  }
}

/** A connection of one's own, such as a thread's, which reads at length. Throws Unavailable. */
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

/** Another one once the connection is encrypted. To be destroyed without a farewell: there may be nobody to hear it. */
export const streamOf = (client: Client): Socket =>
  (client as unknown as { connection: { stream: Socket } }).connection.stream;

async function checkServer(db: Pick<Db, 'read'>): Promise<void> {
  const [row] = await db.read<{ version: string; encoding: string }>(
    `select current_setting('server_version_num') as version, current_setting('server_encoding') as encoding`,
  );
  if (Number(row?.version) < OLDEST_VERSION) throw new Error('PostgreSQL 14 or newer is needed');
  if (row?.encoding !== 'UTF8') throw new Error(`the database must have the encoding UTF8, not ${row?.encoding}`);
}

/** One that broke, or did not answer in time, is not used again. */
async function onConnection<T>(pool: Pool, trusted: Trust, work: (client: PoolClient) => Promise<T>): Promise<T> {
  const client = await connectionOf(pool, trusted);
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Unavailable('the database did not answer in time')), ANSWER_WITHIN_MS);
  trusted.underWay.add(reject);
  try {
    const value = await Promise.race([work(client), late]);
    client.release();
    return value;
  } catch (error) {
    client.release(isBroken(error));
    throw error;
  } finally {
    clearTimeout(timer);
    trusted.underWay.delete(reject);
  }
}

async function connectionOf(pool: Pool, trusted: Trust): Promise<PoolClient> {
  for (;;) {
    let client: PoolClient;
    try {
      client = await pool.connect();
    } catch (cause) {
      throw new NotBegun(cause);
    }
    if (trusted.has(client)) return client;
    client.release(true);
  }
}

/** Connections made since the server was last found silent. */
interface Trust {
  has(client: PoolClient): boolean;
  /** What ends work that is under way. */
  underWay: Set<(error: Error) => void>;
  /** No connection there is now is used again. */
  end(): void;
}

function openTrust(pool: Pool): Trust {
  let made = new WeakSet<PoolClient>();
  const underWay = new Set<(error: Error) => void>();
  pool.on('connect', (client) => void made.add(client));
  return {
    has: (client) => made.has(client),
    underWay,
    end() {
      made = new WeakSet();
      for (const reject of underWay) reject(new Unavailable('the database did not answer in time'));
    },
  };
}

interface Lane {
  run<T>(work: () => Promise<T>): Promise<T>;
  idle(): Promise<void>;
}

/** So many at once, in order; the queue has a bound. */
function lane(atOnce: number): Lane {
  let waiting: (() => void)[] = [];
  let next = 0;
  let running = 0;
  let whenIdle: (() => void)[] = [];

  async function start<T>(work: () => Promise<T>): Promise<T> {
    running++;
    try {
      return await work();
    } finally {
      running--;
      leave();
    }
  }

  function leave(): void {
    const first = waiting[next];
    if (first !== undefined) {
      next++;
      first();
      return;
    }
    waiting = [];
    next = 0;
    if (running > 0) return;
    for (const done of whenIdle) done();
    whenIdle = [];
  }

  return {
    run(work) {
      if (running < atOnce) return start(work);
      if (waiting.length - next >= QUEUE_MAX) return Promise.reject(new Unavailable('too many requests are waiting'));
      return new Promise((resolve) => waiting.push(() => resolve(start(work))));
    },
    idle: () => (running === 0 ? Promise.resolve() : new Promise((resolve) => whenIdle.push(resolve))),
  };
}

/** SQLSTATE (postgresql.org/docs/current/errcodes-appendix.html); undefined for what the server did not say. */
const codeOf = (error: unknown): string | undefined => (error instanceof DatabaseError ? error.code : undefined);

/** Nothing was written, and the same again may succeed: serialization_failure, deadlock_detected, lock_not_available. */
const isRetryable = (error: unknown): boolean =>
  error instanceof BeginAnew || ['40001', '40P01', '55P03'].includes(codeOf(error) ?? '');

/**
 * The connection is of no more use: it broke, or the server ended it (admin_shutdown and its kin,
 * idle_in_transaction_session_timeout), or the server is no longer the one that writes (read_only_sql_transaction).
 */
const isBroken = (error: unknown): boolean =>
  !(error instanceof BeginAnew) && /^(08|57P|25P03|25006)/.test(codeOf(error) ?? '08');

function nameOf(code: string): DbErrorName | undefined {
  if (code === '23505') return 'UniqueViolation';
  if (code === '23503') return 'ForeignKeyViolation';
  // division_by_zero: see the pipeline on expectations.
  if (code === '22012') return 'Conflict';
  if (code === '53100') return 'StorageFull';
  // Connection, authorization, resources, locks and timeouts, shutdown, read-only server, system errors, damage.
  if (/^(08|28|40|53|55P03|57|25P03|25006|3D000|58|XX001|XX002)/.test(code)) return 'Unavailable';
  return undefined;
}

/**
 * As the seam has it. What is neither the server's nor the connection's is a fault of our own and stays as it is. A write
 * whose connection broke is in doubt: the commit may have been under way.
 */
export function toDbError(error: unknown, writing: boolean): unknown {
  if (!(error instanceof Error) || error instanceof NotBegun) return error;
  if (error instanceof BeginAnew) return new Unavailable('the transaction had to be begun anew too often');
  if (isRetryable(error)) return new Unavailable(error.message, { busy: true });
  const inDoubt = writing && isBroken(error);
  if (error instanceof DatabaseError) {
    const name = nameOf(error.code ?? '');
    if (name === undefined) return error;
    return dbError(inDoubt && name === 'Unavailable' ? 'InDoubt' : name, error.message);
  }
  if (error instanceof Unavailable) return new Unavailable(error.message, { cause: error.cause, inDoubt });
  // A socket's error is an Error and nothing more special; a TypeError would be ours.
  return error.constructor === Error ? new Unavailable(error.message, { cause: error, inDoubt }) : error;
}

/** An array as PostgreSQL reads it from text (postgresql.org/docs/current/arrays.html#ARRAYS-IO). */
export const toArray = (values: readonly Value[]): string => `{${values.map(toElement).join(',')}}`;

function toElement(value: Value): string {
  if (value === null) return 'NULL';
  return typeof value === 'number' ? String(value) : `"${value.replaceAll(/["\\]/g, '\\$&')}"`;
}
