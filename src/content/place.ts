/**
 * Places items again after an edit of the collections: keeps `collection_id`, by which lists find them. Checks and
 * answers do not need it; they place an item from memory. Each slice is one transaction, so an interrupted run resumes.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { InForce, KnownCollections } from '../collections/known.ts';
import { Conflict, type Db } from '../db/db.ts';
import { unavailable } from '../errors.ts';
import { mapInSlices } from '../lib/slices.ts';
import {
  findEditedSince,
  findLastNo,
  findPlacedTo,
  findUnplaced,
  mayMove,
  placeSlice,
  type Unplaced,
} from './place-store.ts';
import { placementOf } from './placement.ts';

/** Items in one transaction, which no check should have to wait for. */
const MOVED_AT_ONCE = 1_000;
/** Numbers of items that one statement looks at: a few ms. */
const SPAN = 10_000;
/** Numbers between two transactions: a crash loses the progress since the last one. */
const UNSAVED_MAX = 100_000;
/** A run ends then, so that the service can stop; the next one resumes. */
const RUN_MS = 2_000;
const WAIT_MAX_MS = 5_000;
const LOOK_EVERY_MS = 50;

/** Places items that are to be placed. Another edit ends the run; the next one begins again. */
export async function placeItems(db: Db, collections: KnownCollections): Promise<void> {
  const until = performance.now() + RUN_MS;
  let from = await findPlacedTo(db);
  while (from !== 'all' && performance.now() < until) {
    const inForce = await collections.read();
    const slice = await findSlice(db, from, inForce);
    try {
      await db.atomic(placeSlice(db.engine, { ...slice, from, lastEdit: inForce.lastEdit }));
    } catch (error) {
      if (error instanceof Conflict) return;
      throw error;
    }
    from = slice.to;
  }
}

/** Looks at items until enough have to move. Most edits concern few items, and the others are not even read. */
async function findSlice(db: Db, from: number, inForce: InForce): Promise<{ to: number | 'all'; moved: Unplaced[] }> {
  const moving = mayMove(db.engine, await findEditedSince(db));
  const last = await findLastNo(db);
  const moved: Unplaced[] = [];
  for (let after = from; after < last && after < from + UNSAVED_MAX; ) {
    const items = await findUnplaced(db, { after, to: after + SPAN, limit: MOVED_AT_ONCE }, moving);
    const places = await mapInSlices(items, (item) => placementOf(item, inForce).collectionId);
    for (const [i, item] of items.entries()) {
      const collectionId = places[i] ?? null;
      if (collectionId !== item.collectionId) moved.push({ ...item, collectionId });
    }
    after = items.length < MOVED_AT_ONCE ? after + SPAN : (items.at(-1)?.no ?? after + SPAN);
    if (moved.length >= MOVED_AT_ONCE) return { to: after, moved };
    if (after >= last) break;
    if (after >= from + UNSAVED_MAX) return { to: after, moved };
  }
  return { to: 'all', moved };
}

/** Returns what is in force once every item is placed by it. Throws service_unavailable when that takes too long. */
export async function readPlaced(db: Db, collections: KnownCollections): Promise<InForce> {
  const until = performance.now() + WAIT_MAX_MS;
  for (;;) {
    if ((await findPlacedTo(db)) === 'all') return collections.read();
    if (performance.now() > until) {
      throw unavailable('A collection was edited, and its items are still being sorted. Retry the list.');
    }
    await pause(LOOK_EVERY_MS);
  }
}
