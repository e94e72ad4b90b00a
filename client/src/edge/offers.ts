/**
 * Offers in the headers of a denial: the price of an access as Cloudflare's Pay Per Crawl reads it, a link to the page
 * about the license, and `PAYMENT-REQUIRED` of x402 version 2. Together they have at most 2 KiB: what does not fit is
 * left out, the least important first, and no value is cut.
 */
import type { components } from '../generated/schema.ts';

/** An offer as visitors see it. */
export type Offered = components['schemas']['Offered'];

/** Bytes of names, values and line ends: proxies and clients bound the headers of an answer. */
const BYTES_MAX = 2048;
const MICRO_DIGITS = 6;

/** `url`: what was asked for. */
export function offerHeaders(offered: readonly Offered[], url: string): Record<string, string> {
  const headers: Record<string, string> = {};
  let left = BYTES_MAX;
  const add = (name: string, value: string | undefined): boolean => {
    const bytes = value === undefined ? 0 : name.length + value.length + 4;
    if (value === undefined || bytes > left) return false;
    headers[name] = value;
    left -= bytes;
    return true;
  };
  add(
    'crawler-price',
    offered.map(priceOf).find((price) => price !== undefined),
  );
  const page = offered.find((one) => one.url !== undefined)?.url;
  add('link', page && `<${new URL(page).href}>; rel="license"`);
  const accepts = offered.flatMap(({ x402 }) => x402 ?? []);
  for (let count = accepts.length; count > 0; count--) {
    if (add('payment-required', paymentRequired(accepts.slice(0, count), url))) break;
  }
  return headers;
}

/** Returns the price of an access, such as `USD 0.005`. */
const priceOf = (offer: Offered): string | undefined => (offer.unit === 'decision' ? amountOf(offer) : undefined);

/** Returns the price of a unit, such as `USD 0.005`; undefined: on request. */
export function amountOf({ unitPriceMicros, currency }: Offered): string | undefined {
  if (unitPriceMicros === undefined || currency === undefined) return undefined;
  const digits = countDigits(currency);
  const text = String(unitPriceMicros).padStart(MICRO_DIGITS + 1, '0');
  const fraction = text.slice(-MICRO_DIGITS);
  const shown = fraction.slice(0, digits) + fraction.slice(digits).replace(/0+$/, '');
  return `${currency} ${text.slice(0, -MICRO_DIGITS)}${shown === '' ? '' : `.${shown}`}`;
}

/** Fastly Compute knows nothing of languages and currencies. */
const countDigits = (currency: string): number =>
  globalThis.Intl === undefined
    ? /^(?:JPY|KRW|VND|CLP|ISK|X[AO]F)$/.test(currency)
      ? 0
      : 2
    : (new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions().maximumFractionDigits ?? 2);

function paymentRequired(accepts: readonly unknown[], url: string): string {
  const json = JSON.stringify({ x402Version: 2, error: 'License required', resource: { url }, accepts });
  return btoa(String.fromCharCode(...new TextEncoder().encode(json)));
}
