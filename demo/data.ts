/** The demo's folder. Only files of a demo are removed; a folder in use, or with other data, is refused. */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isKeyText, newKeyText } from '../src/api/keys/key.ts';
import { holdFile } from '../src/db/sqlite/db.ts';

/** A mistake that the user can fix. */
export class Refusal extends Error {}

export interface Data {
  dir: string;
  key: string;
  /** No earlier run completed the past. */
  first: boolean;
  complete(): void;
}

const FILES = [
  'postern.db',
  'postern.db-wal',
  'postern.db-shm',
  'postern.lock',
  'columns.duckdb',
  'columns.duckdb.wal',
  'service.log',
  'key',
  'complete',
];

/** Throws Refusal. */
export function openData(dir: string, fresh: boolean): Data {
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const file = (name: string): string => join(dir, name);
  const readKey = (): string => (existsSync(file('key')) ? readFileSync(file('key'), 'utf8').trim() : '');
  if (existsSync(file('postern.db')) && !isKeyText(readKey())) {
    throw new Refusal(`${dir} holds the data of a service, not of a demo; name another folder with --data-dir.`);
  }
  const hold = holdFile(file('postern.lock'));
  if (hold === undefined) {
    const use = `--url ADDRESS --key "$(cat ${file('key')})"`;
    throw new Refusal(`A service runs on ${dir}. Stop it, or use it with ${use}`);
  }
  hold.release();
  // An interrupted run leaves half a past, which is useless: start over.
  const first = fresh || !existsSync(file('complete'));
  if (first) {
    for (const name of FILES) rmSync(file(name), { recursive: true, force: true });
    writeFileSync(file('key'), newKeyText('secret'), { mode: 0o600 });
  }
  return { dir, key: readKey(), first, complete: () => writeFileSync(file('complete'), '') };
}
