/**
 * Finds the uses that an offered license permits everybody. Pure. Each is tried: the policy is asked again for visitors
 * that hold such a license, and the offer counts only if all of them get the use.
 */
import type { KnownRequester } from '../../decisions/snapshot/subject.ts';
import { type Offer, type Offered, toOffered } from '../../requesters/offers/offer.ts';
import type { PriceList } from '../../requesters/offers/price-list.ts';
import type { LicenseFacts } from '../../rules/facts.ts';
import type { Cell, Sale } from './table.ts';
import { isFree } from './values.ts';
import { USES, type Use } from './words.ts';

/** Offers tried for one place. */
const OFFERS_MAX = 5;

/** Returns the requesters with a license more; null: as they are. */
export const holding = (
  requesters: readonly KnownRequester[],
  license: LicenseFacts | null,
): readonly KnownRequester[] =>
  license === null ? requesters : requesters.map((one) => ({ ...one, licenses: [...one.licenses, license] }));

/** `answer` asks the policy as if every visitor held a license. */
export function findSale(
  cell: Cell,
  offers: ReturnType<PriceList['at']>,
  answer: (offer: Offer) => Cell,
): Sale | undefined {
  const wanted = USES.filter((use) => !isFree(cell, use));
  const sale: { [U in Use]?: Offered } = {};
  for (const type of wanted.length === 0 ? [] : offers.types().slice(0, OFFERS_MAX)) {
    const offer = offers.find(type);
    if (offer === undefined) continue;
    const licensed = answer(offer);
    for (const use of wanted) if (isFree(licensed, use)) sale[use] ??= toOffered(offer);
  }
  return Object.keys(sale).length === 0 ? undefined : sale;
}

export const toLicense = ({ licenseType, features }: Offer): LicenseFacts => ({
  id: null,
  type: licenseType,
  features,
  startsAt: null,
  expiresAt: null,
  active: true,
  scope: null,
});
