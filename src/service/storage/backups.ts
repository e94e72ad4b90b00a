/**
 * A folder of backups, one for each run. Promise: nothing in it is overwritten, and only whole backups of the same
 * installation are ever removed, after the new one is complete.
 */
import { existsSync, lstatSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder, sync } from '../../lib/folder.ts';
import { backUp, CannotCopy, type Copied, explained, requireRecords, toStamp } from './backup.ts';

/** Sorts by time: `postern-20261121T093000Z`, with a number for a second one in the same second. */
const NAME = /^postern-\d{8}T\d{6}Z(?:-\d+)?$/;
/** Says which installation a backup is of. */
const MARK = 'backup.json';
/** SQLite makes the last two when a person opens the backup. */
const FILES: ReadonlySet<string> = new Set(['postern.db', MARK, 'postern.db-shm', 'postern.db-wal']);

const PART = '.part';
const PARTS: ReadonlySet<string> = new Set([...FILES, 'postern.db-journal']);

export interface Kept extends Copied {
  /** The folder of the new backup. */
  folder: string;
  /** Folders of backups that were removed. */
  removed: string[];
}

interface Run {
  dataDir: string;
  /** The folder of backups; made if need be. */
  home: string;
  /** The number of backups to keep; undefined: all. */
  keep: number | undefined;
  now: number;
}

/** Throws CannotCopy. */
export function backUpInto({ dataDir, home, keep, now }: Run): Kept {
  requireRecords(dataDir);
  const mark = `${JSON.stringify({ object: 'postern_backup', of: realpathSync(dataDir) }, null, 2)}\n`;
  explained(`${home} cannot be used`, () => makeFolder(home));
  const folder = nextName(home, now);
  const copied = backUp(dataDir, folder, (parts) => {
    writeFileSync(join(parts, MARK), mark);
    sync(join(parts, MARK));
  });
  const removed = keep === undefined ? [] : removeOld(home, { keep, mark, now });
  return { ...copied, folder, removed };
}

function nextName(home: string, now: number): string {
  const taken = (path: string): boolean => existsSync(path) || existsSync(`${path}.part`);
  const first = join(home, `postern-${toStamp(now)}`);
  let path = first;
  for (let i = 2; taken(path); i++) path = `${first}-${i}`;
  return path;
}

function removeOld(home: string, { keep, mark, now }: { keep: number; mark: string; now: number }): string[] {
  const own = names(home).filter((name) => isOwn(join(home, name), mark));
  const old = own.slice(0, Math.max(0, own.length - keep)).map((name) => join(home, name));
  return explained('The new backup is complete, but an old one cannot be removed', () => {
    for (const folder of [...old, ...leftParts(home, now)]) rmSync(folder, { recursive: true });
    return old;
  });
}

const DAY_MS = 86_400_000;

/** Returns what runs left that were killed: a run that is older than a day is over. */
const leftParts = (home: string, now: number): string[] =>
  readdirSync(home)
    .filter((name) => name.endsWith(PART) && NAME.test(name.slice(0, -PART.length)))
    .map((name) => join(home, name))
    .filter((path) => {
      const stat = lstatSync(path);
      return stat.isDirectory() && now - stat.mtimeMs > DAY_MS && readdirSync(path).every((file) => PARTS.has(file));
    });

/** Returns the names of backups, the oldest first. */
const names = (home: string): string[] =>
  readdirSync(home)
    .filter((name) => NAME.test(name))
    .toSorted((a, b) => a.localeCompare(b, 'en', { numeric: true }));

/** Anything else that lies in a backup was put there by a person, so that it stays. */
function isOwn(folder: string, mark: string): boolean {
  if (!lstatSync(folder).isDirectory()) return false;
  const files = readdirSync(folder);
  return (
    files.includes(MARK) && files.every((file) => FILES.has(file)) && readFileSync(join(folder, MARK), 'utf8') === mark
  );
}

/** Returns the newest backup in a folder of them, or the folder itself if it is a backup. Throws CannotCopy. */
export function newestBackup(from: string): string {
  const newest = existsSync(from)
    ? explained(`${from} cannot be read`, () => names(from)).findLast((name) =>
        existsSync(join(from, name, 'postern.db')),
      )
    : undefined;
  if (newest !== undefined) return join(from, newest);
  if (existsSync(join(from, 'postern.db'))) return from;
  throw new CannotCopy(`There is no backup in ${from}. Name the folder that postern backup wrote.`);
}
