/** Says why a collection matches an address or an item, and why it is less specific than another one. Pure. */
import { USUAL_URLS } from '../../lib/urls/spellings.ts';
import {
  matchesPath,
  parseHostPattern,
  parsePathPattern,
  toHostPatterns,
  toTarget,
} from '../../lib/urls/url-pattern.ts';
import { type Collection, givenSelectors, type Selector } from './collection.ts';
import type { Selected } from './collection-index.ts';

/** The values by which a collection matches; null where it gives no such selector. */
export interface MatchedBy {
  /** The longest matching path pattern, as it was written. */
  path: string | null;
  host: string | null;
  contentType: string | null;
  contentTag: string | null;
}

export const LOST_BY = ['path', 'host', 'selectors', 'age'] as const;
export type LostBy = (typeof LOST_BY)[number];

export interface Explained {
  collection: Collection;
  by: MatchedBy;
}

/** Returns the selectors of a collection that match. */
export function explainMatch(collection: Collection, { locator, item, urls = USUAL_URLS }: Selected): Explained {
  const target = locator && toTarget(locator, urls);
  let path: string | null = null;
  let octets = -1;
  for (const text of collection.paths) {
    const pattern = parsePathPattern(text);
    if (pattern === undefined || target === undefined || pattern.octets <= octets) continue;
    if (matchesPath(pattern, target)) [path, octets] = [text, pattern.octets];
  }
  const hosts = locator === undefined ? [] : toHostPatterns(locator.host);
  const host = collection.hosts
    .filter((text) => hosts.includes(parseHostPattern(text) ?? ''))
    .toSorted((a, b) => hostRank(b) - hostRank(a))[0];
  return {
    collection,
    by: {
      path,
      host: host ?? null,
      contentType: collection.contentTypes.find((type) => type === item?.type) ?? null,
      contentTag: collection.contentTags.find((tag) => item?.tags.includes(tag)) ?? null,
    },
  };
}

const BY = {
  hosts: 'host',
  paths: 'path',
  contentTypes: 'contentType',
  contentTags: 'contentTag',
} satisfies Record<Selector, keyof MatchedBy>;

/** Returns the given selectors of which no value matches; none if the collection matches. */
export function unmatchedSelectors(collection: Collection, selected: Selected): Selector[] {
  const { by } = explainMatch(collection, selected);
  return givenSelectors(collection).filter((name) => by[BY[name]] === null);
}

/** Returns the first rule by which the winner is more specific. */
export function lostBy(winner: Explained, loser: Explained): LostBy {
  if (countOctets(winner.by.path) !== countOctets(loser.by.path)) return 'path';
  if (hostRank(winner.by.host) !== hostRank(loser.by.host)) return 'host';
  if (givenSelectors(winner.collection).length !== givenSelectors(loser.collection).length) return 'selectors';
  return 'age';
}

const countOctets = (path: string | null): number => (path === null ? 0 : (parsePathPattern(path)?.octets ?? 0));

/** The host itself before a name below it, before any host. */
const hostRank = (host: string | null): number => (host === null ? 0 : host.startsWith('*') ? 1 : 2);
