/** The lines that a statement of so many units would have, by the service's own arithmetic. */
import { computeFees, linePrice, splitUnits } from '../../../src/rules/terms/price.ts';
import { formatMicros } from './money.ts';
import type { Terms } from './terms-fields.ts';

export interface ExampleLine {
  label: string;
  amount: string;
}

export interface Example {
  lines: ExampleLine[];
  total: string;
}

export function exampleOf(terms: Terms, units: number): Example {
  const { currency, tiers } = terms;
  const money = (micros: bigint | number): string => formatMicros(micros, currency);
  const used = splitUnits(tiers, units).flatMap((within, i) => {
    const price = tiers[i]?.unitPriceMicros ?? 0;
    const label = `${within.toLocaleString('en-GB')} × ${money(price)}`;
    return within === 0 ? [] : [{ label, micros: linePrice(within, price, currency) }];
  });
  const priced = used.reduce((sum, { micros }) => sum + micros, 0n);
  const { flat, trueUp } = computeFees(terms, priced);
  const fees = [
    { label: 'Up to the minimum', micros: trueUp },
    { label: 'Fee of the period', micros: flat },
  ].filter(({ micros }) => micros > 0n);
  return {
    lines: [...used, ...fees].map(({ label, micros }) => ({ label, amount: money(micros) })),
    total: money(priced + trueUp + flat),
  };
}
