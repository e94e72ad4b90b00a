/** Sums estimates of demand. */
import type { Row } from '../api/client.ts';
import { formatMicros, formatMoney } from '../licenses/money.ts';

type Estimate = NonNullable<Row<'GET /v1/analytics/demand'>['byLicense'][number]['estimate']>;

/** Formats the sum in each currency; undefined without an estimate. */
export function worthWords(estimates: readonly Estimate[]): string | undefined {
  const sums = [...Map.groupBy(estimates, ({ currency }) => currency)].map(([currency, own]) => {
    const micros = own.reduce((sum, { amountMicros }) => sum + BigInt(amountMicros ?? 0), 0n);
    const [only] = own;
    return own.length === 1 && only !== undefined ? formatMoney(only.amount, currency) : formatMicros(micros, currency);
  });
  return sums.length === 0 ? undefined : sums.join(' + ');
}
