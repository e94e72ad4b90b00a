/** Shortens addresses to ranges, or removes them. Pure. */
import { formatRange, parseAddress } from './ip-range.ts';

/** The lengths of the prefixes that are kept, or all or nothing. */
export type IpPrecision = 'full' | 'none' | { readonly v4: number; readonly v6: number };

const PREFIXES = /^\/(\d{1,2}),\s*\/(\d{1,3})$/;

/** Parses `full`, `none` or prefixes such as `/24,/48`; undefined for other texts. */
export function parseIpPrecision(text: string): IpPrecision | undefined {
  if (text === 'full' || text === 'none') return text;
  const [, v4, v6] = PREFIXES.exec(text) ?? [];
  const prefixes = { v4: Number(v4), v6: Number(v6) };
  return v4 !== undefined && prefixes.v4 <= 32 && prefixes.v6 <= 128 ? prefixes : undefined;
}

export const formatIpPrecision = (precision: IpPrecision): string =>
  typeof precision === 'string' ? precision : `/${precision.v4},/${precision.v6}`;

/** Returns what is kept of an address: the address, its range in CIDR notation, or undefined for nothing. */
export function reduceIp(precision: IpPrecision, ip: string): string | undefined {
  if (precision === 'full') return ip;
  const address = parseAddress(ip);
  if (precision === 'none' || address === undefined) return undefined;
  const prefix = address.family === 4 ? precision.v4 : precision.v6;
  return prefix === (address.family === 4 ? 32 : 128) ? ip : formatRange(address, prefix);
}
