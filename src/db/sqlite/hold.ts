/**
 * The lock on a data folder. Promise: one process at a time uses the records, also when the lock file was deleted or
 * replaced. The operating system releases the lock when the process ends.
 *
 * The lock file and the records carry the same random mark. A lock file with another mark, or none, proves nothing:
 * then all of SQLite's locks on the records themselves must be free, too. Not every start takes these, since backups
 * hold them as well.
 */
import { randomInt } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { StartRefused } from '../start-refused.ts';
import { type Hold, holdFile, isBusy } from './db.ts';

const LOCK = 'postern.lock';
const RECORDS = 'postern.db';

/**
 * Returns undefined when another process holds the folder; throws StartRefused when its files cannot be used. Without
 * `records` the folder holds none: they are on PostgreSQL.
 */
export function holdFolder(folder: string, { records }: { records: boolean }): Hold | undefined {
  try {
    const hold = holdFile(join(folder, LOCK));
    if (hold === undefined || !records || markRecords(join(folder, RECORDS), hold)) return hold;
    hold.release();
    return undefined;
  } catch (error) {
    throw new StartRefused(explainRefusal(error, folder), { cause: error });
  }
}

/** Returns false when another process has the records open. */
function markRecords(file: string, hold: Hold): boolean {
  const mark = hold.mark();
  if (mark !== 0 && existsSync(file) && mark === readMark(file)) return true;
  const fresh = randomInt(1, 2 ** 31);
  using database = new DatabaseSync(file, { timeout: 0 });
  try {
    // Every open connection holds a shared lock on the file; this one needs it exclusively.
    database.exec(`pragma locking_mode = exclusive; pragma user_version = ${fresh}`);
  } catch (error) {
    if (isBusy(error)) return false;
    throw error;
  }
  hold.setMark(fresh);
  return true;
}

function readMark(file: string): number {
  using database = new DatabaseSync(file, { timeout: 5_000 });
  return (database.prepare('pragma user_version').get() as { user_version: number }).user_version;
}

/** Explains an error of SQLite about files in the folder (sqlite.org/rescode.html). */
function explainRefusal(error: unknown, folder: string): string {
  const { errcode = 0, message } = error as { errcode?: number; message: string };
  const primary = errcode & 0xff;
  if (primary === 8 || primary === 14) {
    return `${folder} cannot be written (${message}). Let this user write to the folder and its files, or name another folder.`;
  }
  if (primary === 11 || primary === 26) {
    return `The records in ${folder} are damaged (${message}). Restore a backup into an empty folder.`;
  }
  return `The files in ${folder} cannot be used: ${message}.`;
}
