/**
 * Erases a requester from the files of the archive. Promise: at any time, a file is complete and has the same
 * decisions; readers see the old one or the new one.
 */
import { readdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Db } from '../../../db/db.ts';
import { sync } from '../../../lib/folder.ts';
import type { Replacement } from '../retention/erase.ts';

const MEMORY_LIMIT = '256MB';

/** Work on every file of the archive, also on those that no record names. Throws where a recorded one is missing. */
export async function* archiveWork(
  db: Db,
  folder: string | null,
  by: Replacement,
): AsyncGenerator<() => Promise<unknown>> {
  const recorded = (await db.read<{ file: string }>('select file from archives order by to_seq')).map(
    ({ file }) => file,
  );
  if (recorded.length === 0 && folder === null) return;
  if (folder === null) throw new Error('decisions are archived: set POSTERN_ARCHIVE_DIR to the folder of the archive');
  const [ledger] = await db.read<{ value: string }>(`select value from settings where name = 'ledger_no'`);
  const own = `decisions-${ledger?.value ?? ''}-`;
  const there = listFiles(folder).filter((name) => name.startsWith(own) && name.endsWith('.parquet'));
  for (const file of new Set([...recorded, ...there])) yield () => eraseInFile(join(folder, file), by);
}

function listFiles(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

const text = (value: string): string => `'${value.replaceAll("'", "''")}'`;

async function eraseInFile(path: string, { requesterId, pseudonym }: Replacement): Promise<void> {
  // Loaded here: it takes 50 ms, which a start does without.
  const { DuckDBInstance } = await import('@duckdb/node-api');
  const instance = await DuckDBInstance.create(':memory:', { memory_limit: MEMORY_LIMIT, threads: '1' });
  const connection = await instance.connect();
  const part = `${path}.erasing`;
  try {
    const names = (await connection.runAndReadAll(`select name from parquet_schema(${text(path)})`)).getRowsJS().flat();
    const ids = ['requester_id', 'claimed'].filter((name) => names.includes(name));
    const [id, other] = [text(requesterId), text(pseudonym)];
    const isTheirs = ids.map((name) => `${name} is not distinct from ${id}`).join(' or ');
    const [[count] = []] = (
      await connection.runAndReadAll(`select count(*)::double from read_parquet(${text(path)}) where ${isTheirs}`)
    ).getRowsJS();
    if (count === 0) return;
    // Purpose and permission are among the inputs in older files.
    const kept = `json_object('purpose', json_extract(inputs, '$.purpose'),
      'permission', json_extract(inputs, '$.permission'), 'reduced', json_array('context', 'license'))::varchar`;
    const replaced = [
      ...ids.map((name) => `case when ${name} = ${id} then ${other} else ${name} end as ${name}`),
      `case when inputs is not null and (${isTheirs}) then ${kept} else inputs end as inputs`,
      ...['requester_salt', 'inputs_salt']
        .filter((name) => names.includes(name))
        .map((name) => `case when ${isTheirs} then null else ${name} end as ${name}`),
    ];
    await connection.run(
      `copy (select * replace (${replaced.join(', ')}) from read_parquet(${text(path)}))
       to ${text(part)} (format parquet, compression zstd)`,
    );
    sync(part);
    renameSync(part, path);
    sync(dirname(path));
  } finally {
    connection.closeSync();
    instance.closeSync();
    rmSync(part, { force: true });
  }
}
