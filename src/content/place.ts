/**
 * Places items again after an edit of the collections: keeps `collection_id`, by which lists find them. Checks and
 * answers do not need it; they place an item from memory. Each slice is one transaction, so an interrupted run resumes.
 */
import type { InForce, KnownCollections } from '../collections/known.ts';
import { Conflict, type Db } from '../db/db.ts';
import { Where } from '../db/query.ts';
import { Slices } from '../lib/slices.ts';
import {
  findEditedSince,
  findLastNo,
  findPlacedTo,
  type Items,
  type Moved,
  mayMove,
  placeSlice,
  readItems,
} from './place-store.ts';
import { collectionOf } from './placement.ts';

/** Items in one transaction, which no check should have to wait for: 2 ms. */
const MOVED_AT_ONCE = 500;
/** Numbers of items that one statement looks at: a few ms, and what it answers has a bound. */
const SPAN = 4_000;
/** Numbers between two transactions: a crash loses the progress since the last one. */
const UNSAVED_MAX = 100_000;
/** A run ends then, so that the service can stop; the next one resumes. */
const RUN_MS = 2_000;

/** Places items that are to be placed. Another edit ends the run; the next one begins again. */
export async function placeItems(db: Db, collections: KnownCollections): Promise<void> {
  const until = performance.now() + RUN_MS;
  let from = await findPlacedTo(db);
  while (from !== 'all' && performance.now() < until) {
    const inForce = await collections.read();
    for (const slice of await findSlices(db, from, inForce)) {
      try {
        const step: number | 'all' = from;
        if (step !== 'all')
          await db.atomic(placeSlice(db.engine, { ...slice, from: step, lastEdit: inForce.lastEdit }));
      } catch (error) {
        if (error instanceof Conflict) return;
        throw error;
      }
      from = slice.to;
    }
  }
}

interface Slice {
  to: number | 'all';
  moved: Moved[];
}

/** Looks at items until some have to move. Most edits concern few items, and the others are not even read. */
async function findSlices(db: Db, from: number, inForce: InForce): Promise<Slice[]> {
  const edited = await findEditedSince(db);
  const last = await findLastNo(db);
  let after = from;
  let moved: Moved[] = [];
  while (after < last && moved.length === 0 && after < from + UNSAVED_MAX) {
    const where = new Where().and('no > ?', after).and('no <= ?', after + SPAN);
    where.and(mayMove(db.engine, edited, where));
    const items = await readItems(db, ['no', 'revision', 'source', 'type', 'tags', 'collection_id'], where);
    moved = await findMoved(items, inForce);
    after += SPAN;
  }
  return toSlices(moved, after >= last ? 'all' : after);
}

/** Returns the items that belong into another collection, in order of their numbers. */
async function findMoved(
  items: Pick<Items, 'no' | 'revision' | 'source' | 'type' | 'tags' | 'collection_id'>,
  inForce: InForce,
): Promise<Moved[]> {
  const moved: Moved[] = [];
  const slices = new Slices();
  const place = collectionOf(inForce);
  for (const [i, no] of items.no.entries()) {
    const collectionId = place(items, i);
    if (collectionId !== items.collection_id[i])
      moved.push({ no, revision: items.revision[i] as number, collectionId });
    const turn = slices.next();
    if (turn !== undefined) await turn;
  }
  return moved.toSorted((one, other) => one.no - other.no);
}

/** The last one also says that everything up to `to` was looked at. */
function toSlices(moved: readonly Moved[], to: number | 'all'): Slice[] {
  const slices: Slice[] = [];
  for (let i = 0; i < moved.length || i === 0; i += MOVED_AT_ONCE) {
    const some = moved.slice(i, i + MOVED_AT_ONCE);
    const isLast = i + MOVED_AT_ONCE >= moved.length;
    slices.push({ to: isLast ? to : (some.at(-1) as Moved).no, moved: some });
  }
  return slices;
}
