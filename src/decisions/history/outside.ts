/**
 * Counts what is on no statement because no license allowed it. Promise: with the statements of all licenses and what
 * licenses without terms allowed, these are all allowed, enforced and recorded decisions of the time, to the unit, also
 * those of deleted items. Reports of usage lack only these, so they are counted too.
 */
import type { Db } from '../../db/db.ts';
import { countArchivedDeleted, countArchivedOutside } from './archive/counted.ts';
import type { Columns } from './columns/columns.ts';
import { type CountingSpan, fromColumns, type History } from './count.ts';
import { countedSpan } from './counted.ts';
import { countDeletedIn, countUnlicensed, countUnlicensedGone, type DeletedCount } from './deleted-counts.ts';
import { archivedTo } from './ends.ts';
import { type StoredHistory, WINDOW } from './read.ts';
import { retiredTo } from './retention/retire.ts';

/** Counts differ meanwhile only if items are deleted or decisions are moved: rarely more than once. */
const TRIES = 5;

export interface Unlicensed {
  noLicense: number;
  /** Decisions of deleted items, licensed or not. */
  deleted: number;
}

/** Counts the unlicensed decisions of a time. Its ends are the start of a day in some time zone. */
export const countOutside = async (deps: History, span: CountingSpan): Promise<Unlicensed> =>
  (await fromColumns(deps, span, (columns) => countInColumns(deps, columns, span))) ?? countInRecords(deps, span);

/** The columns hold what is not deleted. Returns undefined if items are deleted all the time. */
async function countInColumns(
  deps: StoredHistory,
  columns: Columns,
  span: CountingSpan,
): Promise<Unlicensed | undefined> {
  for (let tries = 0; tries < TRIES; tries++) {
    const change = await lastChange(deps.db);
    const gone = await countDeleted(deps, span);
    const live = await columns.unlicensed({ from: span.from, to: span.to });
    const isSettled = change === (await lastChange(deps.db)) || isSame(gone, await countDeleted(deps, span));
    if (isSettled) return { noLicense: live + gone.unlicensed, deleted: gone.licensed + gone.unlicensed };
  }
  return undefined;
}

/** Counts decisions of deleted items. */
async function countDeleted(deps: StoredHistory, span: CountingSpan): Promise<DeletedCount> {
  const [archived, own] = [await countArchivedDeleted(deps, span), await countDeletedIn(deps.db, span)];
  return { licensed: archived.licensed + own.licensed, unlicensed: archived.unlicensed + own.unlicensed };
}

const isSame = (a: DeletedCount, b: DeletedCount): boolean =>
  a.licensed === b.licensed && a.unlicensed === b.unlicensed;

/** Every deletion of an item is a change. */
async function lastChange(db: Db): Promise<number> {
  const [row] = await db.read<{ seq: number | null }>('select max(seq) as seq from changes');
  return row?.seq ?? 0;
}

async function countInRecords(deps: StoredHistory, span: CountingSpan): Promise<Unlicensed> {
  for (let tries = 1; ; tries++) {
    const moved = await movedTo(deps, span);
    const log = await countLog(deps.db, span);
    const rest = (await countArchivedOutside(deps, span)) + (await countUnlicensedGone(deps.db, span));
    const { licensed, unlicensed } = await countDeleted(deps, span);
    if (moved !== (await movedTo(deps, span)) && tries < TRIES) continue;
    return { noLicense: log + rest, deleted: licensed + unlicensed };
  }
}

/** Returns a text that differs once decisions have moved. */
const movedTo = async ({ db }: StoredHistory, span: CountingSpan): Promise<string> =>
  [await archivedTo(db), await retiredTo(db), await countUnlicensedGone(db, span)].join(' ');

async function countLog(db: Db, { from, to }: CountingSpan): Promise<number> {
  const span = await countedSpan(db, from, to);
  let count = 0;
  // What is archived may still be in the log.
  const begin = Math.max(span.after, await archivedTo(db));
  for (let after = begin; after < span.last; after += WINDOW) {
    count += await countUnlicensed(db, { ...span, after, last: Math.min(after + WINDOW, span.last) });
  }
  return count;
}
