/**
 * Places items again after an edit of the collections: keeps `collection_id`, by which lists find them. Checks and
 * answers do not need it; they place an item from memory. Each slice is one transaction, so an interrupted run resumes.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { InForce, KnownCollections } from '../collections/known.ts';
import { Conflict, type Db } from '../db/db.ts';
import { unavailable } from '../errors.ts';
import { mapInSlices } from '../lib/slices.ts';
import { placementOf } from './placement.ts';
import { findPlacedTo, findUnplaced, placeSlice } from './store.ts';

const SLICE_ITEMS = 1_000;
/** A run ends then, so that the service can stop; the next one resumes. */
const RUN_MS = 2_000;
const WAIT_MAX_MS = 5_000;
const LOOK_EVERY_MS = 50;

/** Places items that are to be placed. Another edit ends the run; the next one begins again. */
export async function placeItems(db: Db, collections: KnownCollections): Promise<void> {
  const until = performance.now() + RUN_MS;
  while (performance.now() < until) {
    const from = await findPlacedTo(db);
    if (from === 'all') return;
    const inForce = await collections.read();
    const items = await findUnplaced(db, from, SLICE_ITEMS);
    const places = await mapInSlices(items, (item) => placementOf(item, inForce).collectionId);
    const moved = items.flatMap((item, i) => {
      const collectionId = places[i] ?? null;
      return collectionId === item.collectionId ? [] : [{ ...item, collectionId }];
    });
    const to = items.length < SLICE_ITEMS ? 'all' : (items.at(-1)?.no ?? 'all');
    try {
      await db.atomic(placeSlice(db.engine, { from, to, moved, lastEdit: inForce.lastEdit }));
    } catch (error) {
      if (error instanceof Conflict) return;
      throw error;
    }
  }
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
