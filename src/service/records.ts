/** Opens the records on the engine that the settings name: the store, its clock and its ledger. */
import { join } from 'node:path';
import type { openSubscriptions } from '../api/webhooks/subscriptions.ts';
import type { Db } from '../db/db.ts';
import type { PostgresDb } from '../db/postgres/db.ts';
import { type Hold, openSqlite } from '../db/sqlite/db.ts';
import { holdFolder } from '../db/sqlite/hold.ts';
import { StartRefused } from '../db/start-refused.ts';
import { sealingReading } from '../decisions/history/sealed/seal.ts';
import type { Ledger } from '../decisions/ledger/ledger.ts';
import type { CountUsed } from '../decisions/ledger/quota/open.ts';
import { ledgerProcedure, openSqliteLedger, openSqliteTestLedger } from '../decisions/ledger/sqlite/ledger.ts';
import { type Clock, goingOnFrom, type MachineClock, machineClock } from '../lib/clock.ts';
import { makeFolder } from '../lib/folder.ts';
import type { StorageMemory } from '../lib/memory.ts';
import type { Config } from './config.ts';

type Subscribed = Awaited<ReturnType<typeof openSubscriptions>>;

export interface Records {
  db: Db | PostgresDb;
  /** Opened by threads with their own connection: a SQLite file or a PostgreSQL URL. */
  records: string;
  /** The clock of edits and decisions: on a cluster the database's, unless another was given. */
  clock: Clock;
  /** The machine's or the database's clock; undefined when another was given. */
  own: MachineClock | undefined;
  /** The clock continues from the newest entry. */
  openLedgers(subscribed: Subscribed, countUsed: CountUsed): Promise<Ledgers>;
}

export interface Ledgers {
  ledger: Ledger;
  /** Records the checks of test keys. */
  testLedger: Ledger;
}

/** The records of a data folder that no other process uses. */
export interface HeldRecords {
  hold: Hold;
  /** Rejects with StartRefused when the database cannot be used. */
  records: Promise<Records>;
  /** Resolves when the embedded store has failed for good. */
  died: Promise<Error>;
}

/** Begins to open the records: meanwhile the rest of the service can be loaded. Throws StartRefused. */
export function holdRecords(config: Config, given: Clock | undefined, memory: StorageMemory): HeldRecords {
  makeFolder(config.dataDir);
  const hold = holdFolder(config.dataDir, { records: config.databaseUrl === null });
  if (hold === undefined) {
    throw new StartRefused(`Another process uses the data in ${config.dataDir}. Stop it, or name another folder.`);
  }
  const { promise: died, resolve: onDeath } = Promise.withResolvers<Error>();
  const records = openRecords(config, given, onDeath, memory);
  // Handled by who waits for it, which may be later.
  records.catch(() => undefined);
  return { hold, records, died };
}

/**
 * Opens the records and brings their tables to this version. Throws StartRefused when they cannot be used. `onDeath`:
 * the embedded store has failed for good.
 */
export async function openRecords(
  config: Config,
  given: Clock | undefined,
  onDeath: (cause: Error) => void,
  memory: StorageMemory,
): Promise<Records> {
  if (config.databaseUrl !== null) {
    const { migrate } = await import('../db/migrate.ts');
    const { openPostgres } = await import('../db/postgres/db.ts');
    const { openPostgresLedger, openPostgresTestLedger } = await import('../decisions/ledger/postgres/ledger.ts');
    const db = await openPostgres(config.databaseUrl).catch((error: Error) => {
      if (error instanceof StartRefused) throw error;
      throw new StartRefused(`The database of POSTERN_DATABASE_URL cannot be used: ${findReason(error)}.`, {
        cause: error,
      });
    });
    const clock = given ?? db.clock;
    await migrate(db, clock.now()).catch(async (error: unknown) => {
      await db.close();
      throw error;
    });
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
  const readings = config.receipts === 'off' ? {} : sealingReading;
  const procedures = ledgerProcedure;
  const db = await openSqlite(records, { procedures, readings, onDeath, memory, migrateAt: clock.now() });
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
