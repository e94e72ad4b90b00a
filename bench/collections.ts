/**
 * Finds the collection of an address: among ten thousand patterns over a hundred hosts, and where there is one pattern.
 * Rounds take turns. The addresses are the same; in each of them the pattern that decides is `/news/`.
 */
import { type Collection, FIRST_VALUES } from '../src/content/collections/collection.ts';
import { CollectionIndex } from '../src/content/collections/collection-index.ts';
import { type Locator, parseLocator } from '../src/lib/urls/locator.ts';
import { median, medianRatio, type Part } from './figure.ts';
import { RATE_NOTE, rate } from './rate.ts';

const HOSTS = 100;
const PATTERNS_OF_HOST = 100;
const ADDRESSES = 4_096;

const collectionOf = (i: number, hosts: string[], paths: string[]): Collection => ({
  ...FIRST_VALUES,
  no: i,
  id: `col_${i}`,
  name: 'A collection',
  hosts,
  paths,
  version: 1,
  createdAt: i,
  updatedAt: i,
});

const hostAt = (i: number): string => `www.site-${i % HOSTS}.example`;

function indexOf(collections: readonly Collection[]): CollectionIndex {
  const index = new CollectionIndex();
  for (const collection of collections) index.put(collection);
  return index;
}

export const collectionsPart: Part = {
  name: 'collections',
  about: 'finding the collection of an address, in one thread',
  async run({ quick, say }) {
    const hosts = Array.from({ length: HOSTS }, (_, i) => hostAt(i));
    const paths = ['/news/', ...Array.from({ length: PATTERNS_OF_HOST - 1 }, (_, i) => `/section-${i}/*.html$`)];
    const many = indexOf(hosts.map((host, i) => collectionOf(i, [host], paths)));
    const one = indexOf([collectionOf(0, hosts, ['/news/'])]);
    const addresses = Array.from(
      { length: ADDRESSES },
      (_, i) => parseLocator(`https://${hostAt(i)}/news/2026/article-${i}`) as Locator,
    );
    const find = (index: CollectionIndex) => (i: number) =>
      index.find({ locator: addresses[i], item: null }) === undefined;

    const ofMany: number[] = [];
    const ofOne: number[] = [];
    for (let round = 0; round < (quick ? 3 : 15); round++) {
      ofMany.push(rate(ADDRESSES, find(many)));
      ofOne.push(rate(ADDRESSES, find(one)));
      say(`round ${round + 1}: ${Math.round(ofMany[round] as number)}/s`);
    }
    // Rates: the one pattern's over that of the many is how many times the many cost.
    const ratio = medianRatio(ofOne, ofMany);
    return {
      figures: [
        {
          what: `a search among ${(HOSTS * PATTERNS_OF_HOST).toLocaleString('en')} patterns over ${HOSTS} hosts`,
          value: median(ofMany),
          unit: '/s',
          against: { what: 'one pattern on all of them', value: median(ofOne), ratio },
        },
      ],
      notes: ['The ratio is that of the costs of the search alone, which is a small part of a check.', RATE_NOTE],
    };
  },
};
