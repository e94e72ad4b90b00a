/**
 * Compares older decisions in ClickHouse with the records, some at a time: each step finds only by itself what is lost
 * of the newest ones, and rows may be deleted by hand.
 */
import { Diverged } from '../columns/diverged.ts';
import { integer } from '../columns/sql.ts';
import type { MovedBlock } from '../moved/blocks.ts';
import { fromBlock, isElsewhere, placeOn, unlessOther } from '../moved/place.ts';
import { lookTwice } from './cluster.ts';
import type { ColumnsState } from './state.ts';
import type { ClickHouseStep } from './step.ts';
import type { ClickHouse } from './store.ts';
import { table } from './tables.ts';

const AT_ONCE = 1_048_576;
const BLOCKS_AT_ONCE = 16;
const EVERY_MS = 60_000;
/** After all were compared. */
const AGAIN_MS = 86_400_000;

export const isCompareDue = ({ compared: { to, at } }: ColumnsState, now: number): boolean =>
  now - at >= (to === 0 ? AGAIN_MS : EVERY_MS);

/** Throws Diverged where they differ. */
export async function compareOlder({ store, states, records, head, state }: ClickHouseStep): Promise<void> {
  const isSettled = state.retiredTo === head.retiredTo && state.changesSeq === head.changesSeq;
  if (!isSettled || !isCompareDue(state, states.now())) return;
  const archivedTo = (await records.archived()).at(-1)?.toSeq ?? 0;
  const after = Math.max(state.compared.to, state.retiredTo, archivedTo);
  const to = Math.min(after + AT_ONCE, state.to);
  if (after < to) {
    const gone = `select number from ${table('gone')} where ver <= ${integer(state.changesSeq)}`;
    const sql = `select count(), sum(seq % 1048573), sum(decided_at % 1048573), sum(content), sum(reason)
      from ${table('decisions')} where ${span(after, to)} and content not in (${gone})`;
    const sums = await sumRecords({ store, records }, { after, to, gone });
    const isSame = ([found = []]: number[][]): boolean => sums === null || sums.every((sum, i) => sum === found[i]);
    const look = async (): Promise<number[][]> => (await store.query(sql)).rows as number[][];
    if (!isSame(await lookTwice(store, look, isSame)))
      throw new Diverged('older decisions are not in ClickHouse as they were');
  }
  state.compared = { to: to < state.to ? to : 0, at: states.now() };
}

const span = (after: number, to: number): string => `seq > ${integer(after)} and seq <= ${integer(to)}`;

/** Adds up decisions of some blocks; null: not all of them are there as they moved. */
async function sumMoved(store: ClickHouse, counted: string, blocks: readonly MovedBlock[]): Promise<number[] | null> {
  const place = placeOn(store.cluster);
  if (blocks.some(({ shard }) => isElsewhere(place, shard) !== undefined)) return null;
  const parts = blocks.map(
    (one) => `select count(), sum(seq % 1048573), sum(at % 1048573), sum(content_no), sum(reason)
      ${fromBlock(place, one)} and ${counted}`,
  );
  const found = await store.query(parts.join(' union all ')).catch(unlessOther);
  return (
    found?.rows.reduce<number[]>((sums, row) => (row as number[]).map((sum, i) => sum + (sums[i] ?? 0)), []) ?? null
  );
}

/** Adds up decisions of the records; null: some moved, and are not there as they were. The columns know no better. */
async function sumRecords(
  { store, records }: Pick<ClickHouseStep, 'store' | 'records'>,
  { after, to, gone }: { after: number; to: number; gone: string },
): Promise<number[] | null> {
  const moved = await records.movedBetween(after, to);
  const isIn = store.cluster === null ? 'not in' : 'global not in';
  const sums = await records.sumsBetween(Math.max(after, moved.at(-1)?.last ?? 0), to);
  for (let i = 0; i < moved.length; i += BLOCKS_AT_ONCE) {
    const some = moved.slice(i, i + BLOCKS_AT_ONCE);
    const others = await sumMoved(store, `${span(after, to)} and content_no ${isIn} (${gone})`, some);
    if (others === null) return null;
    for (const [j, sum] of others.entries()) sums[j] = (sums[j] as number) + sum;
  }
  return sums;
}
