/** The lists of requesters and of denied demand as answered: pages, or all rows as CSV. */
import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { fromCursor, type Page, toCursor } from '../db/page.ts';
import { fail } from '../errors.ts';
import { CSV_TYPE, type CsvColumns, csvHead, csvLine } from '../http/csv.ts';
import { spanOf, toList } from '../http/list.ts';
import { preferred } from '../http/negotiate.ts';
import { reasonCode, reasonOf } from '../ledger/reason.ts';
import { toIso } from '../lib/clock.ts';
import { findContentNo, type ReportDeps, readTitles } from './report.ts';
import type { After, Demand, DemandQuery, Seen, SeenPage } from './seen.ts';
import { DEMAND_REASONS, type DemandListQuery, type DemandRow, type SeenRow } from './seen-schema.ts';

const DAY_MS = 86_400_000;
const SPAN_DAYS = 30;
/** Rows read at once for a file. */
const FILE_CHUNK = 500;
const MEDIA_TYPES = ['application/json', 'text/csv'] as const;

export const NO_DEMAND: SeenPage<Demand> = { rows: [], totalCount: 0, upTo: 0 };

/** Returns undefined for an unknown item. Throws invalid_request. */
export async function toDemandQuery(
  deps: ReportDeps,
  query: DemandListQuery,
  now: number,
): Promise<Omit<DemandQuery, 'after' | 'limit'> | undefined> {
  const span = spanOf(query);
  const to = span.to ?? now + 1;
  const from = span.from ?? to - SPAN_DAYS * DAY_MS;
  if (from >= to) throw fail('invalid_request', '`from` is not before `to`: swap them.', { param: 'from' });
  const contentNo = query.contentId === undefined ? undefined : await findContentNo(deps.db, query.contentId);
  if (query.contentId !== undefined && contentNo === undefined) return undefined;
  const { requesterId, type, purpose, reason, collectionId, crawler, enforced = true, q, sort = 'denied' } = query;
  return {
    filter: {
      ...(contentNo === undefined ? {} : { contentNo }),
      ...(requesterId === undefined ? {} : { requesterId }),
      type,
      purpose,
      collectionId,
      crawler,
      enforced,
    },
    reasons: (reason === undefined ? DEMAND_REASONS : [reason]).map(reasonCode),
    from,
    to,
    q,
    sort,
  };
}

type Sorted = { id: string | null; value: number };

/** Reads a list and answers its rows. */
export interface ListSource<Found extends Sorted, Row> {
  read(after: After | null, limit: number): Promise<SeenPage<Found>>;
  toRows(found: readonly Found[]): Row[] | Promise<Row[]>;
  csv: CsvColumns<Row>;
}

const CURSOR = /^(\d{1,15}) (\d{1,15}) (-?\d{1,15}) ([^\p{Cc}]{0,128})$/u;

/** Where a page begins, and the time of the first page: "until now" means the same on every page of a walk. */
export interface Position {
  after: After | null;
  now: number;
}

/** Throws invalid_cursor. */
export function parsePosition(cursor: string | undefined, now: number): Position {
  if (cursor === undefined) return { after: null, now };
  const [, then, upTo, value, id = ''] = CURSOR.exec(fromCursor(cursor, CURSOR)) ?? [];
  return { after: { upTo: Number(upTo), value: Number(value), id }, now: Number(then) };
}

const afterLast = ({ rows, upTo }: SeenPage<Sorted>): After => {
  const last = rows.at(-1);
  return { upTo, value: last?.value ?? 0, id: last?.id ?? '' };
};

export async function sendList<F extends Sorted, Row>(
  reply: FastifyReply,
  source: ListSource<F, Row>,
  limit: number,
  position: Position,
): Promise<FastifyReply> {
  if (preferred(reply.request.headers.accept, MEDIA_TYPES) === 'text/csv') {
    const body = Readable.from(toCsv(source));
    return reply.type(CSV_TYPE).serializer(String).send(body);
  }
  return reply.send(toList(await readPage(source, limit, position)));
}

async function readPage<F extends Sorted, Row>(
  { read, toRows }: ListSource<F, Row>,
  limit: number,
  { after, now }: Position,
): Promise<Page<Row>> {
  const found = await read(after, limit + 1);
  const shown = found.rows.slice(0, limit);
  const hasMore = found.rows.length > limit;
  const { upTo, value, id } = afterLast({ ...found, rows: shown });
  return {
    data: await toRows(shown),
    hasMore,
    totalCount: found.totalCount,
    nextCursor: hasMore ? toCursor(`${now} ${upTo} ${value} ${id}`) : null,
  };
}

/** Yields the whole selection, one chunk in memory at a time. */
async function* toCsv<F extends Sorted, Row>({ csv, read, toRows }: ListSource<F, Row>): AsyncGenerator<string> {
  yield csvHead(csv);
  let after: After | null = null;
  for (;;) {
    const found: SeenPage<F> = await read(after, FILE_CHUNK);
    if (found.rows.length === 0) return;
    yield (await toRows(found.rows)).map((row) => csvLine(csv, row)).join('');
    if (found.rows.length < FILE_CHUNK) return;
    after = afterLast(found);
  }
}

/** Every report has names; the rest of a requester's record requires policies:read. */
export function toSeenRow({ id, registered, requests, allowed, lastSeen }: Seen, mayReadRecords: boolean): SeenRow {
  const record = mayReadRecords ? registered : null;
  return {
    id,
    name: registered?.name ?? id,
    registered: registered !== null,
    status: (record?.status ?? null) as SeenRow['status'],
    type: record?.type ?? null,
    tags: record === null ? [] : (JSON.parse(record.tags) as string[]),
    requests,
    allowed,
    denied: requests - allowed,
    lastSeen: lastSeen === null ? null : toIso(lastSeen),
  };
}

/** Omits items without a title, which were deleted meanwhile. */
export async function toDemandRows({ db }: ReportDeps, found: readonly Demand[]): Promise<DemandRow[]> {
  const titles = await readTitles(db, [...new Set(found.flatMap(({ content }) => content.map(({ no }) => no)))]);
  return found.map(({ id, name, reasons, content, lastSeen, value: _, ...counts }) => ({
    requesterId: id,
    name: name ?? id,
    registered: name !== null,
    denied: counts.denied,
    previous: counts.previous,
    trend: counts.trend,
    uniqueContent: counts.uniqueContent,
    lastSeen: toIso(lastSeen),
    byReason: reasons.flatMap(({ reason: code, count }) => {
      const reason = reasonOf(code);
      return reason === null ? [] : [{ reason, count }];
    }),
    purposes: counts.purposes,
    topContent: content.flatMap(({ id: contentId, denied }) => {
      const title = titles.get(contentId);
      return title === undefined ? [] : [{ id: contentId, title, denied }];
    }),
  }));
}

export const SEEN_CSV: CsvColumns<SeenRow> = [
  ['id', (row) => row.id],
  ['name', (row) => row.name],
  ['registered', (row) => row.registered],
  ['status', (row) => row.status],
  ['type', (row) => row.type],
  ['tags', (row) => row.tags.join('; ')],
  ['requests', (row) => row.requests],
  ['allowed', (row) => row.allowed],
  ['denied', (row) => row.denied],
  ['lastSeen', (row) => row.lastSeen],
];

export const DEMAND_CSV: CsvColumns<DemandRow> = [
  ['requesterId', (row) => row.requesterId],
  ['name', (row) => row.name],
  ['registered', (row) => row.registered],
  ['denied', (row) => row.denied],
  ['previous', (row) => row.previous],
  ...DEMAND_REASONS.map(
    (reason) => [reason, (row: DemandRow) => row.byReason.find((one) => one.reason === reason)?.count ?? 0] as const,
  ),
  ['uniqueContent', (row) => row.uniqueContent],
  ['lastSeen', (row) => row.lastSeen],
  ['purposes', (row) => row.purposes.map(({ purpose, denied }) => `${purpose ?? '(none)'}: ${denied}`).join('; ')],
  ['topContent', (row) => row.topContent.map(({ title, denied }) => `${title}: ${denied}`).join('; ')],
];
