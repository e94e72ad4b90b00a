/**
 * Money in integers of 1/1,000,000 of a currency (*micros*), pure. Amounts are BigInt: a count times a price leaves the
 * safe integers long before a contract ends. Currencies and their minor units are those of ISO 4217: the list of the
 * maintenance agency as of January 2026.
 */

const DIGITS: readonly (readonly [digits: number, codes: string])[] = [
  [0, 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF'],
  [
    2,
    `AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BMD BND BOB BOV BRL BSD BTN BWP BYN BZD CAD CDF CHE CHF CHW CNY COP
     COU CRC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD HNL HTG HUF IDR ILS INR IRR
     JMD KES KGS KHR KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MXV MYR MZN NAD NGN
     NIO NOK NPR NZD PAB PEN PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL
     THB TJS TMT TOP TRY TTD TWD TZS UAH USD USN UYU UZS VED VES WST XAD XCD XCG YER ZAR ZMW ZWG`,
  ],
  [3, 'BHD IQD JOD KWD LYD OMR TND'],
  [4, 'CLF UYW'],
];

const CURRENCIES: ReadonlyMap<string, number> = new Map(
  DIGITS.flatMap(([digits, codes]) => codes.split(/\s+/).map((code) => [code, digits])),
);

/** Returns the decimal digits of a currency's minor unit; undefined for another text. */
export const minorDigits = (code: string): number | undefined => CURRENCIES.get(code);

const MICRO_DIGITS = 6;

/** Returns the micros of the smallest amount of a currency. */
export const minorUnit = (currency: string): bigint => 10n ** BigInt(MICRO_DIGITS - fractionDigits(currency));

/** Rounds a number of micros, or a part of it, to whole minor units of the currency, half to even. */
export function roundToMinor(micros: bigint, currency: string, over = 1n): bigint {
  const minor = minorUnit(currency);
  const unit = minor * over;
  const sign = micros < 0n ? -1n : 1n;
  const size = micros * sign;
  const whole = size / unit;
  const twice = (size % unit) * 2n;
  const up = twice > unit || (twice === unit && whole % 2n === 1n);
  return sign * (whole + (up ? 1n : 0n)) * minor;
}

/** Formats an amount with the currency's digits, such as `-1234.50`; further digits only where it has them. */
export function formatAmount(micros: bigint, currency: string): string {
  const size = micros < 0n ? -micros : micros;
  const text = size.toString().padStart(MICRO_DIGITS + 1, '0');
  const whole = text.slice(0, -MICRO_DIGITS);
  const least = fractionDigits(currency);
  const fraction = text.slice(-MICRO_DIGITS);
  const shown = fraction.slice(0, least) + fraction.slice(least).replace(/0+$/, '');
  return `${micros < 0n ? '-' : ''}${whole}${shown === '' ? '' : `.${shown}`}`;
}

/** Returns the micros of a formatted amount. */
export function toMicros(amount: string): bigint {
  const [whole = '', fraction = ''] = amount.replace('-', '').split('.');
  const micros = BigInt(whole + fraction.padEnd(MICRO_DIGITS, '0'));
  return amount.startsWith('-') ? -micros : micros;
}

/** Returns the amount as a JSON integer; null beyond 2^53. */
export function toJsonMicros(micros: bigint): number | null {
  const value = Number(micros);
  return Number.isSafeInteger(value) ? value : null;
}

const fractionDigits = (currency: string): number => minorDigits(currency) ?? 2;
