/**
 * Licensed decisions that count for statements: allowed, enforced, still in the log or the archive, and about items
 * that exist. A window of them is in the order of the ids; each answer is of one snapshot.
 */
import type { DuckDBConnection, DuckDBDataChunk } from '@duckdb/node-api';
import { type Flat, inOrder, newFlat } from './licensed-order.ts';
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
}

/** The number of decisions in a quarter of an hour. */
export interface LicensedCell {
  /** Epoch ms. */
  start: number;
  count: number;
}

/** Licenses and purposes have numbers for this answer only; 0: none. */
export interface LicensedWindow extends Flat {
  licenses: Map<number, string>;
  purposes: Map<number, string>;
}

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

export async function answerLicensed(connection: DuckDBConnection, query: LicensedQuery): Promise<LicensedWindow> {
  return inSnapshot(connection, async () => {
    const from = await counted(connection, query);
    const result = await connection.run(
      `select seq::double, decided_at::double, license, purpose, content, case when content = 0 then url end ${from}`,
    );
    const window = toWindow(await result.fetchAllChunks());
    const namesOf = async (table: string, numbers: Int32Array): Promise<Map<number, string>> => {
      const list = distinct(numbers).map(integer).join(', ') || '0';
      const [known = [], ids = []] = await readColumns(
        connection,
        `select number, id from ${table} where number in (${list})`,
      );
      return new Map(known.map((number, i) => [number as number, ids[i] as string]));
    };
    return {
      ...window,
      licenses: await namesOf('licenses', window.license),
      purposes: await namesOf('purposes', window.purpose),
    };
  });
}

function distinct(numbers: Int32Array): number[] {
  const seen: true[] = [];
  for (const number of numbers) seen[number] = true;
  return Object.keys(seen).map(Number);
}

/** The columns of a chunk. */
const [SEQ, AT, LICENSE, PURPOSE, CONTENT, URL] = [0, 1, 2, 3, 4, 5];

function toWindow(chunks: readonly DuckDBDataChunk[]): Flat {
  const flat = newFlat(chunks.reduce((sum, { rowCount }) => sum + rowCount, 0));
  let start = 0;
  for (const chunk of chunks) {
    copy(chunk, flat, start);
    start += chunk.rowCount;
  }
  return inOrder(flat);
}

function copy(chunk: DuckDBDataChunk, flat: Flat, start: number): void {
  const { rowCount } = chunk;
  const fill = (target: Float64Array | Int32Array, column: number): void => {
    const vector = chunk.getColumnVector(column);
    for (let i = 0; i < rowCount; i++) target[start + i] = vector.getItem(i) as number;
  };
  fill(flat.seq, SEQ);
  fill(flat.at, AT);
  fill(flat.license, LICENSE);
  fill(flat.purpose, PURPOSE);
  fill(flat.content, CONTENT);
  const urls = chunk.getColumnVector(URL);
  for (let i = 0; i < rowCount; i++) {
    if (flat.content[start + i] === 0) flat.urls.set(start + i, (urls.getItem(i) as string | null) ?? '');
  }
}
