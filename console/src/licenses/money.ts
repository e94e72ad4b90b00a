/** Money as people type and read it. The API counts in micros: integers of 1/1,000,000 of a currency. */
import { formatAmount } from '../../../src/rules/terms/money.ts';

const DECIMAL = /^(\d{1,9})(?:[.,](\d{1,6}))?$/;

/** Parses `0.02` or `0,02`; undefined for anything else, such as more than six decimals. */
export function parseMicros(text: string): number | undefined {
  const [, whole, fraction = ''] = DECIMAL.exec(text.trim()) ?? [];
  return whole === undefined ? undefined : Number(whole) * 1_000_000 + Number(fraction.padEnd(6, '0'));
}

/** The inverse, with the currency's digits at least. */
export const toDecimal = (micros: number, currency: string): string => formatAmount(BigInt(micros), currency);

/** Formats a decimal text of the API with its currency, to the last digit. */
export function formatMoney(amount: string, currency: string): string {
  const digits = amount.split('.')[1]?.length ?? 0;
  const format = new Intl.NumberFormat('en-GB', {
    style: 'currency',
    currency,
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
  return format.format(amount as Intl.StringNumericLiteral);
}

export const formatMicros = (micros: bigint | number, currency: string): string =>
  formatMoney(formatAmount(BigInt(micros), currency), currency);
