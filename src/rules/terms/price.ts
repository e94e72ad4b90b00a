/**
 * Graduated prices, pure. A unit costs the price of the tier that its number in the period falls into. Each line is
 * rounded once, half to even, to the minor unit of the currency; a total is the sum of its lines. The end says how fees
 * and quotas count in a billing period that is not whole.
 */
import { roundToMinor, toJsonMicros } from './money.ts';
import { proratedBy, type Share } from './periods.ts';
import { unitsIn } from './quota.ts';
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

/** A period that is not whole. Amounts are those of the period; null: the terms have none. */
export interface PartialPeriod extends Share {
  prorated: boolean;
  minimumMicros: number | null;
  flatMicros: number | null;
  /** null also where the quota has another period than the statement. */
  quotaUnits: number | null;
}

export function toPartialPeriod(terms: Terms, share: Share | null): PartialPeriod | null {
  if (share === null) return null;
  const { prorate = false, minimumMicros, flatMicros, quota, period } = terms;
  const fee = (micros: number | undefined) => (micros === undefined ? null : toJsonMicros(feeIn(micros, terms, share)));
  const isBilled = quota !== undefined && (quota.period ?? period) === period;
  return {
    ...share,
    prorated: prorate,
    minimumMicros: fee(minimumMicros),
    flatMicros: fee(flatMicros),
    quotaUnits: isBilled ? unitsIn(quota.units, proratedBy(terms, share)) : null,
  };
}

/** Returns the words of a document; undefined for a whole period, or terms to which it makes no difference. */
export function partialWords(partial: PartialPeriod | null | undefined): string | undefined {
  if (partial == null) return undefined;
  const { days, of, prorated, minimumMicros, flatMicros, quotaUnits } = partial;
  const what = [
    ...(minimumMicros === null ? [] : ['the minimum']),
    ...(flatMicros === null ? [] : ['the fee']),
    ...(quotaUnits === null ? [] : ['the quota']),
  ];
  const said = `${days} of ${of} days`;
  if (what.length === 0) return said;
  const list = what.length === 1 ? what[0] : `${what.slice(0, -1).join(', ')} and ${what.at(-1)}`;
  return `${said}: ${list} ${what.length === 1 ? 'counts' : 'count'} ${prorated ? 'by these days' : 'in full'}`;
}
