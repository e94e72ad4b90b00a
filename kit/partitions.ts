/** Puts the table of decisions of a database into partitions, as a service does over months. */

import { migrate } from '../src/db/migrate.ts';
import { openPostgres } from '../src/db/postgres/db.ts';
import { reading } from '../src/decisions/history/moved/blocks.ts';
import { addBorder, cut, freeSequence, turn, validate } from '../src/decisions/history/partitions/changes.ts';
import { openChangeConnection } from '../src/decisions/history/partitions/connection.ts';
import { BORDER, type Piece, readInheritance, readTable } from '../src/decisions/history/partitions/table.ts';

/** Few numbers in each at first, so that also a small test has decisions in several. */
const BORDERS = [4, 8, 16, 32, 64, 128, 256, 512, 1_024, 2_048, 1_000_000];

/** Undoes the gap that a new sequence leaves: tests count on numbers that follow each other. */
export const WITHOUT_GAP = {
  sql: `select setval('decisions_seq_seq', greatest(1, (select max(seq) from decisions)), exists (select 1 from decisions))`,
};

/** The database may be empty; its decisions have numbers below the first border. */
export async function partition(url: string, borders: readonly number[] = BORDERS): Promise<void> {
  const db = await openPostgres(url);
  await migrate(db, 0);
  const all = reading(db);
  const connection = openChangeConnection(db, url);
  const last = async (): Promise<Piece> => (await readTable(all)).pieces.at(-1) as Piece;
  const [first = 1, ...others] = borders;
  await connection.run(freeSequence([]));
  await db.atomic([WITHOUT_GAP]);
  await connection.run(addBorder(await last(), first));
  await connection.run(validate(await last(), BORDER));
  await connection.run(turn(first, await readInheritance(all)));
  for (const border of others) await connection.run(cut(await last(), border, null));
  await connection.cancel();
  await db.close();
}
