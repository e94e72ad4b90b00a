/** Replaces a requester in the ledger: in its decisions, the daily counts and its limits. */
import type { Db, Step } from '../db/db.ts';
import { eraseInputsSql } from './retire.ts';
import { toTestSql } from './test-tables.ts';

export interface Replacement {
  requesterId: string;
  pseudonym: string;
}

/**
 * Replaces the requester in a span of decisions and erases their inputs: address and user agent are the
 * requester's, or name it.
 */
export const replaceInDecisions = (db: Db, span: string, { requesterId, pseudonym }: Replacement): Step[] => [
  { sql: eraseInputsSql(db.engine, `${span} and (requester_id = $1 or claimed = $1)`), params: [requesterId] },
  {
    sql: `update decisions set requester_id = case when requester_id = $1 then $2 else requester_id end,
            claimed = case when claimed = $1 then $2 else claimed end
          where ${span} and (requester_id = $1 or claimed = $1)`,
    params: [requesterId, pseudonym],
  },
];

/** Counts the requester's decisions in a span. */
export async function countDecisions(db: Db, span: string, requesterId: string): Promise<number> {
  const sql = `select count(*) as n from decisions where ${span} and requester_id = $1`;
  const [row] = await db.read<{ n: number }>(sql, [requesterId]);
  return Number(row?.n ?? 0);
}

const KEY = `day, content_no, requester_id, policy_no, reason, purpose, permission, collection_id, crawler, license_id,
  claimed, verified, enforced, policy_version, rule_index, wanted`;

/** Decisions that were replaced already may have left the log: their counts are added up. */
export const replaceInCounts = (span: string, { requesterId, pseudonym }: Replacement): Step[] => [
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

const DROP_LIMITS = `delete from limits where substr(key, length(key) - length($1) - 1) = '.r' || $1`;

/** Deletes the limits of the requester, also those of tests. */
export const dropLimits = (requesterId: string): Step[] =>
  [DROP_LIMITS, toTestSql(DROP_LIMITS)].map((sql) => ({ sql, params: [requesterId] }));
