/**
 * Pages of a list, newest first. A cursor names the last record seen, not a number of records, so a walk never repeats a
 * record and never skips one that was there throughout, whatever is inserted or deleted meanwhile.
 */
import { fail } from '../errors.ts';
import type { Db, Row, Value } from './db.ts';

export interface Page<T> {
  object: 'list';
  data: T[];
  hasMore: boolean;
  totalCount: number;
  nextCursor: string | null;
}

export interface PageQuery {
  limit?: number;
  cursor?: string;
}

export const PAGE_DEFAULT = 20;

export const toCursor = (position: string): string => Buffer.from(position).toString('base64url');

/** The position a cursor stands for. Throws invalid_cursor unless it is of the form `position` has. */
export function fromCursor(cursor: string, form: RegExp): string {
  const position = Buffer.from(cursor, 'base64url').toString();
  if (!form.test(position) || toCursor(position) !== cursor) {
    throw fail('invalid_cursor', '`cursor` is not one of ours; pass the nextCursor of the page before, or none.', {
      param: 'cursor',
    });
  }
  return position;
}

export interface Selection {
  /** `select …` up to, without, `where`. */
  select: string;
  from: string;
  /** Instead of `from` for the total: without joins that leave the number of rows as it is. */
  counted?: string;
  /** Conditions with the placeholders of `params`. */
  where: readonly string[];
  params: readonly Value[];
  /** The column that orders the list: unique, ascending with time. */
  order: string;
}

/** One page; the total is of the whole selection. `form` is what a position looks like. */
export async function readPage<R extends Row, T>(
  db: Db,
  selection: Selection,
  query: PageQuery,
  form: RegExp,
  toRecord: (row: R) => T,
): Promise<Page<T>> {
  const limit = query.limit ?? PAGE_DEFAULT;
  const { select, from, counted = from, where, params, order } = selection;
  const all = where.length === 0 ? '' : ` where ${where.join(' and ')}`;
  const after = query.cursor === undefined ? undefined : fromCursor(query.cursor, form);
  const rest = after === undefined ? all : `${all === '' ? ' where' : `${all} and`} ${order} < $${params.length + 1}`;
  const [rows, totals] = await Promise.all([
    db.read<R>(
      `${select} from ${from}${rest} order by ${order} desc limit ${limit + 1}`,
      after === undefined ? params : [...params, after],
    ),
    db.read<{ total: number }>(`select count(*) as total from ${counted}${all}`, params),
  ]);
  const shown = rows.slice(0, limit);
  const last = shown.at(-1)?.[order.slice(order.indexOf('.') + 1)];
  const hasMore = rows.length > limit;
  return {
    object: 'list',
    data: shown.map(toRecord),
    hasMore,
    totalCount: Number(totals[0]?.total ?? 0),
    nextCursor: hasMore && last !== undefined ? toCursor(String(last)) : null,
  };
}
