/**
 * Prices denied requests, pure. A requester that holds a license of the type would have it amended, at its own terms.
 * Others would buy one, at the price list; without a price there, at the terms of the newest valid license of the type.
 */

import type { DemandWanted } from '../../decisions/history/columns/demand-query.ts';
import type { Price } from '../../requesters/licenses/terms-store.ts';
import type { OffersAt } from '../../requesters/offers/price-list.ts';
import { formatAmount, toJsonMicros } from '../../rules/terms/money.ts';
import { linePrice, splitUnits } from '../../rules/terms/price.ts';
import { countsPurpose, type Tier } from '../../rules/terms/terms.ts';
import type { Estimate } from './demand-schema.ts';

export interface Prices {
  /** Prices of the requester's own licenses, by type. */
  own: ReadonlyMap<string, Price>;
  offers: OffersAt;
  /** Prices of the licenses of all requesters, by type. */
  licenses: ReadonlyMap<string, Price>;
}

interface Priced {
  micros: bigint;
  estimate: Estimate;
}

/** Returns the least of the types' prices; null if none of them has one, or they are in several currencies. */
export function estimateDemand(types: readonly string[], wanted: DemandWanted, prices: Prices): Estimate | null {
  const priced = types.flatMap(
    (type) =>
      priceDemand(wanted, prices.own.get(type)) ??
      offeredPrice(type, wanted, prices.offers) ??
      priceDemand(wanted, prices.licenses.get(type)) ??
      [],
  );
  const [first] = priced;
  if (first === undefined || priced.some(({ estimate }) => estimate.currency !== first.estimate.currency)) return null;
  return priced.reduce((least, one) => (one.micros < least.micros ? one : least)).estimate;
}

/** Without minimum and flat fee: they may be paid already. */
function priceDemand({ purposes, distinct }: DemandWanted, price: Price | undefined): Priced | undefined {
  if (price === undefined) return undefined;
  const { terms, licenseType, licenseId, version } = price;
  const decisions = purposes.reduce((sum, one) => sum + (countsPurpose(terms, one.purpose) ? one.denied : 0), 0);
  const units = terms.unit === 'decision' ? decisions : Math.min(decisions, distinct);
  const { currency, tiers, unit } = terms;
  const micros = splitUnits(tiers, units).reduce(
    (sum, within, i) => sum + linePrice(within, (tiers[i] as Tier).unitPriceMicros, currency),
    0n,
  );
  const basis = { licenseType, licenseId, termsVersion: version, offerId: null, unit };
  const amount = formatAmount(micros, currency);
  return { micros, estimate: { amount, amountMicros: toJsonMicros(micros), currency, units, basis } };
}

/** The price of single accesses; one of a month or a year says nothing about denied requests. */
function offeredPrice(licenseType: string, { purposes }: DemandWanted, offers: OffersAt): Priced | undefined {
  const offer = offers.find(licenseType);
  if (offer?.unit !== 'decision' || offer.unitPriceMicros === null || offer.currency === null) return undefined;
  const { currency, unitPriceMicros, id: offerId } = offer;
  const units = purposes.reduce((sum, one) => sum + one.denied, 0);
  const micros = linePrice(units, unitPriceMicros, currency);
  const basis = { licenseType, licenseId: null, termsVersion: null, offerId, unit: 'decision' as const };
  const amount = formatAmount(micros, currency);
  return { micros, estimate: { amount, amountMicros: toJsonMicros(micros), currency, units, basis } };
}
