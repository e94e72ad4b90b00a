/**
 * A possible next version of Postern: this source with one or more additional migrations. They do what a real migration
 * may: add a column to every table, a table, an index.
 */
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

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
  const migrations = join(folder, 'src/db/migrations');
  renameSync(join(migrations, 'index.ts'), join(migrations, 'before.ts'));
  const all = Array.from({ length: ahead }, (_, i) => migration(i + 1));
  writeFileSync(
    join(migrations, 'index.ts'),
    `import { MIGRATIONS as BEFORE, type Migration } from './before.ts';
export type { Migration };
export const MIGRATIONS: readonly Migration[] = [...BEFORE, ...${JSON.stringify(all, undefined, 2)}];\n`,
  );
  const name = `0.${100 + ahead}.0`;
  const version = join(folder, 'src/lib/version.ts');
  writeFileSync(version, readFileSync(version, 'utf8').replace(/(?<=VERSION = )'[^']+'/, `'${name}'`));
  return { main: join(folder, 'src/main.ts'), name };
}

/** Every table there is: which of them a real migration changes is not known yet. */
function tables(): string[] {
  const first = readFileSync(join(ROOT, 'src/db/migrations/0001-tables.ts'), 'utf8');
  return [...first.matchAll(/create table (\w+)/g)].map(([, name]) => name as string);
}

const migration = (n: number): string[] => [
  ...tables().map((table) => `alter table ${table} add column later_${n} text`),
  `create table later_${n} (id text primary key, at bigint not null)`,
  `create index content_later_${n} on content (later_${n})`,
  `create index limits_later_${n} on limits (later_${n})`,
];
