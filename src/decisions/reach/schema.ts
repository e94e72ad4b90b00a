/** Reach and readers on the wire. */
import { type Static, type TProperties, type TSchema, Type } from 'typebox';
import { listSchema, pageProperties } from '../../api/http/list.ts';
import { orNull, textOrNull } from '../../lib/nullable.ts';
import { ContentTypeName, PermissionName, Purpose } from '../../rules/conditions/names.ts';
import { TAKEN, type TakenAs } from '../../rules/reach.ts';
import { decisionProperties } from '../log/schema.ts';

const stated = { purpose: Type.Optional(Purpose), permission: Type.Optional(PermissionName) };

export const ReachQuery = Type.Object(
  {
    ...pageProperties,
    ...stated,
    collectionId: Type.Optional(
      Type.String({ minLength: 1, maxLength: 64, description: 'Only what is in this collection' }),
    ),
  },
  { additionalProperties: false },
);
export type ReachQuery = Static<typeof ReachQuery>;

export const ReadersQuery = Type.Object({ ...pageProperties, ...stated }, { additionalProperties: false });
export type ReadersQuery = Static<typeof ReadersQuery>;

const dependsOn = Type.Array(Type.String(), {
  description: 'Conditions on facts that were not given, with which this answer could be another one',
});

const { permissions, licenseId, matchedRule, enforced, policyId } = decisionProperties;
const granted = { permissions, licenseId, matchedRule, enforced, dependsOn };

const Reached = Type.Object(
  {
    object: Type.Literal('reach'),
    contentId: textOrNull('null: pages of the collection that are no items'),
    externalId: textOrNull('null without an item'),
    collectionId: textOrNull('The most specific collection'),
    title: Type.String({ description: 'The title of the item, or the name of the collection' }),
    type: orNull(ContentTypeName, 'null without an item'),
    source: textOrNull('null without an item'),
    policyId,
    ...granted,
  },
  { title: 'Reach', description: 'Something that the requester may have now' },
);

const Assumptions = Type.Array(
  Type.Object(
    {
      condition: Type.String({ description: 'A condition that rules have here' }),
      taken: Type.Enum(Object.keys(TAKEN) as TakenAs[], {
        description: Object.entries(TAKEN)
          .map(([taken, meaning]) => `\`${taken}\`: ${meaning}`)
          .join('; '),
      }),
    },
    { title: 'ReachAssumption' },
  ),
  { description: 'The facts that were not given and that rules ask for, and how they were taken' },
);

const toPage = <T extends TSchema, M extends TProperties>(record: T, more: M, title: string) =>
  Type.Object(
    {
      ...listSchema(record).properties,
      data: Type.Array(record, { description: 'May be fewer than `limit` while there are more' }),
      totalCount: Type.Null({ description: 'Not counted' }),
      ...more,
      assumptions: Assumptions,
    },
    { title },
  );

export const ReachPage = toPage(
  Reached,
  {
    requesterId: Type.String(),
    registered: Type.Boolean({ description: 'false: it was decided as a stranger with this id' }),
  },
  'ReachList',
);

const Reader = Type.Object(
  {
    object: Type.Literal('reader'),
    requesterId: Type.String(),
    name: textOrNull('null: not registered; a rule names its id'),
    ...granted,
  },
  { title: 'Reader', description: 'A requester that may have it now' },
);

const Anonymous = Type.Object(
  { allowed: Type.Boolean(), permissions, matchedRule, dependsOn },
  { title: 'AnonymousReader', description: 'A request that names no requester' },
);

export const ReadersPage = toPage(
  Reader,
  {
    contentId: textOrNull('null: the answer is about pages of the collection that are no items'),
    collectionId: textOrNull('The most specific collection'),
    policyId,
    anonymous: Anonymous,
  },
  'ReaderList',
);
