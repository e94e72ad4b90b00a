/**
 * What no answer shows any more leaves the store too: decisions of deleted content, used-up limits, old receipts. In small
 * transactions between the others; a crash loses nothing but the place it had reached.
 */
import type { Db } from '../db/db.ts';
import { receiptsEnd } from '../db/receipt.ts';

const ROWS_AT_ONCE = 5_000;
/** A limit's row stays so long after it has run out: a clock that was set back this little must still find it. */
const LIMITS_MARGIN_MS = 60_000;

/** Where others lock limits meanwhile, those are left for the next time: waiting for them could end in a circle. */
const EXPIRED_LIMITS = {
  sqlite: 'delete from limits where expires_at <= $1',
  postgres: `delete from limits
    where key in (select key from limits where expires_at <= $1 for update skip locked)`,
};

export async function sweep(db: Db, now: number): Promise<void> {
  await db.atomic([
    { sql: EXPIRED_LIMITS[db.engine], params: [now - LIMITS_MARGIN_MS] },
    { sql: 'delete from receipts where created_at <= $1', params: [receiptsEnd(now)] },
  ]);
  await purge(db);
}

/** Those that are in an archive, oldest first, in small transactions. */
export async function deleteDecisionsUpTo(db: Db, last: number): Promise<void> {
  for (;;) {
    const [end] = await db.read<{ seq: number | null }>(
      `select max(seq) as seq from (select seq from decisions where seq <= $1 order by seq limit ${ROWS_AT_ONCE}) as oldest`,
      [last],
    );
    if (typeof end?.seq !== 'number') return;
    await db.atomic([{ sql: 'delete from decisions where seq <= $1', params: [end.seq] }]);
  }
}

/** One walk over decisions and access events for all items deleted before it began. */
async function purge(db: Db): Promise<void> {
  const purges = await db.read<{ content_no: number }>('select content_no from purges order by content_no limit 1000');
  if (purges.length === 0) return;
  const last = purges.at(-1)?.content_no ?? 0;
  await walk(db, 'decisions', 'content_no', last);
  await walk(db, 'events', 'object_no', last);
  await db.atomic([{ sql: 'delete from purges where content_no <= $1', params: [last] }]);
}

async function walk(db: Db, table: 'decisions' | 'events', column: string, last: number): Promise<void> {
  let from = 0;
  for (;;) {
    const [end] = await db.read<{ seq: number }>(
      `select seq from ${table} where seq > $1 order by seq limit 1 offset ${ROWS_AT_ONCE - 1}`,
      [from],
    );
    const to = end?.seq ?? Number.MAX_SAFE_INTEGER;
    await db.atomic([
      {
        sql: `delete from ${table} where seq > $1 and seq <= $2
              and ${column} in (select content_no from purges where content_no <= $3)`,
        params: [from, to, last],
      },
    ]);
    if (end === undefined) return;
    from = to;
  }
}
