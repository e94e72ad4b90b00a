/** Finds what decides about a URL: the item that is registered there, else the most specific collection. */
import { type Explained, explainMatch, type LostBy, lostBy } from '../collections/explain.ts';
import type { InForce, KnownCollections } from '../collections/known.ts';
import type { Db } from '../db/db.ts';
import { type Locator, parseLocator } from '../lib/locator.ts';
import { readAddress, UndecidedUrl } from './address.ts';
import type { Content } from './content.ts';
import { findContent } from './store.ts';

/** Collections that are shown behind the most specific one. */
const RUNNERS_UP_MAX = 5;

export interface UrlMatch {
  /** null: none is registered there. `many`: several are, and none is chosen. */
  item: Content | 'many' | null;
  inForce: InForce;
  /** The most specific collection: of the item if there is one, else of the URL. */
  best: Explained | null;
  runnersUp: (Explained & { lostBy: LostBy })[];
}

/** Decides as a check does. Throws invalid_request for a URL that servers may read differently. */
export async function matchUrl(
  { db, collections }: { db: Db; collections: KnownCollections },
  locator: Locator,
): Promise<UrlMatch> {
  // The collections before the item, which may be placed by an edit in between.
  const inForce = await collections.read();
  const at = await readAddress(db, locator, inForce);
  if (at === 'unreadable_url') throw new UndecidedUrl(locator, at);
  if (at === 'ambiguous_content') return { item: 'many', inForce, best: null, runnersUp: [] };
  const item = typeof at === 'object' && 'id' in at ? ((await findContent(db, at.id)) ?? null) : null;
  // An item is placed by its own address: it may be registered without the query of the URL, or by its path alone.
  const selected = { locator: item === null ? locator : parseLocator(item.source), item };
  const found: Explained[] = [];
  const except = new Set<string>();
  for (let i = 0; i <= RUNNERS_UP_MAX; i++) {
    const collection = inForce.index.find(selected, except);
    if (collection === undefined) break;
    except.add(collection.id);
    found.push(explainMatch(collection, selected));
  }
  const [best, ...others] = found;
  if (best === undefined) return { item, inForce, best: null, runnersUp: [] };
  return { item, inForce, best, runnersUp: others.map((other) => ({ ...other, lostBy: lostBy(best, other) })) };
}
