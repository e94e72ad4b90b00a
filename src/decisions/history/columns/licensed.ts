/**
 * Licensed decisions that count for statements: allowed, enforced, still in the log or the archive, and about items
 * that exist. A window of them is in groups; each answer is of one snapshot.
 */
import { inGroupOrder, type LicensedRows, type RowPlaces } from './licensed-rows.ts';
import type { SqlReader } from './reader.ts';
import { integer, listSql, QUARTER_HOUR_MS, select, text } from './sql.ts';

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

async function counted(reader: SqlReader, { from, to, licenses }: LicensedQuery): Promise<string> {
  const selected = await select(reader, { from, to, allowed: true, enforced: true });
  const licensed = `${selected} and seq > 0 and license <> 0`;
  const ids = 'only' in licenses ? licenses.only : licenses.except;
  if ('except' in licenses && ids.length === 0) return licensed;
  const list = ids.length === 0 ? 'null' : ids.map(text).join(', ');
  const [numbers = []] = await reader.columns(`select number from licenses where id in (${list})`);
  const values = listSql([0, ...(numbers as number[])]);
  return `${licensed} and license ${'only' in licenses ? 'in' : 'not in'} (${values})`;
}

/** Counts them, in the order of time. */
export async function answerLicensedCells(reader: SqlReader, query: LicensedQuery): Promise<LicensedCell[]> {
  return reader.inSnapshot(async () => {
    const from = await counted(reader, query);
    const sql = `select quarter, count(*)::double ${from} group by quarter order by quarter`;
    const [quarters = [], counts = []] = await reader.columns(sql);
    return quarters.map((quarter, i) => ({ start: (quarter as number) * QUARTER_HOUR_MS, count: counts[i] as number }));
  });
}

/** Counts them by license. */
export async function answerLicensedCounts(reader: SqlReader, query: LicensedQuery): Promise<Map<string, number>> {
  return reader.inSnapshot(async () => {
    const sql = `select license as number, count(*)::double as n ${await counted(reader, query)} group by license`;
    const [ids = [], counts = []] = await reader.columns(
      `select id, n from (${sql}) as counted join licenses using (number)`,
    );
    return new Map(ids.map((id, i) => [id as string, counts[i] as number]));
  });
}

/** Counts the decisions of a time that count and that no license allowed, also those that left the log. */
export async function answerUnlicensed(reader: SqlReader, { from, to }: TimeSpan): Promise<number> {
  const selected = await select(reader, { from, to, allowed: true, enforced: true });
  const [count] = await reader.columns(`select count(*)::double ${selected} and license = 0`);
  return count?.[0] as number;
}

export async function answerLicensedGroups(reader: SqlReader, query: LicensedQuery): Promise<LicensedWindow> {
  const contents = query.contents !== false;
  return reader.inSnapshot(async () => {
    const from = await counted(reader, query);
    const { groups: lists, seq, at, content } = await reader.licensed(from, contents);
    const licenses = await readNames(reader, 'licenses', new Set(lists.map(({ license }) => license)));
    const purposes = await readNames(reader, 'purposes', new Set(lists.map(({ purpose }) => purpose)));
    let end = 0;
    const groups = lists.map(({ license, purpose, count }): LicensedGroup => {
      const start = end;
      end += count;
      return { licenseId: licenses.get(license) as string, purpose: purposes.get(purpose) ?? null, start, end };
    });
    const rows = inGroupOrder({ seq, at, content, urls: new Map() }, groups);
    if (rows.content.includes(0)) await readUrls(reader, from, rows);
    return { rows, groups };
  });
}

async function readUrls(reader: SqlReader, from: string, { seq, content, urls }: LicensedRows) {
  const [seqs = [], texts = []] = await reader.columns(
    `select seq::double, coalesce(file, url) ${from} and content = 0`,
  );
  const bySeq = new Map(seqs.map((one, i) => [one as number, texts[i] as string | null]));
  for (const [i, number] of content.entries()) if (number === 0) urls.set(i, bySeq.get(seq[i] as number) ?? '');
}

async function readNames(
  reader: SqlReader,
  table: 'licenses' | 'purposes',
  numbers: ReadonlySet<number>,
): Promise<ReadonlyMap<number, string>> {
  const list = [...numbers].map(integer).join(', ') || '0';
  const [known = [], ids = []] = await reader.columns(`select number, id from ${table} where number in (${list})`);
  return new Map(known.map((number, i) => [number as number, ids[i] as string]));
}
