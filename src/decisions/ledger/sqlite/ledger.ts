/** The ledger on SQLite. A flush gets its numbers on the main thread; the storage thread writes everything. */
import type { SqliteDb } from '../../../db/sqlite/db.ts';
import { type Clock, goingOnFrom, machineClock } from '../../../lib/clock.ts';
import { insertBackwardStep } from '../../history/time-order.ts';
import { type Flush, place, type Submission, toFlush, toRecorded } from '../flush.ts';
import type { Ledger } from '../ledger.ts';
import { openLedger, startLedger } from '../open.ts';
import { type CountUsed, OpenQuotas } from '../quota/open.ts';
import type { Announced } from '../row.ts';
import { onTestTables } from '../test-tables.ts';

/** For openSqlite: the ledger's part of the storage thread, and that of the ledger of tests. */
export const ledgerProcedure = {
  ledger: new URL('./procedure.ts', import.meta.url).href,
  testLedger: new URL('./test-procedure.ts', import.meta.url).href,
};

export interface SqliteLedgerOptions {
  /** Returns the kinds of decision that become events, in the decision's own transaction. */
  subscribed?: () => Announced;
  /** See decisions/ledger/quota/open. */
  countUsed?: CountUsed;
  /** Its part of the storage thread. */
  procedure?: keyof typeof ledgerProcedure;
}

/** The clock goes on from the newest entry, so that ids sort by time over restarts too. */
export async function openSqliteLedger(
  db: SqliteDb,
  clock?: Clock,
  { subscribed = () => [], countUsed, procedure = 'ledger' }: SqliteLedgerOptions = {},
): Promise<Ledger> {
  const start = await startLedger(db);
  const time = goingOnFrom(clock ?? machineClock(), start.newest.at);
  const numbers = await openNumbers(db);
  const now = () => time.now();
  const quotas = new OpenQuotas({ db, now, write: (steps) => db.atomic(steps), countUsed });

  /** The time of the newest decision that may be recorded. */
  let newestAt = start.newest.at;

  /** The newest time recorded. A check that is decided again goes before others that arrived earlier. */
  let latest = 0;
  function toTime({ at }: Submission): number {
    latest = Math.max(latest, at);
    return latest;
  }

  const flush: Flush = async (submissions) => {
    // Times are in the order of the numbers as long as the clock's are.
    latest = Math.min(latest, time.now());
    const placed = place(submissions, { ledgerNo: start.ledgerNo, atOf: toTime, next: numbers.next });
    await numbers.reserved();
    const first = placed[0]?.places[0];
    if (first !== undefined && first.at < newestAt) await db.atomic([insertBackwardStep(first.seq)]);
    newestAt = placed.at(-1)?.at ?? newestAt;
    const answers = await db.call<number[] | null>(procedure, toFlush(placed, start.ledgerNo, subscribed()));
    if (answers !== null) return toRecorded(placed, answers);
    for (const { entries } of submissions) quotas.forget(entries);
    return submissions.map(() => 'stale');
  };

  return openLedger(start, {
    db,
    quotas,
    now,
    flush,
    toStoredKey: (key) => key,
    readLimits: (keys) =>
      db.read('select key, state from limits where key in (select value from json_each($1))', [JSON.stringify(keys)]),
  });
}

/** Opens the ledger of tests; see test-tables. */
export const openSqliteTestLedger = (db: SqliteDb, clock?: Clock): Promise<Ledger> =>
  openSqliteLedger(onTestTables(db), clock, { subscribed: () => null, procedure: 'testLedger' });

/** Numbers are reserved in blocks, so that neither a crash nor a purge can lead to one being given twice. */
const BLOCK = 1_000_000;
const RESERVE_AHEAD = BLOCK / 2;

async function openNumbers(db: SqliteDb) {
  await db.atomic([
    { sql: `insert into settings (name, value) values ('ledger_reserved', '0') on conflict (name) do nothing` },
  ]);
  const [setting] = await db.read<{ value: string }>(`select value from settings where name = 'ledger_reserved'`);
  let end = Number(setting?.value);
  let next = end + 1;
  let reserving: Promise<void> | undefined;

  const reserve = async (): Promise<void> => {
    const to = end + BLOCK;
    await db.atomic([
      { sql: `update settings set value = $1 where name = 'ledger_reserved'`, params: [String(to)], expect: 1 },
    ]);
    end = to;
  };
  await reserve();

  return {
    next: (): number => next++,
    /** Settles once every number that was given is reserved. Throws what keeps it from being reserved. */
    async reserved(): Promise<void> {
      if (end - next >= RESERVE_AHEAD) return;
      reserving ??= reserve().finally(() => {
        reserving = undefined;
      });
      // Ahead of need it runs beside the flush; a failure matters only once the block is used up.
      if (next - 1 > end) await reserving;
      else reserving.catch(() => {});
    },
  };
}
