/**
 * Graduated prices, pure. A unit costs the price of the tier that its number in the period falls into. Each line is
 * rounded once, half to even, to the minor unit of the currency; a total is the sum of its lines.
 */
import { roundToMinor } from './money.ts';
import { proratedBy, type Share } from './share.ts';
import type { Terms, Tier } from './terms.ts';

/** Returns the tier of the unit with this number in the period, counted from 1. */
export function tierIndex(tiers: readonly Tier[], number: number): number {
  const index = tiers.findIndex(({ upTo }) => upTo === null || number <= upTo);
  return index === -1 ? tiers.length - 1 : index;
}

/** Splits the units of a period by tier: as many entries as there are tiers. */
export function splitUnits(tiers: readonly Tier[], units: number): number[] {
  let before = 0;
  return tiers.map(({ upTo }) => {
    const end = Math.max(before, Math.min(units, upTo ?? units));
    const within = end - before;
    before = end;
    return within;
  });
}

/** The rounded price of a line, in micros. */
export const linePrice = (units: number, unitPriceMicros: number, currency: string): bigint =>
  roundToMinor(BigInt(units) * BigInt(unitPriceMicros), currency);

/** The lines of a period that no unit makes, in micros; 0n: there is no such line. */
export interface Fees {
  flat: bigint;
  /** The difference to the minimum, if the units cost less. */
  trueUp: bigint;
}

/** Returns a minimum or a fee in a period of which the license has a share: in full unless the terms prorate. */
export function feeIn(micros: number, terms: Terms, share: Share | null): bigint {
  const { days, of } = proratedBy(terms, share) ?? { days: 1, of: 1 };
  return roundToMinor(BigInt(micros) * BigInt(days), terms.currency, BigInt(of));
}

/** `priced`: the sum of the rounded lines of the units. */
export function computeFees(terms: Terms, priced: bigint, share: Share | null = null): Fees {
  const { flatMicros = 0, minimumMicros = 0 } = terms;
  const missing = feeIn(minimumMicros, terms, share) - priced;
  return { flat: feeIn(flatMicros, terms, share), trueUp: missing > 0n ? missing : 0n };
}

/** The price of so many units as if they were of one purpose. */
export function priceUnits(terms: Terms, units: number, share: Share | null = null): bigint {
  const priced = splitUnits(terms.tiers, units).reduce(
    (sum, within, i) => sum + linePrice(within, (terms.tiers[i] as Tier).unitPriceMicros, terms.currency),
    0n,
  );
  const { flat, trueUp } = computeFees(terms, priced, share);
  return priced + flat + trueUp;
}
