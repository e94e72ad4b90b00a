/** Reads back from ClickHouse, to compare with PostgreSQL: whether all is there that was written, and no more. */
import { toIso } from '../../../lib/clock.ts';
import { DecisionsLost, Diverged } from '../columns/diverged.ts';
import type { Head } from '../columns/source.ts';
import { integer } from '../columns/sql.ts';
import { countShards, lookTwice } from './cluster.ts';
import { CHECK_SQL } from './rows.ts';
import { type Block, type ColumnsState, UNKNOWN } from './state.ts';
import type { ClickHouseStep } from './step.ts';
import type { ClickHouse } from './store.ts';
import { dropTables, table, withTables } from './tables.ts';

export const within = ({ first, last }: Pick<Block, 'first' | 'last'>): string =>
  `seq >= ${integer(first)} and seq <= ${integer(last)}`;

interface Found {
  mark: number;
  newest: number;
  foreign: number;
  tail: number;
  counts: number;
  gone: number;
}

/** Looks for what the last step wrote; null: there are no tables. */
async function find(store: ClickHouse, state: ColumnsState): Promise<Found | null> {
  const { newest, to, tail } = state;
  const decisions = `from ${table('decisions')} where seq`;
  const sql = `select (select max(n) from ${table('marks')}), (select count() ${decisions} >= ${integer(newest.first)} and seq <= ${integer(to)}),
    (select count() ${decisions} > ${integer(to)}), (select count() from ${table('tail')} where tail = ${integer(tail.no)}),
    (select count() ${decisions} < 0), (select count() from ${table('gone')})`;
  try {
    const [row = []] = (await store.query(sql)).rows as number[][];
    const [mark = 0, own = 0, foreign = 0, beyond = 0, counts = 0, gone = 0] = row;
    if (!(await isFit(store, state))) return { mark, newest: -1, foreign: 0, tail: 0, counts: 0, gone };
    return { mark, newest: own, foreign, tail: beyond, counts, gone };
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

/** Returns whether each shard of a cluster has what it should. */
async function isFit(store: ClickHouse, state: ColumnsState): Promise<boolean> {
  if (state.shards === null) return true;
  // No server compares what a shard has that left the settings of the cluster.
  if ((await countShards(store)) < state.shards.length) return false;
  try {
    await store.query(withTables(state, 'select count() from decisions where seq = 0 and decided_at < 0'));
    return true;
  } catch (error) {
    if ((error as { type?: string }).type === 'FUNCTION_THROW_IF_VALUE_IS_NON_ZERO') return false;
    throw error;
  }
}

const isMissing = (error: unknown): boolean =>
  ['UNKNOWN_TABLE', 'UNKNOWN_DATABASE'].includes((error as { type?: string }).type ?? '');

const hasNewest = ({ to, newest }: ColumnsState, found: Found): boolean =>
  to === 0 || newest.rows === UNKNOWN || found.newest === newest.rows;

const hasGone = (state: ColumnsState, found: Found): boolean => state.gone === UNKNOWN || found.gone >= state.gone;

function isSame(state: ColumnsState, found: Found | null): found is Found {
  return (
    found !== null &&
    found.mark >= state.done &&
    found.mark <= state.begun &&
    hasNewest(state, found) &&
    hasGone(state, found) &&
    (state.counts === UNKNOWN || found.counts === state.counts) &&
    found.tail === state.tail.rows &&
    found.foreign === 0
  );
}

export const isWhole = async (store: ClickHouse, state: ColumnsState): Promise<boolean> =>
  isSame(state, await find(store, state));

const EARLIER = 'the records were restored to an earlier state';

/** Returns why all must be counted again; null: nothing is lost. */
export async function findLoss(work: ClickHouseStep): Promise<Diverged | null> {
  const { store, state, head } = work;
  const isThere = (found: Found | null): boolean =>
    state.planned === null
      ? isSame(state, found)
      : // Once the next block is complete, only the look of the day would find that this one is lost.
        found !== null && found.mark >= state.done && hasNewest(state, found) && hasGone(state, found);
  const found = await lookTwice(store, () => find(store, state), isThere);
  if (!isThere(found)) {
    const lost = found === null ? null : await findLostDecisions(store, state, head);
    return lost ?? new Diverged('the columns in ClickHouse do not have what was written to them');
  }
  if (await hasOtherChanges(work)) return (await findLostDecisions(store, state, head)) ?? new Diverged(EARLIER);
  if (isEarlier(state, head)) return new Diverged(EARLIER);
  return head.retiredTo > state.retiredTo && head.retiredTo > state.to
    ? new Diverged('decisions left the log before they were counted')
    : null;
}

/** Returns whether the newest change that was copied is not among those of the records. */
async function hasOtherChanges({ state, head, records }: ClickHouseStep): Promise<boolean> {
  if (head.changesSeq === 0) return false;
  const changedAt = state.changesSeq === 0 ? 0 : await records.changedAt(state.changesSeq);
  const isTrimmed = changedAt === undefined && state.changesSeq < head.changesFromSeq;
  return !isTrimmed && changedAt !== state.changesAt;
}

const isEarlier = (state: ColumnsState, head: Head): boolean =>
  head.changesSeq < state.changesSeq ||
  head.retiredTo < state.retiredTo ||
  head.erasedNo < state.erasedNo ||
  head.inputsErasedTo < state.inputsErasedTo ||
  (head.ledgerNo ?? '0') !== state.ledgerNo;

/** Reads what shards have, whether it is all or not. */
const unguarded = (state: ColumnsState): ColumnsState => ({ ...state, newest: { ...state.newest, rows: UNKNOWN } });

/** Counts decisions of the columns that the records have lost. */
async function findLostDecisions(
  store: ClickHouse,
  state: ColumnsState,
  { decisionsSeq }: Head,
): Promise<DecisionsLost | null> {
  const sql = `select count(*), max(decided_at) from decisions where seq > ${integer(decisionsSeq)}`;
  const [[count = 0, last = 0] = []] = (await store.query(withTables(unguarded(state), sql))).rows as number[][];
  if (count === 0) return null;
  return new DecisionsLost(
    `${count} decisions that were counted are not in the records, the last of ${toIso(last)}: the records were ` +
      'restored to an earlier state, or are damaged. Reports now count what the records hold.',
  );
}

export async function check(store: ClickHouse, planned: Block): Promise<'all' | 'none' | 'other'> {
  const sql = `select ${CHECK_SQL} from ${table('decisions')} where ${within(planned)}`;
  const [[count, unique, ...sums] = []] = (await store.query(sql)).rows as number[][];
  if (count === 0) return planned.rows === 0 ? 'all' : 'none';
  const isAll = count === planned.rows && unique === count && sums.every((sum, i) => sum === planned.sums[i]);
  return isAll ? 'all' : 'other';
}

/**
 * Checks that the records have the newest decision of the columns. Where its item was deleted meanwhile, that is seen
 * in a later step.
 */
export async function matchNewest({
  store,
  state,
  head,
  records,
}: ClickHouseStep): Promise<Diverged | 'unknown' | null> {
  const sql = 'select max(seq), argMax(decided_at, seq), argMax(content, seq) from decisions where seq > 0';
  const [[seq = 0, at, content = 0] = []] = (await store.query(withTables(unguarded(state), sql))).rows as number[][];
  if (seq === 0 || (await records.decidedAt(seq)) === at) return null;
  if (content !== 0 && (await records.contentOf([content])).length === 0) return 'unknown';
  const lost = await findLostDecisions(store, state, head);
  return lost ?? new Diverged('the newest decision in the columns is not in the records');
}

/** Drops the tables. Refuses those of another installation: they would count each other's decisions. */
export async function dropOwn(store: ClickHouse, { ledgerNo }: Pick<ColumnsState, 'ledgerNo'>): Promise<void> {
  const owners = await store.query(`select ledger from ${table('owner')}`).catch((error: unknown) => {
    if (isMissing(error)) return null;
    throw error;
  });
  const owner = owners?.rows[0]?.[0];
  if (owner !== undefined && owner !== ledgerNo) {
    throw new Error('the database of ClickHouse belongs to another installation; give each one its own');
  }
  await dropTables(store);
}
