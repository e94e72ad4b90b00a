/**
 * Writes thirty invented days: past checks go through the service's own `check` into the ledger, with a clock of the
 * demo, while no service runs on the data. Sequence numbers and ids ascend with time. Each decision is what the
 * service would have decided at that time, limits included.
 */

import { join } from 'node:path';
import type { Random } from '../kit/random.ts';
import { type Changes, openChanges } from '../src/api/changes/changes.ts';
import { onlyOf } from '../src/api/http/validate.ts';
import type { Caller } from '../src/api/permissions.ts';
import { openCollections } from '../src/content/collections/known.ts';
import type { Db } from '../src/db/db.ts';
import { holdFile, openSqlite } from '../src/db/sqlite/db.ts';
import { accept } from '../src/decisions/check/ask.ts';
import { type CheckDeps, check } from '../src/decisions/check/check.ts';
import { type WhoDeps, withVisitors } from '../src/decisions/check/who.ts';
import type { Decision } from '../src/decisions/ledger/decision.ts';
import type { Entry, Ledger, Recorded } from '../src/decisions/ledger/ledger.ts';
import { ledgerProcedure, openSqliteLedger } from '../src/decisions/ledger/sqlite/ledger.ts';
import { FULL_PRECISION } from '../src/decisions/precision.ts';
import { Snapshot } from '../src/decisions/snapshot/snapshot.ts';
import { openVisiting } from '../src/decisions/visitors/open.ts';
import type { Clock } from '../src/lib/clock.ts';
import { openGetter } from '../src/lib/outgoing/get.ts';
import { openIdentities } from '../src/requesters/identities/identities.ts';
import { openOffers } from '../src/requesters/offers/known.ts';
import type { Listed } from './catalog.ts';
import { writeDrift } from './site.ts';
import { progress } from './terminal.ts';
import type { Traffic } from './traffic.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 86_400_000;

export interface PastOptions {
  dataDir: string;
  catalog: readonly Listed[];
  traffic: Traffic;
  random: Random;
  decisions: number;
  /** Epoch ms: the first minute, and the end. */
  from: number;
  until: number;
  /** The robots.txt that the site should serve. */
  robots: string;
  signal: AbortSignal;
}

/** The size of one flush of the ledger; the next batch is decided while this one is written. */
const AT_ONCE = 4_000;
/** All ask for registered items, or pages of collections. */
const unregistered: CheckDeps['unregistered'] = { count() {} };

export async function writePast(options: PastOptions): Promise<{ allowed: number }> {
  const { dataDir, catalog, traffic, robots, signal } = options;
  const hold = holdFile(join(dataDir, 'postern.lock'));
  if (hold === undefined) throw new Error(`another process works with the data in ${dataDir}`);
  const db = await openSqlite(join(dataDir, 'postern.db'), { procedures: ledgerProcedure });
  const clock = { at: options.from, now: () => clock.at };
  const ledger = await openSqliteLedger(db, clock);
  await using opened = new AsyncDisposableStack();
  try {
    const changes = openChanges(db, clock);
    const offers = openOffers(db, changes);
    const snapshot = new Snapshot(db, changes, openCollections(db, changes));
    const proving = await openProving({ db, changes, clock, snapshot }, opened);
    await snapshot.loadSubjects(catalog.map(({ item }) => ({ contentId: item.externalId })));
    const line = progress('decisions', options.decisions, 'decisions');
    let allowed = 0;
    let done = 0;

    const finish = async (answers: readonly Promise<Decision>[]): Promise<void> => {
      for (const answer of await Promise.all(answers)) if (answer.allowed) allowed++;
      done += answers.length;
      line.to(done);
    };
    let inFlight: Promise<void> = Promise.resolve();
    for (const times of chunks(timesOf(options), AT_ONCE)) {
      signal.throwIfAborted();
      const { answers, waiting } = await decideAll(
        {
          db,
          snapshot,
          ledger,
          testLedger: ledger,
          offers,
          unregistered,
          ...proving,
          maxAge: 0,
          precision: FULL_PRECISION,
        },
        times,
        traffic,
      );
      await inFlight;
      for (const { at, entries, resolve, reject } of waiting) {
        clock.at = at;
        ledger.record(entries).then(resolve, reject);
      }
      inFlight = finish(answers);
    }
    await inFlight;
    line.end();
    await writeDrift(db, robots, options.until);
    return { allowed };
  } finally {
    await ledger.close();
    await db.close();
    hold.release();
  }
}

/** Opens the proofs of visitors by their addresses; published lists are not fetched. */
async function openProving(
  { db, changes, clock, snapshot }: { db: Db; changes: Changes; clock: Clock; snapshot: Snapshot },
  opened: AsyncDisposableStack,
) {
  const onProblem = (error: unknown): void => {
    throw error;
  };
  const { visitors } = await openVisiting(
    { db, changes, clock, snapshot, publicUrl: null, allowPrivate: false, listening: Promise.resolve(), onProblem },
    opened,
  );
  const getter = openGetter({ userAgent: 'Postern', allowPrivate: false });
  const isOurs = (): boolean => false;
  const identities = await openIdentities({ db, changes, clock, getter, directoryLists: false, isOurs, onProblem });
  opened.defer(() => identities.close());
  return { visitors, identities };
}

const CALLER: Caller = {
  credential: '',
  keyId: 'demo',
  mode: 'live',
  permissions: new Set(['access:check']),
  readOnly: false,
};

/** A decided check that waits to be recorded. */
interface Waiting {
  at: number;
  entries: readonly Entry[];
  resolve: (recorded: readonly Recorded[]) => void;
  reject: (error: unknown) => void;
}

/**
 * Decides each check with the ledger's time set to its own. A check that reads first may be overtaken, so all wait.
 */
async function decideAll(deps: CheckDeps & Pick<WhoDeps, 'visitors'>, times: readonly number[], traffic: Traffic) {
  const waiting: Waiting[] = [];
  let missing = times.length;
  const complete = Promise.withResolvers<void>();
  const answers = times.map(async (at, i) => {
    const ledger: Ledger = {
      ...deps.ledger,
      now: () => at,
      record: (entries) =>
        new Promise((resolve, reject) => {
          waiting[i] = { at, entries, resolve, reject };
          if (--missing === 0) complete.resolve();
        }),
    };
    const now = (): number => at;
    const ask = accept({ caller: CALLER, now, dry: false }, traffic.next(at));
    const found = onlyOf(await withVisitors({ visitors: deps.visitors, clock: { now } }, [ask]));
    return check({ ...deps, ledger }, found, { caller: CALLER, grounds: { readAt: at }, explainer: null });
  });
  // Answers come after the recording, so here only a failure can settle them.
  await Promise.race([complete.promise, Promise.all(answers)]);
  return { answers, waiting };
}

/** Yields chunks that cross no hour, because periods of quotas begin at hours: a flush counts in one period. */
function* chunks(times: Iterable<number>, size: number): Generator<number[]> {
  let chunk: number[] = [];
  for (const at of times) {
    const [first = at] = chunk;
    if (chunk.length === size || Math.floor(first / HOUR) !== Math.floor(at / HOUR)) {
      yield chunk;
      chunk = [];
    }
    chunk.push(at);
  }
  if (chunk.length > 0) yield chunk;
}

/** Yields `decisions` times in order, as dense as the traffic of their minute; days vary. */
function* timesOf({ traffic, random, decisions, from, until }: PastOptions): Generator<number> {
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
