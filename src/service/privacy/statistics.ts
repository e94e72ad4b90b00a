/**
 * Makes PostgreSQL's statistics anew after something was erased: they are samples of the values in each column, which
 * the server keeps until it analyses the table again, by itself only after many changes. One node does the work.
 */
import { type Db, Unavailable } from '../../db/db.ts';
import type { PostgresDb } from '../../db/postgres/db.ts';
import type { PostgresReader } from '../../db/postgres/reader.ts';
import { every } from '../../lib/every.ts';

const LOOK_EVERY_MS = 10_000;
/** Retention may go on for hours. */
const AGAIN_AFTER_MS = 600_000;
/** The server reads so many pages of a table: of the largest ones, from slow disks. */
const TABLE_WITHIN_MS = 600_000;

const OF = 'statistics_of';
/** Differs once something more is erased. */
const ERASED = `(select count(*) from erasures where status = 'done') || ' '
  || coalesce((select value from settings where name = 'inputs_erased_to'), '0') || ' '
  || coalesce((select value from settings where name = 'decisions_retired_to'), '0')`;
const NOTHING = '0 0 0';

/** With a table, the server analyses its partitions. */
const TABLES = `select c.oid::regclass::text as name from pg_class as c
  where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
    and pg_has_role(c.relowner, 'usage')`;

export interface StatisticsDeps {
  db: Db | PostgresDb;
  isOurs(): boolean;
  onProblem(error: unknown): void;
}

/** Returns a function that stops the work. */
export function startForgettingStatistics({ db, isOurs, onProblem }: StatisticsDeps): () => Promise<void> {
  if (!('url' in db)) return async () => {};
  let begunAt = Number.NEGATIVE_INFINITY;
  let reader: PostgresReader | undefined;
  let isOver = false;

  const work = async (): Promise<void> => {
    if (!isOurs() || performance.now() - begunAt < AGAIN_AFTER_MS) return;
    const erased = await findStale(db);
    if (erased === undefined) return;
    begunAt = performance.now();
    const { openPostgresReader } = await import('../../db/postgres/reader.ts');
    reader = await openPostgresReader(db.url, TABLE_WITHIN_MS);
    try {
      const [tables = []] = await reader.all([{ sql: TABLES }]);
      for (const { name } of tables) if (!isOver) await reader.all([{ sql: `analyze ${name}` }]);
      if (!isOver) await db.atomic([keep(erased)]);
    } finally {
      reader.abandon();
    }
  };
  const stop = every(LOOK_EVERY_MS, work, (error) => {
    // A table is being changed, or the server is away: it stays due.
    if (!isOver && !(error instanceof Unavailable)) onProblem(error);
  });
  return async () => {
    isOver = true;
    reader?.abandon();
    await stop();
  };
}

/** Returns what was erased, where the statistics are older. */
async function findStale(db: Db): Promise<string | undefined> {
  const [row] = await db.read<{ erased: string; known: string }>(
    `select ${ERASED} as erased, coalesce((select value from settings where name = $1), $2) as known`,
    [OF, NOTHING],
  );
  return row?.erased === row?.known ? undefined : row?.erased;
}

const keep = (erased: string) => ({
  sql: 'insert into settings (name, value) values ($1, $2) on conflict (name) do update set value = excluded.value',
  params: [OF, erased],
});
