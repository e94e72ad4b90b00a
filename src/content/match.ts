/** Finds what decides about a URL: the item that is registered there, else the most specific collection. */
import { type Explained, explainMatch, type LostBy, lostBy } from '../collections/explain.ts';
import type { InForce, KnownCollections } from '../collections/known.ts';
import type { Db } from '../db/db.ts';
import { type Locator, parseLocator } from '../lib/locator.ts';
import type { Content } from './content.ts';
import { findItemId } from './served.ts';
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

export async function matchUrl(
  { db, collections }: { db: Db; collections: KnownCollections },
  locator: Locator,
): Promise<UrlMatch> {
  // The collections before the item, which may be placed by an edit in between.
  const inForce = await collections.read();
  const item = await findItemAt(db, locator);
  if (item === 'many') return { item, inForce, best: null, runnersUp: [] };
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

async function findItemAt(db: Db, locator: Locator): Promise<Content | 'many' | null> {
  const id = await findItemId(db, locator);
  if (id === null) return 'many';
  return id === undefined ? null : ((await findContent(db, id)) ?? null);
}
