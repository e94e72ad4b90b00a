/**
 * Licensed decisions that count for statements: allowed, enforced, still in the log or the archive, and about items
 * that exist. A window of them is in groups; each answer is of one snapshot.
 */
import type { DuckDBConnection, DuckDBDataChunk, DuckDBListVector, DuckDBVector } from '@duckdb/node-api';
import { inGroupOrder, type LicensedRows, newRows, type RowPlaces } from './licensed-rows.ts';
import { QUARTER_HOUR_MS } from './series.ts';
import { inSnapshot, integer, readColumns, select, text } from './sql.ts';

/** Epoch ms, inclusive and exclusive. */
export interface TimeSpan {
  from: number;
  to: number;
}

export interface LicensedQuery extends TimeSpan {
  /** Only those of these licenses, or all but those. */
  licenses: { only: readonly string[] } | { except: readonly string[] };
  /** False: items and URLs are not read. */
  contents?: boolean;
}

/** The number of decisions in a quarter of an hour. */
export interface LicensedCell {
  /** Epoch ms. */
  start: number;
  count: number;
}

/** Decisions of one license for one purpose: places of the window, in the order of the ids. */
export interface LicensedGroup extends RowPlaces {
  licenseId: string;
  purpose: string | null;
}

export interface LicensedWindow {
  rows: LicensedRows;
  groups: LicensedGroup[];
}

/** Decisions of one license in groups by purpose, which are in the order of the ids each. */
export interface LicensedRun {
  rows: LicensedRows;
  groups: readonly LicensedGroup[];
}

/** Returns what can be passed to another thread instead of copying it. */
export const toTransferList = ({ rows: { seq, at, content } }: LicensedWindow): ArrayBuffer[] =>
  [seq, at, content].map(({ buffer }) => buffer as ArrayBuffer);

async function counted(connection: DuckDBConnection, { from, to, licenses }: LicensedQuery): Promise<string> {
  const selected = await select(connection, { from, to, allowed: true, enforced: true });
  const licensed = `${selected} and seq > 0 and license <> 0`;
  const ids = 'only' in licenses ? licenses.only : licenses.except;
  if ('except' in licenses && ids.length === 0) return licensed;
  const list = ids.length === 0 ? 'null' : ids.map(text).join(', ');
  const [numbers = []] = await readColumns(connection, `select number from licenses where id in (${list})`);
  const values = `select unnest([${[0, ...(numbers as number[])].map(integer).join(', ')}]::integer[])`;
  return `${licensed} and license ${'only' in licenses ? 'in' : 'not in'} (${values})`;
}

/** Counts them, in the order of time. */
export async function answerLicensedCells(connection: DuckDBConnection, query: LicensedQuery): Promise<LicensedCell[]> {
  return inSnapshot(connection, async () => {
    const from = await counted(connection, query);
    const sql = `select quarter, count(*)::double ${from} group by quarter order by quarter`;
    const [quarters = [], counts = []] = await readColumns(connection, sql);
    return quarters.map((quarter, i) => ({ start: (quarter as number) * QUARTER_HOUR_MS, count: counts[i] as number }));
  });
}

/** Counts them by license. */
export async function answerLicensedCounts(
  connection: DuckDBConnection,
  query: LicensedQuery,
): Promise<Map<string, number>> {
  return inSnapshot(connection, async () => {
    const sql = `select license as number, count(*)::double as n ${await counted(connection, query)} group by license`;
    const [ids = [], counts = []] = await readColumns(
      connection,
      `select id, n from (${sql}) join licenses using (number)`,
    );
    return new Map(ids.map((id, i) => [id as string, counts[i] as number]));
  });
}

/** Counts the decisions of a time that count and that no license allowed, also those that left the log. */
export async function answerUnlicensed(connection: DuckDBConnection, { from, to }: TimeSpan): Promise<number> {
  const selected = await select(connection, { from, to, allowed: true, enforced: true });
  const [count] = await readColumns(connection, `select count(*)::double ${selected} and license = 0`);
  return count?.[0] as number;
}

export async function answerLicensedGroups(
  connection: DuckDBConnection,
  query: LicensedQuery,
): Promise<LicensedWindow> {
  const contents = query.contents !== false;
  return inSnapshot(connection, async () => {
    const from = await counted(connection, query);
    // As lists: rows of their own take several times as long to read.
    const result = await connection.run(
      `select license, purpose, list(seq::double), list(decided_at::double)${contents ? ', list(content)' : ''}
       ${from} group by license, purpose`,
    );
    const chunks = await result.fetchAllChunks();
    const window = toWindow(chunks, contents, {
      licenses: await readNames(connection, 'licenses', chunks, LICENSE),
      purposes: await readNames(connection, 'purposes', chunks, PURPOSE),
    });
    if (window.rows.content.includes(0)) await readUrls(connection, from, window.rows);
    return window;
  });
}

async function readUrls(connection: DuckDBConnection, from: string, { seq, content, urls }: LicensedRows) {
  const [seqs = [], texts = []] = await readColumns(
    connection,
    `select seq::double, coalesce(file, url) ${from} and content = 0`,
  );
  const bySeq = new Map(seqs.map((one, i) => [one as number, texts[i] as string | null]));
  for (const [i, number] of content.entries()) if (number === 0) urls.set(i, bySeq.get(seq[i] as number) ?? '');
}

/** The columns of a chunk. */
const [LICENSE, PURPOSE, SEQS, TIMES, CONTENTS] = [0, 1, 2, 3, 4];

type Names = ReadonlyMap<number, string>;

async function readNames(
  connection: DuckDBConnection,
  table: 'licenses' | 'purposes',
  chunks: readonly DuckDBDataChunk[],
  column: number,
): Promise<Names> {
  const numbers = new Set(chunks.flatMap((chunk) => chunk.getColumnValues(column) as number[]));
  const list = [...numbers].map(integer).join(', ') || '0';
  const [known = [], ids = []] = await readColumns(
    connection,
    `select number, id from ${table} where number in (${list})`,
  );
  return new Map(known.map((number, i) => [number as number, ids[i] as string]));
}

/** `names`: of the numbers of licenses and purposes; a decision may have no purpose. */
function toWindow(
  chunks: readonly DuckDBDataChunk[],
  contents: boolean,
  names: { licenses: Names; purposes: Names },
): LicensedWindow {
  const groups: LicensedGroup[] = [];
  let end = 0;
  for (const chunk of chunks) {
    const [licenses, purposes, seqs] = [LICENSE, PURPOSE, SEQS].map((column) => chunk.getColumnVector(column));
    for (let i = 0, { rowCount } = chunk; i < rowCount; i++) {
      const start = end;
      end += (seqs as DuckDBListVector).getEntryLength(i);
      groups.push({
        licenseId: names.licenses.get(licenses?.getItem(i) as number) as string,
        purpose: names.purposes.get(purposes?.getItem(i) as number) ?? null,
        start,
        end,
      });
    }
  }
  const rows = room(end, contents);
  copyLists(chunks, SEQS, rows.seq);
  copyLists(chunks, TIMES, rows.at);
  if (contents) copyLists(chunks, CONTENTS, rows.content);
  return { rows: inGroupOrder(rows, groups), groups };
}

/** Reused, because large arrays make the thread collect garbage often. Nothing waits while it is filled and copied. */
let kept = newRows(0, false);

function room(count: number, contents: boolean): LicensedRows {
  const { seq, content } = kept;
  if (seq.length < count || (contents && content.length < count)) kept = newRows(count, contents || content.length > 0);
  return { ...kept, content: contents ? kept.content : new Int32Array(), urls: new Map() };
}

/** Copies the lists of a column, one after the other. */
function copyLists(chunks: readonly DuckDBDataChunk[], column: number, target: Float64Array | Int32Array): void {
  let to = 0;
  for (const chunk of chunks) {
    const lists = chunk.getColumnVector(column) as DuckDBListVector;
    const items = vectorItems(lists.childVector);
    for (let i = 0, { rowCount } = chunk; i < rowCount; i++) {
      const offset = lists.getEntryOffset(i);
      const end = offset + lists.getEntryLength(i);
      for (let from = offset; from < end; from++) target[to++] = items[from] as number;
    }
  }
}

/** Returns the values of a vector without nulls: its own array, which takes a tenth of the time of reading each. */
function vectorItems(vector: DuckDBVector): ArrayLike<number> {
  const items: unknown = Reflect.get(vector, 'items');
  if (items instanceof Float64Array || items instanceof Int32Array) return items;
  return Array.from({ length: vector.itemCount }, (_, i) => vector.getItem(i) as number);
}
