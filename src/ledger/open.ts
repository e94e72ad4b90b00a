/** Opens a ledger, the same way on both engines: its number, its newest entry, its recorder, and answers to peeks. */
import { randomInt } from 'node:crypto';
import type { Db, Row } from '../db/db.ts';
import type { LimitState } from '../limits/limit.ts';
import { peekInOrder } from './flush.ts';
import type { Ledger } from './ledger.ts';
import { archivedTo } from './log.ts';
import { type Flush, Recorder } from './recorder.ts';
import { retiredTo } from './retire.ts';

export interface Start {
  /** Part of every decision's id, different for each ledger. */
  ledgerNo: number;
  /** The newest entry; zeros when there is none. */
  newest: { seq: number; at: number };
}

/** Gives the ledger its number on the first start. */
export async function startLedger(db: Db): Promise<Start> {
  await db.atomic([
    {
      sql: `insert into settings (name, value) values ('ledger_no', $1) on conflict (name) do nothing`,
      params: [String(randomInt(2 ** 30))],
    },
  ]);
  const [setting] = await db.read<{ value: string }>(`select value from settings where name = 'ledger_no'`);
  const [newest = { seq: 0, at: 0 }] = await db.read<{ seq: number; at: number }>(
    'select seq, at from decisions order by seq desc limit 1',
  );
  // Decisions leave the records: numbers are never given twice.
  const seq = Math.max(newest.seq, await archivedTo(db), await retiredTo(db));
  return { ledgerNo: Number(setting?.value), newest: { seq, at: newest.at } };
}

/** The parts that differ between engines. */
export interface Engine {
  /** The clock that decisions and limits go by, epoch ms. */
  now(): number;
  flush: Flush;
  /** Returns a limit's key as it is stored. */
  toStoredKey(key: string): string;
  /** Returns `key` and `state` of the limits that exist. */
  readLimits(keys: readonly string[]): Promise<Row[]>;
}

export function openLedger({ ledgerNo, newest }: Start, engine: Engine): Ledger {
  const now = () => engine.now();
  const recorder = new Recorder({
    now,
    flush: (submissions, heldBy) => engine.flush(submissions, heldBy),
    head: newest.seq,
  });
  return {
    ledgerNo,
    record: (entries, receipt, grounds) => recorder.record(entries, receipt, grounds),
    head: () => recorder.head(),
    figures: () => recorder.figures(),
    now,
    async peek(claims) {
      const keys = [...new Set(claims.map(({ key }) => engine.toStoredKey(key)))];
      const states = toStates(await engine.readLimits(keys));
      return peekInOrder(claims, states, engine.toStoredKey, now());
    },
    close: () => recorder.drained(),
  };
}

/** Parses rows of limits into their states by stored key. */
export const toStates = (rows: readonly Row[]): Map<string, LimitState> =>
  new Map(rows.map((row) => [row.key as string, JSON.parse(row.state as string) as number[]]));
