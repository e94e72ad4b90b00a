/**
 * The blocks of decisions that move, or moved: their borders and what they add up to are fixed here, in PostgreSQL,
 * before ClickHouse has them. Moved blocks follow each other without a gap, and come before all decisions that did not
 * move. Each change to what moved raises a number, so that several reads can be one.
 */
import { type Db, type Step, Unavailable, type Value } from '../../../db/db.ts';
import { inList, toList } from '../../../db/query.ts';

export type ReadAll = <R>(sql: string, params?: readonly Value[]) => Promise<R[]>;

export const reading =
  (db: Db): ReadAll =>
  <R>(sql: string, params: readonly Value[] = []) =>
    db.read(sql, params) as Promise<unknown> as Promise<R[]>;

/** A moved block, without what left it. */
export interface MovedBlock {
  block: number;
  first: number;
  last: number;
  rows: number;
  /** The sum of the rows, see XOR_SQL. */
  xor: string;
  /** The time after that of all its decisions. */
  toAt: number;
  /** Items whose decisions left it, as JSON. */
  purged: string;
  /** The shard that has it; 0: on one server. */
  shard: number;
  /** Decisions up to this number left the log. */
  retiredTo: number;
}

const RETIRED_TO = `coalesce((select cast(value as bigint) from settings where name = 'decisions_retired_to'), 0)`;
const MOVED = `select block, first, last, rows, xor, to_at as "toAt", purged, shard,
  ${RETIRED_TO} as "retiredTo" from record_blocks
  where state = 'moved' and last > ${RETIRED_TO}`;

const MANY = 100_000;

/** Finds moved blocks with numbers after `after` up to `last`, in order; so many at most. */
export const findMoved = (
  all: ReadAll,
  { after, last }: { after: number; last: number },
  limit = MANY,
): Promise<MovedBlock[]> =>
  all<MovedBlock>(`${MOVED} and last > $1 and first <= $2 order by first limit $3`, [after, last, limit]);

/** Finds the moved blocks that some numbers are in, in order. */
export const findMovedWith = (all: ReadAll, seqs: readonly number[]): Promise<MovedBlock[]> =>
  all<MovedBlock>(
    `${MOVED} and block in (select (select o.block from record_blocks as o where o.state = 'moved' and o.first <= seq
         order by o.first desc limit 1)
       from (select cast(value as bigint) as seq from json_array_elements_text($1::json)) as seqs)
     order by first`,
    [toList(seqs)],
  );

/** Finds the oldest moved block. */
export const findOldest = async (all: ReadAll): Promise<MovedBlock | undefined> =>
  (await all<MovedBlock>(`${MOVED} order by first limit 1`))[0];

/** Finds moved blocks that were not looked at since a time, or were lost then; so many at most. */
export const findUnchecked = (all: ReadAll, since: number, limit: number): Promise<MovedBlock[]> =>
  all<MovedBlock>(`${MOVED} and (checked_at <= $1 or lost = 1) order by checked_at limit $2`, [since, limit]);

/** Finds those of some blocks that moved. */
export const findMovedAmong = (db: Db, blocks: readonly number[]): Promise<MovedBlock[]> =>
  reading(db)<MovedBlock>(`${MOVED} and ${inList(db.engine, 'block', 'bigint')} order by first`, [toList(blocks)]);

/** Returns numbers that enclose the moved decisions of a time; none if the last one is lower. */
export async function movedEnds(db: Db, from: number, to: number): Promise<readonly [first: number, last: number]> {
  if (db.engine === 'sqlite') return [Number.MAX_SAFE_INTEGER, 0];
  const [row] = await db.read<{ first: number | null; last: number | null }>(
    `select min(first) as first, max(last) as last from record_blocks
     where state = 'moved' and from_at < $2 and to_at > $1`,
    [from, to],
  );
  return [row?.first ?? Number.MAX_SAFE_INTEGER, row?.last ?? 0];
}

/** Returns the number up to which decisions moved; 0: none did. */
export async function movedTo(db: Db): Promise<number> {
  if (db.engine === 'sqlite') return 0;
  const [row] = await db.read<{ to: number }>(
    `select coalesce(max(last), 0) as "to" from record_blocks where state = 'moved'`,
  );
  return row?.to ?? 0;
}

/** Returns the last number that moved, and a time that no moved decision is after; `before`: of blocks before it. */
export async function findNewestMoved(
  db: Db,
  before = Number.MAX_SAFE_INTEGER,
): Promise<{ seq: number; at: number } | undefined> {
  if (db.engine === 'sqlite') return undefined;
  const [row] = await db.read<{ seq: number; at: number }>(
    `select last as seq, to_at - 1 as at from record_blocks where state = 'moved' and to_at <= $1
     order by first desc limit 1`,
    [before],
  );
  return row;
}

/** Finds the shard of any moved block for which a condition does not hold. */
export async function findShardUnless(db: Db, condition: string): Promise<number | undefined> {
  if (db.engine === 'sqlite') return undefined;
  const sql = `select shard from record_blocks where state = 'moved' and not (${condition}) limit 1`;
  return (await db.read<{ shard: number }>(sql))[0]?.shard;
}

const VERSION = 'records_version';

/** In each transaction that changes which decisions are where. */
export const CHANGES_PLACES: Step = {
  sql: `insert into settings (name, value) values ('${VERSION}', '1')
    on conflict (name) do update set value = cast(cast(settings.value as bigint) + 1 as text)`,
};

const TRIES = 30;

/** Repeats reads until no decision moved, and none left what moved, in between. `work` begins anew each time. */
export async function atOneTime<T>(db: Db, work: () => Promise<T>): Promise<T> {
  if (db.engine === 'sqlite') return work();
  for (let tries = 0; tries < TRIES; tries++) {
    const before = await readVersion(db);
    const value = await work();
    if (before === (await readVersion(db))) return value;
  }
  throw new Unavailable('decisions move all the time', { busy: true });
}

async function readVersion(db: Db): Promise<string | undefined> {
  const [row] = await db.read<{ value: string }>(`select value from settings where name = '${VERSION}'`);
  return row?.value;
}

/** Takes rows out of a block, with what they add up to. A Conflict where others left it meanwhile. */
export const takeOut = (
  { block, rows, xor, purged }: MovedBlock,
  left: Pick<MovedBlock, 'rows' | 'xor' | 'purged'> & { at: number },
): Step[] => [
  {
    sql: `update record_blocks set rows = $2, xor = $3, purged = $4,
        purged_at = case when purged = $4 then purged_at else $5 end
      where block = $1 and state = 'moved' and rows = $6 and xor = $7 and purged = $8`,
    params: [block, left.rows, left.xor, left.purged, left.at, rows, xor, purged],
    expect: 1,
  },
  CHANGES_PLACES,
];
