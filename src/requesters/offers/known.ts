/** The price list in memory: read at the first use, and again after an edit on any node. */
import type { Changes } from '../../api/changes/changes.ts';
import type { Db } from '../../db/db.ts';
import { Whole } from '../../lib/cache/whole.ts';
import { type PriceList, toPriceList } from './price-list.ts';
import { findAllOffers } from './store.ts';

export interface KnownOffers {
  /** Returns the list with every edit that this node has answered. Throws Unavailable. */
  read(): PriceList | Promise<PriceList>;
}

export function openOffers(db: Db, changes: Changes): KnownOffers {
  const known = changes.known('offers', new Whole(async () => toPriceList(await findAllOffers(db))));
  return { read: () => known.now() ?? known.read() };
}
