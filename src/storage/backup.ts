/**
 * Copies of an embedded installation. Promise: a backup is of one moment, while the service works, and holds everything that
 * was acknowledged before it began; it is named as finished only when it is whole and on disk.
 */
import {
  closeSync,
  copyFileSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { holdFile } from '../db/sqlite.ts';
import { makeFolder } from '../lib/folder.ts';

const FILE = 'postern.db';

/** Why it cannot be done; the message says what to do. */
export class CannotCopy extends Error {}

export interface Copied {
  bytes: number;
  decisions: number;
  changes: number;
}

/** Makes the folder `to` with the copy in it. The service may work meanwhile. Throws CannotCopy. */
export function backUp(dataDir: string, to: string): Copied {
  const source = join(dataDir, FILE);
  if (!existsSync(source)) throw new CannotCopy(`There is no installation in ${dataDir}.`);
  if (existsSync(to)) throw new CannotCopy(`${to} is there already. Name a folder that is not.`);
  const parts = `${to}.part`;
  rmSync(parts, { recursive: true, force: true });
  mkdirSync(parts, { recursive: true, mode: 0o700 });
  const file = join(parts, FILE);
  {
    using database = new DatabaseSync(source, { readOnly: true, timeout: 5000 });
    database.prepare('vacuum into ?').run(file);
  }
  const copied = look(file);
  sync(file);
  sync(parts);
  renameSync(parts, to);
  sync(dirname(to));
  return copied;
}

/** Makes the installation of `from` that of the folder `dataDir`, which must not have one. Throws CannotCopy. */
export function restore(from: string, dataDir: string): Copied {
  const source = join(from, FILE);
  if (!existsSync(source)) throw new CannotCopy(`There is no backup in ${from}.`);
  const copied = look(source);
  makeFolder(dataDir);
  const hold = holdFile(join(dataDir, 'postern.lock'));
  if (hold === undefined) throw new CannotCopy(`A service works with ${dataDir}. Stop it first; nothing was changed.`);
  try {
    // The columns are of the records that were there: they would be noticed, and are in the way.
    const there = readdirSync(dataDir).filter((name) => name.startsWith(FILE));
    if (there.length > 0) throw new CannotCopy(`${dataDir} holds an installation already. Move it away first.`);
    const target = join(dataDir, FILE);
    copyFileSync(source, `${target}.part`);
    sync(`${target}.part`);
    renameSync(`${target}.part`, target);
    sync(dataDir);
  } finally {
    hold.release();
  }
  return copied;
}

/** Reads it through: a copy that is not sound is found out now. */
function look(file: string): Copied {
  using database = new DatabaseSync(file, { readOnly: true });
  const [sound] = database.prepare('pragma integrity_check').all() as { integrity_check: string }[];
  if (sound?.integrity_check !== 'ok') throw new CannotCopy(`${file} is damaged: ${sound?.integrity_check}`);
  const count = (table: string): number =>
    Number((database.prepare(`select count(*) as rows from ${table}`).get() as { rows: number }).rows);
  return { bytes: statSync(file).size, decisions: count('decisions'), changes: count('changes') };
}

function sync(path: string): void {
  const handle = openSync(path, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
