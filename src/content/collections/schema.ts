/** Collections on the wire. */
import { type Static, Type } from 'typebox';
import { deletedSchema, listSchema, pageProperties } from '../../api/http/list.ts';
import { toIso } from '../../lib/clock.ts';
import { partial, pick } from '../../lib/fields.ts';
import { type Collection, FIELDS } from './collection.ts';
import { WARNING_CODES } from './ties.ts';

const { name, ...optionalFields } = FIELDS;

export const CreateCollection = Type.Object(
  { name, ...partial(optionalFields) },
  { additionalProperties: false, title: 'CreateCollection', description: 'With at least one selector' },
);
export type CreateCollection = Static<typeof CreateCollection>;

export const UpdateCollection = Type.Object(partial({ ...FIELDS, metadataReplace: Type.Boolean() }), {
  additionalProperties: false,
  minProperties: 1,
  title: 'UpdateCollection',
});
export type UpdateCollection = Static<typeof UpdateCollection>;

const { description: _description, metadata: _metadata, ...decisive } = FIELDS;
/** The fields that say what a collection decides. */
export const TriedCollection = Type.Object(
  {
    id: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 64,
        description: 'The collection that it replaces; without one, it is new',
      }),
    ),
    ...partial(decisive),
  },
  {
    additionalProperties: false,
    title: 'TriedCollection',
    description: 'A collection as it might be stored. Fields that are not given are those of the stored one',
  },
);
export type TriedCollection = Static<typeof TriedCollection>;

export const ListCollectionsQuery = Type.Object(
  {
    ...pageProperties,
    q: Type.Optional(Type.String({ minLength: 1, maxLength: 200, description: 'Words of the name' })),
    policyId: Type.Optional(
      Type.String({ minLength: 1, maxLength: 64, description: 'The policy that is in force for the collection' }),
    ),
  },
  { additionalProperties: false },
);

export const ReadCollectionQuery = Type.Object(
  { expand: Type.Optional(Type.Enum(['warnings'])) },
  { additionalProperties: false },
);

const warnings = Type.Array(
  Type.Object(
    { code: Type.Enum([...WARNING_CODES]), message: Type.String(), param: Type.String() },
    { title: 'CollectionWarning' },
  ),
  { description: 'Other collections with which this one can tie' },
);

export const CollectionAnswer = Type.Object(
  {
    id: Type.String(),
    object: Type.Literal('collection'),
    ...FIELDS,
    version: Type.Integer(),
    created: Type.String(),
    updated: Type.String(),
    warnings: Type.Optional(warnings),
  },
  { title: 'Collection', description: 'A collection' },
);
export const CollectionWithWarnings = Type.Object(
  {
    ...CollectionAnswer.properties,
    warnings,
  },
  { title: 'CollectionWithWarnings', description: 'A collection, and warnings about its selectors' },
);
const { warnings: _, ...properties } = CollectionAnswer.properties;
export const CollectionVersionPage = listSchema(
  Type.Object(
    { ...properties, object: Type.Literal('collection_version') },
    { title: 'CollectionVersion', description: 'A collection as it was in one version' },
  ),
);
export const CollectionPage = listSchema(CollectionAnswer);
export const CollectionDeleted = deletedSchema('collection');

export const collectionAnswer = (collection: Collection) => ({
  id: collection.id,
  object: 'collection' as const,
  ...pick(collection, FIELDS),
  version: collection.version,
  created: toIso(collection.createdAt),
  updated: toIso(collection.updatedAt),
});

export const versionAnswer = (version: Collection) => ({
  ...collectionAnswer(version),
  object: 'collection_version' as const,
});

/** The ETag of a collection is its version. */
export const collectionEtag = ({ version }: Pick<Collection, 'version'>): string => `"${version}"`;
