/**
 * Pages of a list, newest first. A cursor names the last record of the page before, so a walk never repeats a record
 * and never skips one that was there throughout, also while others are inserted or deleted.
 */
import { ID_BODY } from '../lib/id.ts';
import { mapInSlices } from '../lib/slices.ts';
import type { Db, Row, Value } from './db.ts';
import { Where } from './query.ts';

export interface Page<T> {
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

/** A cursor that no page has given out. */
export class InvalidCursor extends Error {}

/** A sequence number of the store: from 1, and far below 2^53, so that it is exact everywhere. */
export const SEQ_FORM = /^[1-9]\d{0,14}$/;
/** An id with this prefix. */
export const idForm = (prefix: string): RegExp => new RegExp(`^${prefix}${ID_BODY}$`);

export const toCursor = (key: string): string => Buffer.from(key).toString('base64url');

/** Returns the key in a cursor. Throws InvalidCursor unless it has the form `form`. */
export function fromCursor(cursor: string, form: RegExp): string {
  const key = Buffer.from(cursor, 'base64url').toString();
  if (!form.test(key) || toCursor(key) !== cursor) throw new InvalidCursor();
  return key;
}

export interface List<R extends Row, T> {
  select: string;
  from: string;
  /** Replaces `from` in the count: leaves out joins that keep the number of rows. */
  counted?: string;
  where?: Where;
  /** The column that orders the list: unique, ascending with time. */
  order: string;
  /** The form of that column's values. */
  form: RegExp;
  toRecord(row: R): T;
  /** Counts the whole list; without it, every page counts. */
  count?: (counting: Counting) => Promise<number>;
}

/** A statement that counts, as `total`. */
export interface Counting {
  sql: string;
  params: readonly Value[];
}

export async function countRows(db: Db, { sql, params }: Counting): Promise<number> {
  const [row] = await db.read<{ total: number }>(sql, params);
  return Number(row?.total ?? 0);
}

/** Reads one page, and the number of records in the whole list. Throws InvalidCursor. */
export async function readPage<R extends Row, T>(db: Db, list: List<R, T>, query: PageQuery): Promise<Page<T>> {
  const { select, from, counted = from, where = new Where(), order, form, count = (one) => countRows(db, one) } = list;
  const { limit = PAGE_DEFAULT, cursor } = query;
  const rest = where.copy().and(`${order} < ?`, cursor === undefined ? undefined : fromCursor(cursor, form));
  const [rows, total] = await Promise.all([
    db.read<R>(`select ${select} from ${from}${rest.sql} order by ${order} desc limit ${limit + 1}`, rest.params),
    count({ sql: `select count(*) as total from ${counted}${where.sql}`, params: where.params }),
  ]);
  const column = order.slice(order.indexOf('.') + 1);
  const page = cutPage(rows, limit, total, (last) => String(last[column]));
  return { ...page, data: await mapInSlices(page.data, (row) => list.toRecord(row)) };
}

/** Cuts a page from rows of which one more was read than it holds. The cursor names the last row that is shown. */
export function cutPage<T>(rows: T[], limit: number, totalCount: number, toKey: (last: T) => string): Page<T> {
  const data = rows.slice(0, limit);
  const last = data.at(-1);
  const hasMore = rows.length > limit;
  return { data, hasMore, totalCount, nextCursor: hasMore && last !== undefined ? toCursor(toKey(last)) : null };
}
