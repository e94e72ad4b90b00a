/**
 * Addresses and ranges, IPv4 and IPv6, in canonical forms only: forms that programs read differently (octal, hex, short,
 * zone indexes) are refused, so that nobody can be let in by a misreading. `::ffff:a.b.c.d` is its IPv4 address.
 */
import { isIP } from 'node:net';

export interface Address {
  family: 4 | 6;
  value: bigint;
}

export interface Range extends Address {
  bits: number;
}

const V4_MAPPED = 0xffffn << 32n;

/** The address, or undefined when the text is not one in canonical form. */
export function parseAddress(text: string): Address | undefined {
  const family = isIP(text);
  if (family === 4) return { family: 4, value: v4(text) };
  if (family !== 6 || text.includes('%')) return undefined;
  const value = v6(text);
  return value >> 32n === V4_MAPPED >> 32n ? { family: 4, value: value & 0xffffffffn } : { family: 6, value };
}

/** An address or CIDR range; undefined when malformed or when bits are set behind the prefix. */
export function parseRange(text: string): Range | undefined {
  const slash = text.indexOf('/');
  const address = parseAddress(slash === -1 ? text : text.slice(0, slash));
  if (address === undefined) return undefined;
  const width = address.family === 4 ? 32 : 128;
  if (slash === -1) return { ...address, bits: width };
  const prefix = text.slice(slash + 1);
  if (!/^(0|[1-9]\d{0,2})$/.test(prefix)) return undefined;
  const mapped = address.family === 4 && text.includes(':');
  const bits = Number(prefix) - (mapped ? 96 : 0);
  if (bits < 0 || bits > width) return undefined;
  const low = (1n << BigInt(width - bits)) - 1n;
  return (address.value & low) === 0n ? { ...address, bits } : undefined;
}

export function contains(range: Range, address: Address): boolean {
  if (range.family !== address.family) return false;
  const shift = BigInt((range.family === 4 ? 32 : 128) - range.bits);
  return range.value >> shift === address.value >> shift;
}

/** The one text of an address for messages and logs. */
export function formatAddress(text: string): string {
  const address = parseAddress(text);
  if (address === undefined || address.family === 6) return text;
  return [24n, 16n, 8n, 0n].map((shift) => (address.value >> shift) & 255n).join('.');
}

function v4(text: string): bigint {
  return text.split('.').reduce((value, part) => value * 256n + BigInt(part), 0n);
}

function v6(text: string): bigint {
  let plain = text;
  const lastColon = text.lastIndexOf(':');
  if (text.includes('.')) {
    const tail = v4(text.slice(lastColon + 1));
    plain = `${text.slice(0, lastColon + 1)}${(tail >> 16n).toString(16)}:${(tail & 0xffffn).toString(16)}`;
  }
  const [head = '', tail] = plain.split('::');
  const groups = (part: string): string[] => (part === '' ? [] : part.split(':'));
  const front = groups(head);
  const back = tail === undefined ? [] : groups(tail);
  const zeros = Array<string>(8 - front.length - back.length).fill('0');
  return [...front, ...zeros, ...back].reduce((value, group) => (value << 16n) | BigInt(`0x${group}`), 0n);
}
