/**
 * Counts decisions for what is outside of statements: allowed, enforced and recorded ones that no license allowed. Of
 * deleted items, `deleted_counts` keeps their number; it grows in the transaction that deletes them, so one statement
 * sees each decision exactly once.
 */
import type { Db, Row, Step, Value } from '../../db/db.ts';
import {
  COUNTS,
  type CountedSpan,
  IS_GONE,
  IS_UNARCHIVED,
  OF_PURGED_ITEMS,
  purgedSpan,
  readPurged,
  SPAN,
  spanParams,
} from './counted.ts';
import { atOneTime } from './moved/blocks.ts';
import { queryMoved } from './moved/read.ts';

/** Days begin at such times in every time zone. */
const QUARTER_MS = 900_000;
/** Daily counts are of this time of their day, UTC. */
const NOON_MS = 43_200_000;

const add = (select: string, params: readonly Value[] = []): Step => ({
  sql: `insert into deleted_counts (quarter, requests) ${select} group by 1
        on conflict (quarter) do update set requests = deleted_counts.requests + excluded.requests`,
  params,
});

/** Keeps the number of unlicensed decisions of deleted items that are about to be deleted. */
export const countDeleted = (where: string, params: readonly Value[] = [], table = 'decisions'): Step =>
  add(
    `select at - at % ${QUARTER_MS}, count(*) from ${table} as d
     where ${where} and ${COUNTS} and license_id is null and ${IS_GONE}`,
    params,
  );

/** Keeps the number of such decisions, which were made at these times. */
export const countDeletedAt = (times: readonly number[]): Step[] =>
  [...Map.groupBy(times, (at) => at - (at % QUARTER_MS))].map(([quarter, { length }]) =>
    add(`select cast(${quarter} as bigint), cast(${length} as bigint) where true`),
  );

/** Keeps the number of such decisions, of which there are only daily counts, and these are about to be deleted. */
export const countDeletedDays = (where: string): Step =>
  add(`select day + ${NOON_MS}, sum(requests) from daily_counts where ${where} and ${IS_UNLICENSED_DAY}`);

const IS_UNLICENSED_DAY = `reason = 0 and enforced = 1 and license_id = ''`;

/** Finds the first unlicensed decisions of deleted items after a number and up to another one. */
export const findDeleted = (db: Db, after: number, last: number): Promise<{ seq: number; at: number }[]> =>
  db.read(
    `select seq, at from decisions where seq > $1 and seq <= $2 and ${COUNTS} and license_id is null and ${IS_GONE}
     order by seq limit ${DELETED_AT_ONCE}`,
    [after, last],
  );
const DELETED_AT_ONCE = 5_000;

/** The number of unlicensed decisions that were counted as deleted. It only grows, as they are deleted. */
export const DELETED_SUM = 'coalesce((select sum(requests) from deleted_counts), 0)';

/** Counts the unlicensed decisions of a span that are in the log, or will be deleted with their items. */
export function countUnlicensed(db: Db, span: CountedSpan): Promise<number> {
  const sql = (table: string): string =>
    `select count(*) as n from ${table} as d where ${SPAN} and ${COUNTS} and license_id is null`;
  const params = spanParams(span);
  return atOneTime(db, async () => {
    let count = 0;
    for (const { n } of await db.read<{ n: number }>(sql('decisions'), params)) count += Number(n);
    for await (const [one] of queryMoved<{ n: number }>(db, { sql, params }, span)) count += Number(one?.n);
    return count;
  });
}

interface TimeSpan {
  from: number;
  to: number;
}

/** Counts unlicensed decisions that left the log, or whose items were deleted. One of a day counts at its noon. */
export async function countUnlicensedGone(db: Db, { from, to }: TimeSpan): Promise<number> {
  const [row] = await db.read<{ n: number }>(
    `select (select coalesce(sum(requests), 0) from deleted_counts where quarter >= $1 and quarter < $2)
       + (select coalesce(sum(requests), 0) from daily_counts
          where day + ${NOON_MS} >= $1 and day + ${NOON_MS} < $2 and ${IS_UNLICENSED_DAY}) as n`,
    [from, to],
  );
  return Number(row?.n ?? 0);
}

/** Decisions whose items were deleted. */
export interface DeletedCount {
  licensed: number;
  unlicensed: number;
}

/** Counts the decisions of a time that readers of the log do not see because their items were deleted. */
export const countDeletedIn = (db: Db, time: TimeSpan): Promise<DeletedCount> =>
  atOneTime(db, async () => {
    const span = await purgedSpan(db, time.from, time.to);
    const count = await countDeletedOf(db, span);
    const sql = (table: string): string =>
      `select count(license_id) as licensed, count(*) - count(license_id) as unlicensed from ${table} as d
       where ${SPAN} and ${COUNTS} and ${OF_PURGED_ITEMS}`;
    const moved = queryMoved<Row & DeletedCount>(db, { sql, params: spanParams(span) }, span, {
      contents: await readPurged(db),
    });
    for await (const [one] of moved) {
      count.licensed += Number(one?.licensed);
      count.unlicensed += Number(one?.unlicensed);
    }
    return count;
  });

async function countDeletedOf(db: Db, span: CountedSpan): Promise<DeletedCount> {
  const purging = `from decisions where ${SPAN} and ${COUNTS} and ${OF_PURGED_ITEMS}
    and ${IS_UNARCHIVED}`;
  const [row] = await db.read<{ licensed: number; unlicensed: number }>(
    `select (select count(*) from deleted_decisions where at >= $3 and at < $4 and ${IS_GONE})
         + (select count(license_id) ${purging}) as licensed,
       (select coalesce(sum(requests), 0) from deleted_counts where quarter >= $3 and quarter < $4)
         + (select coalesce(sum(requests), 0) from daily_counts
            where day + ${NOON_MS} >= $3 and day + ${NOON_MS} < $4 and ${IS_UNLICENSED_DAY} and ${IS_GONE})
         + (select count(*) - count(license_id) ${purging}) as unlicensed`,
    spanParams(span),
  );
  return { licensed: Number(row?.licensed ?? 0), unlicensed: Number(row?.unlicensed ?? 0) };
}
