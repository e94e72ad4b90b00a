/** The price list in memory: read at the first use, and again after an edit on any node. */
import type { Changes } from '../../api/changes/changes.ts';
import type { Db } from '../../db/db.ts';
import { type PriceList, toPriceList } from './price-list.ts';
import { findAllOffers } from './store.ts';

export interface KnownOffers {
  /** Returns the list with every edit that this node has answered. Throws Unavailable. */
  read(): PriceList | Promise<PriceList>;
}

export function openOffers(db: Db, changes: Changes): KnownOffers {
  let list: PriceList | undefined;
  /** Counts edits: a read in flight during one is stale. */
  let edits = 0;
  changes.subscribe(({ kind }) => {
    if (!kind.startsWith('offer.')) return;
    edits++;
    list = undefined;
  });

  async function load(): Promise<PriceList> {
    for (;;) {
      const before = edits;
      const read = toPriceList(await findAllOffers(db));
      if (before !== edits) continue;
      list = read;
      return read;
    }
  }

  return { read: () => list ?? load() };
}
