/**
 * Thirty days that never were: past checks go through the service's own `check` into the ledger, by a clock of the demo's
 * own, while no service runs on the data. Promise: exactly as many decisions as asked for, all before now, places and ids
 * ascending with time, each one the decision the service would have made at that moment, limits included.
 */
import { join } from 'node:path';
import { type CheckDeps, check } from '../src/access/check.ts';
import { openSnapshot } from '../src/access/snapshot.ts';
import { openChanges } from '../src/changes/changes.ts';
import { holdFile, openSqlite } from '../src/db/sqlite.ts';
import type { Entry, Ledger, Recorded } from '../src/ledger/ledger.ts';
import { ledgerProcedure, openSqliteLedger } from '../src/ledger/sqlite.ts';
import type { Listed } from './catalogue.ts';
import type { Random } from './random.ts';
import { progress } from './terminal.ts';
import type { Traffic } from './traffic.ts';

const MINUTE = 60_000;
const DAY = 86_400_000;

export interface PastOptions {
  dataDir: string;
  catalogue: readonly Listed[];
  traffic: Traffic;
  random: Random;
  decisions: number;
  /** Epoch ms: the first minute, and the moment before which all is over. */
  from: number;
  until: number;
  signal: AbortSignal;
}

/** As many as one flush of the ledger takes; the next are decided while these are on their way to disk. */
const AT_ONCE = 4_000;

export async function writePast(options: PastOptions): Promise<{ allowed: number }> {
  const { dataDir, catalogue, traffic, signal } = options;
  const hold = holdFile(join(dataDir, 'postern.lock'));
  if (hold === undefined) throw new Error(`another process works with the data in ${dataDir}`);
  const db = await openSqlite(join(dataDir, 'postern.db'), ledgerProcedure);
  const clock = { at: options.from, now: () => clock.at };
  const ledger = await openSqliteLedger(db, clock);
  try {
    const snapshot = openSnapshot(db, openChanges(db, clock));
    await snapshot.loadContent(catalogue.map(({ item }) => item.externalId));
    const line = progress('decisions', options.decisions, 'decisions');
    let allowed = 0;
    let done = 0;

    const finish = async (answers: readonly Promise<string>[]): Promise<void> => {
      for (const answer of await Promise.all(answers)) if (answer.includes('"allowed":true')) allowed++;
      done += answers.length;
      line.to(done);
    };
    let underWay: Promise<void> = Promise.resolve();
    for (const moments of chunks(momentsOf(options), AT_ONCE)) {
      signal.throwIfAborted();
      const { answers, waiting } = await decideAll({ db, snapshot, ledger, maxAge: 0 }, moments, traffic);
      for (const { at, entries, resolve, reject } of waiting) {
        clock.at = at;
        ledger.record(entries).then(resolve, reject);
      }
      await underWay;
      underWay = finish(answers);
    }
    await underWay;
    line.end();
    return { allowed };
  } finally {
    await ledger.close();
    await db.close();
    hold.release();
  }
}

const CALLER = { credential: '', keyId: 'demo', permissions: new Set(['access:check']), readOnly: false };

/** A check that is decided and waits to be recorded. */
interface Waiting {
  at: number;
  entries: readonly Entry[];
  resolve: (recorded: Recorded[]) => void;
  reject: (error: unknown) => void;
}

/** Checks, each on a ledger as it was at its moment. One that had to read first may be overtaken, so all wait for all. */
async function decideAll(deps: CheckDeps, moments: readonly number[], traffic: Traffic) {
  const waiting: Waiting[] = [];
  let missing = moments.length;
  const complete = Promise.withResolvers<void>();
  const answers = moments.map((at, i) => {
    const ledger: Ledger = {
      ...deps.ledger,
      now: () => at,
      record: (entries) =>
        new Promise((resolve, reject) => {
          waiting[i] = { at, entries, resolve, reject };
          if (--missing === 0) complete.resolve();
        }),
    };
    return check({ ...deps, ledger }, CALLER, traffic.ask(at), null);
  });
  // The answers come after the recording: here they can only end the wait by failing.
  await Promise.race([complete.promise, Promise.all(answers)]);
  return { answers, waiting };
}

function* chunks<T>(values: Iterable<T>, size: number): Generator<T[]> {
  let chunk: T[] = [];
  for (const value of values) {
    chunk.push(value);
    if (chunk.length < size) continue;
    yield chunk;
    chunk = [];
  }
  if (chunk.length > 0) yield chunk;
}

/** `decisions` moments in order, as dense as the traffic of their minute, with better and worse days. */
function* momentsOf({ traffic, random, decisions, from, until }: PastOptions): Generator<number> {
  const lot = (spread: number): number => 1 - spread + 2 * spread * random.next();
  const minutes = Math.floor((until - from) / MINUTE);
  const sums: number[] = [];
  let sum = 0;
  let day = 1;
  for (let minute = 0; minute < minutes; minute++) {
    const at = from + minute * MINUTE;
    if (at % DAY === 0) day = lot(0.12) * (0.85 + (0.3 * minute) / minutes);
    sums.push((sum += traffic.busyness(at) * day * lot(0.4)));
  }
  let made = 0;
  for (const [minute, upTo] of sums.entries()) {
    const due = minute === minutes - 1 ? decisions : Math.floor((upTo / sum) * decisions);
    const here = due - made;
    const at = from + minute * MINUTE;
    for (let i = 0; i < here; i++) yield at + Math.floor(((i + random.next()) / here) * MINUTE);
    made = due;
  }
}
