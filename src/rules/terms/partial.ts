/** Says how fees and quotas count in a billing period that is not whole, for statements and usage. Pure. */

import { toJsonMicros } from './money.ts';
import { feeIn } from './price.ts';
import { unitsIn } from './quota.ts';
import { proratedBy, type Share } from './share.ts';
import type { Terms } from './terms.ts';

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
