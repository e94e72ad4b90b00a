/**
 * The thread that copies the columns into a new file. It computes for seconds beside checks, so it yields to all other
 * threads: DuckDB has no thread of its own here, and this one has a low priority.
 */
import { setImmediate as turn } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { type DuckDBConnection, DuckDBInstance, DuckDBPendingResultState } from '@duckdb/node-api';
import { lowerPriority } from '../../../lib/priority.ts';

export interface CompactSetup {
  file: string;
  /** The file to create. */
  fresh: string;
  /** Settings of DuckDB. */
  settings: Record<string, string>;
}

const STEPS = 10;

const { file, fresh, settings } = workerData as CompactSetup;
lowerPriority(STEPS);
let isStopped = false;
parentPort?.once('message', () => {
  isStopped = true;
});

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/** Runs a statement in this thread; `connection.run` would run it in one of the pool, at the usual priority. */
async function run(connection: DuckDBConnection, sql: string): Promise<void> {
  const pending = (await connection.prepare(sql)).start();
  while (pending.runTask() !== DuckDBPendingResultState.RESULT_READY) {
    // Messages arrive.
    await turn();
    if (isStopped) throw new Error('stopped');
  }
  await pending.getResult();
}

async function copy(connection: DuckDBConnection): Promise<void> {
  await connection.run(`attach ${quoted(file)} as former (read_only); attach ${quoted(fresh)} as fresh;`);
  await connection.run('copy from database former to fresh (schema)');
  const [tables = []] = await (
    await connection.run(`select table_name from duckdb_tables() where database_name = 'former'`)
  ).getColumns();
  for (const table of tables)
    await run(connection, `insert into fresh.${String(table)} select * from former.${String(table)}`);
  await run(connection, 'update fresh.position set rewritten = false');
  await run(connection, 'checkpoint fresh');
  await connection.run('detach fresh; detach former;');
}

const instance = await DuckDBInstance.create(':memory:', { ...settings, threads: '1' });
try {
  const connection = await instance.connect();
  try {
    await copy(connection);
  } finally {
    connection.interrupt();
    connection.closeSync();
  }
} finally {
  instance.closeSync();
  parentPort?.close();
}
