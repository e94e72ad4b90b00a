/**
 * Offers in the headers of a denial, pure. `crawler-price` as Cloudflare's Pay Per Crawl reads it, a link to the page
 * about the license, and `PAYMENT-REQUIRED` of x402 version 2. Together they have at most 2 KiB: what does not fit is
 * left out, the least important first, and no value is cut.
 */
import { formatAmount } from '../../rules/terms/money.ts';
import type { Offered, Requirement } from './offer.ts';

/** Bytes of names, values and line ends: proxies and clients bound the headers of an answer. */
const BYTES_MAX = 2048;

/** Returns the price of an access, such as `USD 0.005`; undefined for another unit and without a price. */
export function crawlerPrice({ unit, unitPriceMicros, currency }: Offered): string | undefined {
  if (unit !== 'decision' || unitPriceMicros === undefined || currency === undefined) return undefined;
  return `${currency} ${formatAmount(BigInt(unitPriceMicros), currency)}`;
}

/** `url`: what was asked for. */
export function offerHeaders(offered: readonly Offered[], url: string): Record<string, string> {
  const price = offered.map(crawlerPrice).find((one) => one !== undefined);
  const page = offered.find((one) => one.url !== undefined)?.url;
  const headers: Record<string, string> = {};
  let left = BYTES_MAX;
  const add = (name: string, value: string | undefined): boolean => {
    const bytes = value === undefined ? 0 : name.length + value.length + 4;
    if (value === undefined || bytes > left) return false;
    headers[name] = value;
    left -= bytes;
    return true;
  };
  add('crawler-price', price);
  add('link', page && `<${new URL(page).href}>; rel="license"`);
  const accepts = offered.flatMap(({ x402 }) => x402 ?? []);
  for (let count = accepts.length; count > 0; count--) {
    if (add('payment-required', paymentRequired(accepts.slice(0, count), url))) break;
  }
  return headers;
}

const paymentRequired = (accepts: readonly Requirement[], url: string): string =>
  Buffer.from(JSON.stringify({ x402Version: 2, error: 'License required', resource: { url }, accepts })).toString(
    'base64',
  );
