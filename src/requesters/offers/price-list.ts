/** The price list in memory, pure: which offer counts for a license type at a place and a time. */
import { parseIso } from '../../lib/clock.ts';
import type { Offer } from './offer.ts';

/** Offers for checks at one place and time. */
export interface OffersAt {
  find(licenseType: string): Offer | undefined;
  /** The license types with an offer. */
  types(): string[];
}

export interface PriceList {
  readonly isEmpty: boolean;
  /** `at`: epoch ms. An offer for the collection counts before one for everywhere. */
  at(collectionId: string | null, at: number): OffersAt;
}

export const NO_OFFERS: OffersAt = { find: () => undefined, types: () => [] };

export function toPriceList(offers: readonly Offer[]): PriceList {
  const byType = Map.groupBy(offers, ({ licenseType }) => licenseType);
  return {
    isEmpty: offers.length === 0,
    at(collectionId, at) {
      const find = (licenseType: string): Offer | undefined => {
        const valid = byType.get(licenseType)?.filter((offer) => isValid(offer, at)) ?? [];
        return valid.find((offer) => offer.collectionId === collectionId) ?? valid.find(isEverywhere);
      };
      return { find, types: () => [...byType.keys()].filter((type) => find(type) !== undefined) };
    },
  };
}

const isEverywhere = ({ collectionId }: Offer): boolean => collectionId === '';

const isValid = ({ validUntil }: Offer, at: number): boolean =>
  validUntil === null || at < (parseIso(validUntil) ?? Number.POSITIVE_INFINITY);
