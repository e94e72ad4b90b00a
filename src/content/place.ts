/**
 * Places items again after an edit of the collections: keeps `collection_id`, by which lists find them. Checks and
 * answers do not need it; they place an item from memory. Promise: no check waits for it longer than for one small
 * piece. Each piece is one transaction, so an interrupted run resumes.
 */

import { Conflict, type Db } from '../db/db.ts';
import { openPace, type Rest } from '../db/pace.ts';
import { Where } from '../db/query.ts';
import { Slices } from '../lib/slices.ts';
import type { InForce, KnownCollections } from './collections/known.ts';
import {
  type Edited,
  findEditedSince,
  findLastNo,
  findPlacedTo,
  type Items,
  type MisplacedItem,
  mayMove,
  placeSlice,
  readItems,
} from './place-store.ts';
import { collectionFinder, placedBy } from './placement.ts';

/** Until it is done, lists by collection take longer. */
const REST: Rest = { idle: 0.5, busy: 12, pieces: 'large' };
/** Items of one piece: a check that waits for its transaction waits for 2 ms. */
const ROWS_MAX = 500;
/** Numbers of items that a piece looks at, per row of its pace: most edits concern few items. */
const LOOKED_PER_ROW = 40;
/** A run ends then, so that the service can stop; the next one resumes. A crash loses its progress at most. */
const RUN_MS = 2_000;

/** The state that a run places by; another edit ends the run. */
interface Basis {
  inForce: InForce;
  edited: Edited;
  /** The number of the last item. */
  last: number;
}

/** Returns a function that places items for a while, if there are any to place. */
export function openPlacing(db: Db, collections: KnownCollections): () => Promise<void> {
  const pace = openPace(db.engine, REST);
  return async () => {
    const until = performance.now() + RUN_MS;
    let saved: number | 'all' = await findPlacedTo(db);
    if (saved === 'all') return;
    const inForce = await collections.read();
    const basis = { inForce, edited: await findEditedSince(db), last: await findLastNo(db) };
    let after = saved;
    while (saved !== 'all') {
      const isLast = performance.now() >= until;
      const progress: { saved: number; after: number } = { saved, after };
      const piece: Piece = await pace((rows) => placeSome(db, basis, { ...progress, rows, isLast }));
      if (piece === 'edited') return;
      ({ saved, after } = piece);
      if (isLast) return;
    }
  };
}

interface Progress {
  /** The progress in the store. */
  saved: number | 'all';
  /** The last number that was looked at. */
  after: number;
}
/** `edited`: an edit of a collection or a site came first. */
type Piece = Progress | 'edited';

interface Turn {
  saved: number;
  after: number;
  /** Rows that its pace allows. */
  rows: number;
  /** Saves the progress in any case. */
  isLast: boolean;
}

/** Looks at the next items, and moves those that belong into another collection. */
async function placeSome(db: Db, basis: Basis, { saved, after, rows, isLast }: Turn): Promise<Piece> {
  const most = Math.min(rows, ROWS_MAX);
  const end = Math.min(after + rows * LOOKED_PER_ROW, basis.last);
  const where = new Where().and('no > ?', after).and('no <= ?', end);
  where.and(mayMove(db.engine, basis.edited, where));
  const items = await readItems(db, ['no', 'revision', 'collection_id', ...placedBy(basis.inForce)], {
    where,
    first: most,
  });
  const lookedTo = items.no.length < most ? end : Math.max(...items.no);
  const to = lookedTo >= basis.last ? 'all' : lookedTo;
  const moved = await findMoved(items, basis.inForce);
  if (moved.length === 0 && to !== 'all' && !isLast) return { saved, after: lookedTo };
  try {
    await db.atomicLater(
      placeSlice(db.engine, {
        from: saved,
        to,
        moved,
        lastEdit: basis.inForce.lastEdit,
        lastSiteEdit: basis.inForce.lastSiteEdit,
      }),
    );
  } catch (error) {
    if (error instanceof Conflict) return 'edited';
    throw error;
  }
  return { saved: to, after: lookedTo };
}

/** Returns the items that belong into another collection. */
async function findMoved(
  items: Pick<Items, 'no' | 'revision' | 'collection_id' | 'source'> & Partial<Pick<Items, 'type' | 'tags'>>,
  inForce: InForce,
): Promise<MisplacedItem[]> {
  const moved: MisplacedItem[] = [];
  const slices = new Slices();
  const place = collectionFinder(inForce);
  for (const [i, no] of items.no.entries()) {
    const collectionId = place(items, i);
    if (collectionId !== items.collection_id[i])
      moved.push({ no, revision: items.revision[i] as number, collectionId });
    const turn = slices.next();
    if (turn !== undefined) await turn;
  }
  return moved;
}
