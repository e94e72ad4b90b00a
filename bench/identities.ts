/** Measures the look-up of an address, from its text, in all published ranges at once. */
import { seeded } from '../kit/random.ts';
import { parseAddress } from '../src/lib/ip-range.ts';
import { RangeSet } from '../src/requesters/identities/ranges.ts';
import { type Figure, median, type Part } from './figure.ts';

/** About ten times what the operators of the crawler directory publish together. */
const RANGES = { 4: 20_000, 6: 10_000 } as const;
const ADDRESSES = 5_000;
const SEED = 12;
const MOST_NS = 1_000;

export const identitiesPart: Part = {
  name: 'identities',
  about: 'Looking up the address of a visitor in published ranges',
  run: async ({ quick }) => {
    const random = seeded(SEED);
    const group = (): string => random.int(0, 65_535).toString(16);
    const octet = (): number => random.int(0, 255);
    const four = (): string => `${random.int(1, 222)}.${octet()}.${octet()}`;
    const six = (): string => `2a03:${group()}:${group()}:${group()}`;
    const ranges4 = Array.from({ length: RANGES[4] }, () => `${four()}.0/24`);
    const ranges6 = Array.from({ length: RANGES[6] }, () => `${six()}::/64`);
    const set = new RangeSet([...ranges4, ...ranges6]);
    const half = <T>(i: number, inside: T, outside: T): T => (i % 2 === 0 ? inside : outside);
    const kinds = {
      'IPv4 address': Array.from({ length: ADDRESSES }, (_, i) =>
        half(i, (ranges4[i] ?? '').replace('0/24', String(octet())), `${four()}.${octet()}`),
      ),
      'IPv6 address': Array.from({ length: ADDRESSES }, (_, i) =>
        half(
          i,
          (ranges6[i] ?? '').replace('::/64', `:${group()}:${group()}:${group()}:${group()}`),
          `${six()}::${group()}`,
        ),
      ),
    };
    const figures: Figure[] = Object.entries(kinds).map(([what, addresses]) => {
      const times: number[] = [];
      for (let round = 0; round < (quick ? 5 : 51); round++) times.push(nanoseconds(set, addresses));
      const value = median(times);
      const ranges = (RANGES[4] + RANGES[6]).toLocaleString('en');
      const target = { text: `≤ ${MOST_NS} ns`, met: value <= MOST_NS };
      return { what: `${what} among ${ranges} ranges`, value, unit: 'ns', target };
    });
    return { figures, notes: ['From the text of the address, half of them in a range; on one core.'] };
  },
};

function nanoseconds(set: RangeSet, addresses: readonly string[]): number {
  const begun = process.cpuUsage();
  let found = 0;
  for (let round = 0; round < 10; round++) {
    for (const text of addresses) {
      const address = parseAddress(text);
      if (address !== undefined && set.has(address)) found++;
    }
  }
  const { user, system } = process.cpuUsage(begun);
  if (found === 0) throw new Error('no address was found');
  return ((user + system) * 1000) / (addresses.length * 10);
}
