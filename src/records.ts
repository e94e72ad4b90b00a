/** The records, on the engine that the settings name: the store itself, its clock, and the ledger on it. */
import { join } from 'node:path';
import type { Config } from './config.ts';
import type { Db } from './db/db.ts';
import { openPostgres, type PostgresDb } from './db/postgres.ts';
import { openSqlite } from './db/sqlite.ts';
import { StartRefused } from './errors.ts';
import type { Ledger } from './ledger/ledger.ts';
import { openPostgresLedger } from './ledger/postgres.ts';
import { ledgerProcedure, openSqliteLedger } from './ledger/sqlite.ts';
import { type Clock, steadyClock } from './lib/clock.ts';
import type { openSubscriptions } from './webhooks/subscriptions.ts';

type Subscribed = Awaited<ReturnType<typeof openSubscriptions>>;

export interface Records {
  db: Db | PostgresDb;
  /** For threads with a connection of their own: a file of SQLite or the URL of a PostgreSQL. */
  records: string;
  /** What edits and decisions go by: on a cluster the database's, unless another was given. */
  clock: Clock;
  /** Once the tables are there. */
  openLedger(subscribed: Subscribed): Promise<Ledger>;
}

/** Throws StartRefused when the database cannot be used. `onDeath`: the embedded store cannot go on. */
export async function openRecords(
  config: Config,
  given: Clock | undefined,
  onDeath: (cause: Error) => void,
): Promise<Records> {
  if (config.databaseUrl !== null) {
    const db = await openPostgres(config.databaseUrl).catch((error: Error) => {
      throw new StartRefused(`The database of POSTERN_DATABASE_URL cannot be used: ${reasonOf(error)}.`, {
        cause: error,
      });
    });
    const openLedger = (subscribed: Subscribed) => openPostgresLedger(db, given, subscribed);
    return { db, records: config.databaseUrl, clock: given ?? db.clock, openLedger };
  }
  const clock = given ?? steadyClock();
  const records = join(config.dataDir, 'postern.db');
  const db = await openSqlite(records, ledgerProcedure, onDeath);
  return { db, records, clock, openLedger: (subscribed) => openSqliteLedger(db, clock, subscribed) };
}

/** What the server, the network or TLS said first; it never has the password. */
function reasonOf(error: Error & { code?: string }): string {
  return error.cause instanceof Error ? reasonOf(error.cause) : error.message || (error.code ?? error.name);
}
