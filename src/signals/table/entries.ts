/** Lists the patterns of a host's collections in the order in which they win. Pure. */
import { type Collection, givenSelectors } from '../../content/collections/collection.ts';
import { spelledPatterns } from '../../lib/urls/pattern-spellings.ts';
import type { UrlRules } from '../../lib/urls/spellings.ts';
import { type PathPattern, parseHostPattern, parsePathPattern, toHostPatterns } from '../../lib/urls/url-pattern.ts';
import { type Inexpressible, spellPattern, type TableRow } from './table.ts';

export interface TableEntry {
  collection: Collection;
  /** null: the collection has no paths. */
  pattern: PathPattern | null;
  /** No patterns say which spellings lead to the files of the pattern, so it may hold anywhere. */
  isUnsaid?: true;
  hostRank: number;
  selectors: number;
}

/** Returns the patterns of the host's collections with their other spellings, in the order in which they win. */
export function findHostEntries(host: string, collections: readonly Collection[], urls: UrlRules): TableEntry[] {
  const patterns = toHostPatterns(host);
  const entries = collections.flatMap((collection): TableEntry[] => {
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
      if (pattern === undefined) return [];
      const spelled = spelledPatterns(pattern, urls);
      if (spelled === undefined) return [{ ...rank, pattern, isUnsaid: true as const }];
      return spelled.map((one) => ({ ...rank, pattern: one }));
    });
  });
  return entries.toSorted(byRank);
}

const byRank = (one: TableEntry, other: TableEntry): number =>
  (other.pattern?.octets ?? 0) - (one.pattern?.octets ?? 0) ||
  other.hostRank - one.hostRank ||
  other.selectors - one.selectors ||
  one.collection.createdAt - other.collection.createdAt ||
  (one.collection.id < other.collection.id ? -1 : 1);

/** Says why more than a pattern is published as denied. */
export const unsaid = (region: PathPattern, { id }: Collection): Inexpressible => ({
  kind: null,
  about: [spellPattern(region)],
  message: `Other spellings of files at this pattern of the collection ${id} cannot be said. Where it is not open to everybody, less specific paths that begin alike are published as denied. See \`urls\` of the site.`,
});

/** Returns the part of a row that a collection gives to it. */
export const rowAt = ({ id, mode }: Collection): Omit<TableRow, 'pattern' | 'cell'> => ({
  collectionId: id,
  contentId: null,
  observed: mode === 'observe',
});
