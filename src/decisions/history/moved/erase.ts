/**
 * Erases a requester from moved decisions. Its name went with the first step of the erasure (see names.ts), and with it
 * its inputs from every answer. Here the salts of receipts go, and the inputs in ClickHouse.
 */
import type { Db } from '../../../db/db.ts';
import { integer } from '../columns/sql.ts';
import type { Replacement } from '../retention/erase.ts';
import { forgetRequesterIn } from '../sealed/forget.ts';
import { findOldest, reading } from './blocks.ts';
import { storeOf } from './store.ts';
import { overwriteInputs } from './upkeep.ts';

const AT_ONCE = 2_000;

/** Pieces of work; repeated after an interruption. Throws service_unavailable while ClickHouse is away. */
export async function* movedWork(db: Db, { pseudonym }: Replacement): AsyncGenerator<() => Promise<unknown>> {
  const number = await findErased(db, pseudonym);
  if (number === undefined) return;
  const store = storeOf(db);
  const isTheirs = `(requester = ${integer(number)} or claimed = ${integer(number)})`;
  // In blocks from before PostgreSQL was restored, the number may be another requester's.
  const own = await findBlocks(db);
  for (let after = 0; ; ) {
    const sql = `select seq, groupUniqArray(block) from ${store.place.everywhere} where ${isTheirs} and seq > ${integer(after)}
      group by seq order by seq limit ${AT_ONCE}`;
    const found = (await store.query(sql)) as [seq: number, blocks: number[]][];
    const seqs = found.filter(([, blocks]) => blocks.some((block) => own.has(block))).map(([seq]) => seq);
    if (seqs.length > 0) yield () => db.atomic(forgetRequesterIn(seqs));
    if (found.length < AT_ONCE) break;
    after = found.at(-1)?.[0] as number;
  }
  yield () => overwriteInputs(db, store, isTheirs);
}

/** Counts the moved decisions of a requester that is being erased. Throws service_unavailable. */
export async function countMovedOf(db: Db, { pseudonym }: Replacement): Promise<number> {
  const number = await findErased(db, pseudonym);
  if (number === undefined || (await findOldest(reading(db))) === undefined) return 0;
  const moved = await findBlocks(db, `where state = 'moved'`);
  const store = storeOf(db);
  // Once, however many replicas have it.
  const sql = `select block, uniqExact(seq) from ${store.place.everywhere} where requester = ${integer(number)} group by block`;
  const counts = (await store.query(sql)) as [number, number][];
  return counts.reduce((sum, [block, count]) => sum + (moved.has(block) ? count : 0), 0);
}

const findBlocks = async (db: Db, where = ''): Promise<Set<number>> =>
  new Set((await db.read<{ block: number }>(`select block from record_blocks ${where}`)).map(({ block }) => block));

async function findErased(db: Db, pseudonym: string): Promise<number | undefined> {
  if (db.engine === 'sqlite') return undefined;
  // Without a block, ClickHouse has nothing, and this node may not know it any more.
  const [row] = await db.read<{ number: number }>(
    `select number from record_names where md5(id) = md5($1) and erased = 1
       and exists (select 1 from record_blocks)`,
    [pseudonym],
  );
  return row?.number;
}
