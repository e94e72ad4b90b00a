/** What all lists share on the wire. */

import { type Static, type TSchema, Type } from 'typebox';
import { fail } from '../errors.ts';
import { words } from '../lib/text.ts';
import { FORMATS, parseMoment } from './formats.ts';

export const pageProperties = {
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, description: 'Records per page, 20 by default' })),
  cursor: Type.Optional(Type.String({ minLength: 1, maxLength: 512, description: 'nextCursor of the page before' })),
};

export const PageQuerySchema = Type.Object(pageProperties, { additionalProperties: false });
export type PageQuerySchema = Static<typeof PageQuerySchema>;

/** A span of time, for lists of what happened. */
export const spanProperties = {
  from: Type.Optional(Type.String({ maxLength: 64, description: 'Inclusive; a date or a moment, UTC' })),
  to: Type.Optional(
    Type.String({ maxLength: 64, description: 'A date, whose day is included, or a moment, exclusive' }),
  ),
};

/** Epoch ms: `from` inclusive, `to` exclusive; absent where the query is silent. Throws invalid_request. */
export function spanOf(query: { from?: string; to?: string }): { from?: number; to?: number } {
  return {
    ...(query.from === undefined ? {} : { from: momentOf('from', query.from, 0) }),
    ...(query.to === undefined ? {} : { to: momentOf('to', query.to, DAY_MS) }),
  };
}

const DAY_MS = 86_400_000;

function momentOf(param: string, text: string, dayMs: number): number {
  const day = parseMoment(`${text}T00:00:00Z`);
  const at = day === undefined ? parseMoment(text) : day + dayMs;
  if (at === undefined) throw fail('invalid_request', `\`${param}\` ${FORMATS['date-time'].expected}.`, { param });
  return at;
}

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
