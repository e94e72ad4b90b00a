/** The wire format of lists. */

import { type Static, type TSchema, Type } from 'typebox';
import type { Page } from '../../db/page.ts';
import { parseIso } from '../../lib/clock.ts';
import { textOrNull } from '../../lib/nullable.ts';
import { mapInSlices } from '../../lib/slices.ts';
import { fail } from '../errors.ts';

export const pageProperties = {
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, description: 'Records per page, 20 by default' })),
  cursor: Type.Optional(Type.String({ description: 'nextCursor of the page before; the filters stay the same' })),
};

export const PageQuerySchema = Type.Object(pageProperties, { additionalProperties: false });
export type PageQuerySchema = Static<typeof PageQuerySchema>;

/** A span of time, for lists of what happened. */
export const spanProperties = {
  from: Type.Optional(Type.String({ maxLength: 64, description: 'Inclusive: a date or a date-time, UTC' })),
  to: Type.Optional(
    Type.String({ maxLength: 64, description: 'A date, whose day is included, or an exclusive date-time' }),
  ),
};

/** Epoch ms: `from` inclusive, `to` exclusive; absent where the query is silent. Throws invalid_request. */
export function readSpan(query: { from?: string; to?: string }): { from?: number; to?: number } {
  const span = {
    ...(query.from === undefined ? {} : { from: readTime('from', query.from, 0) }),
    ...(query.to === undefined ? {} : { to: readTime('to', query.to, DAY_MS) }),
  };
  requireOrder(span);
  return span;
}

/** Throws invalid_request where a span ends before it has begun. */
export function requireOrder({ from = -Infinity, to = Infinity }: { from?: number; to?: number }): void {
  if (from >= to) throw fail('invalid_request', '`from` is not before `to`: swap them.', { param: 'from' });
}

const DAY_MS = 86_400_000;
const DATE_OR_TIME = 'must be a date such as 2026-11-21, or a time with a time zone such as 2026-11-21T09:30:00Z';

function readTime(param: string, text: string, dayMs: number): number {
  const day = parseIso(`${text}T00:00:00Z`);
  const at = day === undefined ? parseIso(text) : day + dayMs;
  if (at === undefined) throw fail('invalid_request', `\`${param}\` ${DATE_OR_TIME}.`, { param });
  return at;
}

/** A page as it is answered. */
export const toList = <T, A = T>(
  { data, hasMore, totalCount, nextCursor }: Page<T>,
  toAnswer: (record: T) => A = (record) => record as unknown as A,
) => ({ object: 'list' as const, data: data.map((record) => toAnswer(record)), hasMore, totalCount, nextCursor });

/** The schema of a list. In the API document its name is `title`; without one, that of its records and `List`. */
export const listSchema = (record: TSchema, title?: string) =>
  Type.Object(
    {
      object: Type.Literal('list'),
      data: Type.Array(record),
      hasMore: Type.Boolean(),
      totalCount: Type.Integer(),
      nextCursor: textOrNull(),
    },
    { title: title ?? `${(record as { title?: string }).title}List` },
  );

/** The schema of the answer to a deletion. */
export const deletedSchema = <N extends string>(object: N) =>
  Type.Object(
    { id: Type.String(), object: Type.Literal(object), deleted: Type.Literal(true) },
    { title: `${object.charAt(0).toUpperCase()}${object.slice(1)}Deleted` },
  );

/** Returns whether a route answers with a page. */
export function answersPage(schema: { response?: unknown } | undefined): boolean {
  const { response } = (schema ?? {}) as { response?: Record<number, { properties?: object }> };
  return Object.hasOwn(response?.[200]?.properties ?? {}, 'nextCursor');
}

/**
 * The JSON text of a page, written in slices record by record: a hundred of them may be a hundred policies of 1 MiB.
 * undefined: an empty page, or none.
 */
export async function pageText(payload: unknown): Promise<string | undefined> {
  const { data } = (payload ?? {}) as { data?: unknown };
  if (!Array.isArray(data) || data.length === 0) return undefined;
  const records = await mapInSlices(data, (record) => JSON.stringify(record));
  const fields = Object.entries(payload as object).map(
    ([name, value]) => `${JSON.stringify(name)}:${name === 'data' ? `[${records.join(',')}]` : JSON.stringify(value)}`,
  );
  return `{${fields.join(',')}}`;
}
