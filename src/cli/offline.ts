/** Runs an edit on the records of an installation instead of through its service. */

import { Failure } from '../api/errors.ts';
import { Unavailable } from '../db/db.ts';
import { ConfigError, readConfig } from '../service/config.ts';
import { CannotEdit } from '../service/storage/offline.ts';
import { failed, misused } from './outcome.ts';
import type { Terminal } from './terminal.ts';

/** `dataDir` overrides the settings. */
export async function withRecords<T>(
  { env }: Terminal,
  dataDir: string | undefined,
  edit: (records: string) => Promise<T>,
): Promise<T> {
  try {
    return await edit(dataDir ?? getRecords(env));
  } catch (error) {
    if (error instanceof ConfigError) throw misused(error.message);
    if (error instanceof CannotEdit || error instanceof Failure) throw failed(error.message, error);
    if (error instanceof Unavailable) {
      throw failed(`Cannot write the records (${error.message}). Run this as the user of the service.`, error);
    }
    throw error;
  }
}

/** Returns the database URL or data folder that a service with these settings uses. Throws ConfigError. */
function getRecords(env: NodeJS.ProcessEnv): string {
  const names = ['POSTERN_DATA_DIR', 'POSTERN_DATABASE_URL'].flatMap((name) => [name, `${name}_FILE`]);
  const { databaseUrl, dataDir } = readConfig(Object.fromEntries(names.map((name) => [name, env[name]])));
  return databaseUrl ?? dataDir;
}
