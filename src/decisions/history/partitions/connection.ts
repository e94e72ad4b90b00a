/** A connection for changes of the table, some of which read all of it, for hours. Opened when it is first needed. */
import type { Db, Step } from '../../../db/db.ts';
import type { PostgresReader } from '../../../db/postgres/reader.ts';

const WITHIN_MS = 12 * 3_600_000;

export interface ChangeConnection {
  /** Runs the steps as one transaction. Throws as `atomic` does. */
  run(steps: readonly Step[]): Promise<void>;
  /** Fails what runs, and ends it on the server. */
  cancel(): Promise<void>;
}

/** `db`: the same database. */
export function openChangeConnection(db: Pick<Db, 'read'>, url: string): ChangeConnection {
  let opened: Promise<{ reader: PostgresReader; pid: number }> | undefined;
  const open = async () => {
    const { openPostgresReader } = await import('../../../db/postgres/reader.ts');
    const reader = await openPostgresReader(url, WITHIN_MS);
    const [[own] = []] = await reader.all([{ sql: 'select pg_backend_pid() as pid' }]);
    return { reader, pid: own?.pid as number };
  };
  return {
    async run(steps) {
      opened ??= open();
      const used = opened;
      try {
        await (await used).reader.all(steps);
      } catch (error) {
        // After some failures it is unusable.
        if (opened === used) opened = undefined;
        await used.then(({ reader }) => reader.abandon()).catch(() => {});
        throw error;
      }
    },
    async cancel() {
      const used = await opened?.catch(() => undefined);
      if (used === undefined) return;
      await db.read('select pg_terminate_backend($1::int)', [used.pid]).catch(() => {});
      used.reader.abandon();
    },
  };
}
