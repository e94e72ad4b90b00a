/**
 * Addresses and ranges of IPv4 and IPv6, in canonical forms only. Forms that programs read differently (octal, hex,
 * short, zone indexes) are refused. `::ffff:a.b.c.d` is its IPv4 address.
 */
import { isIP } from 'node:net';

/**
 * IPv4 addresses are numbers: bigints would cost a check many times as much. `lead` is the first 48 bits of an IPv6
 * address, which are enough to find most ranges.
 */
export type IpAddress = { family: 4; value: number } | { family: 6; value: bigint; lead: number };

/** All addresses from `first` to `last`. */
export interface Range {
  family: 4 | 6;
  first: number | bigint;
  last: number | bigint;
}

/** The address, or undefined when the text is not one in canonical form. */
export function parseAddress(text: string): IpAddress | undefined {
  if (text.includes('.')) {
    const family = isIP(text);
    if (family === 4) return { family: 4, value: v4(text) };
    if (family !== 6 || text.includes('%')) return undefined;
  }
  if (!readGroups(withoutDots(text))) return undefined;
  if (isMapped()) return { family: 4, value: pair(6) };
  for (let at = 0; at < 8; at += 2) BYTES.setUint32(at * 2, pair(at));
  const value = (BYTES.getBigUint64(0) << 64n) | BYTES.getBigUint64(8);
  return { family: 6, value, lead: (GROUPS[0] as number) * 2 ** 32 + pair(1) };
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

export function contains(range: Range, address: IpAddress): boolean {
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
export function formatRange(address: IpAddress, prefix: number): string {
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

const COLON = 0x3a;
const GROUPS = new Uint16Array(8);
/** Makes bigints of groups: shifting each group costs several times as much. */
const BYTES = new DataView(new ArrayBuffer(16));

/** Writes the IPv4 address at the end of a valid IPv6 address as two groups. */
function withoutDots(text: string): string {
  if (!text.includes('.')) return text;
  const tail = text.lastIndexOf(':') + 1;
  const value = v4(text.slice(tail));
  return `${text.slice(0, tail)}${(value >>> 16).toString(16)}:${(value & 0xffff).toString(16)}`;
}

/**
 * Reads the groups of an IPv6 address; returns false for a text that is none, or has a zone index. One pass: splitting
 * the text takes five times as long, and testing it with `isIP` first takes as long again.
 */
function readGroups(text: string): boolean {
  GROUPS.fill(0);
  let count = 0;
  /** The number of groups before `::`. */
  let gap = text.startsWith('::') ? 0 : -1;
  let i = gap === 0 ? 2 : 0;
  while (i < text.length) {
    const start = i;
    let group = 0;
    for (let digit = hexDigit(text, i); digit !== -1; digit = hexDigit(text, ++i)) group = group * 16 + digit;
    if (i === start || i > start + 4) return false;
    // A ninth group is written nowhere, and refused in the end.
    GROUPS[count++] = group;
    if (i === text.length) break;
    if (text.charCodeAt(i++) !== COLON || i === text.length) return false;
    if (text.charCodeAt(i) !== COLON) continue;
    if (gap !== -1) return false;
    gap = count;
    i++;
  }
  return placeGroups(count, gap);
}

/** Moves the groups behind `::` to the end; returns whether the groups make an address. */
function placeGroups(count: number, gap: number): boolean {
  if (gap === -1) return count === 8;
  GROUPS.copyWithin(8 - count + gap, gap, count);
  GROUPS.fill(0, gap, 8 - count + gap);
  return count < 8;
}

/** Returns -1 for another character, or behind the end. */
function hexDigit(text: string, at: number): number {
  if (at >= text.length) return -1;
  const code = text.charCodeAt(at);
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  const letter = code | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1;
}

/** `::ffff:a.b.c.d` */
function isMapped(): boolean {
  for (let at = 0; at < 5; at++) if (GROUPS[at] !== 0) return false;
  return GROUPS[5] === 0xffff;
}

const pair = (at: number): number => (GROUPS[at] as number) * 65_536 + (GROUPS[at + 1] as number);
