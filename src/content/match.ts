/** Finds what decides about a URL: the item that is registered there, else the most specific collection. */

import type { Db } from '../db/db.ts';
import type { Locator } from '../lib/urls/locator.ts';
import { type AtUrl, foundAt, readAddress } from './address.ts';
import type { Collection, Selector } from './collections/collection.ts';
import type { Selected } from './collections/collection-index.ts';
import { type Explained, explainMatch, type LostBy, lostBy, unmatchedSelectors } from './collections/explain.ts';
import { findHostUrls, type InForce, type KnownCollections } from './collections/known.ts';
import type { Content } from './content.ts';
import { toAddress } from './placement.ts';
import { findContent } from './store.ts';
import { UndecidedUrl } from './undecided.ts';

/** Collections that are shown behind the most specific one. */
const RUNNERS_UP_MAX = 5;

export interface UrlMatch {
  /** null: none is registered there. `many`: several are, and none is chosen. */
  item: Content | 'many' | null;
  inForce: InForce;
  /** The most specific collection: of the item if there is one, else of the URL. */
  best: Explained | null;
  runnersUp: (Explained & { lostBy: LostBy })[];
  /** URLs that servers may read it as; the rest of the match is about the first. Empty: it has one reading. */
  readings: readonly UrlReading[];
}

/** A reading of the URL with what decides about it; `nothing` may. */
export interface UrlReading {
  locator: Locator;
  outcome: 'item' | 'collection' | 'nothing';
  /** The id of the item or the collection. */
  id: string | null;
}

export interface MatchDeps {
  db: Db;
  collections: KnownCollections;
}

/** Decides as a check does. Throws invalid_request for a URL that servers may read differently. */
export const matchUrl = async ({ db, collections }: MatchDeps, locator: Locator): Promise<UrlMatch> =>
  // The collections before the item, which may be placed by an edit in between.
  matchIn(db, await collections.read(), locator).then(({ match }) => match);

/** Does the same as if a collection were stored, and says which of its selectors do not match. */
export async function matchWith(
  { db, collections }: MatchDeps,
  locator: Locator,
  tried: Collection,
): Promise<UrlMatch & { unmatched: Selector[] }> {
  const { index, ...rest } = await collections.read();
  const { match, selected } = await matchIn(db, { ...rest, index: index.including(tried) }, locator);
  return { ...match, unmatched: unmatchedSelectors(tried, selected) };
}

async function matchIn(db: Db, inForce: InForce, locator: Locator): Promise<{ match: UrlMatch; selected: Selected }> {
  const at = await readAddress(db, { locator }, inForce);
  if (at === 'unreadable_url') throw new UndecidedUrl(locator, at);
  if (at === 'ambiguous_content') {
    return {
      match: { item: 'many', inForce, best: null, runnersUp: [], readings: [] },
      selected: { locator, item: null },
    };
  }
  if (at === 'ambiguous_readings') throw new UndecidedUrl(locator, at);
  const { item, address } = await addressAt(db, inForce, locator, at);
  const selected = { ...address, item };
  const found: Explained[] = [];
  const except = new Set<string>();
  for (let i = 0; i <= RUNNERS_UP_MAX; i++) {
    const collection = inForce.index.find(selected, except);
    if (collection === undefined) break;
    except.add(collection.id);
    found.push(explainMatch(collection, selected));
  }
  const [best, ...others] = found;
  const runnersUp = best === undefined ? [] : others.map((other) => ({ ...other, lostBy: lostBy(best, other) }));
  const match = { item, inForce, best: best ?? null, runnersUp, readings: toReadings(at) };
  return { match, selected };
}

/** An item is placed by its own address: it may be registered without the query of the URL, or by its path alone. */
async function addressAt(
  db: Db,
  inForce: InForce,
  locator: Locator,
  at: AtUrl,
): Promise<{ item: Content | null; address: Pick<Selected, 'locator' | 'urls'> }> {
  const [first] = foundAt(at);
  const item = first !== undefined && 'id' in first ? ((await findContent(db, first.id)) ?? null) : null;
  if (item !== null) return { item, address: toAddress(item.source, inForce) };
  const read = first === undefined ? locator : 'id' in first ? first.locator : first.page.locator;
  return { item, address: { locator: read, urls: findHostUrls(inForce, read.host) } };
}

function toReadings(at: AtUrl): UrlReading[] {
  if (typeof at === 'string' || !('found' in at)) return [];
  const found = at.found.map(
    (one): UrlReading =>
      'id' in one
        ? { locator: one.locator, outcome: 'item', id: one.id }
        : { locator: one.page.locator, outcome: 'collection', id: one.page.collectionId },
  );
  return [...found, ...at.missing.map((locator): UrlReading => ({ locator, outcome: 'nothing', id: null }))];
}
