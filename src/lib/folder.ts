/** Folders that survive a power cut: a new folder is an entry of its parent, which must be on disk too. */
import { closeSync, fsyncSync, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/**
 * Makes the folder and what is missing above it, readable for its owner alone. When this returns, its entry is on disk,
 * where the platform can sync folders. Throws what mkdir throws.
 */
export function makeFolder(path: string): void {
  const folder = resolve(path);
  // Not only when it was made just now: the start that made it may have ended before the sync.
  const highest = makeFolders(folder, 0o700) ?? folder;
  for (let made = folder; ; made = dirname(made)) {
    syncFolder(dirname(made));
    if (made === highest || made === dirname(made)) return;
  }
}

/**
 * Makes the folder and what is missing above it; returns the highest one that was made. Throws what mkdir throws.
 * Node's own `recursive` never ends where a file system answers mkdir with ENOENT although the parent is
 * there, as /proc does.
 */
export function makeFolders(path: string, mode = 0o777): string | undefined {
  const missing: string[] = [];
  let above = resolve(path);
  for (; !isFolder(above) && above !== dirname(above); above = dirname(above)) missing.push(above);
  for (const one of missing.toReversed()) makeOne(one, mode);
  return missing.at(-1);
}

function makeOne(folder: string, mode: number): void {
  try {
    mkdirSync(folder, { mode });
  } catch (error) {
    // Another process may have made it meanwhile.
    if (!isFolder(folder)) throw error;
  }
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

function syncFolder(path: string): void {
  try {
    sync(path);
  } catch {
    // Windows opens no folders, some file systems do not sync them, and a parent need not be readable to us.
  }
}

/** Waits until the file or folder is on disk. Throws what the file system throws. */
export function sync(path: string): void {
  const handle = openSync(path, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
