/** The counts of requests that find neither an item nor a collection, in the records. */
import type { Db, Row, Step } from '../../db/db.ts';
import { fromCursor, InvalidCursor, PAGE_DEFAULT, type Page, toCursor } from '../../db/page.ts';
import { Where } from '../../db/query.ts';
import { toIso } from '../../lib/clock.ts';
import { isText } from '../../lib/text.ts';
import type { UnregisteredRow, UnregisteredSort } from './schema.ts';

export const HOUR_MS = 3_600_000;
const KEPT_MS = 90 * 24 * HOUR_MS;

/**
 * Rows of one hour with a path; then requests are counted by host, in one row more for each host that has some, and in
 * some rows for further hosts; then all in one.
 */
const NARROW_MAX = 1_000;
const ROWS_MAX = 1_100;

export interface UnregisteredKey {
  /** Start of the hour, epoch ms. */
  hour: number;
  /** Empty: the rest of all hosts. */
  host: string;
  /** `/` and the first segment; empty: the rest of the host. */
  path: string;
  crawler: string;
  requesterId: string;
}

export interface UnregisteredCount {
  key: UnregisteredKey;
  requests: number;
}

/** The key of what is beyond the bound. */
export const REST: Omit<UnregisteredKey, 'hour'> = { host: '', path: '', crawler: '', requesterId: '' };

const fewerThan = (rows: number): string => `(select count(*) from unregistered where hour = $1) < ${rows}`;

const HAS_HOST = 'exists (select 1 from unregistered where hour = $1 and host = $2)';
const HAS_KEY = `exists (select 1 from unregistered
     where hour = $1 and host = $2 and path = $3 and crawler = $4 and requester_id = $5)`;

/** Adds to the narrowest row that is there or has room. */
const ADD = `insert into unregistered (hour, host, path, crawler, requester_id, requests)
  select cast($1 as bigint), host, path, crawler, requester_id, cast($6 as bigint) from (
    select 1 as width, $2 as host, $3 as path, $4 as crawler, $5 as requester_id
      where ${HAS_KEY} or ${fewerThan(NARROW_MAX)}
    union all
    select 2, $2, '', '', '' where $2 <> '' and (${HAS_HOST} or ${fewerThan(ROWS_MAX)})
    union all
    select 3, '', '', '', ''
  ) as rows_by_width where true order by width limit 1
  on conflict (hour, host, path, crawler, requester_id) do update set requests = unregistered.requests + excluded.requests`;

/** Adds these counts in one transaction. */
export function addCounts(db: Db, counts: readonly UnregisteredCount[]): Promise<void> {
  const steps = counts.map(({ key: { hour, host, path, crawler, requesterId }, requests }): Step => {
    return { sql: ADD, params: [hour, host, path, crawler, requesterId, requests] };
  });
  return db.atomic(steps);
}

export function sweepUnregistered(db: Db, now: number): Promise<void> {
  return db.atomic([{ sql: 'delete from unregistered where hour < $1', params: [now - KEPT_MS] }]);
}

export interface UnregisteredQuery {
  /** Epoch ms; an hour that they cut is counted whole. */
  from?: number;
  to?: number;
  host?: string | undefined;
  /** false: requesters are counted together. */
  named?: boolean;
  sort?: UnregisteredSort;
  limit?: number;
  cursor?: string | undefined;
}

interface SummedRow extends Row {
  host: string;
  path: string;
  crawler: string;
  requester_id: string;
  requests: number;
  first: number;
  last: number;
}

const KEY = 'host, path, crawler, requester_id';
const VALUES = { requests: 'requests', lastSeen: 'last' } as const satisfies Record<UnregisteredSort, keyof SummedRow>;
const CURSOR = /^(\d{1,15})((?: [\w-]*){4})$/;

function summedSql({ sql }: Where, named: boolean): string {
  const [keys, requester] = named ? [KEY, ''] : ['host, path, crawler', `'' as requester_id,`];
  return `select ${keys}, ${requester} cast(sum(requests) as bigint) as requests, min(hour) as first, max(hour) as last
    from unregistered${sql} group by ${keys}`;
}

/** Lists the counts of a span, greatest or latest first. Throws InvalidCursor. */
export async function listCounts(db: Db, query: UnregisteredQuery): Promise<Page<UnregisteredRow>> {
  const { from, to, host, named = true, sort = 'requests', limit = PAGE_DEFAULT, cursor } = query;
  const where = new Where()
    .and('hour >= ?', from === undefined ? undefined : from - (from % HOUR_MS))
    .and('hour < ?', to)
    .and('host = ?', host);
  const summed = summedSql(where, named);
  const column = VALUES[sort];
  const at = where.params.length;
  const rest =
    cursor === undefined
      ? ''
      : ` where ${column} < $${at + 1} or ${column} = $${at + 1}
          and (${KEY}) > ($${at + 2}, $${at + 3}, $${at + 4}, $${at + 5})`;
  const [rows, [count]] = await Promise.all([
    db.read<SummedRow>(
      `select * from (${summed}) as summed${rest} order by ${column} desc, ${KEY} limit ${limit + 1}`,
      cursor === undefined ? where.params : [...where.params, ...parsePosition(cursor)],
    ),
    db.read<{ total: number }>(`select count(*) as total from (${summed}) as summed`, where.params),
  ]);
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  const hasMore = rows.length > limit;
  return {
    data: shown.map((row) => toRow(row)),
    hasMore,
    totalCount: Number(count?.total ?? 0),
    nextCursor: hasMore && last !== undefined ? toCursor(formatPosition(last, column)) : null,
  };
}

const formatPosition = (row: SummedRow, column: keyof SummedRow): string =>
  [row[column], ...[row.host, row.path, row.crawler, row.requester_id].map(toCursor)].join(' ');

function parsePosition(cursor: string): (string | number)[] {
  const [, value, key = ''] = CURSOR.exec(fromCursor(cursor, CURSOR)) ?? [];
  const parts = key
    .slice(1)
    .split(' ')
    .map((part) => Buffer.from(part, 'base64url').toString());
  if (!parts.every((part) => isText(part))) throw new InvalidCursor();
  return [Number(value), ...parts];
}

const toRow = ({ host, path, crawler, requester_id: requesterId, requests, first, last }: SummedRow) => ({
  host: host === '' ? null : host,
  path: path === '' ? null : path,
  crawler: crawler === '' ? null : crawler,
  requesterId: requesterId === '' ? null : requesterId,
  requests,
  firstSeen: toIso(first),
  lastSeen: toIso(last),
});
