/**
 * All collections in memory: read at the first use, then kept up with the changes. Once this node has answered an edit,
 * no search that starts afterwards misses it.
 */
import type { Changes } from '../changes/changes.ts';
import type { Db } from '../db/db.ts';
import { Slices } from '../lib/slices.ts';
import { CollectionIndex } from './collection-index.ts';
import { findCollections } from './store.ts';

export interface KnownCollections {
  /** Returns the index if it is up to date. */
  now(): CollectionIndex | undefined;
  /** Brings the index up to date first. Throws Unavailable. */
  read(): Promise<CollectionIndex>;
}

export function openCollections(db: Db, changes: Changes): KnownCollections {
  let index: CollectionIndex | undefined;
  let reading: Promise<void> | undefined;
  /** Edited since they were read. */
  const stale = new Set<string>();

  changes.subscribe(({ kind, id }) => {
    if (kind.startsWith('collection.')) stale.add(id);
  });

  async function readAll(): Promise<CollectionIndex> {
    const read = new CollectionIndex();
    const slices = new Slices();
    for (const collection of await findCollections(db)) {
      read.put(collection);
      await slices.next();
    }
    return read;
  }

  async function catchUp(): Promise<void> {
    const known = index ?? (await readAll());
    while (stale.size > 0) {
      const ids = [...stale];
      // What changes during the read becomes stale again.
      stale.clear();
      try {
        const found = await findCollections(db, ids);
        for (const id of ids) known.delete(id);
        for (const collection of found) known.put(collection);
      } catch (error) {
        for (const id of ids) stale.add(id);
        throw error;
      }
    }
    index = known;
  }

  const now = (): CollectionIndex | undefined => (stale.size === 0 && reading === undefined ? index : undefined);
  return {
    now,
    async read() {
      for (;;) {
        const known = now();
        if (known !== undefined) return known;
        reading ??= catchUp().finally(() => {
          reading = undefined;
        });
        await reading;
      }
    },
  };
}
