/**
 * Moves one block of decisions after the other. Promise: a decision leaves PostgreSQL in the transaction that says it
 * moved, and only after ClickHouse was read back twice, at least a day apart, and had each value of the block as
 * PostgreSQL has it. Decisions on items that were deleted in between leave the block, and inputs that were erased are
 * erased in it. After an interruption, a loss or another change the attempt is given up, and its number never used
 * again. So what a process writes or deletes late is of no block that counts.
 */
import { randomInt } from 'node:crypto';
import type { Db, Row } from '../../../db/db.ts';
import { Bytes } from '../clickhouse/bytes.ts';
import { archivedTo } from '../ends.ts';
import { dropUnsettled } from '../retention/erase.ts';
import { retiredTo } from '../retention/retire.ts';
import { CHANGES_PLACES } from './blocks.ts';
import { numbersOf, readLeft, readOwn, sumStored, type UnmovedBlock } from './compare.ts';
import { countErasures, isNoneErased, NO_ERASURE, numberRequesters } from './names.ts';
import { isHere, type MovedPlace } from './place.ts';
import { openDigest, toMoved, writeMoved } from './row.ts';
import type { MovedStore } from './store.ts';

const ROWS_A_BLOCK = 8_192;
/** A second reading is of what is on the disk, and in backups. */
export const VERIFY_AGAIN_MS = 86_400_000;
const BLOCK_NUMBERS = 2 ** 47;

export interface MoveDeps {
  db: Db;
  store: MovedStore;
  now(): number;
}

export interface PlanBounds {
  /** Decisions before this time, epoch ms. */
  before: number;
  /** Up to this number; what is read by number elsewhere was read. */
  upTo: number;
}

/** Plans and writes the next block. Returns undefined where there is none. */
export async function writeNext(deps: MoveDeps, bounds: PlanBounds): Promise<UnmovedBlock | undefined> {
  const { db, store, now } = deps;
  const erasures = await countErasures(db);
  const span = await findSpan(db, bounds);
  if (span === undefined) return undefined;
  const own: Row[] = [];
  for await (const rows of readOwn(db, span.first, span.last)) own.push(...rows);
  const ids = numbersOf(own);
  const numbers = await numberRequesters(db, ids, erasures);
  if (own.length === 0 || numbers.size < ids.size) return undefined;
  const block = randomInt(1, BLOCK_NUMBERS);
  const shard = await store.shardFor(span.first, ROWS_A_BLOCK);
  const [bytes, digest] = [new Bytes(own.length * 256), openDigest()];
  for (const row of own) {
    const moved = toMoved(row, numbers);
    digest.add(moved);
    writeMoved(bytes, block, moved);
  }
  const { rows, sha256, inputsSha256 } = digest.end();
  const times = own.map(({ at }) => at as number);
  await db.atomic([
    {
      sql: `insert into record_blocks (block, first, last, rows, from_at, to_at, sha256, inputs_sha256, xor, state, state_at,
          purged, purged_at, checked_at, lost, shard)
        select $1, $2, $3, $4, $5, $6, $7, $8, '', 'planned', $9, '[]', 0, 0, 0, $10
        where not exists (select 1 from record_blocks where last >= $2 and ${IS_IN_FORCE}) and ${isNoneErased('$11')}`,
      params: [
        block,
        span.first,
        span.last,
        rows,
        Math.min(...times),
        Math.max(...times) + 1,
        sha256,
        inputsSha256,
        now(),
        shard,
        erasures,
      ],
      expect: 1,
    },
  ]);
  await store.insert(bytes.end(), shard);
  return readUnmoved(db, block);
}

async function readUnmoved(db: Db, block: number): Promise<UnmovedBlock | undefined> {
  return (await db.read<UnmovedBlock>(`${UNMOVED} and block = $1`, [block]))[0];
}

const IS_IN_FORCE = `state <> 'given up'`;
const UNMOVED = `select block, first, last, rows, sha256, inputs_sha256, xor, state, state_at from record_blocks
  where state in ('planned', 'verified')`;

/** Finds the first block that did not move yet. */
export const findUnmoved = async (db: Db, state?: 'planned'): Promise<UnmovedBlock | undefined> =>
  (
    await db.read<UnmovedBlock>(
      `${UNMOVED}${state === undefined ? '' : ` and state = '${state}'`} order by first limit 1`,
    )
  )[0];

/** The newest decision stays: others look for it. */
async function findSpan(db: Db, { before, upTo }: PlanBounds): Promise<{ first: number; last: number } | undefined> {
  const [planned] = await db.read<{ last: number }>(
    `select coalesce(max(last), 0) as last from record_blocks where ${IS_IN_FORCE}`,
  );
  const after = Math.max(planned?.last ?? 0, await archivedTo(db), await retiredTo(db));
  const [row] = await db.read<{ first: number | null; last: number | null }>(
    `with next as (select seq, at from decisions where seq > $1 and seq <= $3
         and seq < (select max(seq) from decisions) order by seq limit ${ROWS_A_BLOCK}),
       young as (select min(seq) as first from next where at >= $2)
     select min(seq) as first, max(seq) as last from next, young where young.first is null or seq < young.first`,
    [after, before, upTo],
  );
  if (typeof row?.first !== 'number' || typeof row.last !== 'number') return undefined;
  return { first: row.first, last: row.last };
}

/** Reads a planned block back. Returns false where it was given up. */
export async function verify(deps: MoveDeps, one: UnmovedBlock): Promise<boolean> {
  const { db, store, now } = deps;
  const sum = await sumStored(store, one);
  if (sum === undefined) {
    await giveUp(db, one);
    return false;
  }
  await db.atomic([
    {
      sql: `update record_blocks set state = 'verified', state_at = $2, xor = $3 where block = $1 and state = 'planned'`,
      params: [one.block, now(), sum],
      expect: 1,
    },
  ]);
  return true;
}

/**
 * Verifies the block again, in both stores, and moves it. Returns false where it was given up, or is looked at again
 * later. Throws Conflict.
 */
export async function moveBlock(deps: MoveDeps, one: UnmovedBlock): Promise<boolean> {
  const { db, store, now } = deps;
  const before = await readErased(db);
  // PostgreSQL has it no more, once most replicas would do.
  await store.sync();
  const left = await readLeft(db, store, one);
  if (left === undefined) {
    if (before === (await readErased(db)) && !(await isPurging(db))) await giveUp(db, one);
    return false;
  }
  const at = now();
  await db.atomic([
    {
      sql: `update record_blocks set state = 'moved', state_at = $2, checked_at = $2, rows = $4, sha256 = $5,
            inputs_sha256 = $6, xor = $7, purged = $8, purged_at = $9
          where block = $1 and state = 'verified'
          and not exists (select 1 from record_blocks as o where o.first < record_blocks.first and o.state in ('planned', 'verified'))
          and not exists (select 1 from archives where to_seq >= record_blocks.first)
          and ${NO_ERASURE} and ${ERASED} = $3`,
      params: [
        one.block,
        at,
        before,
        left.rows,
        left.sha256,
        left.inputsSha256,
        left.xor,
        JSON.stringify(left.purged),
        left.purged.length > 0 ? at : 0,
      ],
      expect: 1,
    },
    dropUnsettled(one.last),
    // Their leaves stay: see the migration.
    { sql: `select set_config('postern.moves', 'on', true)` },
    { sql: 'delete from decisions where seq >= $1 and seq <= $2', params: [one.first, one.last], expect: left.rows },
    CHANGES_PLACES,
  ]);
  return true;
}

/** PostgreSQL may have some of the decisions on an item that was deleted. */
const isPurging = async (db: Db): Promise<boolean> => (await db.read('select 1 as one from purges limit 1')).length > 0;

/** Differs once something of decisions is erased. */
const ERASED = `(select count(*) || ' ' || coalesce((select value from settings where name = 'inputs_erased_to'), '')
  from erasures)`;

async function readErased(db: Db): Promise<string> {
  const [row] = await db.read<{ erased: string }>(`select ${ERASED} as erased`);
  return row?.erased ?? '';
}

/** Blocks after it are planned again, too. What ClickHouse has of them is deleted later. */
const giveUp = (db: Db, { first }: UnmovedBlock): Promise<void> =>
  db.atomic([
    {
      sql: `update record_blocks set state = 'given up' where first >= $1 and state in ('planned', 'verified')`,
      params: [first],
    },
  ]);

/**
 * Gives up blocks that were written where the setting no longer says, and those with decisions from a time on, which
 * the setting keeps now, with all after these.
 */
export const giveUpUnwanted = (db: Db, place: MovedPlace, before: number): Promise<void> =>
  db.atomic([
    {
      sql: `update record_blocks set state = 'given up' where state in ('planned', 'verified') and not (${isHere(place)})`,
    },
    {
      sql: `update record_blocks set state = 'given up' where state in ('planned', 'verified')
          and first >= (select min(first) from record_blocks where state in ('planned', 'verified') and to_at > $1)`,
      params: [before],
    },
  ]);
