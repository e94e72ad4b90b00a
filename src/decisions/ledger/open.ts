/** Opens a ledger, the same way on both engines: its number, its newest entry, its recorder, and answers to peeks. */
import { randomInt } from 'node:crypto';
import type { Db, Row } from '../../db/db.ts';
import { monotonicMs } from '../../lib/clock.ts';
import type { LimitState } from '../../rules/limit.ts';
import { findNewest, leftTo } from '../history/ends.ts';
import { peekAllInOrder, peekInOrder } from './answers.ts';
import type { Flush } from './flush.ts';
import { type Ledger, type PeekedEntry, Stale } from './ledger.ts';
import type { OpenQuotas } from './quota/open.ts';
import { NotOpen, quotaKeys } from './quota/quota.ts';
import { loadQuotas } from './quota/store.ts';
import { Recorder } from './recorder.ts';

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
  const newest = (await findNewest(db)) ?? { seq: 0, at: 0 };
  // Decisions leave the records: numbers are never given twice.
  const seq = Math.max(newest.seq, await leftTo(db));
  return { ledgerNo: Number(setting?.value), newest: { seq, at: newest.at } };
}

/** The parts that differ between engines. */
export interface Engine {
  db: Db;
  quotas: OpenQuotas;
  /** The clock that decisions and limits go by, epoch ms. */
  now: () => number;
  flush: Flush;
  /** Returns a limit's key as it is stored. */
  toStoredKey(key: string): string;
  /** Returns `key` and `state` of the limits that exist. */
  readLimits(keys: readonly string[]): Promise<Row[]>;
}

export function openLedger({ ledgerNo, newest }: Start, engine: Engine): Ledger {
  const { db, quotas, now, flush } = engine;
  const recorder = new Recorder({ now, flush, head: newest.seq });
  const readStates = async (keys: readonly string[]) =>
    toStates(await engine.readLimits([...new Set(keys.map((key) => engine.toStoredKey(key)))]));

  async function peekAll(entries: readonly PeekedEntry[]) {
    const missing = quotas.missing(entries);
    if (missing.length > 0) await quotas.open(missing, undefined);
    const keys = entries.flatMap(({ claim, quota }) => [...(claim === null ? [] : [claim.key]), ...quotaKeys(quota)]);
    const states = await readStates(keys);
    const loaded = await loadQuotas(
      db,
      states,
      entries.flatMap(({ quota }) => quota ?? []),
    );
    try {
      return peekAllInOrder(entries, states, { stateKey: engine.toStoredKey, at: now(), quotas: loaded });
    } catch (error) {
      if (!(error instanceof NotOpen)) throw error;
      quotas.forget(entries);
      throw new Stale(monotonicMs());
    }
  }

  return {
    ledgerNo,
    record(entries, receipt, grounds) {
      const missing = quotas.missing(entries);
      if (missing.length === 0) return recorder.record(entries, receipt, grounds);
      return quotas.open(missing, grounds?.since).then(() => recorder.record(entries, receipt, grounds));
    },
    head: () => recorder.head(),
    figures: () => recorder.figures(),
    takeNames: () => recorder.takeNames(),
    now,
    async peek(claims) {
      const states = await readStates(claims.map(({ key }) => key));
      return peekInOrder(claims, states, engine.toStoredKey, now());
    },
    peekAll,
    close: () => recorder.drained(),
  };
}

/** Parses rows of limits into their states by stored key. */
export const toStates = (rows: readonly Row[]): Map<string, LimitState> =>
  new Map(rows.map((row) => [row.key as string, JSON.parse(row.state as string) as number[]]));
