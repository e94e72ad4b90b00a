/**
 * Erased requesters, in the columns. While an erasure waits for the columns, the records still know the id; later, only
 * that there was one: columns that did not follow it in time are counted again.
 */
import { type DuckDBConnection, VARCHAR } from '@duckdb/node-api';
import { Diverged } from './diverged.ts';
import { dropUnusedPrograms } from './duckdb-programs.ts';
import { readColumns } from './duckdb-reader.ts';
import type { Inserter } from './insert.ts';
import { NOT_KEPT } from './programs.ts';
import type { ColumnsSnapshot, Head } from './source.ts';

interface Erasing {
  writer: DuckDBConnection;
  records: ColumnsSnapshot;
  head: Head;
  next: { erasedNo: number; rewritten: boolean };
  decisions: Inserter;
}

/** The columns of decisions that hold ids of requesters, with their dictionaries. */
const NAMED = [
  ['requester', 'requesters'],
  ['claimed', 'claims'],
] as const;

/** Replaces the requesters that were erased. */
export async function erase({ writer, records, head, next, decisions }: Erasing): Promise<void> {
  if (head.erasedNo === next.erasedNo) return;
  if (head.erasedNo < next.erasedNo) throw new Diverged('the records were restored to an earlier state');
  for (const { no, requesterId, pseudonym, toSeq } of await records.erasedAfter(next.erasedNo)) {
    if (requesterId === null) throw new Diverged('a requester was erased while the columns were not followed');
    for (const [column, table] of NAMED) await replace(writer, { column, table, requesterId, pseudonym, toSeq });
    await writer.run('delete from registered where id = $1', [requesterId], [VARCHAR]);
    next.erasedNo = no;
    next.rewritten = true;
  }
  await dropUnusedPrograms(writer);
  decisions.forgetNumbers();
}

/** Follows no erasure that is done: new columns never had the ids. */
export async function skipErased({ records, next }: Pick<Erasing, 'records' | 'next'>): Promise<void> {
  for (const { no, requesterId } of await records.erasedAfter(0)) {
    if (requesterId !== null) return;
    next.erasedNo = no;
  }
}

interface Replacing {
  column: string;
  table: string;
  requesterId: string;
  pseudonym: string;
  toSeq: number;
}

/** Decisions that were taken already may be later than the erasure: they keep the id, under a new number. */
async function replace(writer: DuckDBConnection, { column, table, requesterId, pseudonym, toSeq }: Replacing) {
  const one = async (sql: string, ...texts: string[]): Promise<number | undefined> =>
    (await readColumns(writer, sql, texts))[0]?.[0] as number | undefined;
  const old = await one(`select number from ${table} where id = $1`, requesterId);
  if (old === undefined) return;
  const isTheirs = `${column} = ${old}`;
  await writer.run(`update decisions set program = ${NOT_KEPT} where ${isTheirs} and seq <= ${toSeq}`);
  const later = await one(`select count(*)::double from decisions where ${isTheirs} and seq > ${toSeq}`);
  const known = await one(`select number from ${table} where id = $1`, pseudonym);
  if (known !== undefined) {
    await writer.run(`update decisions set ${column} = ${known} where ${isTheirs} and seq <= ${toSeq}`);
    if (later === 0) await writer.run(`delete from ${table} where number = ${old}`);
    return;
  }
  await writer.run(`update ${table} set id = $1 where number = ${old}`, [pseudonym], [VARCHAR]);
  if (later === 0) return;
  const next = (await one(`select max(number)::double + 1 from ${table}`)) as number;
  await writer.run(`insert into ${table} values (${next}, $1)`, [requesterId], [VARCHAR]);
  await writer.run(`update decisions set ${column} = ${next} where ${isTheirs} and seq > ${toSeq}`);
}
