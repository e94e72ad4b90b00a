/** Folders that are there after a power cut: a new one is an entry of its parent, and that must be on disk too. */
import { closeSync, fsyncSync, mkdirSync, openSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/**
 * Makes the folder and what is missing above it, readable for its owner alone. When this returns, its entry is on disk,
 * where the platform can sync folders. Throws what mkdir throws.
 */
export function makeFolder(path: string): void {
  const folder = resolve(path);
  // Not only when it was made just now: the start that made it may have ended before the sync.
  const highest = mkdirSync(folder, { recursive: true, mode: 0o700 }) ?? folder;
  for (let made = folder; ; made = dirname(made)) {
    syncFolder(dirname(made));
    if (made === highest || made === dirname(made)) return;
  }
}

function syncFolder(path: string): void {
  let handle: number | undefined;
  try {
    handle = openSync(path, 'r');
    fsyncSync(handle);
  } catch {
    // Windows opens no folders, some file systems do not sync them, and a parent need not be readable to us.
  } finally {
    if (handle !== undefined) closeSync(handle);
  }
}
