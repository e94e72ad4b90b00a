/**
 * Deletes in ClickHouse what left moved blocks, and looks each day whether they are there. Promise: nothing is deleted
 * of a block that counts before PostgreSQL says that it left it, and before reads that began earlier have ended.
 */
import type { Db } from '../../../db/db.ts';
import { integer } from '../columns/sql.ts';
import { inputsErasedTo, retiredTo } from '../retention/retire.ts';
import { findUnchecked, type MovedBlock, movedTo, reading } from './blocks.ts';
import { findLost } from './read.ts';
import type { MovedStore } from './store.ts';

/** Longer than any read takes. */
const READS_MS = 120_000;
/** Longer than any insert takes. */
const INSERTS_MS = 3_600_000;
const LOOK_EVERY_MS = 86_400_000;
const BLOCKS_A_LOOK = 64;
const BLOCKS_A_CHANGE = 1_000;

interface Upkeep {
  db: Db;
  store: MovedStore;
  now(): number;
}

/** Up to where something was deleted for good. `at`: when what is to be deleted next was noted; null: nothing is. */
interface Removed {
  retiredTo: number;
  inputsTo: number;
  next: { retiredTo: number; inputsTo: number; at: number } | null;
}

const NAME = 'records_removed';
const NOTHING: Removed = { retiredTo: 0, inputsTo: 0, next: null };

async function readRemoved(db: Db): Promise<Removed> {
  const [row] = await db.read<{ value: string }>(`select value from settings where name = '${NAME}'`);
  return row === undefined ? NOTHING : (JSON.parse(row.value) as Removed);
}

const keepRemoved = (db: Db, removed: Removed): Promise<void> =>
  db.atomic([
    {
      sql: `insert into settings (name, value) values ('${NAME}', $1) on conflict (name) do update set value = excluded.value`,
      params: [JSON.stringify(removed)],
    },
  ]);

/** The inputs that are left once they are erased. */
const isInputLeft = `inputs is not null and ifNull(reduced, '') <> inputs`;

/** Deletes what left the blocks long enough ago. */
export async function removeLeft({ db, store, now }: Upkeep): Promise<void> {
  await removePurged({ db, store, now });
  const removed = await readRemoved(db);
  const to = { retiredTo: await retiredTo(db), inputsTo: Math.min(await inputsErasedTo(db), await movedTo(db)) };
  const { next } = removed;
  if (next === null) {
    const isNews = to.retiredTo > removed.retiredTo || to.inputsTo > removed.inputsTo;
    if (isNews) await keepRemoved(db, { ...removed, next: { ...to, at: now() } });
    return;
  }
  if (now() - next.at < READS_MS) return;
  const isRetired = `seq <= ${integer(next.retiredTo)}`;
  for (const own of await blocksUpTo(db, removed.retiredTo, next.retiredTo)) {
    await change(store, 'delete', `${own} and ${isRetired}`);
  }
  const isErased = `seq <= ${integer(next.inputsTo)} and ${isInputLeft}`;
  for (const own of await blocksUpTo(db, removed.inputsTo, next.inputsTo)) {
    await change(store, 'update inputs = reduced', `${own} and ${isErased}`);
  }
  await db.atomic([
    { sql: `delete from record_blocks where last <= $1 and state = 'moved'`, params: [next.retiredTo] },
  ]);
  await keepRemoved(db, { retiredTo: next.retiredTo, inputsTo: next.inputsTo, next: null });
}

/** Returns conditions for the moved blocks with numbers after one and up to another: no others are changed. */
async function blocksUpTo(db: Db, after: number, to: number): Promise<string[]> {
  const blocks = await findOwnBlocks(db, `state = 'moved' and last > ${integer(after)} and first <= ${integer(to)}`);
  const conditions: string[] = [];
  for (let i = 0; i < blocks.length; i += BLOCKS_A_CHANGE) conditions.push(among(blocks.slice(i, i + BLOCKS_A_CHANGE)));
  return conditions;
}

const among = (blocks: readonly number[]): string => `block in (${blocks.map(integer).join(', ')})`;

const findOwnBlocks = async (db: Db, where: string): Promise<number[]> =>
  (await db.read<{ block: number }>(`select block from record_blocks where ${where} order by first`)).map(
    ({ block }) => block,
  );

/** Overwrites inputs that are left of some decisions, in blocks of this installation. */
export async function overwriteInputs(db: Db, store: MovedStore, where: string): Promise<void> {
  const there = (
    await store.query(`select distinct block from ${store.place.everywhere} where ${where} and ${isInputLeft}`)
  ).map(([block]) => block as number);
  const own = new Set(await findOwnBlocks(db, `block in (${[0, ...there].map(integer).join(', ')})`));
  const blocks = there.filter((block) => own.has(block));
  for (let i = 0; i < blocks.length; i += BLOCKS_A_CHANGE) {
    const some = `${among(blocks.slice(i, i + BLOCKS_A_CHANGE))} and ${where} and ${isInputLeft}`;
    await change(store, 'update inputs = reduced', some);
  }
}

/** Waits until it is done on all replicas; an attempt that took too long goes on by itself. */
async function change(store: MovedStore, how: string, where: string): Promise<void> {
  const { changed, everywhere } = store.place;
  const count = async (): Promise<unknown> =>
    (await store.query(`select count() from ${everywhere} where ${where}`))[0]?.[0];
  if ((await count()) === 0) return;
  await store.run(`alter table ${changed} ${how} where ${where}`);
  if ((await count()) !== 0) throw new Error('ClickHouse did not delete what was erased');
}

async function removePurged({ db, store, now }: Upkeep): Promise<void> {
  const blocks = await db.read<{ block: number; purged: string; purged_at: number }>(
    `select block, purged, purged_at from record_blocks where state = 'moved' and purged_at > 0 and purged_at <= $1
     order by block limit ${BLOCKS_A_LOOK}`,
    [now() - READS_MS],
  );
  if (blocks.length === 0) return;
  const isGone = blocks
    .map(({ block, purged }) => {
      const items = (JSON.parse(purged) as number[]).map(integer).join(', ');
      return `(block = ${integer(block)} and content_no in (${items}))`;
    })
    .join(' or ');
  await change(store, 'delete', isGone);
  // The list stays: a backup of ClickHouse may be older.
  const sql = 'update record_blocks set purged_at = 0 where block = $1 and purged_at = $2';
  await db.atomic(blocks.map(({ block, purged_at: at }) => ({ sql, params: [block, at] })));
}

/**
 * Deletes rows of attempts that were given up, twice: an insert whose answer was lost may be done later than the first
 * deletion. What this installation knows nothing of may be of another one.
 */
export async function removeGivenUp({ db, store, now }: Upkeep): Promise<void> {
  const at = now();
  const isDue = `purged_at = 0 or purged_at <= ${integer(at - INSERTS_MS)}`;
  const blocks = (await findOwnBlocks(db, `state = 'given up' and (${isDue})`)).slice(0, BLOCKS_A_LOOK);
  if (blocks.length === 0) return;
  await change(store, 'delete', among(blocks));
  await db.atomic([
    { sql: `delete from record_blocks where ${among(blocks)} and purged_at > 0` },
    { sql: `update record_blocks set purged_at = $1 where ${among(blocks)}`, params: [at] },
  ]);
}

/** Looks at the blocks that were not looked at for a day. Returns those that are lost. */
export async function lookAtBlocks({ db, store, now }: Upkeep): Promise<MovedBlock[]> {
  const at = now();
  const blocks = await findUnchecked(reading(db), at - LOOK_EVERY_MS, BLOCKS_A_LOOK);
  if (blocks.length === 0) return [];
  const lost = await findLost(store, blocks);
  const isLost = new Set(lost.map(({ block }) => block));
  const sql = 'update record_blocks set checked_at = $2, lost = $3 where block = $1';
  await db.atomic(blocks.map(({ block }) => ({ sql, params: [block, at, isLost.has(block) ? 1 : 0] })));
  return lost;
}

/** Decisions that moved, and those among them that ClickHouse did not have at the last look. */
export interface MovedFigures {
  moved: number;
  lost: number;
}

export async function readMovedFigures(db: Db): Promise<MovedFigures> {
  if (db.engine === 'sqlite') return { moved: 0, lost: 0 };
  const [row] = await db.read<{ n: number; lost: number }>(
    `select coalesce(sum(rows), 0)::bigint as n, coalesce(sum(case when lost = 1 then rows end), 0)::bigint as lost
     from record_blocks where state = 'moved'`,
  );
  return { moved: row?.n ?? 0, lost: row?.lost ?? 0 };
}
