/** Published addresses of crawlers: JSON with `prefixes`, a geofeed (RFC 8805), or a range on each line. */
import { type IpAddress, parseAddress, parseRange, type Range } from '../../lib/ip-range.ts';

/** More than any operator publishes. */
export const RANGES_MAX = 100_000;

/** Returns the ranges of a file; undefined for one in no such form, or without any. */
export function readRanges(text: string): string[] | undefined {
  const trimmed = text.replace(/^\ufeff/, '').trim();
  const ranges = trimmed.startsWith('{') || trimmed.startsWith('[') ? fromJson(trimmed) : fromLines(trimmed);
  if (ranges === undefined || ranges.length === 0 || ranges.length > RANGES_MAX) return undefined;
  return ranges.every((range) => parseRange(range) !== undefined) ? ranges : undefined;
}

function fromJson(text: string): string[] | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  const { prefixes = value } = (value ?? {}) as { prefixes?: unknown };
  if (!Array.isArray(prefixes)) return undefined;
  return prefixes.flatMap((one: unknown) => (typeof one === 'string' ? [one] : toPrefixes(one)));
}

/** An entry without either makes the file unreadable. */
function toPrefixes(entry: unknown): string[] {
  const { ipv4Prefix, ipv6Prefix, prefix } = (entry ?? {}) as Record<string, unknown>;
  const found = [ipv4Prefix, ipv6Prefix, prefix].filter((one) => typeof one === 'string');
  return found.length === 0 ? ['?'] : found;
}

const fromLines = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => (line.replace(/#.*/, '').split(',')[0] ?? '').trim())
    .filter((range) => range !== '');

/** Addresses of ranges: a look-up is a binary search, a size is a number of addresses. */
export class RangeSet {
  readonly #four: SortedRanges;
  readonly #six: SortedRanges;

  constructor(texts: readonly string[]) {
    const ranges = texts.map((text) => parseRange(text)).filter((range) => range !== undefined);
    this.#four = new SortedRanges(ranges.filter(({ family }) => family === 4));
    this.#six = new SortedRanges(ranges.filter(({ family }) => family === 6));
  }

  has(address: IpAddress): boolean {
    return address.family === 4
      ? this.#four.has(address.value, address.value)
      : this.#six.has(address.value, address.lead);
  }

  /** Number of addresses of a family. */
  sizeOf(family: 4 | 6): bigint {
    return (family === 4 ? this.#four : this.#six).size();
  }
}

const LEAD_SHIFT = 80n;

/** The bits of an address that are compared first, as a number: bigints take several times as long. */
const leadingBits = (value: IpAddress['value']): number =>
  typeof value === 'number' ? value : Number(value >> LEAD_SHIFT);

/** Ranges of one family. */
class SortedRanges {
  readonly #ranges: readonly Range[];
  /** The leads of their last addresses. */
  readonly #leads: Float64Array;

  constructor(ranges: readonly Range[]) {
    this.#ranges = merged(ranges);
    this.#leads = Float64Array.from(this.#ranges, ({ last }) => leadingBits(last));
  }

  /** `lead` is what is compared first of the value. */
  has(value: IpAddress['value'], lead: number): boolean {
    let place = lowerBound(this.#leads, lead);
    // Several ranges may end with the same lead, such as those within a /48.
    if (typeof value === 'bigint' && this.#leads[place] === lead) place = this.#firstEndingAt(value, place, lead);
    const range = this.#ranges[place];
    return range !== undefined && range.first <= value;
  }

  /** Returns the first range from `low` on whose last address is `value` or after it, among those with this lead. */
  #firstEndingAt(value: IpAddress['value'], from: number, lead: number): number {
    let low = from;
    let high = lowerBound(this.#leads, lead + 1);
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#ranges[middle] as Range).last < value) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  size(): bigint {
    return this.#ranges.reduce((sum, { first, last }) => sum + BigInt(last) - BigInt(first) + 1n, 0n);
  }
}

/** Returns the first place with `lead` or more. */
function lowerBound(leads: Float64Array, lead: number): number {
  let low = 0;
  let high = leads.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((leads[middle] as number) < lead) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Tests whether an address is in any of the ranges; undefined for a text that is no address. */
export function openRanges(texts: readonly string[]): (address: string) => boolean | undefined {
  const set = new RangeSet(texts);
  return (text) => {
    const address = parseAddress(text);
    return address === undefined ? undefined : set.has(address);
  };
}

/** In order, without overlaps. */
function merged(ranges: readonly Range[]): Range[] {
  const result: Range[] = [];
  for (const range of ranges.toSorted((a, b) => (a.first < b.first ? -1 : 1))) {
    const last = result.at(-1);
    if (last === undefined || range.first > last.last) result.push({ ...range });
    else if (range.last > last.last) last.last = range.last;
  }
  return result;
}
