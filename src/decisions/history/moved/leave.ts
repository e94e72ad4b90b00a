/**
 * Moved decisions that leave the log, or their inputs. Promise: what leaves a block, and what the block adds up to
 * without it, change in one transaction, which the caller completes.
 */
import type { Db, Step } from '../../../db/db.ts';
import { integer } from '../columns/sql.ts';
import { findMoved, findMovedAmong, findOldest, type MovedBlock, reading, takeOut } from './blocks.ts';
import { PIECE, queryBlock, queryRows } from './read.ts';
import { type MovedRow, XOR_SQL, xor } from './row.ts';
import { type MovedStore, storeOf } from './store.ts';

const [AT, CONTENT_NO] = [1, 2];

/** Decisions that leave a block. */
export interface Leaving {
  /** The rows, as `movedTable` takes them. */
  rows: string;
  seqs: number[];
  /** The last number that leaves; later ones stay. */
  last: number;
  /** Steps that take them out of the block. */
  leave: Step[];
}

async function sumOf(store: MovedStore, block: MovedBlock, where: string): Promise<{ count: number; sum: string }> {
  const [[count, sum] = []] = await queryBlock(store, block, (from) => `select count(), ${XOR_SQL} ${from}${where}`);
  return { count: count as number, sum: sum as string };
}

/**
 * Finds the oldest moved decisions, so many at most, that were made before a time. null: there are moved ones, and the
 * oldest is younger; undefined: none moved. Throws service_unavailable.
 */
export async function findLeaving(db: Db, before: number, limit: number): Promise<Leaving | null | undefined> {
  if (db.engine === 'sqlite') return undefined;
  const block = await findOldest(reading(db));
  if (block === undefined) return undefined;
  const store = storeOf(db);
  const most = Math.min(limit, PIECE);
  const found = await queryRows(store, block, { limit: most });
  const young = found.findIndex((row) => (row[AT] as number) >= before);
  const rows = young === -1 ? found : found.slice(0, young);
  const isAll = young === -1 && found.length < most;
  const last = isAll ? block.last : (rows.at(-1)?.[0] as number | undefined);
  if (last === undefined) return null;
  const { count, sum } = await sumOf(store, block, ` and seq <= ${integer(last)}`);
  if (count !== rows.length) throw new Error('a moved block changed while it was read');
  const left = { rows: block.rows - count, xor: xor(block.xor, sum), purged: block.purged, at: 0 };
  return { ...toLeaving(rows), last, leave: takeOut(block, left) };
}

const toLeaving = (rows: readonly MovedRow[]): Pick<Leaving, 'rows' | 'seqs'> => ({
  rows: JSON.stringify(rows),
  seqs: rows.map(([seq]) => seq as number),
});

/** Yields moved decisions on items that were deleted, those of one block at a time. Throws service_unavailable. */
export async function* findPurged(db: Db, items: readonly number[], now: number): AsyncGenerator<Leaving> {
  if (db.engine === 'sqlite') return;
  if ((await findOldest(reading(db))) === undefined) return;
  const store = storeOf(db);
  const isTheirs = `content_no in (${items.map(integer).join(', ')})`;
  const there = await store.query(`select distinct block from ${store.place.everywhere} where ${isTheirs}`);
  const blocks = await findMovedAmong(
    db,
    there.map(([block]) => block as number),
  );
  for (const block of blocks) {
    const where = ` and ${isTheirs}`;
    const rows = await queryRows(store, block, { where });
    if (rows.length === 0) continue;
    const { count, sum } = await sumOf(store, block, where);
    if (count !== rows.length) throw new Error('a moved block changed while it was read');
    // Of the items, only those that it has: each statement about the block names them, for good.
    const own = rows.map((row) => row[CONTENT_NO] as number);
    const purged = JSON.stringify([...new Set([...(JSON.parse(block.purged) as number[]), ...own])]);
    const left = { rows: block.rows - count, xor: xor(block.xor, sum), purged, at: now };
    yield { ...toLeaving(rows), last: block.last, leave: takeOut(block, left) };
  }
}

/**
 * Finds the number up to which inputs of moved decisions can be erased next: so many after `after`, made before a time.
 * null: there are moved ones after it, and the next is younger; undefined: none. Throws service_unavailable.
 */
export async function findInputsEnd(
  db: Db,
  { after, before, limit }: { after: number; before: number; limit: number },
): Promise<number | null | undefined> {
  if (db.engine === 'sqlite') return undefined;
  const [block] = await findMoved(reading(db), { after, last: Number.MAX_SAFE_INTEGER }, 1);
  if (block === undefined) return undefined;
  const begin = Math.max(after, block.first - 1);
  const last = block.toAt <= before ? block.last : await findLastBefore(storeOf(db), block, before);
  return last <= begin ? null : Math.min(last, begin + limit);
}

/** Returns the number before the first that is too young. */
async function findLastBefore(store: MovedStore, block: MovedBlock, before: number): Promise<number> {
  const toSql = (from: string): string => `select count(), min(seq) ${from} and at >= ${integer(before)}`;
  const [[count, first] = []] = (await queryBlock(store, block, toSql)) as number[][];
  return count === 0 ? block.last : (first as number) - 1;
}
