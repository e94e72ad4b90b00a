/** Replaces a requester in the ledger: in its decisions, the daily counts and its limits. */
import type { Db, Step, Value } from '../../../db/db.ts';
import { inList, toList } from '../../../db/query.ts';
import { toTestSql } from '../../ledger/test-tables.ts';
import { findLast } from '../ends.ts';
import { forgetRequester } from '../sealed/forget.ts';
import { eraseInputsSql } from './retire.ts';
import { eraseTests } from './test-sweep.ts';

/**
 * Counts of quotas that decisions up to a number may still be added to are counted anew, from wherever these are then.
 */
export const dropUnsettled = (upTo: number): Step => ({
  sql: `delete from limits where key like 'q.%' and (state::jsonb ->> 4)::bigint > 0 and (state::jsonb ->> 3)::bigint < $1`,
  params: [upTo],
});

export interface Replacement {
  requesterId: string;
  pseudonym: string;
}

/** Some decisions: a condition whose parameters begin with a number. */
export interface Among {
  sql(first: number): string;
  params: readonly Value[];
}

/**
 * Replaces the requester in some decisions and erases their inputs: address and user agent are the requester's, or
 * name it.
 */
export const replaceInDecisions = (db: Db, { sql, params }: Among, by: Replacement): Step[] => [
  ...forgetRequester({ sql, params }, by.requesterId),
  {
    sql: eraseInputsSql(db.engine, `${sql(2)} and (requester_id = $1 or claimed = $1)`),
    params: [by.requesterId, ...params],
  },
  {
    sql: `update decisions set requester_id = case when requester_id = $1 then $2 else requester_id end,
            claimed = case when claimed = $1 then $2 else claimed end
          where ${sql(3)} and (requester_id = $1 or claimed = $1)`,
    params: [by.requesterId, by.pseudonym, ...params],
  },
];

export const betweenSeqs = (after: number, upTo: number): Among => ({
  sql: (first) => `seq > $${first} and seq <= $${first + 1}`,
  params: [after, upTo],
});

export const withSeqs = (db: Db, seqs: readonly number[]): Among => ({
  sql: (first) => inList(db.engine, 'seq', 'bigint', `$${first}`),
  params: [toList(seqs)],
});

/** Finds the requester's decisions in a span, and those in which its name was claimed. */
export function findDecisions(
  db: Db,
  { after, upTo }: { after: number; upTo: number },
  requesterId: string,
): Promise<{ seq: number; requester_id: string | null }[]> {
  const sql = `select seq, requester_id from decisions
    where seq > $2 and seq <= $3 and (requester_id = $1 or claimed = $1)`;
  return db.read(sql, [requesterId, after, upTo]);
}

/** Returns those of some decisions that are about a requester, or in which its name was claimed. */
export async function findTheirs(db: Db, seqs: readonly number[], requesterId: string): Promise<number[]> {
  if (seqs.length === 0) return [];
  const sql = `select seq from decisions where seq in (${seqs.join(', ')}) and (requester_id = $1 or claimed = $1)`;
  return (await db.read<{ seq: number }>(sql, [requesterId])).map(({ seq }) => seq);
}

/** Returns the end of the next so many decisions, and whether they are the last. */
export async function findEnd(db: Db, after: number, limit: number): Promise<{ upTo: number; isLast: boolean }> {
  const [end] = await db.read<{ seq: number }>(
    'select seq from decisions where seq > $1 order by seq limit 1 offset $2',
    [after, limit - 1],
  );
  return { upTo: Math.max(after, end?.seq ?? (await findLast(db))), isLast: end === undefined };
}

/** Returns whether daily counts or decisions of tests name an id. The columns know the others. */
export async function isCounted(db: Db, requesterId: string): Promise<boolean> {
  const found = await db.read(
    `select 1 as one where exists (select 1 from daily_counts where requester_id = $1)
       or exists (select 1 from test_decisions where requester_id = $1 or claimed = $1)`,
    [requesterId],
  );
  return found.length > 0;
}

const KEY = `day, content_no, requester_id, policy_no, reason, purpose, permission, collection_id, crawler, license_id,
  claimed, verified, enforced, policy_version, rule_index, wanted`;

/** Decisions that were replaced already may have left the log: their counts are added up. */
const replaceInCounts = (span: string, { requesterId, pseudonym }: Replacement): Step[] => [
  {
    sql: `insert into daily_counts (${KEY}, requests)
          select day, content_no, case when requester_id = $1 then $2 else requester_id end, policy_no, reason, purpose,
            permission, collection_id, crawler, license_id, case when claimed = $1 then $2 else claimed end, verified,
            enforced, policy_version, rule_index, wanted, requests
          from daily_counts where ${span} and (requester_id = $1 or claimed = $1)
          on conflict (${KEY}) do update set requests = daily_counts.requests + excluded.requests`,
    params: [requesterId, pseudonym],
  },
  {
    sql: `delete from daily_counts where ${span} and (requester_id = $1 or claimed = $1)`,
    params: [requesterId],
  },
];

/** Places that are walked in spans of a key: daily counts, and the decisions of tests. */
export const SMALL_PLACES = [
  { table: 'daily_counts', key: 'no', toSteps: replaceInCounts },
  {
    table: 'test_decisions',
    key: 'seq',
    toSteps: (span: string, { requesterId }: Replacement): Step[] => [eraseTests(span, requesterId)],
  },
] as const;

const DROP_LIMITS = `delete from limits where substr(key, length(key) - length($1) - 1) = '.r' || $1`;

/** Deletes the limits of the requester, also those of tests. */
export const dropLimits = (requesterId: string): Step[] =>
  [DROP_LIMITS, toTestSql(DROP_LIMITS)].map((sql) => ({ sql, params: [requesterId] }));
