/**
 * Creates a key without the service, for when no key is left that may create one. It requires write access to the data
 * folder or the database. Promise: the key, its audit entry and its event are committed together. A service on the same
 * records accepts the key at once, in a cluster within a second.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { SYSTEM } from '../changes/change.ts';
import { openChanges } from '../changes/changes.ts';
import { type Db, Unavailable } from '../db/db.ts';
import { MIGRATIONS } from '../db/migrations/index.ts';
import { openPostgres } from '../db/postgres/db.ts';
import { isPostgresUrl } from '../db/postgres/url.ts';
import { openSqlite } from '../db/sqlite/db.ts';
import { checkOf, validItem } from '../http/validate.ts';
import { newKey, planKey } from '../keys/make.ts';
import { CreateKey } from '../keys/schema.ts';
import { type Clock, steadyClock } from '../lib/clock.ts';

/** The key cannot be created; the message says what to do. */
export class CannotMakeKey extends Error {}

const isKey = checkOf(CreateKey);

/**
 * Creates a key in `records`, the folder of an installation or a PostgreSQL URL. Returns the answer of `POST
 * /v1/api-keys`. Throws CannotMakeKey, Unavailable, and Failure for a body that the API would refuse.
 */
export async function makeKeyOffline(records: string, body: unknown): Promise<Record<string, unknown>> {
  const wanted = validItem(CreateKey, isKey, body, 'key');
  const { db, clock } = await open(records);
  try {
    await requireSchema(db, records);
    const { key, text } = newKey(wanted, clock.now());
    const made = await openChanges(db, clock).commit(SYSTEM, key.id, async () => planKey(key, text));
    return JSON.parse(made.text) as Record<string, unknown>;
  } finally {
    await db.close();
  }
}

async function open(records: string): Promise<{ db: Db; clock: Clock }> {
  if (isPostgresUrl(records)) {
    const db = await openPostgres(records).catch((cause: Error) => {
      throw new CannotMakeKey(`The database cannot be used: ${cause.message}.`, { cause });
    });
    return { db, clock: db.clock };
  }
  const file = join(records, 'postern.db');
  // Opening a missing file would create one.
  if (!existsSync(file)) throw new CannotMakeKey(`There is no installation in ${records}. Name its folder.`);
  return { db: await openSqlite(file), clock: steadyClock() };
}

/** Throws CannotMakeKey unless the schema is that of this version. */
async function requireSchema(db: Db, records: string): Promise<void> {
  const rows = await db.read('select version from schema_migrations').catch((error: Error) => {
    if (error instanceof Unavailable) throw error;
    const where = isPostgresUrl(records) ? 'the database' : records;
    throw new CannotMakeKey(`There is no installation in ${where}. Start the service on it first.`, { cause: error });
  });
  if (Math.max(0, ...rows.map((row) => Number(row.version))) === MIGRATIONS.length) return;
  throw new CannotMakeKey(
    'The data belongs to another version of Postern. Use the command of that version, or start this version once.',
  );
}
