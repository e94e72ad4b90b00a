/**
 * Published addresses of crawlers, from files that the operator of Postern downloaded: JSON with `prefixes`, a geofeed
 * (RFC 8805), or a range on each line.
 */
import { type Address, parseAddress, parseRange, type Range } from '../../lib/ip-range.ts';

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

/** Tests whether an address is in any of the ranges, in the time of a binary search. */
export function openRanges(texts: readonly string[]): (address: string) => boolean | undefined {
  const ranges = texts.map((text) => parseRange(text)).filter((range) => range !== undefined);
  const four = merged(ranges.filter(({ family }) => family === 4));
  const six = merged(ranges.filter(({ family }) => family === 6));
  return (text) => {
    const address = parseAddress(text);
    return address === undefined ? undefined : isIn(address.family === 4 ? four : six, address.value);
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

function isIn(ranges: readonly Range[], value: Address['value']): boolean {
  let low = 0;
  let high = ranges.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ranges[middle] as Range).last < value) low = middle + 1;
    else high = middle;
  }
  const range = ranges[low];
  return range !== undefined && range.first <= value;
}
