/** Lists the patterns of a host's collections in the order in which they win. Pure. */
import { type Collection, givenSelectors } from '../collections/collection.ts';
import { hostPatternsOf, type PathPattern, parseHostPattern, parsePathPattern } from '../lib/url-pattern.ts';

export interface Entry {
  collection: Collection;
  /** null: the collection has no paths. */
  pattern: PathPattern | null;
  hostRank: number;
  selectors: number;
}

/** Returns the patterns of the host's collections, in the order in which they win. */
export function entriesOf(host: string, collections: readonly Collection[]): Entry[] {
  const patterns = hostPatternsOf(host);
  const entries = collections.flatMap((collection): Entry[] => {
    // Those by type and tags select items alone.
    if (collection.contentTypes.length + collection.contentTags.length > 0) return [];
    const hosts = collection.hosts.flatMap((one) => parseHostPattern(one) ?? []);
    const named = hosts.filter((one) => patterns.includes(one));
    if (hosts.length > 0 && named.length === 0) return [];
    const hostRank = hosts.length === 0 ? 0 : named.includes(host) ? 2 : 1;
    const rank = { collection, hostRank, selectors: givenSelectors(collection).length };
    if (collection.paths.length === 0) return [{ ...rank, pattern: null }];
    return collection.paths.flatMap((path) => {
      const pattern = parsePathPattern(path);
      return pattern === undefined ? [] : [{ ...rank, pattern }];
    });
  });
  return entries.toSorted(byRank);
}

const byRank = (one: Entry, other: Entry): number =>
  (other.pattern?.octets ?? 0) - (one.pattern?.octets ?? 0) ||
  other.hostRank - one.hostRank ||
  other.selectors - one.selectors ||
  one.collection.createdAt - other.collection.createdAt ||
  (one.collection.id < other.collection.id ? -1 : 1);
