/** Conditions that refuse an answer of a shard that lacks rows. */
import { integer } from '../columns/sql.ts';
import { type ColumnsState, UNKNOWN } from './state.ts';

const PRIME = 1_048_573;
/** Sums of the newest block. */
export const NEWEST_SQL = `count(), sum(seq % ${PRIME}), sum(decided_at % ${PRIME})`;

/**
 * Returns a condition for decisions that throws where the server of a shard has not what a state says: another number
 * of rows, or another newest block. `table`: its own table, which that server reads. Empty where nothing is known.
 */
export function guardSql(
  { shards, newest, to }: Pick<ColumnsState, 'shards' | 'newest' | 'to'>,
  table: string,
): string {
  if (shards === null || newest.rows === UNKNOWN) return '';
  const numbers = shards.map((_, i) => i + 1).join(', ');
  const unless = (isOther: string, where: string): string =>
    ` and 1 in (select toUInt8(throwIf(${isOther}, 'behind') = 0) from ${table} where ${where} and seq <= ${integer(to)})`;
  const all = `count() <> transform(shardNum(), [${numbers}], [${shards.map(integer).join(', ')}], 0)`;
  const guard = unless(all, 'true');
  if (newest.shard === 0) return guard;
  const [seqs = 0, times = 0] = newest.sums;
  const sums = [newest.rows, seqs, times].map(integer).join(', ');
  const block = `shardNum() = ${integer(newest.shard)} and (${NEWEST_SQL}) <> (${sums})`;
  return guard + unless(block, `seq >= ${integer(newest.first)}`);
}
