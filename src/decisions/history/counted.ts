/**
 * Licensed decisions that count: allowed, enforced and recorded. They are read in spans of sequence numbers. Of deleted
 * items, and of decisions that left the log, `deleted_decisions` keeps what a statement needs; a row moves there in the
 * transaction that deletes it, so one statement sees it exactly once.
 */
import type { Db, Row, Step, Value } from '../../db/db.ts';
import { inList, toList } from '../../db/query.ts';
import { atOneTime, movedEnds } from './moved/blocks.ts';
import { queryMoved } from './moved/read.ts';
import { type Ends, seqsBetween } from './time-order.ts';

export interface CountedDecision {
  seq: number;
  at: number;
  licenseId: string;
  purpose: string | null;
  /** The number of the item; the URL of the file where there is none. */
  content: number | string;
  /** The URL that was asked for, if it has no item; not from the columns. */
  url?: string;
  /** Its item was deleted. */
  deleted: boolean;
  /** Only statements still count this one: no log has it. */
  kept?: boolean;
}

/** Numbers after `after` up to `last`, and times from `from` until `to`. */
export interface CountedSpan {
  after: number;
  last: number;
  from: number;
  to: number;
}

const PURPOSE: Record<Db['engine'], string> = {
  sqlite: `coalesce(purpose, json_extract(inputs, '$.purpose'))`,
  postgres: `coalesce(purpose, inputs::json ->> 'purpose')`,
};

/** Where a decision counts, if it is of a license or not. */
export const COUNTS = 'reason = 0 and enforced = 1';
/** Where the item of a decision is deleted. */
export const IS_GONE = 'content_no > 0 and not exists (select 1 from content where no = content_no)';
/** Files of the archive also have decisions that are still in the log, while they are being archived. */
export const IS_UNARCHIVED = 'seq > (select coalesce(max(to_seq), 0) from archives)';

/** Keeps licensed decisions that are about to be deleted. */
export const keepDeleted = (
  engine: Db['engine'],
  where: string,
  params: readonly Value[] = [],
  table = 'decisions',
): Step => ({
  sql: `insert into deleted_decisions (seq, at, license_id, content_no, purpose, url, file)
        select seq, at, license_id, content_no, ${PURPOSE[engine]}, url, file from ${table} as d
        where ${where} and ${COUNTS} and license_id is not null`,
  params,
});

/** Decisions that agree in all but their number, time and item: a row for each of them takes several times as long. */
interface CountedRow extends Row {
  license_id: string;
  purpose: string | null;
  url: string | null;
  file: string | null;
  deleted: number;
  kept: number;
  /** Number, time and item of each. */
  packed: string;
}

const PACKED: Record<Db['engine'], string> = {
  sqlite: `group_concat(seq || ' ' || at || ' ' || content_no)`,
  postgres: `string_agg(seq || ' ' || at || ' ' || content_no, ',')`,
};
const IS_DELETED = `case when ${IS_GONE} then 1 else 0 end`;
const of = (column: 'url' | 'file'): string => `case when content_no > 0 then null else ${column} end as ${column}`;
export const SPAN = 'seq > $1 and seq <= $2 and at >= $3 and at < $4';
export const spanParams = ({ after, last, from, to }: CountedSpan): number[] => [after, last, from, to];

/**
 * Reads the decisions of a span that these licenses allowed, or all licensed ones, in no order. Call it within
 * `atOneTime`.
 */
export async function readCounted(
  db: Db,
  span: CountedSpan,
  licenseIds: readonly string[] | null,
): Promise<CountedDecision[]> {
  const sql = (table: string): string => readSql(db, table, `${SPAN} and ${COUNTS}`, licenseIds);
  const params = [...spanParams(span), ...(licenseIds === null ? [] : [toList(licenseIds)])];
  const rows = await db.read<CountedRow>(
    `${sql('decisions')} union all ${readSql(db, 'deleted_decisions', SPAN, licenseIds)}`,
    params,
  );
  for await (const moved of queryMoved<CountedRow>(db, { sql, params }, span, { isLicensed: true }))
    rows.push(...moved);
  return rows.flatMap(unpack);
}

/** The licenses are the parameter after those of the span. */
function readSql({ engine }: Db, table: string, where: string, licenseIds: readonly string[] | null): string {
  const isTheirs = licenseIds === null ? 'license_id is not null' : inList(engine, 'license_id', 'text', '$5');
  const isKept = table === 'deleted_decisions';
  const purpose = isKept ? 'purpose' : PURPOSE[engine];
  return `select license_id, ${purpose} as purpose, ${of('url')}, ${of('file')}, ${IS_DELETED} as deleted,
      ${isKept ? 1 : 0} as kept, ${PACKED[engine]} as packed
    from ${table} as d where ${where} and ${isTheirs} group by 1, 2, 3, 4, 5`;
}

export const OF_PURGED_ITEMS = 'content_no in (select content_no from purges)';

/**
 * Reads the licensed decisions of a time, in no order, that readers of the log do not see: of deleted items, purged or
 * not, and those that left the log.
 */
export async function readGone(
  db: Db,
  { from, to }: { from: number; to: number },
  licenseIds: readonly string[] | null,
): Promise<CountedDecision[]> {
  const span = await purgedSpan(db, from, to);
  const where = `${SPAN} and ${COUNTS} and ${OF_PURGED_ITEMS}`;
  const params = [...spanParams(span), ...(licenseIds === null ? [] : [toList(licenseIds)])];
  // Purging moves decisions from one table to the other: one statement sees each once.
  const sql = `${readSql(db, 'decisions', where, licenseIds)}
    union all ${readSql(db, 'deleted_decisions', 'at >= $3 and at < $4', licenseIds)}`;
  if (span.last === 0) return (await db.read<CountedRow>(sql, params)).flatMap(unpack);
  return atOneTime(db, async () => {
    const rows = await db.read<CountedRow>(sql, params);
    const filter = { isLicensed: true, contents: await readPurged(db) };
    const query = { sql: (table: string) => readSql(db, table, where, licenseIds), params };
    for await (const moved of queryMoved<CountedRow>(db, query, span, filter)) rows.push(...moved);
    return rows.flatMap(unpack);
  });
}

/** Returns the items whose decisions are about to be deleted. */
export const readPurged = async (db: Db): Promise<number[]> =>
  (await db.read<{ no: number }>('select content_no as no from purges order by content_no')).map(({ no }) => no);

/** Counts what `readGone` reads, by license. */
export async function countGoneByLicense(
  db: Db,
  { from, to }: { from: number; to: number },
  licenseIds: readonly string[],
): Promise<Map<string, number>> {
  const isTheirs = inList(db.engine, 'license_id', 'text', '$5');
  return atOneTime(db, async () => {
    const span = await purgedSpan(db, from, to);
    const sql = (table: string): string =>
      `select license_id from ${table} as d where ${SPAN} and ${COUNTS} and ${OF_PURGED_ITEMS} and ${isTheirs}`;
    const params = [...spanParams(span), toList(licenseIds)];
    const rows = await db.read<{ license_id: string; n: number }>(
      `select license_id, count(*) as n from (
         ${sql('decisions')} union all select license_id from deleted_decisions where at >= $3 and at < $4 and ${isTheirs}
       ) as gone group by license_id`,
      params,
    );
    const counts = new Map(rows.map(({ license_id, n }) => [license_id, Number(n)]));
    const filter = { isLicensed: true, contents: await readPurged(db) };
    for await (const moved of queryMoved<{ license_id: string }>(db, { sql, params }, span, filter)) {
      for (const { license_id: id } of moved) counts.set(id, (counts.get(id) ?? 0) + 1);
    }
    return counts;
  });
}

/** Counts what `readGone` reads by a span of time, except items that are not purged yet. */
export function countGone(db: Db, { from, to }: { from: number; to: number }, cellMs: number) {
  return db.read<{ start: number; count: number }>(
    `select at - at % ${cellMs} as start, count(*) as count from deleted_decisions where at >= $1 and at < $2
     group by 1 order by 1`,
    [from, to],
  );
}

/** SQL of the decisions after a number that count and meet a condition on `license_id`. */
export const countedAfterSql = (after: string | number, licenses: string): string => {
  const columns = 'seq, license_id, at, purpose, content_no, coalesce(file, url) as url';
  return `select ${columns} from decisions where seq > ${after} and ${licenses} and ${COUNTS}
   union all select ${columns} from deleted_decisions where seq > ${after} and ${licenses}`;
};

function unpack({ license_id: licenseId, purpose, url, file, deleted, kept, packed }: CountedRow): CountedDecision[] {
  return packed.split(',').map((one) => {
    const second = one.indexOf(' ');
    const third = one.lastIndexOf(' ');
    const content = Number(one.slice(third + 1));
    return {
      seq: Number(one.slice(0, second)),
      at: Number(one.slice(second + 1, third)),
      licenseId,
      purpose,
      content: content > 0 ? content : (file ?? url ?? ''),
      ...(content > 0 || url === null ? {} : { url }),
      deleted: deleted === 1,
      kept: kept === 1,
    };
  });
}

/** Returns the span of all decisions in the records that were made in a time; `last` is 0 without any. */
export async function countedSpan(db: Db, from: number, to: number): Promise<CountedSpan> {
  const [first, last] = await logEnds(db, from, to);
  const [firstDeleted, lastDeleted] = await readEnds(db, 'deleted_decisions', from, to);
  return { after: Math.min(first, firstDeleted) - 1, last: Math.max(last, lastDeleted), from, to };
}

/** Returns the span of decisions of a time that may be about items which are being purged; empty if none are. */
export async function purgedSpan(db: Db, from: number, to: number): Promise<CountedSpan> {
  const [purged] = await db.read('select content_no from purges limit 1');
  // Items that are deleted from now on were not deleted when the caller began.
  return purged === undefined ? { after: 0, last: 0, from, to } : await countedSpan(db, from, to);
}

/** Returns numbers that enclose all decisions of a time that are in the log. */
export async function logEnds(db: Db, from: number, to: number): Promise<Ends> {
  if (db.engine === 'sqlite') return seqsBetween(db.read, from, to);
  // The records first: what is no longer there has moved by now.
  const [first, last] = await readEnds(db, 'decisions', from, to);
  const [firstMoved, lastMoved] = await movedEnds(db, from, to);
  return [Math.min(first, firstMoved), Math.max(last, lastMoved)];
}

async function readEnds(db: Db, table: 'decisions' | 'deleted_decisions', from: number, to: number): Promise<Ends> {
  const [row] = await db.read<{ first: number | null; last: number | null }>(
    `select min(seq) as first, max(seq) as last from ${table} where at >= $1 and at < $2`,
    [from, to],
  );
  return [row?.first ?? Number.MAX_SAFE_INTEGER, row?.last ?? 0];
}
