/**
 * Finds the visitor among the addresses of a log line: what proxies forwarded, then what the server saw. Promise: the
 * address is one that no trusted proxy could have added. Where nothing says which addresses are proxies, a visitor may
 * have written what is further left, so the address proves a crawler and refutes none.
 */
import { findOrigin } from '../../src/lib/forwarded.ts';
import { parseRange, type Range } from '../../src/lib/ip-range.ts';

export interface FoundAddress {
  /** null: the address cannot be read. */
  address: string | null;
  /** The address may be that of a proxy. */
  doubtful: boolean;
}

/** Ranges of inner networks, whose addresses are proxies unless `--trusted-proxies` says which are. */
const INNER = [
  '10.0.0.0/8',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '100.64.0.0/10',
  'fc00::/7',
  'fe80::/10',
  '::1',
];

/** `trusted`: ranges of proxies; null: none are named. */
export function openAddresses(trusted: readonly string[] | null): (field: string) => FoundAddress {
  const ranges = (trusted ?? INNER).map(parseRange).filter((range): range is Range => range !== undefined);
  const find = (field: string): FoundAddress => {
    const entries = field.split(',').map((entry) => entry.trim());
    const origin = findOrigin(entries, ranges);
    if (origin === undefined || !('address' in origin)) return { address: null, doubtful: entries.length > 1 };
    if (trusted !== null || entries.length === 1) return { address: origin.address, doubtful: false };
    // The address that is found first from the right is in doubt if others, which it may have forwarded, are before it.
    const before = findOrigin(entries.slice(0, 1), []);
    const isFirst = before !== undefined && 'address' in before && before.address === origin.address;
    return { address: origin.address, doubtful: !isFirst };
  };
  // Most lines name the addresses of a line shortly before.
  let last = '';
  let found = find(last);
  return (field) => {
    if (field !== last) {
      found = find(field);
      last = field;
    }
    return found;
  };
}
