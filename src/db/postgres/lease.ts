/**
 * Leases on work that one node at a time does. Promise: while `held()` is true on one node, it is false on all others.
 * A node that dies is replaced within LEASE_MS. Leases depend on the database's clock and each process's monotonic
 * clock.
 */
import { newBody } from '../../lib/id.ts';
import type { Value } from '../db.ts';
import { MOMENT_SQL } from './db.ts';
import type { PostgresLine } from './line.ts';

const LEASE_MS = 4_000;
const RENEW_EVERY_MS = 1_000;
/** Time for work begun under a lease to finish before the next holder begins. */
const MARGIN_MS = 1_000;

const TAKE = `insert into leases as mine (name, holder, until) values ($1, $2, ${MOMENT_SQL} + $3::bigint)
  on conflict (name) do update set holder = excluded.holder, until = excluded.until
  where mine.holder = excluded.holder or mine.until <= ${MOMENT_SQL} returning holder`;
const LEAVE = 'update leases set until = 0 where name = $1 and holder = $2';

export interface Lease {
  held(): boolean;
  /** Releases the lease. */
  close(): Promise<void>;
}

export function openLease(line: PostgresLine, name: string): Lease {
  const holder = newBody(Date.now());
  let heldUntil = 0;
  let closed = false;
  let asking: Promise<void> | undefined;

  async function take(): Promise<void> {
    const asked = performance.now();
    const params: Value[] = [name, holder, LEASE_MS];
    const [rows] = await line.all([{ sql: TAKE, params }]);
    heldUntil = (rows ?? []).length > 0 ? asked + LEASE_MS - MARGIN_MS : 0;
  }

  const renew = (): void => {
    // A failed renewal is retried; meanwhile the lease expires by itself.
    asking ??= take()
      .catch(() => {})
      .finally(() => {
        asking = undefined;
      });
  };
  renew();
  const timer = setInterval(renew, RENEW_EVERY_MS);
  timer.unref();

  return {
    held: () => !closed && performance.now() < heldUntil,
    async close() {
      closed = true;
      clearInterval(timer);
      await asking;
      await line.all([{ sql: LEAVE, params: [name, holder] }]).catch(() => {});
    },
  };
}
