/**
 * The policy of an item: its own if one was given to it, else that of its most specific collection, else the policy
 * that was the default when it was registered.
 */

import { parseLocator } from '../lib/urls/locator.ts';
import type { UrlRules } from '../lib/urls/spellings.ts';
import type { Place } from '../rules/facts.ts';
import type { Collection } from './collections/collection.ts';
import type { Selected } from './collections/collection-index.ts';
import { findHostUrls, type InForce, type Placing } from './collections/known.ts';
import type { Content } from './content.ts';

export const POLICY_SOURCES = ['content', 'collection', 'default'] as const;

export interface Placement {
  policyId: string;
  policySource: (typeof POLICY_SOURCES)[number];
  /** The most specific collection, also of an item with a policy of its own. */
  collectionId: string | null;
}

/** The fields that place an item. */
export type Placeable = Pick<Content, 'source' | 'type' | 'policyId' | 'ownsPolicy'> & {
  readonly tags: readonly string[];
};

export function toPlacement(item: Placeable, inForce: Placing): Placement {
  const { policySource, policyId, collection } = place(item, inForce);
  return { policyId, policySource, collectionId: collection?.id ?? null };
}

/** Returns what checks of the item need to know of its placement. */
export function toPlace(item: Placeable, inForce: Placing): Place {
  const { policyId, collection, urls } = place(item, inForce);
  const there = { policyId, collectionId: collection?.id ?? null, observed: collection?.mode === 'observe' };
  return urls === undefined ? there : { ...there, urls };
}

/**
 * Returns the place of an item, and those that other collections give to it whose patterns differ by the case of
 * letters alone.
 */
export function placesOf(item: Placeable, inForce: Placing): [Place, ...Place[]] {
  const first = toPlace(item, inForce);
  if (item.ownsPolicy === 1) return [first];
  const others = inForce.index.findOtherCase({ ...toAddress(item.source, inForce), item });
  return [
    first,
    ...others.map(({ collection }) => ({
      ...first,
      policyId: collection.policyId ?? inForce.defaultPolicyId,
      collectionId: collection.id,
      observed: collection.mode === 'observe',
    })),
  ];
}

/** Items of which lists of columns were read, those that `placedBy` names; `tags` are JSON. */
interface ManyPlaceable {
  source: readonly string[];
  type?: readonly string[];
  tags?: readonly string[];
}

const NO_TAGS: readonly string[] = [];

/** Returns the columns that place an item: what no collection asks for is not read. */
export function placedBy({ index }: Pick<InForce, 'index'>): ('source' | 'type' | 'tags')[] {
  const collections = index.all();
  return [
    'source',
    ...(collections.some(({ contentTypes }) => contentTypes.length > 0) ? (['type'] as const) : []),
    ...(collections.some(({ contentTags }) => contentTags.length > 0) ? (['tags'] as const) : []),
  ];
}

/** Returns a function that finds the collection of one of many items. */
export function collectionFinder(inForce: Placing): (items: ManyPlaceable, i: number) => string | null {
  const { index } = inForce;
  if (index.size === 0) return () => null;
  return ({ source, type, tags }, i) => {
    const item = {
      type: type?.[i] ?? '',
      tags: tags === undefined ? NO_TAGS : (JSON.parse(tags[i] as string) as string[]),
    };
    return index.find({ ...toAddress(source[i] as string, inForce), item })?.id ?? null;
  };
}

/** Returns the address of an item, with the rules of its host. */
export function toAddress(source: string, inForce: Pick<InForce, 'urls'>): Pick<Selected, 'locator' | 'urls'> {
  const locator = parseLocator(source);
  return { locator, urls: locator && findHostUrls(inForce, locator.host) };
}

function place(
  item: Placeable,
  inForce: Placing,
): Pick<Placement, 'policyId' | 'policySource'> & { collection: Collection | undefined; urls?: UrlRules | undefined } {
  const { index, defaultPolicyId, urls: rules } = inForce;
  const isPlaced = index.size > 0 || (rules !== undefined && rules.size > 0);
  const { locator, urls } = isPlaced ? toAddress(item.source, inForce) : NOWHERE;
  const collection = index.size === 0 ? undefined : index.find({ locator, urls, item });
  if (item.ownsPolicy === 1) return { policyId: item.policyId, policySource: 'content', collection, urls };
  if (collection === undefined) return { policyId: item.policyId, policySource: 'default', collection, urls };
  return { policyId: collection.policyId ?? defaultPolicyId, policySource: 'collection', collection, urls };
}

const NOWHERE = { locator: undefined, urls: undefined };
