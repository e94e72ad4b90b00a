/** Content on the wire. */
import { type Static, Type } from 'typebox';
import { fail } from '../errors.ts';
import { pageOf, pageProperties } from '../http/list.ts';
import { metadata } from '../http/metadata.ts';
import { toIso } from '../lib/clock.ts';
import { CONTENT_TYPES, type Content, isContentId, STATUSES } from './content.ts';

const externalId = Type.String({ minLength: 1, maxLength: 255, format: 'plain-text' });
const title = Type.String({ minLength: 1, maxLength: 500 });
const type = Type.Enum([...CONTENT_TYPES]);
const source = Type.String({ maxLength: 2048, format: 'http-url' });
const policyId = Type.String({ minLength: 1, maxLength: 64 });
const tag = Type.String({ minLength: 1, maxLength: 64 });
const tags = Type.Array(tag, { maxItems: 50 });
const status = Type.Enum([...STATUSES]);

export const CreateContent = Type.Object(
  {
    externalId,
    title,
    type,
    source,
    policyId: Type.Optional(Type.Union([policyId, Type.Null()])),
    metadata: Type.Optional(metadata),
    tags: Type.Optional(tags),
  },
  { additionalProperties: false },
);
export type CreateContent = Static<typeof CreateContent>;

export const UpdateContent = Type.Object(
  {
    title: Type.Optional(title),
    source: Type.Optional(source),
    policyId: Type.Optional(Type.Union([policyId, Type.Null()])),
    metadata: Type.Optional(metadata),
    metadataReplace: Type.Optional(Type.Boolean()),
    tags: Type.Optional(tags),
    status: Type.Optional(status),
  },
  { additionalProperties: false, minProperties: 1, fixed: ['type', 'externalId'] },
);
export type UpdateContent = Static<typeof UpdateContent>;

export const BulkUpsertContent = Type.Object(
  { items: Type.Array(Type.Unknown(), { minItems: 1, maxItems: 1000 }) },
  { additionalProperties: false, itemsApart: 'items' },
);
export const BulkDeleteContent = Type.Object(
  { ids: Type.Array(Type.Unknown(), { minItems: 1, maxItems: 1000 }) },
  { additionalProperties: false, itemsApart: 'ids' },
);

const expand = Type.Optional(Type.Enum(['policy']));
export const ExpandQuery = Type.Object({ expand }, { additionalProperties: false });

export const ListContentQuery = Type.Object(
  {
    ...pageProperties,
    type: Type.Optional(type),
    status: Type.Optional(status),
    policyId: Type.Optional(policyId),
    tag: Type.Optional(tag),
    externalId: Type.Optional(externalId),
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
    externalId: Type.String(),
    title: Type.String(),
    type,
    source: Type.String(),
    policyId: Type.String(),
    metadata,
    tags: Type.Array(Type.String()),
    status,
    created: Type.String(),
    updated: Type.String(),
    stats: Type.Optional(
      Type.Object({
        totalRequests: Type.Integer(),
        allowedRequests: Type.Integer(),
        deniedRequests: Type.Integer(),
      }),
    ),
    policy: Type.Optional(Type.Object({ id: Type.String(), name: Type.String(), rules: Type.Array(Type.Unknown()) })),
  },
  { description: 'An item of content' },
);
export const ContentPage = pageOf(ContentAnswer);
export const ContentDeleted = Type.Object({
  id: Type.String(),
  object: Type.Literal('content'),
  deleted: Type.Literal(true),
});
const bulkError = { code: Type.String(), message: Type.String() };
export const BulkUpsertAnswer = Type.Object({
  object: Type.Literal('bulk_upsert'),
  created: Type.Integer(),
  updated: Type.Integer(),
  failed: Type.Integer(),
  errors: Type.Array(
    Type.Object({
      index: Type.Integer(),
      externalId: Type.Union([Type.String(), Type.Null()]),
      ...bulkError,
      param: Type.Union([Type.String(), Type.Null()]),
    }),
  ),
});
export const BulkDeleteAnswer = Type.Object({
  object: Type.Literal('bulk_deletion'),
  deleted: Type.Integer(),
  failed: Type.Integer(),
  errors: Type.Array(Type.Object({ id: Type.Union([Type.String(), Type.Null()]), ...bulkError })),
});

export const contentAnswer = (content: Content) => ({
  id: content.id,
  object: 'content',
  externalId: content.externalId,
  title: content.title,
  type: content.type,
  source: content.source,
  policyId: content.policyId,
  metadata: content.metadata,
  tags: content.tags,
  status: content.status,
  created: toIso(content.createdAt),
  updated: toIso(content.updatedAt),
});

/** What a schema cannot say. Throws invalid_request. */
export function requireExternalId(ref: string): void {
  if (!isContentId(ref)) return;
  throw fail('invalid_request', '`externalId` must not have the form of a content id (cnt_ and 26 characters).', {
    param: 'externalId',
  });
}
