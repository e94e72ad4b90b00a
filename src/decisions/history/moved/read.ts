/**
 * Reads moved decisions. Promise: a block that is absent in ClickHouse, or has other decisions than those that moved,
 * is refused to each question. No answer counts less than there is.
 */
import { unavailable } from '../../../api/errors.ts';
import type { Db, Row, Value } from '../../../db/db.ts';
import { integer } from '../columns/sql.ts';
import { findMoved, findMovedWith, type MovedBlock, type ReadAll, reading } from './blocks.ts';
import { fromBlock, inBlock, isElsewhere } from './place.ts';
import { MOVED_COLUMNS, type MovedRow, movedTable, RECORDS, XOR_SQL } from './row.ts';
import { type MovedStore, storeOf } from './store.ts';

/** Decisions read at once: checks wait for them. */
export const PIECE = 1_000;
const BLOCKS_AT_ONCE = 16;

interface NumberSpan {
  after: number;
  last: number;
}

/** Which decisions of a block are read; undefined: all. */
export interface MovedFilter {
  isLicensed?: boolean;
  policyNo?: number;
  contents?: readonly number[];
}

/** Finds the blocks that are absent, or differ from what moved. */
async function findOther(store: MovedStore, blocks: readonly MovedBlock[]): Promise<MovedBlock[]> {
  const other: MovedBlock[] = [];
  for (let i = 0; i < blocks.length; i += BLOCKS_AT_ONCE) {
    const some = blocks.slice(i, i + BLOCKS_AT_ONCE);
    const parts = some.map(
      (one) => `select ${integer(one.block)}, count(), ${XOR_SQL} from ${RECORDS} where ${inBlock(one)}`,
    );
    const rows = (await store.query(parts.join(' union all '))) as [number, number, string][];
    const found = new Map(rows.map(([block, count, sum]) => [block, `${count} ${sum}`]));
    other.push(...some.filter((one) => found.get(one.block) !== `${one.rows} ${one.xor}`));
  }
  return other;
}

/** Returns the blocks that are lost: no replica that has all which was written has them as they moved. */
export async function findLost(store: MovedStore, blocks: readonly MovedBlock[]): Promise<MovedBlock[]> {
  for (const { shard } of blocks) requirePlace(store, shard);
  const other = await findOther(store, blocks);
  if (other.length === 0 || !(await store.sync())) return other;
  return findOther(store, other);
}

function requirePlace({ isKnown, place }: MovedStore, shard: number): void {
  const elsewhere = isKnown ? isElsewhere(place, shard) : undefined;
  if (elsewhere !== undefined) throw unavailable(elsewhere);
}

/**
 * Reads a block by one statement, which is refused where the block is not there as it was. `toSql` receives what it
 * reads from, with a condition. Throws service_unavailable.
 */
export async function queryBlock(
  store: MovedStore,
  block: MovedBlock,
  toSql: (from: string) => string,
): Promise<unknown[][]> {
  requirePlace(store, block.shard);
  const sql = toSql(fromBlock(store.place, block));
  const rows = await store.queryWhole(sql);
  if (rows !== undefined) return rows;
  // A replica was behind.
  const later = (await store.sync()) ? await store.queryWhole(sql) : undefined;
  if (later !== undefined) return later;
  throw unavailable(
    `Decisions ${block.first} to ${block.last} moved to ClickHouse, and are not there as they were: restore its backup.`,
  );
}

/** Reads whole decisions of a block, in order. `where` follows other conditions; so many at most. */
export const queryRows = async (
  store: MovedStore,
  block: MovedBlock,
  { where = '', limit }: { where?: string; limit?: number } = {},
): Promise<MovedRow[]> => {
  const end = `${where} order by seq${limit === undefined ? '' : ` limit ${integer(limit)}`}`;
  return (await queryBlock(store, block, (from) => `select ${MOVED_COLUMNS} ${from}${end}`)) as MovedRow[];
};

function toWhere({ isLicensed = false, policyNo, contents }: MovedFilter): string {
  return [
    isLicensed ? ' and license_id is not null' : '',
    policyNo === undefined ? '' : ` and policy_no = ${integer(policyNo)}`,
    contents === undefined ? '' : ` and content_no in (${contents.map(integer).join(', ')})`,
  ].join('');
}

/** Yields the rows of moved decisions after a number up to another one, in order. */
export async function* movedRows(
  all: ReadAll,
  store: MovedStore,
  span: NumberSpan,
  filter: MovedFilter = {},
): AsyncGenerator<MovedRow[]> {
  if (filter.contents?.length === 0) return;
  const where = toWhere(filter);
  for (let { after } = span; after < span.last; ) {
    const blocks = await findMoved(all, { after, last: span.last }, BLOCKS_AT_ONCE);
    for (const one of blocks) {
      yield* readBlock(store, one, { after, last: Math.min(one.last, span.last), where });
      after = one.last;
    }
    if (blocks.length < BLOCKS_AT_ONCE) return;
  }
}

async function* readBlock(
  store: MovedStore,
  block: MovedBlock,
  { after, last, where }: NumberSpan & { where: string },
): AsyncGenerator<MovedRow[]> {
  for (let from = after; ; ) {
    const within = `seq > ${integer(from)} and seq <= ${integer(last)}`;
    const rows = await queryRows(store, block, { where: ` and ${within}${where}`, limit: PIECE });
    if (rows.length > 0) yield rows;
    if (rows.length < PIECE) return;
    from = rows.at(-1)?.[0] as number;
  }
}

/** Reads those of some decisions that moved. As long for one that never was. */
export async function readMovedOf(all: ReadAll, store: MovedStore, seqs: readonly number[]): Promise<MovedRow[]> {
  if (seqs.length === 0) return [];
  const rows: MovedRow[] = [];
  for (const one of await findMovedWith(all, seqs)) {
    const own = seqs.filter((seq) => seq >= one.first && seq <= one.last);
    if (own.length === 0) continue;
    rows.push(...(await queryRows(store, one, { where: ` and seq in (${own.map(integer).join(', ')})` })));
  }
  return rows;
}

/** SQL over decisions: of the table of the records, or of one in its place. */
export type OverDecisions = (table: string) => string;

/** Yields what a query finds among moved decisions of a span, a piece of them at a time. Its parameters come first. */
export async function* queryMoved<R extends Row>(
  db: Db,
  { sql, params }: { sql: OverDecisions; params: readonly Value[] },
  span: NumberSpan,
  filter?: MovedFilter,
): AsyncGenerator<R[]> {
  if (db.engine === 'sqlite') return;
  const text = sql(movedTable(`$${params.length + 1}`));
  for await (const rows of movedRows(reading(db), storeOf(db), span, filter)) {
    yield await db.read<R>(text, [...params, JSON.stringify(rows)]);
  }
}

/** Returns what a query finds among those of some decisions that moved. */
export async function queryMovedOf<R extends Row>(
  db: Db,
  { sql, params }: { sql: OverDecisions; params: readonly Value[] },
  seqs: readonly number[],
): Promise<R[]> {
  if (db.engine === 'sqlite') return [];
  const rows = await readMovedOf(reading(db), storeOf(db), seqs);
  if (rows.length === 0) return [];
  return db.read<R>(sql(movedTable(`$${params.length + 1}`)), [...params, JSON.stringify(rows)]);
}

/** Returns the time of a decision that moved. */
export const readMovedAt = async (all: ReadAll, store: MovedStore, seq: number): Promise<number | undefined> =>
  (await readMovedOf(all, store, [seq]))[0]?.[1] as number | undefined;

/** Reads the moved decisions after a number, in order, by a query whose parameters are that number and a limit. */
export async function readMovedAfter(
  all: ReadAll,
  store: MovedStore,
  sql: OverDecisions,
  { after, limit }: { after: number; limit: number },
): Promise<Row[]> {
  const found: Row[] = [];
  for await (const rows of movedRows(all, store, { after, last: Number.MAX_SAFE_INTEGER })) {
    found.push(...(await all<Row>(sql(movedTable('$3')), [after, limit - found.length, JSON.stringify(rows)])));
    if (found.length === limit) break;
  }
  return found;
}
