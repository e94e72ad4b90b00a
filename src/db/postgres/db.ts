/**
 * The records on PostgreSQL, for any number of nodes. A transaction is one round trip. As on SQLite, `atomic` runs one
 * at a time in the whole cluster. So no other edit breaks an expectation before the commit, edits never deadlock, and
 * the log of changes is numbered in commit order. Decisions take another path (decisions/ledger/postgres/ledger).
 */
import { Pool, type PoolClient } from 'pg';
import type { MachineClock } from '../../lib/clock.ts';
import { atMost, type Bound, type Queue } from '../../lib/queue.ts';
import { type Db, type Row, type Step, Unavailable, type Value } from '../db.ts';
import { StartRefused } from '../start-refused.ts';
import { type DatabaseClock, followClock } from './clock.ts';
import { connectionOptions, onConnection, openTrust, WriterClient } from './connection.ts';
import { isBroken, isRetryable, toDbError } from './errors.ts';
import { pipeline } from './pipeline.ts';

/**
 * Connections of a node: for reads; for edits (one runs while the next waits at the database); for decisions (one flush
 * runs while another waits for a limit that is locked), and as many for those of tests.
 */
const READS_AT_ONCE = 5;
const ATOMICS_AT_ONCE = 2;
const EXCHANGES_AT_ONCE = 4;

const BOUND: Bound = { waiting: 10_000, full: () => new Unavailable('too many requests are waiting') };

const ATTEMPTS_MAX = 5;
const RETRY_MS = 20;
/** A transaction that waited this long for a lock is not retried. */
const RETRY_WITHIN_MS = 4_000;
const IDLE_CONNECTION_MS = 60_000;
const OLDEST_VERSION = 140_000;

/** An arbitrary number that no other application uses: "postern" in ASCII. */
const ATOMIC_LOCK = '31647739056321134';
/**
 * Comes before writes that others must see in the order of their numbers: locks out all such writes until the commit.
 */
export const IN_ORDER: Step = { sql: `select pg_advisory_xact_lock(${ATOMIC_LOCK})` };

/**
 * Begins every transaction that writes what is acknowledged: its commit returns once it is on disk, here and on
 * synchronous standbys. It is set for each transaction, so no setting of the server, database, role or URL and no
 * pooler can undo it. A stronger setting stays.
 */
const DURABLE: Step = {
  sql: `select set_config('synchronous_commit',
    case current_setting('synchronous_commit') when 'remote_apply' then 'remote_apply' else 'on' end, true)`,
};

/** Begins a transaction whose commit does not wait for the disk. A later one that waits brings it there too. */
const SOON_DURABLE: Step = { sql: `select set_config('synchronous_commit', 'off', true)` };

export interface PostgresDb extends Db {
  readonly engine: 'postgres';
  readonly url: string;
  /** The database's clock, the same on all nodes. */
  readonly clock: MachineClock;
  /**
   * Runs a transaction in two round trips, concurrently with atomic ones. `second` makes the second half from the rows
   * of the first; retries call it again. Throws as `atomic` does.
   */
  exchange<T>(
    first: readonly Step[],
    second: (rows: Row[][]) => SecondHalf<T>,
    terms?: AttemptTerms,
  ): Promise<T | undefined>;
  /**
   * Runs a transaction in one round trip, concurrently with atomic ones; returns the rows of each step. Throws as
   * `atomic`.
   */
  write(steps: readonly Step[], terms?: AttemptTerms): Promise<Row[][] | undefined>;
  /** Fails the work in flight, in doubt, and reconnects for everything that follows: the server is unresponsive. */
  abandon(): void;
}

/** Terms of the attempts at a transaction. */
export interface AttemptTerms {
  /** Called before each attempt: true gives up and returns undefined. */
  unless?: () => boolean;
  /** Never retries. */
  once?: boolean;
}

export interface SecondHalf<T> {
  /** Without steps the transaction is rolled back. */
  steps: readonly Step[];
  value: T;
}

/** Connects and checks the server. Throws Unavailable; StartRefused for an unsuitable server. */
export async function openPostgres(url: string): Promise<PostgresDb> {
  const gate = openGate(url);
  const { reads, atomics, exchanges } = gate;
  let clock: DatabaseClock | undefined;

  const db: Omit<PostgresDb, 'clock'> = {
    engine: 'postgres',
    url,
    read: <R extends Row>(sql: string, params: readonly Value[] = []) =>
      gate.enter(reads, async (client) => (await pipeline(client, [{ sql, params }]))[0] as R[]),
    async atomic(steps) {
      await gate.enter(atomics, (client) => pipeline(client, [DURABLE, IN_ORDER, ...steps]));
    },
    async atomicLater(steps) {
      await gate.enter(atomics, (client) => pipeline(client, [SOON_DURABLE, IN_ORDER, ...steps]));
    },
    write: (steps, { unless = never, once = false } = {}) =>
      gate.enter(
        exchanges,
        async (client) => (unless() ? undefined : (await pipeline(client, [DURABLE, ...steps])).slice(1)),
        once ? 1 : ATTEMPTS_MAX,
      ),
    exchange: (first, second, { unless = never, once = false } = {}) =>
      gate.enter(
        exchanges,
        async (client) => (unless() ? undefined : exchange(client, first, second)),
        once ? 1 : ATTEMPTS_MAX,
      ),
    abandon: gate.abandon,
    close() {
      clock?.stop();
      return gate.close();
    },
  };
  try {
    await checkServer(db);
    clock = await followClock(() => readTime(db));
  } catch (error) {
    await db.close();
    throw error;
  }
  return { ...db, clock };
}

async function exchange<T>(
  client: PoolClient,
  first: readonly Step[],
  second: (rows: Row[][]) => SecondHalf<T>,
): Promise<T> {
  try {
    const [, , ...rows] = await pipeline(client, [{ sql: 'begin' }, DURABLE, ...first]);
    const { steps, value } = second(rows);
    await pipeline(client, [...steps, { sql: steps.length === 0 ? 'rollback' : 'commit' }]);
    return value;
  } catch (error) {
    if (!isBroken(error)) await pipeline(client, [{ sql: 'rollback' }]);
    throw error;
  }
}

/** The pool of connections, with a queue for each kind of work. */
function openGate(url: string) {
  const pool = new Pool({
    ...connectionOptions(url),
    Client: WriterClient as never,
    max: READS_AT_ONCE + ATOMICS_AT_ONCE + EXCHANGES_AT_ONCE,
    idleTimeoutMillis: IDLE_CONNECTION_MS,
  });
  // The pool drops an idle connection that breaks; the next request makes another.
  pool.on('error', () => {});
  // A connection that breaks in use reports it to the query and here, where an unhandled error would end the process.
  pool.on('connect', (client) => client.on('error', () => {}));
  const trusted = openTrust(pool);
  const reads = atMost(READS_AT_ONCE, BOUND);
  const atomics = atMost(ATOMICS_AT_ONCE, BOUND);
  const exchanges = atMost(EXCHANGES_AT_ONCE, BOUND);
  let closing: Promise<void> | undefined;

  /** Runs `work` on a connection; retries when the server asks for it. */
  async function attempt<T>(
    isWrite: boolean,
    work: (client: PoolClient) => Promise<T>,
    attemptsMax: number,
  ): Promise<T> {
    const begun = performance.now();
    for (let attempts = 1; ; attempts++) {
      try {
        return await onConnection(pool, trusted, work);
      } catch (error) {
        const isLast = attempts >= attemptsMax || performance.now() - begun > RETRY_WITHIN_MS;
        if (isLast || !isRetryable(error)) throw toDbError(error, isWrite);
        const waitMs = RETRY_MS * Math.min(attempts, ATTEMPTS_MAX) * Math.random();
        await new Promise((resolve) => setTimeout(resolve, waitMs));
      }
    }
  }

  return {
    reads,
    atomics,
    exchanges,
    enter: <T>(queue: Queue, work: (client: PoolClient) => Promise<T>, attemptsMax = ATTEMPTS_MAX): Promise<T> =>
      closing === undefined
        ? queue.run(() => attempt(queue !== reads, work, attemptsMax))
        : Promise.reject(new Unavailable('the store is closed')),
    abandon: trusted.end,
    close(): Promise<void> {
      closing ??= Promise.all([reads.idle(), atomics.idle(), exchanges.idle()]).then(() => pool.end());
      return closing;
    },
  };
}

const never = (): boolean => false;

/** The database's clock now, epoch ms; not the start of the transaction. */
export const MOMENT_SQL = 'floor(extract(epoch from clock_timestamp()) * 1000)::bigint';

async function readTime(db: Pick<Db, 'read'>): Promise<number> {
  const [row] = await db.read<{ at: number }>(`select ${MOMENT_SQL} as at`);
  return row?.at ?? 0;
}

/** Without these settings, a crash of the server loses or damages committed data. They cannot be set for a session. */
const CRASH_SAFE = ['fsync', 'full_page_writes'];

async function checkServer(db: Pick<Db, 'read'>): Promise<void> {
  const [row] = await db.read<{ version: string; encoding: string }>(
    `select current_setting('server_version_num') as version, current_setting('server_encoding') as encoding`,
  );
  if (Number(row?.version) < OLDEST_VERSION)
    throw new StartRefused('The database is older than PostgreSQL 14. Use 14 or newer.');
  if (row?.encoding !== 'UTF8') {
    throw new StartRefused(`The database has the encoding ${row?.encoding}. Create it with the encoding UTF8.`);
  }
  const off = await db.read<{ name: string }>(
    `select name from pg_settings where name in ('${CRASH_SAFE.join("', '")}') and setting = 'off' order by name`,
  );
  if (off.length === 0) return;
  const names = off.map(({ name }) => name).join(' and ');
  throw new StartRefused(
    `The database server runs with ${names} off: a crash of its machine would lose or damage what Postern has confirmed. ` +
      `Set ${names} to on in postgresql.conf and reload the server.`,
  );
}

/** Formats an array as text (postgresql.org/docs/current/arrays.html#ARRAYS-IO). */
export const toArray = (values: readonly Value[]): string => `{${values.map(toElement).join(',')}}`;

function toElement(value: Value): string {
  if (value === null) return 'NULL';
  return typeof value === 'number' ? String(value) : `"${value.replaceAll(/["\\]/g, '\\$&')}"`;
}
