/**
 * Deletes what no answer shows any longer: decisions about deleted content, expired limits, old receipts. In small
 * transactions between others; a crash loses only the progress of the walk.
 */
import { dropPayload, keepPayload } from '../../../api/changes/rows.ts';
import { DELETED_ITEM } from '../../../content/store.ts';
import type { Db } from '../../../db/db.ts';
import { receiptsEnd } from '../../../db/receipt.ts';
import { parseDecisionId } from '../../ledger/decision.ts';
import { onTestTables } from '../../ledger/test-tables.ts';
import { IS_GONE, IS_UNARCHIVED, keepDeleted } from '../counted.ts';
import { countDeleted } from '../deleted-counts.ts';
import { findDecisions } from '../find.ts';
import { findPurged } from '../moved/leave.ts';
import { movedTable } from '../moved/row.ts';
import { forgetLeaves, forgetUpTo, toValues } from '../sealed/forget.ts';
import { dropCounts } from './retire.ts';

const ROWS_AT_ONCE = 5_000;
/** A limit's row outlives its expiry by this, so that a clock set back this little still finds it. */
const LIMITS_MARGIN_MS = 60_000;

/** Locked limits are left for the next sweep: waiting for them could deadlock. */
const EXPIRED_LIMITS = {
  sqlite: 'delete from limits where expires_at <= $1',
  postgres: `delete from limits
    where key in (select key from limits where expires_at <= $1 for update skip locked)`,
};

export async function sweep(db: Db, now: number): Promise<void> {
  await sweepLimits(db, now);
  await db.atomic([{ sql: 'delete from receipts where created_at <= $1', params: [receiptsEnd(now)] }]);
  await purge(db, now);
}

export const sweepLimits = (db: Db, now: number): Promise<void> =>
  db.atomic([
    { sql: EXPIRED_LIMITS[db.engine], params: [now - LIMITS_MARGIN_MS] },
    { sql: 'delete from quota_contents where expires_at <= $1', params: [now - LIMITS_MARGIN_MS] },
  ]);

/** Deletes decisions, oldest first, in small transactions. `hasLeaves`: those of tests have none. */
export async function deleteDecisionsUpTo(db: Db, last: number, hasLeaves = true): Promise<void> {
  for (;;) {
    const [end] = await db.read<{ seq: number | null }>(
      `select max(seq) as seq from (select seq from decisions where seq <= $1 order by seq limit ${ROWS_AT_ONCE}) as oldest`,
      [last],
    );
    if (typeof end?.seq !== 'number') return;
    await db.atomic([
      keepDeleted(db.engine, `seq <= ${end.seq} and ${IS_GONE}`),
      ...(hasLeaves ? forgetUpTo(end.seq) : []),
      { sql: 'delete from decisions where seq <= $1', params: [end.seq] },
    ]);
  }
}

/**
 * Walks once over access events and decisions about items that were deleted before it began. The events' bodies are
 * kept first: they are still delivered and listed without their decision.
 */
async function purge(db: Db, now: number): Promise<void> {
  const purges = await db.read<{ content_no: number }>('select content_no from purges order by content_no limit 1000');
  if (purges.length === 0) return;
  const nos = purges.map(({ content_no }) => content_no);
  // Items deleted during the walk have a walk of their own.
  const list = nos.join(', ');
  await walk(db, 'events', (span) => keepBodies(db, `${span} and object_no in (${list})`));
  for (const ledger of [db, onTestTables(db)]) {
    await walk(ledger, 'decisions', (span) =>
      ledger.atomic([
        keepDeleted(db.engine, `${span} and content_no in (${list})`),
        ...(ledger === db
          ? [
              countDeleted(`${span} and content_no in (${list}) and ${IS_UNARCHIVED}`),
              ...forgetLeaves(`select seq from decisions where ${span} and content_no in (${list})`),
            ]
          : []),
        { sql: `delete from decisions where ${span} and content_no in (${list})` },
      ]),
    );
  }
  for await (const { seqs, rows, leave } of findPurged(db, nos, now)) {
    const [table, params] = [movedTable('$1'), [rows]];
    await db.atomic([
      ...leave,
      keepDeleted(db.engine, 'true', params, table),
      countDeleted('true', params, table),
      ...forgetLeaves(toValues(seqs)),
    ]);
  }
  await db.atomic([
    { sql: `delete from purges where content_no in (${list})` },
    ...dropCounts(list),
    ...nos.map((no) => dropPayload(DELETED_ITEM + no)),
  ]);
}

/** Calls `work` with one span of the table's numbers after another. */
async function walk(db: Db, table: 'decisions' | 'events', work: (span: string) => Promise<void>): Promise<void> {
  let from = 0;
  for (;;) {
    const [end] = await db.read<{ seq: number }>(
      `select seq from ${table} where seq > $1 order by seq limit 1 offset ${ROWS_AT_ONCE - 1}`,
      [from],
    );
    await work(`seq > ${from}${end === undefined ? '' : ` and seq <= ${end.seq}`}`);
    if (end === undefined) return;
    from = end.seq;
  }
}

const EVENTS_AT_ONCE = 200;

/** Keeps the bodies of these access events and detaches their items. Deletes events whose item is no longer known. */
async function keepBodies(db: Db, where: string): Promise<void> {
  for (;;) {
    const rows = await db.read<{ seq: number; id: string; object_id: string }>(
      `select seq, id, object_id from events where ${where} order by seq limit ${EVENTS_AT_ONCE}`,
    );
    const [first] = rows;
    if (first === undefined) return;
    const { ledgerNo = 0 } = parseDecisionId(first.object_id) ?? {};
    const ids = rows.map(({ object_id }) => object_id);
    const decisions = await findDecisions(db, ledgerNo, ids);
    const seqs = rows.map(({ seq }) => seq).join(', ');
    const lost = rows.filter(({ object_id }) => !decisions.has(object_id)).map(({ seq }) => seq);
    await db.atomic([
      ...rows.flatMap(({ id, object_id }) => {
        const decision = decisions.get(object_id);
        return decision === undefined ? [] : keepPayload(id, decision);
      }),
      { sql: `update events set object_no = null where seq in (${seqs})` },
      ...(lost.length === 0 ? [] : [{ sql: `delete from events where seq in (${lost.join(', ')})` }]),
    ]);
  }
}
