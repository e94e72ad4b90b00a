/** Values that are made once for all rows of a site. */

import type { Site } from '../../content/sites/site.ts';
import type { Slices } from '../../lib/slices.ts';
import type { Offer } from '../../requesters/offers/offer.ts';
import type { PriceList } from '../../requesters/offers/price-list.ts';
import type { AskedPlace, AskedPolicy } from './ask.ts';
import { findSale } from './sale.ts';
import type { Cell, Inexpressible, Sale, TableRow } from './table.ts';

export interface Work {
  site: Site;
  /** Cells by what they depend on. */
  cells: Map<string, Cell>;
  slices: Slices;
  cannotExpress: Inexpressible[];
  now: number;
  offers: PriceList;
  /** Sales by what they depend on. */
  sales: Map<string, Sale | undefined>;
  /** With an offer, as if every visitor held its license. */
  policyOf(id: string, offer?: Offer): AskedPolicy | undefined;
}

/** Returns the offers of a row, as a part of it. */
export function findRowOffers(
  work: Work,
  name: string,
  { cell, place }: { cell: Cell; place: AskedPlace },
): Pick<TableRow, 'offers'> {
  if (work.offers.isEmpty) return {};
  const { policyId, collectionId } = place.content ?? place.page;
  const key = `${name}\n${collectionId}`;
  const known = work.sales.has(key)
    ? work.sales.get(key)
    : findSale(cell, work.offers.at(collectionId, work.now), (offer) =>
        (work.policyOf(policyId, offer) as AskedPolicy).answer(place),
      );
  work.sales.set(key, known);
  return known === undefined ? {} : { offers: known };
}
