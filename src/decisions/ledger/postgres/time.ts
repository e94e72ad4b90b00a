/**
 * The time of a flush on PostgreSQL. It is the database's. Where that was set back by more than APART_MS, each node
 * goes on by its own measure of it; by less, from the newest time that it knows. Both differ a little between nodes.
 * So a flush goes on from the newest time in what it claims: what one node admitted is never older on another.
 */
import type { Row } from '../../../db/db.ts';
import { MOMENT_SQL } from '../../../db/postgres/db.ts';
import { type LimitState, newestIn } from '../../../rules/limit.ts';
import type { Submission } from '../flush.ts';
import { quotaKeys, startIn } from '../quota/quota.ts';
import { SEQS, TIME } from './entries.ts';
import { toStoredKey } from './limit-key.ts';
import type { Locked } from './locks.ts';

/** Nodes take times for the present that differ by less than this. Also in `take_claims`. */
export const APART_MS = 1_000;

/** Takes the time and the numbers, and reads the database's clock; parameters as for `insertStep`. */
export const TAKE = `with taken as materialized (${TIME}), numbers as materialized (${SEQS})
  select at, ${MOMENT_SQL} as clock, (select array_agg(seq order by n)::text from numbers) as seqs from taken`;

/**
 * Returns the time of a flush: that taken, or the newest in what it claims, where a node whose clock is a little ahead
 * left a later one. Only a little: limits may still have times of a clock that has been set back since.
 */
export function goOn({ states }: Locked, submissions: readonly Submission[], taken: Row): number {
  const at = taken.at as number;
  const clock = taken.clock as number;
  const until = (at - clock > APART_MS ? at : clock) + APART_MS;
  const readState = (key: string): LimitState => states.get(toStoredKey(key)) ?? [];
  const newest = submissions
    .flatMap(({ entries }) => entries)
    .flatMap(({ claim, quota }) => [
      ...(claim === null ? [] : [newestIn(readState(claim.key), claim.limit)]),
      ...quotaKeys(quota).map((key) => startIn(readState(key))),
    ]);
  return newest.reduce((latest, time) => (time < until ? Math.max(latest, time) : latest), at);
}
