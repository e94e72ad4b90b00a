/**
 * Keeps the table of decisions in partitions of about a month, where old decisions move to ClickHouse, so that their
 * space returns to the disk. Promise: no decision is refused. The last partition has no upper end; a border that is
 * enforced before the partition ends there is far ahead of the newest number, and is given up in time.
 */
import { type Db, Unavailable } from '../../../db/db.ts';
import { reading } from '../moved/blocks.ts';
import { addBorder, cut, dropBorder, freeSequence, turn, validate } from './changes.ts';
import type { PartitionDeps } from './deps.ts';
import { openLeaving } from './leave.ts';
import { type NumberPace, openPace } from './pace.ts';
import {
  BORDER,
  type DecisionTable,
  findForeign,
  type Piece,
  readInheritance,
  readNewest,
  readOptions,
  readSequenceGrants,
  readTable,
} from './table.ts';

/** Pause after a change that found the table in use, so that checks do not queue behind each attempt. */
const PAUSE_MS = 60_000;
/** Longer than any transaction that began before the sequence was replaced. */
const IN_FLIGHT_MS = 60_000;

/** Returns the work of one look. Each change is complete by itself, so another node may continue after any. */
export function openPartitions(deps: PartitionDeps, mayGoOn: () => boolean): () => Promise<void> {
  const pace = openPace(deps);
  const leave = openLeaving(deps, mayGoOn);
  let pausedUntil = 0;
  let freeSince: number | undefined;

  /** Makes the next change. Returns false when there is none left. */
  async function change(): Promise<boolean> {
    const table = await readTable(reading(deps.db));
    pace.note(table.newest);
    const last = table.pieces.at(-1) as Piece;
    const isUnwanted = table.isPlain && !deps.isWanted;
    if (last.border !== null && (isUnwanted || pace.isNear(last.border.at, table.newest))) {
      await deps.connection.run(dropBorder(last));
      return false;
    }
    if (isUnwanted || performance.now() < pausedUntil) return false;
    return (await extend(table, last)) || (await leave(table.pieces.slice(0, -1)));
  }

  /** Adds a partition before the newest numbers reach the last one, which is empty until then. */
  async function extend(table: DecisionTable, last: Piece): Promise<boolean> {
    const { newest } = table;
    if (last.from === null || newest >= last.from) return end(table, last);
    const numbers = await pace.numbersOfSpan(newest);
    if (last.from - newest >= numbers / 2) return false;
    await cutAt(last, last.from + numbers);
    return true;
  }

  /** Ends a table or a partition that has rows, at a border that is enforced and validated first. */
  async function end(table: DecisionTable, last: Piece): Promise<boolean> {
    const { db, connection } = deps;
    if (table.isPlain) await requireOwn(db);
    if (table.isPlain && !table.isSequenceFree) {
      await connection.run(freeSequence(await readSequenceGrants(reading(db))));
      pace.forget();
    } else if (last.border === null) {
      const border = await pace.farAhead(table.newest);
      if (border === undefined) return false;
      await connection.run(addBorder(last, border));
    } else if (!last.border.isKnown) {
      const { at } = last.border;
      await connection.run(validate(last, BORDER), async () => mayGoOn() && isFar(db, pace, at));
    } else if (table.isPlain) {
      freeSince ??= deps.now();
      if (deps.now() - freeSince < IN_FLIGHT_MS) return false;
      await connection.run(turn(last.border.at, await readInheritance(reading(db))));
      deps.onChange(`the table of decisions has partitions now; the first one ends before number ${last.border.at}`);
    } else await cutAt(last, last.border.at);
    return true;
  }

  async function cutAt(last: Piece, border: number): Promise<void> {
    await deps.connection.run(cut(last, border, await readOptions(reading(deps.db), last.name)));
    deps.onChange(`a partition of decisions begins with number ${border}`);
  }

  return async () => {
    try {
      while (mayGoOn() && (await change())) continue;
    } catch (error) {
      if (!(error instanceof Unavailable && error.busy)) throw error;
      pausedUntil = performance.now() + PAUSE_MS;
    }
  };
}

/** Returns whether new numbers are still far from a border. */
async function isFar(db: Db, pace: NumberPace, border: number): Promise<boolean> {
  const newest = await readNewest(reading(db));
  pace.note(newest);
  return !pace.isNear(border, newest);
}

async function requireOwn(db: Db): Promise<void> {
  const foreign = await findForeign(reading(db));
  if (foreign.length === 0) return;
  throw new Error(
    `the table of decisions gets no partitions: it has what Postern did not make (${foreign.join(', ')})`,
  );
}
