/**
 * All collections in memory, and the default policy: read at the first use, then kept up with the changes. Once this
 * node has answered an edit, no search that starts afterwards misses it.
 */
import type { Changes } from '../changes/changes.ts';
import type { Db } from '../db/db.ts';
import { Lru } from '../lib/lru.ts';
import { Slices } from '../lib/slices.ts';
import { findDefaultPolicyId, findDefaultPolicyIdAt } from '../policies/store.ts';
import type { Collection } from './collection.ts';
import { CollectionIndex } from './collection-index.ts';
import { countVersionsAt, findAllCollections, findCollectionsAt, findEditsAfter, findLastEdit } from './store.ts';

/** The state that gives policies to items without one of their own. Another object after each edit. */
export interface InForce {
  readonly index: CollectionIndex;
  /** The policy of collections without one. */
  readonly defaultPolicyId: string;
  /** The last edit in the index; `LAST_EDIT` in the store is another one if there were more. */
  readonly lastEdit: number;
}

export interface KnownCollections {
  /** Returns what is in force if it is up to date in memory. */
  now(): InForce | undefined;
  /** Brings it up to date first. Throws Unavailable. */
  read(): Promise<InForce>;
}

export function openCollections(db: Db, changes: Changes): KnownCollections {
  let inForce: InForce | undefined;
  let reading: Promise<void> | undefined;
  /** Something was edited since it was read. */
  let isStale = true;

  changes.subscribe(({ kind }) => {
    if (kind.startsWith('collection.') || kind === 'policy.updated') isStale = true;
  });

  async function catchUp(): Promise<void> {
    // The number first: edits that the index already has are applied again.
    let lastEdit = inForce?.lastEdit ?? (await findLastEdit(db));
    const index = inForce?.index ?? (await toIndex(await findAllCollections(db)));
    try {
      while (isStale) {
        // What changes during the reads makes it stale again.
        isStale = false;
        const defaultPolicyId = await findDefaultPolicyId(db);
        const edits = await findEditsAfter(db, lastEdit);
        for (const { id, collection } of edits) {
          if (collection === null) index.delete(id);
          else index.put(collection);
        }
        lastEdit = edits.at(-1)?.seq ?? lastEdit;
        inForce = { index, defaultPolicyId, lastEdit };
      }
    } catch (error) {
      isStale = true;
      throw error;
    }
  }

  const now = (): InForce | undefined => (!isStale && reading === undefined ? inForce : undefined);
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

async function toIndex(collections: readonly Collection[]): Promise<CollectionIndex> {
  const index = new CollectionIndex();
  const slices = new Slices();
  for (const collection of collections) {
    index.put(collection);
    await slices.next();
  }
  return index;
}

/** Past states held at once: each is an index of all addresses. */
const PAST_MAX = 4;

/** Returns a function that finds what was in force at a past time (epoch ms), and remembers a few states. */
export function openPastCollections(db: Db): (at: number) => Promise<InForce> {
  const indexes = new Lru<number, CollectionIndex>(PAST_MAX);
  return async (at) => {
    const versions = await countVersionsAt(db, at);
    const index = indexes.get(versions) ?? (await toIndex(await findCollectionsAt(db, at)));
    indexes.set(versions, index);
    return { index, defaultPolicyId: await findDefaultPolicyIdAt(db, at), lastEdit: 0 };
  };
}
