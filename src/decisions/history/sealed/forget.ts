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

/** Forgets decisions up to a number, which leave the log. */
export const forgetUpTo = (last: number): Step[] => [
  fence(last),
  { sql: 'delete from log_leaves where seq <= $1', params: [last] },
  { sql: 'delete from log_spans where to_seq <= $1', params: [last] },
  {
    // The row goes on from the next number.
    sql: `update log_spans set from_seq = $1 + 1, ${Object.entries(WIDTHS)
      .map(([name, width]) => `${name} = substr(${name}, 1 + ${width} * cast($1 + 1 - from_seq as integer))`)
      .join(', ')} where from_seq <= $1`,
    params: [last],
  },
];

/** Forgets decisions that leave the log. `seqs`: selects their numbers. */
export const forgetLeaves = (seqs: string): Step[] => [
  fence(undefined),
  { sql: `delete from log_leaves where seq in (${seqs})` },
  { sql: clearSlots(seqs, ['leaves', 'requester_salts', 'inputs_salts']) },
];

/** Forgets the inputs of a span of decisions. */
export const forgetInputs = (after: number, upTo: number): Step[] => [
  fence(upTo),
  { sql: 'update log_leaves set inputs_salt = null where seq > $1 and seq <= $2', params: [after, upTo] },
  {
    sql: `update log_spans set inputs_salts = substr(inputs_salts, 1, ${SALT} * ${before('$1 + 1')})
        || substr($3, 1, length(inputs_salts) - ${SALT} * (${before('$1 + 1')} + ${behind('$2')}))
        || substr(inputs_salts, 1 + length(inputs_salts) - ${SALT} * ${behind('$2')})
      where from_seq > $1 - ${SPAN} and from_seq <= $2 and to_seq > $1`,
    params: [after, upTo, CLEAR.repeat(SALT * SPAN)],
  },
];

/** Forgets the requester in some decisions, which must still name it. */
export const forgetRequester = (
  { sql, params }: { sql(first: number): string; params: readonly Value[] },
  requesterId: string,
): Step[] => {
  const seqs = `select seq from decisions where ${sql(2)} and (requester_id = $1 or claimed = $1)`;
  return [
    fence(undefined),
    {
      sql: `update log_leaves set requester_salt = null, inputs_salt = null where seq in (${seqs})`,
      params: [requesterId, ...params],
    },
    { sql: clearSlots(seqs, ['requester_salts', 'inputs_salts']), params: [requesterId, ...params] },
  ];
};

/** Numbers of a row, at most. */
export const SPAN = 256;
const SALT = 24;
/** Characters of a number, by column. */
const WIDTHS = { leaves: 144, requester_salts: SALT, inputs_salts: SALT };
/** Zeros in base64. */
const CLEAR = 'A';

/** The count of a row's numbers before a number, and behind it. */
const before = (seq: string): string =>
  `cast(case when ${seq} > from_seq then ${seq} - from_seq else 0 end as integer)`;
const behind = (seq: string): string => `cast(case when ${seq} < to_seq then to_seq - ${seq} else 0 end as integer)`;

/** Zeros for some decisions. `seqs`: selects their numbers. */
const clearSlots = (seqs: string, columns: readonly (keyof typeof WIDTHS)[]): string => `
  with gone (seq) as materialized (${seqs})
  update log_spans set ${columns.map((name) => `${name} = (${clearedSql(name)})`).join(', ')}
  where from_seq in (select (select max(s.from_seq) from log_spans as s where s.from_seq <= gone.seq) from gone)`;

const clearedSql = (name: keyof typeof WIDTHS): string => `
  with recursive slots (seq) as (select from_seq union all select seq + 1 from slots where seq < to_seq)
  select string_agg(case when seq in (select seq from gone) then '${CLEAR.repeat(WIDTHS[name])}'
    else substr(${name}, 1 + ${WIDTHS[name]} * cast(seq - from_seq as integer), ${WIDTHS[name]}) end, '' order by seq)
  from slots`;

/** Forgets the requester in some decisions that moved, and do not name it any more. */
export const forgetRequesterIn = (seqs: readonly number[]): Step[] => [
  fence(undefined),
  { sql: `update log_leaves set requester_salt = null, inputs_salt = null where seq in (${seqs.join(', ')})` },
  { sql: clearSlots(toValues(seqs), ['requester_salts', 'inputs_salts']) },
];

/** Selects some numbers, at least one. */
export const toValues = (seqs: readonly number[]): string => `values ${seqs.map((seq) => `(${seq})`).join(', ')}`;

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
