/**
 * The policy of an item: its own if one was given to it, else that of its most specific collection, else the policy
 * that was the default when it was registered.
 */
import type { Collection } from '../collections/collection.ts';
import type { InForce } from '../collections/known.ts';
import { parseLocator } from '../lib/locator.ts';
import type { Place } from '../policies/facts.ts';
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

export function placementOf(item: Placeable, inForce: Pick<InForce, 'index' | 'defaultPolicyId'>): Placement {
  const { policySource, policyId, collection } = place(item, inForce);
  return { policyId, policySource, collectionId: collection?.id ?? null };
}

/** Returns what checks of the item need to know of its placement. */
export function placeOf(item: Placeable, inForce: Pick<InForce, 'index' | 'defaultPolicyId'>): Place {
  const { policyId, collection } = place(item, inForce);
  return { policyId, collectionId: collection?.id ?? null, observed: collection?.mode === 'observe' };
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
export function collectionOf({ index }: Pick<InForce, 'index'>): (items: ManyPlaceable, i: number) => string | null {
  if (index.size === 0) return () => null;
  return ({ source, type, tags }, i) => {
    const item = {
      type: type?.[i] ?? '',
      tags: tags === undefined ? NO_TAGS : (JSON.parse(tags[i] as string) as string[]),
    };
    return index.find({ locator: parseLocator(source[i] as string), item })?.id ?? null;
  };
}

function place(
  item: Placeable,
  { index, defaultPolicyId }: Pick<InForce, 'index' | 'defaultPolicyId'>,
): Pick<Placement, 'policyId' | 'policySource'> & { collection: Collection | undefined } {
  const collection = index.size === 0 ? undefined : index.find({ locator: parseLocator(item.source), item });
  if (item.ownsPolicy === 1) return { policyId: item.policyId, policySource: 'content', collection };
  if (collection === undefined) return { policyId: item.policyId, policySource: 'default', collection };
  return { policyId: collection.policyId ?? defaultPolicyId, policySource: 'collection', collection };
}
