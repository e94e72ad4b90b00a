/**
 * Money and counts as people type and read them. The API counts money in micros: integers of 1/1,000,000 of a currency.
 * Promise: a text that is another number in another country, such as `1,250` of money, is refused.
 */
import { formatAmount } from '../../../src/rules/terms/money.ts';

const DECIMAL = /^(\d{1,9})(?:[.,](\d{1,6}))?$/;
/** Thousands in groups by one separator, then decimals behind another one. */
const GROUPED = /^([1-9]\d{0,2}(?:([.,\s'’])\d{3})(?:\2\d{3})*)(?:(?!\2)[.,](\d{1,6}))?$/;
/** The separator of thousands in one country, of decimals in another. */
const UNCLEAR = /^(\d*[1-9]\d*)[.,](\d{3})$/;

/** Parses `0.02`, `0,02` or `1,250.00`; undefined for anything else, such as `1,250` or more than six decimals. */
export function parseMicros(typed: string): number | undefined {
  const text = typed.trim();
  if (UNCLEAR.test(text)) return undefined;
  const grouped = GROUPED.exec(text);
  const plain = grouped === null ? text : `${digitsOf(grouped[1])}.${grouped[3] ?? '0'}`;
  const [, whole, fraction = ''] = DECIMAL.exec(plain) ?? [];
  return whole === undefined ? undefined : Number(whole) * 1_000_000 + Number(fraction.padEnd(6, '0'));
}

/** Says why a text is no amount; undefined for one that is. */
export function amountFault(typed: string): string | undefined {
  if (parseMicros(typed) !== undefined) return undefined;
  const [unclear, whole, fraction = ''] = UNCLEAR.exec(typed.trim()) ?? [];
  if (unclear === undefined) return 'An amount, such as 0.02.';
  return `${unclear} can mean two amounts. Type ${whole}${fraction} or ${readable(`${whole}.${fraction}`)}.`;
}

const COUNT = /^\d{1,12}$/;

/** Parses a whole number from 0, such as `1000`, `1,000` or `1.000`; undefined for anything else, such as `2.5`. */
export function parseCount(typed: string): number | undefined {
  const text = typed.trim();
  const [, whole, , decimals] = GROUPED.exec(text) ?? [];
  const plain = whole === undefined || decimals !== undefined ? text : digitsOf(whole);
  return COUNT.test(plain) ? Number(plain) : undefined;
}

const digitsOf = (grouped = ''): string => grouped.replaceAll(/\D/g, '');

/** Writes three decimals as four or fewer: `parseMicros` reads them in one way. */
function readable(decimal: string): string {
  if (!UNCLEAR.test(decimal)) return decimal;
  const short = decimal.replace(/\.?0+$/, '');
  return UNCLEAR.test(short) ? `${short}0` : short;
}

/** The inverse of `parseMicros`, with the currency's digits at least. */
export const toDecimal = (micros: number, currency: string): string => {
  const text = formatAmount(BigInt(micros), currency);
  return UNCLEAR.test(text) ? `${text}0` : text;
};

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
