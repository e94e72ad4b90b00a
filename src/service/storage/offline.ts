/**
 * Edits without the service, for when no key is left and no user can sign in. They require write access to the data
 * folder or the database. Promise: the edit and its audit entry are committed together, as the service does it.
 */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Edit, SYSTEM } from '../../api/changes/change.ts';
import { openChanges } from '../../api/changes/changes.ts';
import { lazyCheck, validItem } from '../../api/http/validate.ts';
import { newKey, planKey } from '../../api/keys/make.ts';
import { CreateKey } from '../../api/keys/schema.ts';
import { planLink } from '../../api/users/links.ts';
import { CreateLink } from '../../api/users/schema.ts';
import { type Db, Unavailable } from '../../db/db.ts';
import { schemaVersion } from '../../db/migrations/index.ts';
import { openPostgres } from '../../db/postgres/db.ts';
import { isPostgresUrl } from '../../db/postgres/url.ts';
import { openSqlite } from '../../db/sqlite/db.ts';
import { type Clock, steadyClock } from '../../lib/clock.ts';

/** The records cannot be edited; the message says what to do. */
export class CannotEdit extends Error {}

/**
 * Plans and commits an edit of `records`, the folder of an installation or a PostgreSQL URL. Returns its answer. Throws
 * CannotEdit, Unavailable, and what `plan` throws.
 */
async function editOffline(
  records: string,
  plan: (db: Db, now: number) => Promise<Edit>,
): Promise<Record<string, unknown>> {
  const { db, clock } = await open(records);
  try {
    await requireSchema(db, records);
    const made = await openChanges(db, clock).commit(SYSTEM, 'offline', () => plan(db, clock.now()));
    return JSON.parse(made.text) as Record<string, unknown>;
  } finally {
    await db.close();
  }
}

async function open(records: string): Promise<{ db: Db; clock: Clock }> {
  if (isPostgresUrl(records)) {
    const db = await openPostgres(records).catch((cause: Error) => {
      throw new CannotEdit(`The database cannot be used: ${cause.message}.`, { cause });
    });
    return { db, clock: db.clock };
  }
  const file = join(records, 'postern.db');
  // Opening a missing file would create one.
  if (!existsSync(file))
    throw new CannotEdit(`There is no installation in ${records}. Name its folder with --data-dir.`);
  return { db: await openSqlite(file), clock: steadyClock() };
}

/** Throws CannotEdit unless the schema is that of this version. */
async function requireSchema(db: Db, records: string): Promise<void> {
  const rows = await db.read('select version from schema_migrations').catch((error: Error) => {
    if (error instanceof Unavailable) throw error;
    const where = isPostgresUrl(records) ? 'the database' : records;
    throw new CannotEdit(`There is no installation in ${where}. Start the service on it first.`, { cause: error });
  });
  if (Math.max(0, ...rows.map((row) => Number(row.version))) === schemaVersion()) return;
  throw new CannotEdit(
    'The data belongs to another version of Postern. Use the command of that version, or start this version once.',
  );
}

const isKey = lazyCheck(CreateKey);

/**
 * Creates a key in `records`, the folder of an installation or a PostgreSQL URL. A service on the same records accepts
 * the key at once, in a cluster within a second. Returns the answer of `POST /v1/api-keys`. Throws CannotEdit,
 * Unavailable, and Failure for a body that the API would refuse.
 */
export function makeKeyOffline(records: string, body: unknown): Promise<Record<string, unknown>> {
  const wanted = validItem(CreateKey, isKey, body, 'key');
  return editOffline(records, async (_db, now) => {
    const { key, text } = newKey(wanted, now);
    return planKey(key, text);
  });
}

const isLink = lazyCheck(CreateLink);

/**
 * Creates a link in `records`, the folder of an installation or a PostgreSQL URL. Returns the answer of `POST
 * /v1/users/links`. Throws CannotEdit, Unavailable, and Failure for a body that the API would refuse.
 */
export function makeLinkOffline(records: string, body: unknown): Promise<Record<string, unknown>> {
  const wanted = validItem(CreateLink, isLink, body, 'link');
  return editOffline(records, (db, now) => planLink({ db, now, holder: null }, wanted));
}
