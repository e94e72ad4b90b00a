/**
 * A possible next version of Postern: this source with one or more additional migrations. They do what a real migration
 * may: add a column to every table, a table, an index.
 */
import assert from 'node:assert/strict';
import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { MIGRATIONS } from '../../src/db/migrations/index.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const PARTS = ['bin', 'src', 'package.json', 'console/dist'];

export interface Version {
  /** The entry file of its processes. */
  main: string;
  /** The version as in `GET /v1/status`. */
  name: string;
}

/** `ahead`: how many versions after this one. In `folder`, which must not be there. */
export function makeNextVersion(folder: string, ahead: number): Version {
  mkdirSync(folder, { recursive: true });
  for (const part of PARTS) {
    if (existsSync(join(ROOT, part))) cpSync(join(ROOT, part), join(folder, part), { recursive: true });
  }
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  const list = join(folder, 'src/db/migrations/index.ts');
  const all = Array.from({ length: ahead }, (_, i) => migration(i + 1));
  const text = readFileSync(list, 'utf8');
  const longer = text.replace(/(?<=MIGRATIONS: [^;]*),?\n\];/, `, ...${JSON.stringify(all)}];`);
  assert.notEqual(longer, text);
  writeFileSync(list, longer);
  const name = `0.${100 + ahead}.0`;
  const version = join(folder, 'src/lib/version.ts');
  writeFileSync(version, readFileSync(version, 'utf8').replace(/(?<=VERSION = )'[^']+'/, `'${name}'`));
  return { main: join(folder, 'src/main.ts'), name };
}

/** Every table there is: which of them a real migration changes is not known yet. */
const TABLES = MIGRATIONS.flat().flatMap((one) => /^create table (\w+)/.exec(String(one))?.[1] ?? []);

const migration = (n: number): string[] => [
  ...TABLES.map((table) => `alter table ${table} add column later_${n} text`),
  `create table later_${n} (id text primary key, at bigint not null)`,
  `create index content_later_${n} on content (later_${n})`,
  `create index limits_later_${n} on limits (later_${n})`,
];
