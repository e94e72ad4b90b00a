/** Keeps the ledger of tests small: its decisions are for those who integrate, and nothing is billed by them. */
import type { Db, Step } from '../../../db/db.ts';
import { onTestTables } from '../../ledger/test-tables.ts';
import { deleteDecisionsUpTo, sweepLimits } from './sweep.ts';

/** Decisions of tests leave their log after so many days, or once there are so many younger ones. */
export const TEST_DAYS = 30;
const TESTS_MAX = 100_000;

const ROWS_AT_ONCE = 5_000;

/** `before`: decisions made before that time are deleted, epoch ms. */
export async function sweepTests(live: Db, now: number, before: number, most = TESTS_MAX): Promise<void> {
  const db = onTestTables(live);
  await sweepLimits(db, now);
  const [surplus] = await db.read<{ seq: number }>(
    `select seq from decisions order by seq desc limit 1 offset ${most}`,
  );
  if (surplus !== undefined) await deleteDecisionsUpTo(db, surplus.seq, false);
  for (;;) {
    const [old] = await db.read<{ seq: number | null }>(
      `select max(seq) as seq from (select seq, at from decisions order by seq limit ${ROWS_AT_ONCE}) as oldest
       where at < $1`,
      [before],
    );
    if (typeof old?.seq !== 'number') break;
    await deleteDecisionsUpTo(db, old.seq, false);
  }
  await live.atomic([{ sql: 'delete from test_deleted_decisions where at < $1', params: [before] }]);
}

/** Deletes the decisions of tests by or about a requester in a span. */
export const eraseTests = (span: string, requesterId: string): Step => ({
  sql: `delete from test_decisions where ${span} and (requester_id = $1 or claimed = $1)`,
  params: [requesterId],
});

/** Deletes those of the last so many numbers: some may have been written after a walk that passed their numbers. */
export const eraseLateTests = (late: number, requesterId: string): Step =>
  eraseTests(`seq > (select coalesce(max(seq), 0) - ${late} from test_decisions)`, requesterId);
