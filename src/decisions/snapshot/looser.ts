/** Items as the router of a caller finds them: placed by rules that are looser than those of their host. */

import { type FoundItem, toPage } from '../../content/address.ts';
import type { InForce } from '../../content/collections/known.ts';
import { loosened } from '../../content/collections/loosened.ts';
import { toContentFacts } from '../../content/content.ts';
import { placesOf } from '../../content/placement.ts';
import { findContent } from '../../content/store.ts';
import type { Db } from '../../db/db.ts';
import type { Looseness } from '../../lib/urls/spellings.ts';
import type { CompiledPolicy } from '../../rules/compile.ts';
import type { ContentFacts, VisitedPage } from '../../rules/facts.ts';
import { type KnownItem, lacksField, toPlaceable } from './known-item.ts';
import type { PlacedSubject } from './subject.ts';

/** An item that was found by looser rules. */
export type FoundLooser = FoundItem & { readonly urls: Looseness };

export const isLooser = (found: FoundItem): found is FoundLooser => found.urls !== undefined;

/** Returns the item in each of its places; what is not in memory is undefined. */
export function placedLooser(
  known: KnownItem | undefined,
  found: FoundLooser,
  inForce: InForce,
  policyOf: (id: string) => CompiledPolicy | undefined,
): (PlacedSubject | undefined)[] {
  if (known === undefined) return [undefined];
  return placesOf(toPlaceable(known), loosened(inForce, found.urls)).map((place) => {
    const policy = policyOf(place.policyId);
    const content = { ...known.facts, urls: undefined, ...place };
    if (policy === undefined || lacksField(content, policy)) return undefined;
    return { content, page: pageOf(found, content), policy };
  });
}

/** Reads the item; what is gone is undefined. */
export async function readLooser(
  db: Db,
  found: FoundLooser,
  inForce: InForce,
  policyOf: (id: string) => Promise<CompiledPolicy | undefined>,
): Promise<(PlacedSubject | undefined)[]> {
  const item = await findContent(db, found.id);
  if (item === undefined) return [undefined];
  const placed: (PlacedSubject | undefined)[] = [];
  for (const place of placesOf(item, loosened(inForce, found.urls))) {
    const policy = await policyOf(place.policyId);
    const content = toContentFacts(item, place);
    placed.push(policy && { content, page: pageOf(found, content), policy });
  }
  return placed;
}

function pageOf({ locator, asked }: FoundLooser, content: ContentFacts): VisitedPage {
  const page = toPage(locator, content);
  return asked === undefined ? page : { ...page, asked };
}
