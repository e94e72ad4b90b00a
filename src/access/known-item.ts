/** Items in memory, with the place that the collections in force give to them. */
import type { InForce } from '../collections/known.ts';
import { type Placeable, placeOf } from '../content/placement.ts';
import { bytesOf, ENTRY_BYTES } from '../lib/bytes.ts';
import type { ContentFacts, Place } from '../policies/facts.ts';

/** An item in memory. */
export interface KnownItem {
  /** With the place that `inForce` gives to the item. */
  facts: ContentFacts;
  inForce: InForce;
  placeable: Placeable;
}

export const toPlaceable = ({ source, type, policyId, ownsPolicy }: Placeable, tags: readonly string[]): Placeable => ({
  source,
  type,
  tags,
  policyId,
  ownsPolicy,
});

/** Returns the item's facts with what is in force now; places it again if that has changed. */
export function factsIn(known: KnownItem, inForce: InForce): ContentFacts {
  if (known.inForce !== inForce) {
    const { facts } = known;
    const place = placeOf(known.placeable, inForce);
    if (!isSamePlace(place, facts)) known.facts = { ...facts, ...place };
    known.inForce = inForce;
  }
  return known.facts;
}

const isSamePlace = (one: Place, other: Place): boolean =>
  one.policyId === other.policyId && one.collectionId === other.collectionId && one.observed === other.observed;

/** `inForce` is one for all items. */
export const weightOfItem = ({ facts, placeable }: KnownItem): number =>
  ENTRY_BYTES + bytesOf(facts) + bytesOf(placeable);
