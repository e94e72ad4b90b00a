/** The cost of so many units: of a whole period by the service's own arithmetic, of the first as the service says. */
import { computeFees, linePrice, splitUnits } from '../../../src/rules/terms/price.ts';
import type { Answer } from '../api/client.ts';
import { formatMicros, formatMoney } from './money.ts';
import type { Terms } from './terms-fields.ts';

export interface ExampleLine {
  label: string;
  amount: string;
}

export interface Example {
  lines: ExampleLine[];
  total: string;
}

const FEES = { true_up: 'Up to the minimum', flat: 'Fee of the period' };

export function exampleOf(terms: Terms, units: number): Example {
  const { currency, tiers } = terms;
  const money = (micros: bigint | number): string => formatMicros(micros, currency);
  const used = splitUnits(tiers, units).flatMap((within, i) => {
    const price = tiers[i]?.unitPriceMicros ?? 0;
    const label = unitsTimes(within, price, currency);
    return within === 0 ? [] : [{ label, micros: linePrice(within, price, currency) }];
  });
  const priced = used.reduce((sum, { micros }) => sum + micros, 0n);
  const { flat, trueUp } = computeFees(terms, priced);
  const fees = [
    { label: FEES.true_up, micros: trueUp },
    { label: FEES.flat, micros: flat },
  ].filter(({ micros }) => micros > 0n);
  return {
    lines: [...used, ...fees].map(({ label, micros }) => ({ label, amount: money(micros) })),
    total: money(priced + trueUp + flat),
  };
}

const unitsTimes = (units: number, price: number, currency: string): string =>
  `${units.toLocaleString('en-GB')} × ${formatMicros(price, currency)}`;

export type FirstBill = Answer<'POST /v1/statements/preview'>;

export const toExample = ({ lines, total }: FirstBill, currency: string): Example => ({
  lines: lines.map(({ kind, units, unitPriceMicros, amount }) => ({
    label: kind === 'true_up' || kind === 'flat' ? FEES[kind] : unitsTimes(units ?? 0, unitPriceMicros ?? 0, currency),
    amount: formatMoney(amount, currency),
  })),
  total: formatMoney(total.amount, currency),
});
