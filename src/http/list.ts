/** What all lists share on the wire. */
import { type Static, type TSchema, Type } from 'typebox';

export const pageProperties = {
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, description: 'Records per page, 20 by default' })),
  cursor: Type.Optional(Type.String({ minLength: 1, maxLength: 512, description: 'nextCursor of the page before' })),
};

export const PageQuerySchema = Type.Object(pageProperties, { additionalProperties: false });
export type PageQuerySchema = Static<typeof PageQuerySchema>;

export const pageOf = (record: TSchema) =>
  Type.Object({
    object: Type.Literal('list'),
    data: Type.Array(record),
    hasMore: Type.Boolean(),
    totalCount: Type.Integer(),
    nextCursor: Type.Union([Type.String(), Type.Null()]),
  });
