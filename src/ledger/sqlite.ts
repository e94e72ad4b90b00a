/** The ledger on SQLite: places are given on the main thread, everything is written by the storage thread. */
import { randomInt } from 'node:crypto';
import type { AccessKind } from '../changes/kinds.ts';
import type { SqliteDb } from '../db/sqlite.ts';
import { type Clock, steadyClock } from '../lib/clock.ts';
import type { LimitState } from '../limits/limit.ts';
import { decisionId, type Granted } from './decision.ts';
import { grantedToAll, peekInOrder, toFlush } from './flush.ts';
import type { Ledger, PeekedClaim } from './ledger.ts';
import { recorder } from './recorder.ts';

/** For openSqlite: the ledger's part of the storage thread. */
export const ledgerProcedure = { ledger: new URL('./sqlite-procedure.ts', import.meta.url).href };

/** Places are set aside in blocks, so that a crash or a purge can never lead to one being given twice. */
const BLOCK = 1_000_000;
const RESERVE_AHEAD = BLOCK / 2;

/** A clock set back by more than this was wrong before: waiting for it to catch up would stamp new decisions wrongly. */
const CLOCK_AHEAD_MAX_MS = 3_600_000;

/**
 * `subscribed`: the kinds of decision that are announced as events, in the decision's own transaction.
 * Ids sort by time over restarts too: the ledger's clock does not read before its newest entry.
 */
export async function openSqliteLedger(
  db: SqliteDb,
  clock?: Clock,
  subscribed: () => readonly AccessKind[] = () => [],
): Promise<Ledger> {
  await db.atomic([
    {
      sql: `insert into settings (name, value) values ('ledger_no', $1), ('ledger_reserved', '0')
            on conflict (name) do nothing`,
      params: [String(randomInt(2 ** 30))],
    },
  ]);
  const settings = await db.read<{ name: string; value: string }>('select name, value from settings');
  const setting = (name: string) => Number(settings.find((row) => row.name === name)?.value);
  const [newest] = await db.read<{ seq: number; at: number }>(
    'select seq, at from decisions order by seq desc limit 1',
  );

  const ledgerNo = setting('ledger_no');
  const own = clock ?? steadyClock();
  const newestAt = newest?.at ?? 0;
  const floor = newestAt - own.now() <= CLOCK_AHEAD_MAX_MS ? newestAt : 0;
  const time: Clock = { now: () => Math.max(floor, own.now()) };
  let next = setting('ledger_reserved') + 1;
  let reserved = next - 1;
  let reserving: Promise<void> | undefined;

  const reserve = async (): Promise<void> => {
    const to = reserved + BLOCK;
    await db.atomic([
      { sql: `update settings set value = $1 where name = 'ledger_reserved'`, params: [String(to)], expect: 1 },
    ]);
    reserved = to;
  };
  await reserve();

  const record = recorder({
    now: () => time.now(),
    places(count, at) {
      return Array.from({ length: count }, () => {
        const seq = next++;
        return { id: decisionId(ledgerNo, at, seq), seq, at, granted: null };
      });
    },
    async flush(submissions) {
      const needed = submissions.at(-1)?.recorded.at(-1)?.seq ?? 0;
      if (reserved - needed < RESERVE_AHEAD) {
        reserving ??= reserve().finally(() => {
          reserving = undefined;
        });
        // Ahead of need it runs beside the flush; a failure then shows when the block really is used up.
        if (needed > reserved) await reserving;
        else reserving.catch(() => {});
      }
      return grantedToAll(await db.call<number[]>('ledger', toFlush(submissions, ledgerNo, subscribed())));
    },
  });
  record.startAt(newest?.seq ?? 0);

  return {
    ledgerNo,
    record: record.record,
    head: record.head,
    figures: record.figures,
    now: () => time.now(),
    peek: (claims) => peekLimits(db, claims, time.now()),
    close: record.drained,
  };
}

async function peekLimits(db: SqliteDb, claims: readonly PeekedClaim[], at: number): Promise<Granted[]> {
  const keys = [...new Set(claims.map((claim) => claim.key))];
  const rows = await db.read<{ key: string; state: string }>(
    'select key, state from limits where key in (select value from json_each($1))',
    [JSON.stringify(keys)],
  );
  const states = new Map<string, LimitState>(rows.map((row) => [row.key, JSON.parse(row.state) as number[]]));
  return peekInOrder(claims, states, (key) => key, at);
}
