/** Items in memory, with the place that the collections in force give to them. */

import { type AtUrl, toPage } from '../../content/address.ts';
import type { InForce } from '../../content/collections/known.ts';
import { type Content, toContentFacts } from '../../content/content.ts';
import { type Placeable, toPlace } from '../../content/placement.ts';
import { ENTRY_BYTES, estimateBytes } from '../../lib/bytes.ts';
import type { Locator } from '../../lib/urls/locator.ts';
import type { CompiledPolicy } from '../../rules/compile.ts';
import type { ContentFacts, Place } from '../../rules/facts.ts';
import type { Subject } from './subject.ts';

/** An item in memory: there may be millions, so it has nothing twice. */
export interface KnownItem {
  /** With the place that `inForce` gives to the item. */
  facts: ContentFacts;
  inForce: InForce;
  /** The rest that places the item: its address, and its own or first policy. */
  readonly source: string;
  readonly policyId: string;
}

/** Returns the item's facts with what is in force now; places it again if that has changed. */
export function factsIn(known: KnownItem, inForce: InForce): ContentFacts {
  if (known.inForce !== inForce) {
    const { facts } = known;
    const place = toPlace(toPlaceable(known), inForce);
    if (!isSamePlace(place, facts)) known.facts = { ...facts, urls: undefined, ...place };
    known.inForce = inForce;
  }
  return known.facts;
}

export const toPlaceable = ({ facts: { type, tags, ownsPolicy }, source, policyId }: KnownItem): Placeable => ({
  source,
  type: type as Placeable['type'],
  tags,
  policyId,
  ownsPolicy: ownsPolicy ? 1 : 0,
});

const isSamePlace = (one: Place, other: Place): boolean =>
  one.policyId === other.policyId &&
  one.collectionId === other.collectionId &&
  one.observed === other.observed &&
  one.urls === other.urls;

/** The two objects of an item, and its id as the key of a map. */
const ITEM_BYTES = 64 + 112 + 48 + ENTRY_BYTES;
/** The head of a string and what fills up its last word. */
const STRING_BYTES = 20;

/** Tags count for each item, though many share a list; ids of policies and types are always shared. */
export const weightOfItem = ({ facts: { externalId, tags, metadata }, source }: KnownItem): number =>
  ITEM_BYTES + 2 * STRING_BYTES + externalId.length + source.length + estimateBytes(tags) + estimateBytes(metadata);

/** An item with its policy. */
export interface PlacedItem extends Omit<Subject, 'requester'> {
  content: ContentFacts;
}

export function withPage(
  { content, policy }: PlacedItem,
  { locator, asked }: { locator: Locator; asked?: Locator | undefined },
): PlacedItem {
  const page = toPage(locator, content);
  return { content, page: asked === undefined ? page : { ...page, asked }, policy };
}

/** Reports an item that was read when no rule needed its metadata or its address, though one does now. */
export const lacksField = (content: ContentFacts, policy: CompiledPolicy): boolean =>
  (policy.asksMetadata && content.metadata === null) || (policy.asksSource && content.source === null);

/** Returns the facts of an item without what no rule of its policy reads. */
export const leanFacts = (content: Content, place: Place, policy: CompiledPolicy | undefined): ContentFacts => ({
  ...toContentFacts(content, place),
  source: policy?.asksSource === true ? content.source : null,
  // Up to 16 KiB an item: kept only for rules that need it.
  metadata: policy?.asksMetadata === true ? content.metadata : null,
});

/** Records that were read for all checks of a request together. */
export interface ReadTogether {
  at: AtUrl | undefined;
  known: ReadonlyMap<string, PlacedItem | undefined>;
  contents: ReadonlyMap<string, ContentFacts>;
}
