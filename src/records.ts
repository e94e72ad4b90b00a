/** Opens the records on the engine that the settings name: the store, its clock and its ledger. */
import { join } from 'node:path';
import type { Config } from './config.ts';
import type { Db } from './db/db.ts';
import type { PostgresDb } from './db/postgres/db.ts';
import { openSqlite } from './db/sqlite/db.ts';
import { StartRefused } from './errors.ts';
import type { Ledger } from './ledger/ledger.ts';
import type { CountUsed } from './ledger/quota-open.ts';
import { ledgerProcedure, openSqliteLedger, openSqliteTestLedger } from './ledger/sqlite.ts';
import { type Clock, goingOnFrom, type MachineClock, machineClock } from './lib/clock.ts';
import type { StorageMemory } from './memory.ts';
import type { openSubscriptions } from './webhooks/subscriptions.ts';

type Subscribed = Awaited<ReturnType<typeof openSubscriptions>>;

export interface Records {
  db: Db | PostgresDb;
  /** Opened by threads with their own connection: a SQLite file or a PostgreSQL URL. */
  records: string;
  /** The clock of edits and decisions: on a cluster the database's, unless another was given. */
  clock: Clock;
  /** The machine's or the database's clock; undefined when another was given. */
  own: MachineClock | undefined;
  /** Requires the tables. The clock continues from the newest entry. */
  openLedgers(subscribed: Subscribed, countUsed: CountUsed): Promise<Ledgers>;
}

export interface Ledgers {
  ledger: Ledger;
  /** Records the checks of test keys. */
  testLedger: Ledger;
}

/** Throws StartRefused when the database cannot be used. `onDeath`: the embedded store has failed for good. */
export async function openRecords(
  config: Config,
  given: Clock | undefined,
  onDeath: (cause: Error) => void,
  memory: StorageMemory,
): Promise<Records> {
  if (config.databaseUrl !== null) {
    const { openPostgres } = await import('./db/postgres/db.ts');
    const { openPostgresLedger, openPostgresTestLedger } = await import('./ledger/postgres.ts');
    const db = await openPostgres(config.databaseUrl).catch((error: Error) => {
      if (error instanceof StartRefused) throw error;
      throw new StartRefused(`The database of POSTERN_DATABASE_URL cannot be used: ${findReason(error)}.`, {
        cause: error,
      });
    });
    const clock = given ?? db.clock;
    const openLedgers = async (subscribed: Subscribed, countUsed: CountUsed): Promise<Ledgers> => {
      goingOnFrom(clock, await newestEditAt(db));
      const ledger = await openPostgresLedger(db, given, { subscribed, countUsed });
      return { ledger, testLedger: await openPostgresTestLedger(db, given) };
    };
    const own = given === undefined ? db.clock : undefined;
    return { db, records: config.databaseUrl, clock, own, openLedgers };
  }
  const machine = machineClock();
  const clock = given ?? machine;
  const records = join(config.dataDir, 'postern.db');
  const db = await openSqlite(records, ledgerProcedure, onDeath, memory);
  const openLedgers = async (subscribed: Subscribed, countUsed: CountUsed): Promise<Ledgers> => {
    goingOnFrom(clock, await newestEditAt(db));
    const ledger = await openSqliteLedger(db, clock, { subscribed, countUsed });
    return { ledger, testLedger: await openSqliteTestLedger(db, clock) };
  };
  return { db, records, clock, own: given === undefined ? machine : undefined, openLedgers };
}

/** Returns epoch ms; 0 without entries. */
async function newestEditAt(db: Db): Promise<number> {
  const [newest] = await db.read<{ at: number }>('select at from changes order by seq desc limit 1');
  return newest?.at ?? 0;
}

/** Returns the first error of server, network or TLS; it never contains the password. */
function findReason(error: Error & { code?: string }): string {
  return error.cause instanceof Error ? findReason(error.cause) : error.message || (error.code ?? error.name);
}
