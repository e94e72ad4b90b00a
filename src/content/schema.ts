/** Content on the wire. */
import { createHash } from 'node:crypto';
import { type Static, Type } from 'typebox';
import { ErrorCodeName } from '../api/http/error-schema.ts';
import { deletedSchema, listSchema, pageProperties } from '../api/http/list.ts';
import { toIso } from '../lib/clock.ts';
import { partial, pick } from '../lib/fields.ts';
import { orNull, textOrNull } from '../lib/nullable.ts';
import type { InForce } from './collections/known.ts';
import { CONTENT_PREFIX, type Content, externalIdText, FIELDS, OPTIONAL_FIELDS, tag } from './content.ts';
import { POLICY_SOURCES, toPlacement } from './placement.ts';

const { externalId, title, type, source, policyId, status } = FIELDS;
const optionalFields = partial({ policyId: orNull(policyId), ...OPTIONAL_FIELDS });

export const CreateContent = Type.Object(
  { externalId, title, type, source, ...optionalFields },
  { additionalProperties: false, title: 'CreateContent' },
);
export type CreateContent = Static<typeof CreateContent>;

export const UpdateContent = Type.Object(
  { ...partial({ title, source, status, metadataReplace: Type.Boolean() }), ...optionalFields },
  { additionalProperties: false, minProperties: 1, fixed: ['type', 'externalId'], title: 'UpdateContent' },
);
export type UpdateContent = Static<typeof UpdateContent>;

export const BulkUpsertContent = Type.Object(
  { items: Type.Array(Type.Unknown({ entry: CreateContent }), { minItems: 1, maxItems: 1000 }) },
  { additionalProperties: false, itemsApart: 'items', title: 'BulkUpsert' },
);
export const BulkDeleteContent = Type.Object(
  {
    ids: Type.Array(Type.Unknown({ entry: Type.String({ description: 'Id or externalId' }) }), {
      minItems: 1,
      maxItems: 1000,
    }),
  },
  { additionalProperties: false, itemsApart: 'ids', title: 'BulkDelete' },
);

const expand = Type.Optional(
  Type.Enum(['policy'], { description: 'Adds the policy with its rules. Needs `policies:read`, too' }),
);
export const ExpandQuery = Type.Object({ expand }, { additionalProperties: false });

export const ListContentQuery = Type.Object(
  {
    ...pageProperties,
    type: Type.Optional(type),
    status: Type.Optional(status),
    policyId: Type.Optional(policyId),
    collectionId: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
    tag: Type.Optional(tag),
    externalId: Type.Optional(externalIdText),
    q: Type.Optional(Type.String({ minLength: 1, maxLength: 200, description: 'Words of the title' })),
    createdAfter: Type.Optional(Type.String({ format: 'date-time' })),
    createdBefore: Type.Optional(Type.String({ format: 'date-time' })),
    expand,
  },
  { additionalProperties: false },
);
export type ListContentQuery = Static<typeof ListContentQuery>;

export const ContentAnswer = Type.Object(
  {
    id: Type.String(),
    object: Type.Literal('content'),
    ...FIELDS,
    policySource: Type.Enum([...POLICY_SOURCES], {
      description: 'Why this is the policy: given to the item, of its collection, or the default',
    }),
    collectionId: textOrNull('Its most specific collection'),
    created: Type.String(),
    updated: Type.String(),
    stats: Type.Optional(
      Type.Object({
        totalRequests: Type.Integer(),
        allowedRequests: Type.Integer(),
        deniedRequests: Type.Integer(),
      }),
    ),
    warnings: Type.Optional(
      Type.Array(
        Type.Object({ code: Type.Literal('ambiguous_content'), message: Type.String(), param: Type.String() }),
        { description: 'Other items at the same file; absent without any' },
      ),
    ),
    policy: Type.Optional(Type.Object({ id: Type.String(), name: Type.String(), rules: Type.Array(Type.Unknown()) })),
  },
  { title: 'Content', description: 'An item of content' },
);
export const ContentPage = listSchema(ContentAnswer);
export const ContentDeleted = deletedSchema('content');
const bulkError = { code: ErrorCodeName, message: Type.String() };
export const BulkUpsertAnswer = Type.Object(
  {
    object: Type.Literal('bulk_upsert'),
    created: Type.Integer(),
    updated: Type.Integer(),
    unchanged: Type.Integer({ description: 'Items that were already stored as sent; nothing was written' }),
    failed: Type.Integer(),
    errors: Type.Array(
      Type.Object({
        index: Type.Integer(),
        externalId: textOrNull(),
        ...bulkError,
        param: textOrNull(),
      }),
    ),
  },
  { title: 'BulkUpsertResult' },
);
export const BulkDeleteAnswer = Type.Object(
  {
    object: Type.Literal('bulk_deletion'),
    deleted: Type.Integer(),
    failed: Type.Integer(),
    errors: Type.Array(Type.Object({ id: textOrNull(), ...bulkError })),
  },
  { title: 'BulkDeleteResult' },
);

export const contentAnswer = (content: Content, inForce: InForce) => ({
  id: content.id,
  object: 'content' as const,
  ...pick(content, FIELDS),
  ...toPlacement(content, inForce),
  created: toIso(content.createdAt),
  updated: toIso(content.updatedAt),
});

/**
 * Returns `"<id>-<revision>"`: an item that is deleted and registered again has another ETag. For an item in a
 * collection, a digest of what the collection gives to it is added.
 */
export function contentEtag(content: Content, inForce: InForce): string {
  const revision = `${content.id.slice(CONTENT_PREFIX.length)}-${content.revision}`;
  const placement = toPlacement(content, inForce);
  if (placement.collectionId === null) return `"${revision}"`;
  const place = createHash('sha256').update(`${placement.collectionId} ${placement.policyId}`).digest('base64url');
  return `"${revision}-${place.slice(0, 12)}"`;
}
