/**
 * Forgets what the log could show of erased parts. Promise: in the transaction that erases a part, its salt goes too,
 * and the hash that stays cannot be guessed. A decision that is being sealed meanwhile is read again: both transactions
 * change one row of the settings.
 */
import type { Db, Step, Value } from '../../../db/db.ts';

/** Decisions up to this number are sealed. */
export const SEALED_TO = 'log_sealed_to';
/** Counts erasures of decisions that may be about to be sealed, and the steps that seal. */
export const FORGOTTEN = 'log_forgotten';

/** Before the steps that erase. `upTo`: the last number of a decision that they may erase; undefined: any. */
export const fence = (upTo: number | undefined): Step => ({
  sql: `update settings set value = cast(cast(value as bigint) + 1 as text) where name = '${FORGOTTEN}'${
    upTo === undefined
      ? ''
      : ` and exists (select 1 from settings as s where s.name = '${SEALED_TO}' and cast(s.value as bigint) < $1)`
  }`,
  params: upTo === undefined ? [] : [upTo],
});

/** Forgets decisions that leave the log. `where` is a condition on `seq`. */
export const forgetLeaves = (where: string, upTo?: number): Step[] => [
  fence(upTo),
  { sql: `delete from log_leaves where ${where}` },
];

/** Forgets the inputs of a span of decisions. */
export const forgetInputs = (after: number, upTo: number): Step[] => [
  fence(upTo),
  { sql: 'update log_leaves set inputs_salt = null where seq > $1 and seq <= $2', params: [after, upTo] },
];

/** Forgets the requester in some decisions, which must still name it. */
export const forgetRequester = (
  { sql, params }: { sql(first: number): string; params: readonly Value[] },
  requesterId: string,
): Step[] => [
  fence(undefined),
  {
    sql: `update log_leaves set requester_salt = null, inputs_salt = null where seq in
      (select seq from decisions where ${sql(2)} and (requester_id = $1 or claimed = $1))`,
    params: [requesterId, ...params],
  },
];

/** Forgets the requester in some decisions that moved, and do not name it any more. */
export const forgetRequesterIn = (seqs: readonly number[]): Step[] => [
  fence(undefined),
  { sql: `update log_leaves set requester_salt = null, inputs_salt = null where seq in (${seqs.join(', ')})` },
];

/** Forgets the requester of a final statement, in the transaction that erases it there. */
export const forgetStatement = (id: string | number): Step => ({
  sql: 'update log_statements set requester_salt = null where statement_id = $1',
  params: [id],
});

/** The tree of a requester that is erased stays, without a trace of whose it was. */
export const forgetTree = (requesterId: string): Step => ({
  sql: 'update log_trees set requester_id = null, salt = null where requester_id = $1',
  params: [requesterId],
});

/** Returns the number up to which decisions are sealed; 0: none is. */
export async function sealedTo(db: Db): Promise<number> {
  const [row] = await db.read<{ value: string }>(`select value from settings where name = '${SEALED_TO}'`);
  return Number(row?.value ?? 0);
}
