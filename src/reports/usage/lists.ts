/** The lists of the columns as answered: pages, or all rows as CSV. */
import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { CSV_TYPE, type CsvColumns, csvHead, csvLine } from '../../api/http/csv.ts';
import { toList } from '../../api/http/list.ts';
import { chosenMedia } from '../../api/http/negotiate.ts';
import { fromCursor, type Page, toCursor } from '../../db/page.ts';
import { SEPARATOR } from '../../decisions/history/columns/dimensions.ts';
import type { After, RowPage } from '../../decisions/history/columns/list-page.ts';
import type { Seen } from '../../decisions/history/columns/seen.ts';
import { toIso } from '../../lib/clock.ts';
import type { SeenRow } from './seen-schema.ts';

/** Rows read at once for a file. */
const FILE_CHUNK = 500;

type Sorted = { id: string | null; value: number };

/** Reads a list and answers its rows. */
export interface ListSource<Found extends Sorted, Row> {
  read(after: After | null, limit: number): Promise<RowPage<Found>>;
  toRows(found: readonly Found[]): Row[] | Promise<Row[]>;
  csv: CsvColumns<Row>;
}

const CURSOR = new RegExp(`^(\\d{1,15}) (\\d{1,15}) (-?\\d{1,15}) ((?:[^\\p{Cc}]|${SEPARATOR}){0,2000})$`, 'u');

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

const afterLast = ({ rows, upTo }: RowPage<Sorted>): After => {
  const last = rows.at(-1);
  return { upTo, value: last?.value ?? 0, id: last?.id ?? '' };
};

/** The operation declares `JSON_OR_CSV`. */
export async function sendList<F extends Sorted, Row>(
  reply: FastifyReply,
  source: ListSource<F, Row>,
  limit: number,
  position: Position,
): Promise<FastifyReply> {
  if (chosenMedia(reply.request) === 'text/csv') {
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
    const found: RowPage<F> = await read(after, FILE_CHUNK);
    if (found.rows.length === 0) return;
    yield (await toRows(found.rows)).map((row) => csvLine(csv, row)).join('');
    if (found.rows.length < FILE_CHUNK) return;
    after = afterLast(found);
  }
}

/** Every report has names; the rest of a requester's record requires policies:read. */
export function toSeenRow(
  { id, registered, requests, allowed, verified, lastSeen }: Seen,
  mayReadRecords: boolean,
): SeenRow {
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
    verified,
    lastSeen: lastSeen === null ? null : toIso(lastSeen),
  };
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
  ['verified', (row) => row.verified],
];
