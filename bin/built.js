/**
 * Tells whether dist/ is what the sources of this clone become now. The command then runs it instead of them, because
 * few files load in half the time. Plain JavaScript for Node.js 20, like the command.
 */
import { createHash } from 'node:crypto';
import { closeSync, openSync, readFileSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../', import.meta.url));
/** Names the files that the build read and wrote, with the hash of them all. */
export const RECORD = join(root, 'dist/built.json');
/** More than any of them has. */
const FILE_BYTES = 8 * 1024 * 1024;

/** @param {Iterable<readonly [name: string, content: string | Uint8Array]>} files */
export function hashOf(files) {
  const hash = createHash('sha256');
  for (const [name, content] of files) hash.update(name).update('\0').update(content).update('\0');
  return hash.digest('base64url');
}

/** Compares contents: the times of files do not prove that they are unchanged. */
export function isBuilt() {
  try {
    /** @type {{ files: string[], hash: string }} */
    const { files, hash } = JSON.parse(readFileSync(RECORD, 'utf8'));
    return hashOf(contentsOf(files)) === hash;
  } catch {
    return false;
  }
}

/**
 * Each content is valid until the next one: a buffer of its own for each file takes twice the time.
 * @param {readonly string[]} names
 * @returns {Generator<[name: string, content: Uint8Array]>}
 */
function* contentsOf(names) {
  const room = Buffer.allocUnsafe(FILE_BYTES);
  for (const name of names) {
    const file = openSync(root + name, 'r');
    try {
      yield [name, room.subarray(0, readSync(file, room))];
    } finally {
      closeSync(file);
    }
  }
}
