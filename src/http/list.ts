/** What all lists share on the wire. */

import { type Static, type TSchema, Type } from 'typebox';
import { fail } from '../errors.ts';
import { words } from '../lib/text.ts';

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

/** The words a list is searched for; none when nothing was asked. Throws invalid_request when there are none in `q`. */
export function searchWords(q: string | undefined): string[] {
  if (q === undefined) return [];
  const found = words(q);
  if (found.length > 0) return found;
  throw fail('invalid_request', '`q` has no letter and no digit to search for.', { param: 'q' });
}
