/**
 * Addresses and ranges of IPv4 and IPv6, in canonical forms only. Forms that programs read differently (octal, hex,
 * short, zone indexes) are refused. `::ffff:a.b.c.d` is its IPv4 address.
 */
import { isIP } from 'node:net';

/** IPv4 addresses are numbers: bigints would cost a check many times as much. */
export type Address = { family: 4; value: number } | { family: 6; value: bigint };

/** All addresses from `first` to `last`. */
export interface Range {
  family: 4 | 6;
  first: number | bigint;
  last: number | bigint;
}

const V4_MAPPED = 0xffffn << 32n;

/** The address, or undefined when the text is not one in canonical form. */
export function parseAddress(text: string): Address | undefined {
  const family = isIP(text);
  if (family === 4) return { family: 4, value: v4(text) };
  if (family !== 6 || text.includes('%')) return undefined;
  const value = v6(text);
  return value >> 32n === V4_MAPPED >> 32n ? { family: 4, value: Number(value & 0xffffffffn) } : { family: 6, value };
}

/** An address or CIDR range; undefined when malformed or when bits are set behind the prefix. */
export function parseRange(text: string): Range | undefined {
  const slash = text.indexOf('/');
  const address = parseAddress(slash === -1 ? text : text.slice(0, slash));
  if (address === undefined) return undefined;
  const width = address.family === 4 ? 32 : 128;
  if (slash === -1) return { family: address.family, first: address.value, last: address.value };
  const prefix = text.slice(slash + 1);
  if (!/^(0|[1-9]\d{0,2})$/.test(prefix)) return undefined;
  const mapped = address.family === 4 && text.includes(':');
  const bits = Number(prefix) - (mapped ? 96 : 0);
  if (bits < 0 || bits > width) return undefined;
  const behind = (1n << BigInt(width - bits)) - 1n;
  if ((BigInt(address.value) & behind) !== 0n) return undefined;
  const last = address.family === 4 ? address.value + Number(behind) : address.value + behind;
  return { family: address.family, first: address.value, last };
}

export function contains(range: Range, address: Address): boolean {
  return range.family === address.family && address.value >= range.first && address.value <= range.last;
}

/** Returns whether the ranges, which may be adjacent or overlap, contain every address of `wanted`. */
export function covers(ranges: readonly Range[], wanted: Range): boolean {
  const last = BigInt(wanted.last);
  let next = BigInt(wanted.first);
  const family = ranges.filter((range) => range.family === wanted.family);
  for (const range of family.toSorted((a, b) => (a.first < b.first ? -1 : 1))) {
    if (range.first <= next && range.last >= next) next = BigInt(range.last) + 1n;
  }
  return next > last;
}

/** The one text of an address for messages and logs. */
export function formatAddress(text: string): string {
  const address = parseAddress(text);
  if (address === undefined || address.family === 6) return text;
  return formatV4(address.value);
}

/** Formats the range of a prefix around an address. IPv6 has all of its groups up to the prefix, then `::`. */
export function formatRange(address: Address, prefix: number): string {
  if (address.family === 4) {
    const masked = prefix === 0 ? 0 : (address.value & (-1 << (32 - prefix))) >>> 0;
    return `${formatV4(masked)}/${prefix}`;
  }
  const masked = (address.value >> BigInt(128 - prefix)) << BigInt(128 - prefix);
  const groups = Array.from({ length: Math.ceil(prefix / 16) }, (_, i) =>
    ((masked >> BigInt(112 - 16 * i)) & 0xffffn).toString(16),
  );
  return `${groups.join(':')}${groups.length === 8 ? '' : '::'}/${prefix}`;
}

const formatV4 = (value: number): string => [24, 16, 8, 0].map((shift) => (value >>> shift) & 255).join('.');

/** Parses a valid IPv4 address. */
function v4(text: string): number {
  let value = 0;
  let part = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === 0x2e) {
      value = value * 256 + part;
      part = 0;
    } else part = part * 10 + code - 0x30;
  }
  return value * 256 + part;
}

const GROUPS = new Uint16Array(8);

/** Parses a valid IPv6 address. One pass: splitting the text and adding up bigints took five times as long. */
function v6(text: string): bigint {
  let plain = text;
  if (text.includes('.')) {
    const lastColon = text.lastIndexOf(':');
    const tail = v4(text.slice(lastColon + 1));
    plain = `${text.slice(0, lastColon + 1)}${(tail >>> 16).toString(16)}:${(tail & 0xffff).toString(16)}`;
  }
  GROUPS.fill(0);
  let group = 0;
  let digits = 0;
  let count = 0;
  /** The number of groups before `::`. */
  let gap = -1;
  for (let i = 0; i < plain.length; i++) {
    const code = plain.charCodeAt(i);
    if (code === 0x3a) {
      if (digits > 0) GROUPS[count++] = group;
      else gap = count;
      group = 0;
      digits = 0;
    } else {
      // Letters of either case are 9 above their lowest four bits.
      group = group * 16 + (code & 15) + (code > 0x39 ? 9 : 0);
      digits++;
    }
  }
  if (digits > 0) GROUPS[count++] = group;
  if (gap !== -1) {
    GROUPS.copyWithin(8 - count + gap, gap, count);
    GROUPS.fill(0, gap, 8 - count + gap);
  }
  const half = (at: number): bigint => (BigInt(pair(at)) << 32n) | BigInt(pair(at + 2));
  return (half(0) << 64n) | half(4);
}

const pair = (at: number): number => (GROUPS[at] as number) * 65_536 + (GROUPS[at + 1] as number);
