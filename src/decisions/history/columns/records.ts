/** The columns' copies of content and of registered requesters, taken from the records. */
import { type DuckDBConnection, INTEGER, LIST, listValue, VARCHAR } from '@duckdb/node-api';
import { NumberSet } from '../../../lib/number-set.ts';
import type { ColumnsSnapshot, ContentRow, RequesterRow } from './source.ts';

const PAGE = 8_192;

/** Both ends of a copy. */
export interface Copying {
  writer: DuckDBConnection;
  records: ColumnsSnapshot;
  /** The numbers of the items in `content`. */
  items: NumberSet;
}

export async function readItems(writer: DuckDBConnection): Promise<NumberSet> {
  const items = new NumberSet();
  const [numbers = []] = await (await writer.run('select number from content')).getColumns();
  for (const number of numbers) items.add(number as number);
  return items;
}

/** Copies changed items in their current state, and deletes the decisions on items that are gone. */
export async function copyContent({ writer, records, items }: Copying, nos: readonly number[]): Promise<void> {
  const present = await records.contentOf(nos);
  const existing = new Set(present.map((row) => row.no));
  const [numbers, types] = await (
    await writer.run(
      'select number, type from content where number in (select unnest($1))',
      [listValue(nos)],
      [LIST(INTEGER)],
    )
  ).getColumns();
  const known = new Map(numbers?.map((number, i) => [number as number, types?.[i] as string]));
  const gone = nos.filter((no) => !existing.has(no) && known.has(no));
  // Most edits change nothing that is copied.
  const changed = present.filter((row) => known.get(row.no) !== row.type);
  const stale = [...gone, ...changed.map((row) => row.no).filter((no) => known.has(no))];
  await deleteFrom(writer, 'content', 'number', stale);
  for (const no of gone) items.delete(no);
  await insertContent(writer, changed, items);
  await deleteFrom(writer, 'decisions', 'content', gone);
}

/** Copies all content again, and deletes the decisions on items that are gone. */
export async function copyAllContent({ writer, records, items }: Copying): Promise<void> {
  await writer.run('delete from content');
  items.clear();
  let after = 0;
  for (;;) {
    const rows = await records.contentAfter(after, PAGE);
    await insertContent(writer, rows, items);
    if (rows.length < PAGE) break;
    after = rows.at(-1)?.no ?? after;
  }
  await writer.run('delete from decisions where content <> 0 and content not in (select number from content)');
}

async function deleteFrom(
  writer: DuckDBConnection,
  table: 'content' | 'decisions',
  column: 'number' | 'content',
  nos: readonly number[],
): Promise<void> {
  if (nos.length === 0) return;
  await writer.run(`delete from ${table} where ${column} in (select unnest($1))`, [listValue(nos)], [LIST(INTEGER)]);
}

async function insertContent(writer: DuckDBConnection, rows: readonly ContentRow[], items: NumberSet): Promise<void> {
  if (rows.length === 0) return;
  for (const { no } of rows) items.add(no);
  await writer.run(
    'insert into content select unnest($1), unnest($2), unnest($3)',
    [listValue(rows.map(({ no }) => no)), listValue(rows.map(({ id }) => id)), listValue(rows.map(({ type }) => type))],
    [LIST(INTEGER), LIST(VARCHAR), LIST(VARCHAR)],
  );
}

/** Copies changed requesters in their current state. */
export async function copyRequesters({ writer, records }: Copying, ids: readonly string[]): Promise<void> {
  await writer.run('delete from registered where id in (select unnest($1))', [listValue([...ids])], [LIST(VARCHAR)]);
  await insertRequesters(writer, await records.requestersOf(ids));
}

export async function copyAllRequesters({ writer, records }: Copying): Promise<void> {
  await writer.run('delete from registered');
  let after = '';
  for (;;) {
    const rows = await records.requestersAfter(after, PAGE);
    await insertRequesters(writer, rows);
    if (rows.length < PAGE) return;
    after = rows.at(-1)?.id ?? after;
  }
}

async function insertRequesters(writer: DuckDBConnection, rows: readonly RequesterRow[]): Promise<void> {
  if (rows.length === 0) return;
  const columns = (['id', 'name', 'type', 'status', 'tags'] as const).map((name) => rows.map((row) => row[name]));
  await writer.run(
    'insert into registered select unnest($1), unnest($2), unnest($3), unnest($4), unnest($5)',
    columns.map((values) => listValue(values)),
    columns.map(() => LIST(VARCHAR)),
  );
}
