/**
 * Backups of an embedded installation. Promise: a backup is one snapshot, taken while the service runs, and includes
 * everything acknowledged before it began. It gets its final name only when it is complete and on disk.
 */

import { copyFileSync, existsSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { holdFolder } from '../../db/sqlite/hold.ts';
import { END_LOG } from '../../decisions/history/sealed/publish.ts';
import { END_WITNESS } from '../../decisions/history/witness/cosigner.ts';
import { TABLES } from '../../decisions/ledger/test-tables.ts';
import { makeFolder, makeFolders, sync } from '../../lib/folder.ts';

const FILE = 'postern.db';
const PART = `${FILE}.part`;

/** The installation cannot be copied; the message says what to do. */
export class CannotCopy extends Error {}

export interface Copied {
  bytes: number;
  decisions: number;
  changes: number;
}

/**
 * Creates the folder `to` with the copy. The service may run meanwhile. `add` writes more files into the folder before
 * it gets its name. Throws CannotCopy.
 */
export function backUp(dataDir: string, to: string, add: (folder: string) => void = () => {}): Copied {
  const source = requireRecords(dataDir);
  if (existsSync(to)) throw new CannotCopy(`${to} is there already. Choose a new folder.`);
  const parts = `${to}.part`;
  return explained(`The records in ${dataDir} cannot be copied to ${to}`, () => {
    rmSync(parts, { recursive: true, force: true });
    makeFolders(parts, 0o700);
    const file = join(parts, FILE);
    {
      using database = new DatabaseSync(source, { readOnly: true, timeout: 5000 });
      database.prepare('vacuum into ?').run(file);
    }
    const copied = inspect(file);
    add(parts);
    sync(file);
    sync(parts);
    renameSync(parts, to);
    sync(dirname(to));
    return copied;
  });
}

/** Returns the path of the records. Throws CannotCopy. */
export function requireRecords(dataDir: string): string {
  const source = join(dataDir, FILE);
  if (existsSync(source)) return source;
  throw new CannotCopy(`There is no installation in ${dataDir}. Name its folder with --data-dir.`);
}

/**
 * Copies the backup in `from` to `dataDir`, which must not hold an installation. Its log of receipts goes on by another
 * name. Throws CannotCopy.
 */
export function restore(from: string, dataDir: string, now = Date.now()): Copied {
  const source = join(from, FILE);
  if (!existsSync(source))
    throw new CannotCopy(`There is no backup in ${from}. Name the folder that postern backup wrote.`);
  const copied = explained(`The backup in ${from} cannot be used`, () => inspect(source));
  explained(`${dataDir} cannot be used`, () => makeFolder(dataDir));
  const hold = holdFolder(dataDir, { records: false });
  if (hold === undefined) throw new CannotCopy(`A service uses ${dataDir}. Stop it first; nothing was changed.`);
  const part = join(dataDir, PART);
  try {
    // Leftover files belong to other records.
    const there = readdirSync(dataDir).filter((name) => name.startsWith(FILE) && name !== PART);
    if (there.length > 0) throw new CannotCopy(`${dataDir} holds an installation already. Move it away first.`);
    explained(`The backup cannot be copied to ${dataDir}`, () => {
      copyFileSync(source, part);
      endLog(part, now);
      sync(part);
      renameSync(part, join(dataDir, FILE));
      sync(dataDir);
    });
  } finally {
    rmSync(part, { force: true });
    hold.release();
  }
  return copied;
}

function endLog(file: string, now: number): void {
  using database = new DatabaseSync(file);
  const [end, forget] = END_LOG;
  database.prepare(end.replaceAll('$1', '?1')).run(toStamp(now));
  database.exec(forget);
  database.exec(END_WITNESS);
}

/** Formats a time as `20261121T093000Z`. */
export const toStamp = (at: number): string => new Date(at).toISOString().replaceAll(/[-:]|\.\d+/g, '');

/** Turns errors of the file system and SQLite into CannotCopy: `what` and the reason. */
export function explained<T>(what: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    const { code, errcode, message } = error as { code?: string; errcode?: number; message: string };
    if (error instanceof CannotCopy || (code === undefined && errcode === undefined)) throw error;
    throw new CannotCopy(`${what}: ${message}.`, { cause: error });
  }
}

/** Checks the integrity of the copy and counts its rows. Throws CannotCopy. */
function inspect(file: string): Copied {
  using database = new DatabaseSync(file, { readOnly: true });
  const [sound] = database.prepare('pragma integrity_check').all() as { integrity_check: string }[];
  if (sound?.integrity_check !== 'ok') throw new CannotCopy(`${file} is damaged: ${sound?.integrity_check}`);
  const count = (table: string): number =>
    Number((database.prepare(`select count(*) as rows from ${table}`).get() as { rows: number }).rows);
  return { bytes: statSync(file).size, decisions: count(TABLES.live), changes: count('changes') };
}
