/** A connection for changes of the table, some of which read all of it, for hours. Opened when it is first needed. */
import type { Db, Step } from '../../../db/db.ts';
import type { PostgresReader } from '../../../db/postgres/reader.ts';
import { every } from '../../../lib/every.ts';

const WITHIN_MS = 12 * 3_600_000;
/** Longer than the server allows a change to take, so that a server that died is noticed. */
const ANSWER_WITHIN_MS = 15_000;
const WATCH_MS = 1_000;

export interface ChangeConnection {
  /**
   * Runs the steps as one transaction. Throws as `atomic` does. Cancels them once `goesOn`, called every second, is
   * false; without it, after 15 s.
   */
  run(steps: readonly Step[], goesOn?: () => Promise<boolean>): Promise<void>;
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
  async function cancel(): Promise<void> {
    const used = await opened?.catch(() => undefined);
    if (used === undefined) return;
    used.reader.abandon();
    await db.read('select pg_terminate_backend($1::int)', [used.pid]).catch(() => {});
  }

  return {
    async run(steps, goesOn = withinTime()) {
      opened ??= open();
      const used = opened;
      const stop = every(
        WATCH_MS,
        async () => ((await goesOn()) ? undefined : cancel()),
        () => {},
      );
      try {
        await (await used).reader.all(steps);
      } catch (error) {
        // After some failures it is unusable.
        if (opened === used) opened = undefined;
        await used.then(({ reader }) => reader.abandon()).catch(() => {});
        throw error;
      } finally {
        await stop();
      }
    },
    cancel,
  };
}

function withinTime(): () => Promise<boolean> {
  const end = performance.now() + ANSWER_WITHIN_MS;
  return async () => performance.now() < end;
}
