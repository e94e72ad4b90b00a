/** On the wire: what decides about a URL. */
import { type Static, Type } from 'typebox';
import { orNull } from '../lib/nullable.ts';
import { FIELDS, SELECTOR_NAMES, type Selector } from './collections/collection.ts';
import { type Explained, LOST_BY } from './collections/explain.ts';
import { TriedCollection } from './collections/schema.ts';
import type { UrlMatch, UrlReading } from './match.ts';
import { POLICY_SOURCES, toPlacement } from './placement.ts';
import { ContentAnswer, contentAnswer } from './schema.ts';

const asked = { url: Type.String({ minLength: 1, maxLength: 2048, description: 'An absolute http or https URL' }) };
export const MatchQuery = Type.Object(asked, { additionalProperties: false });
export const TryCollection = Type.Object(
  { ...asked, collection: TriedCollection },
  { additionalProperties: false, title: 'TryCollection' },
);

const text = orNull(Type.String());
const matched = {
  id: Type.String(),
  name: Type.String(),
  policyId: orNull(Type.String({ description: 'As the collection has it; null: the default policy' })),
  mode: FIELDS.mode,
  path: orNull(Type.String({ description: 'Its longest path pattern that matches' })),
  host: orNull(Type.String({ description: 'Its host or host pattern that matches' })),
  contentType: text,
  contentTag: text,
};
const MatchedCollection = Type.Object(matched, {
  title: 'MatchedCollection',
  description: 'A collection, and the selectors by which it matches; null where it gives none',
});
const RunnerUp = Type.Object(
  {
    ...matched,
    lostBy: Type.Enum([...LOST_BY], {
      description: 'Why the other one is more specific: a longer path, a better host, more selectors, or its age',
    }),
  },
  { title: 'RunnerUpCollection', description: 'A collection that also matches and is less specific' },
);

export const MATCH_OUTCOMES = ['item', 'collection', 'nothing', 'several_items'] as const;
const ReadingAnswer = Type.Object(
  {
    url: Type.String({ description: 'Host, path and query' }),
    outcome: Type.Enum(['item', 'collection', 'nothing']),
    id: orNull(Type.String({ description: 'The id of the item or the collection' })),
  },
  { title: 'UrlReading', description: 'One way to read a URL, and what decides there' },
);
export const CollectionMatch = Type.Object(
  {
    object: Type.Literal('collection_match'),
    url: Type.String(),
    outcome: Type.Enum([...MATCH_OUTCOMES], {
      description: 'What decides: an item, a collection, nothing, or several items of which none is chosen',
    }),
    item: orNull(ContentAnswer),
    collection: orNull(MatchedCollection),
    policyId: orNull(Type.String({ description: 'The policy that is in force' })),
    policySource: orNull(Type.Enum([...POLICY_SOURCES])),
    runnersUp: Type.Array(RunnerUp, { description: 'At most 5, the most specific first' }),
    readings: Type.Optional(
      Type.Array(ReadingAnswer, {
        description:
          'What servers may read the URL as; the rest is about the first one. A check is allowed only if all are. Absent where there is one',
      }),
    ),
  },
  { title: 'CollectionMatch', description: 'What decides about a URL' },
);
type CollectionMatch = Static<typeof CollectionMatch>;

export const TriedMatch = Type.Object(
  {
    ...CollectionMatch.properties,
    tried: Type.Object(
      {
        id: Type.String({ description: 'The id of the tried collection in this answer' }),
        unmatched: Type.Array(Type.Enum([...SELECTOR_NAMES]), {
          description: 'Its selectors of which no value matches; with none, it is the deciding one or a runner-up',
        }),
      },
      { title: 'TriedCollectionMatch' },
    ),
  },
  { title: 'TriedMatch', description: 'What would decide about a URL if the collection were stored' },
);

export const triedAnswer = (
  url: string,
  tried: { id: string },
  match: UrlMatch & { unmatched: Selector[] },
): Static<typeof TriedMatch> => ({ ...matchAnswer(url, match), tried: { id: tried.id, unmatched: match.unmatched } });

const toMatched = ({ collection: { id, name, policyId, mode }, by }: Explained) => ({
  id,
  name,
  policyId,
  mode,
  ...by,
});

export function matchAnswer(url: string, { item, inForce, best, runnersUp, readings }: UrlMatch): CollectionMatch {
  const collection = best === null ? null : toMatched(best);
  const decider = toDecider({ item, inForce, best });
  return {
    object: 'collection_match',
    url,
    outcome: decider.outcome,
    item: item === null || item === 'many' ? null : contentAnswer(item, inForce),
    collection,
    policyId: decider.policyId,
    policySource: decider.policySource,
    runnersUp: runnersUp.map((other) => ({ ...toMatched(other), lostBy: other.lostBy })),
    ...(readings.length === 0 ? {} : { readings: readings.map(toReadingAnswer) }),
  };
}

const toReadingAnswer = ({ locator: { host, path, query }, outcome, id }: UrlReading) => ({
  url: host + path + (query === '' ? '' : `?${query}`),
  outcome,
  id,
});

function toDecider({
  item,
  inForce,
  best,
}: Omit<UrlMatch, 'runnersUp' | 'readings'>): Pick<CollectionMatch, 'outcome' | 'policyId' | 'policySource'> {
  if (item === 'many') return { outcome: 'several_items', policyId: null, policySource: null };
  if (item !== null) {
    const { policyId, policySource } = toPlacement(item, inForce);
    return { outcome: 'item', policyId, policySource };
  }
  if (best === null) return { outcome: 'nothing', policyId: null, policySource: null };
  const policyId = best.collection.policyId ?? inForce.defaultPolicyId;
  return { outcome: 'collection', policyId, policySource: 'collection' };
}
