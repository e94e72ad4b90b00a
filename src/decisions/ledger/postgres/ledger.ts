/**
 * The ledger on PostgreSQL, for any number of nodes. A flush is one transaction, and one round trip (trip.ts), or two
 * when it leaves receipts, announces events or claims many limits. Its numbers and its time come from the database: the
 * numbers from one sequence for all nodes, the time from the database's clock, read once the limits are locked. So each
 * node sees what others admitted before, and the clocks of nodes do not matter. Where the database's clock was set
 * back, they go on without it: see time.ts.
 *
 * Limits that another transaction holds are passed over. Checks that claim one are set aside, and one flush of them at
 * a time waits for one such limit at a time. A deadlock is impossible. A flush that waits for a held limit holds
 * nothing yet. A limit that does not exist is inserted in the last statements before the commit; a flush that waits for
 * such a row has locked all others already, and all insert in one order.
 */
import { type Row, type Step, Unavailable, UniqueViolation, type Value } from '../../../db/db.ts';
import { type PostgresDb, type SecondHalf, toArray } from '../../../db/postgres/db.ts';
import { type Clock, goingOnFrom, monotonicMs } from '../../../lib/clock.ts';
import { type Flushed, type PlacedSubmission, place, type Submission, toFlush, toRecorded, workOut } from '../flush.ts';
import type { Ledger, Recorded } from '../ledger.ts';
import { openLedger, type Start, startLedger } from '../open.ts';
import { type CountUsed, OpenQuotas } from '../quota/open.ts';
import { isCountOf, type QuotaStore } from '../quota/quota.ts';
import { type QuotaReads, quotaReads } from '../quota/reads.ts';
import { distinctSpans } from '../quota/store.ts';
import type { Announced } from '../row.ts';
import { onTestTables } from '../test-tables.ts';
import { insertStep, parseNumbers } from './entries.ts';
import { toStoredKey } from './limit-key.ts';
import { awaitLimit, HELD_TURN_MS, type Locked, lockStep, NO_LIMITS, toLocked } from './locks.ts';
import { NeedNode } from './need-node.ts';
import { APART_MS, goOn, TAKE } from './time.ts';
import {
  type Claimed,
  claimedBy,
  claimKeys,
  claimStep,
  heldIn,
  isPlain,
  readAnswers,
  readHeld,
  readUnfit,
} from './trip.ts';
import { outcomeSteps } from './write.ts';

/** A ledger that is ahead by more than this has times of a clock that has been set back on purpose. */
const SET_BACK_MS = 2 * APART_MS;

/** After a longer wait for a lock, the flush is attempted again on what is true then. */
const LOCK_WITHIN_MS = 500;

/** Only a limit that another node has just inserted needs a new attempt, which finds it. */
const ATTEMPTS_MAX = 100;

/**
 * The transaction gets its own number before it takes one from the sequence: followers of the ledger rely on it (see
 * decisions/history/columns/source).
 */
const NUMBER_SQL = `select pg_current_xact_id(), set_config('lock_timeout', '${LOCK_WITHIN_MS}', true)`;
const NUMBER: Step = { sql: NUMBER_SQL };
/** And the claims are planned once: PostgreSQL would plan them again each time, which takes longer than to run them. */
const NUMBER_AND_PLAN: Step = { sql: `${NUMBER_SQL}, set_config('plan_cache_mode', 'force_generic_plan', true)` };

const READ_LIMITS = 'select key, state from limits where key = any($1::text[])';

export interface PostgresLedgerOptions {
  /** Instead of the database's. */
  clock?: Clock | undefined;
  /** Returns the kinds of decision that become events. */
  subscribed?: () => Announced;
  /** See decisions/ledger/quota/open. */
  countUsed?: CountUsed;
}

export async function openPostgresLedger(
  db: PostgresDb,
  clock?: Clock,
  options: Omit<PostgresLedgerOptions, 'clock'> = {},
): Promise<Ledger> {
  const start = await startLedger(db);
  const flusher = new Flusher(db, start, { ...options, clock });
  return openLedger(start, {
    db,
    quotas: flusher.quotas,
    now: () => flusher.now(),
    flush: (submissions, heldBy) => flusher.flush(submissions, heldBy),
    toStoredKey,
    readLimits: (keys) => db.read(READ_LIMITS, [toArray(keys)]),
  });
}

/** Opens the ledger of tests; see test-tables. */
export const openPostgresTestLedger = (db: PostgresDb, clock?: Clock): Promise<Ledger> =>
  openPostgresLedger(onTestTables(db), clock, { subscribed: () => null });

class Flusher {
  readonly #db: PostgresDb;
  readonly #ledgerNo: number;
  /** Instead of the database's. */
  readonly #given: Clock | undefined;
  readonly #time: Clock;
  readonly #subscribed: () => Announced;
  /** The newest time that this node knows the ledger has; 0 where the clock was set back before it on purpose. */
  #newestAt: number;
  readonly #quotas: OpenQuotas;
  readonly #needNode = new NeedNode();

  constructor(
    db: PostgresDb,
    { ledgerNo, newest }: Start,
    { clock: given, subscribed = () => [], countUsed }: PostgresLedgerOptions,
  ) {
    this.#db = db;
    this.#ledgerNo = ledgerNo;
    this.#given = given;
    this.#time = goingOnFrom(given ?? db.clock, newest.at);
    this.#subscribed = subscribed;
    this.#newestAt = newest.at;
    this.#quotas = new OpenQuotas({ db, now: () => this.now(), write: (steps) => db.write(steps), countUsed });
  }

  get quotas(): OpenQuotas {
    return this.#quotas;
  }

  /** Returns a time that is not before the newest entry's, as on SQLite. */
  now(): number {
    const at = this.#time.now();
    if (this.#newestAt > at + SET_BACK_MS) this.#newestAt = 0;
    return Math.max(this.#newestAt, at);
  }

  async flush(submissions: readonly Submission[], heldBy?: string): Promise<readonly Flushed[]> {
    const kinds = this.#subscribed();
    if (isSilent(kinds) && submissions.every(isPlain)) return this.#flushPlain(submissions);
    const claimed = isSilent(kinds) ? this.#claimedBy(submissions) : undefined;
    const attempt = async (): Promise<readonly Flushed[]> => {
      const done = claimed && (await this.#flushInOne(submissions, claimed, heldBy));
      return done ?? this.#flushInTwo(submissions, kinds, heldBy);
    };
    for (let attempts = 1; ; attempts++) {
      try {
        return await attempt();
      } catch (error) {
        // Another node inserted a limit that did not exist.
        const inserted = error instanceof UniqueViolation;
        const busy = error instanceof Unavailable && error.busy;
        if (heldBy !== undefined && (inserted || busy)) return submissions.map(() => ({ heldBy }));
        if (!inserted || attempts === ATTEMPTS_MAX) throw error;
      }
    }
  }

  #claimedBy(submissions: readonly Submission[]): Claimed | undefined {
    const claimed = claimedBy(submissions);
    return claimed === undefined || this.#needNode.has(claimed.keys) ? undefined : claimed;
  }

  async #flushPlain(submissions: readonly Submission[]): Promise<readonly Flushed[]> {
    const entries = submissions.flatMap((one) => one.entries);
    const steps = [NUMBER, insertStep(this.#taking(entries.length), entries)];
    const answers = await this.#db.write(steps, { unless: () => anyStale(submissions) });
    if (answers === undefined) return submissions.map(() => 'stale');
    return toRecorded(this.#place(submissions, answers[1]?.[0] as Row), []);
  }

  /**
   * Returns undefined for what takes two trips after all: another transaction holds a limit of some, or something
   * could become stale while it waits for a limit, so that the node must look at it in between.
   */
  async #flushInOne(
    submissions: readonly Submission[],
    claimed: Claimed,
    heldBy?: string,
  ): Promise<readonly Flushed[] | undefined> {
    const waitMs = heldBy === undefined ? 0 : HELD_TURN_MS;
    const wait = heldBy === undefined ? [] : awaitLimit(toStoredKey(heldBy));
    const steps = [...wait, NUMBER_AND_PLAN, claimStep(this.#taking(claimed.entries.length), claimed)];
    const terms = { unless: () => anyStale(submissions, waitMs), once: heldBy !== undefined };
    const rows = (await this.#db.write(steps, terms))?.at(-1);
    if (rows === undefined) return heldBy === undefined ? submissions.map(() => 'stale') : undefined;
    const [row] = rows as [Row];
    const held = readHeld(row, claimed);
    const unfit = readUnfit(row, claimed);
    if (unfit.length > 0) {
      this.#needNode.note(unfit);
      return undefined;
    }
    if (held.size === 0) return toRecorded(this.#place(submissions, row), readAnswers(row, claimed));
    const stopped = submissions.map((one) => heldIn(one, held));
    return stopped.includes(undefined) ? undefined : (stopped as Flushed[]);
  }

  async #flushInTwo(submissions: readonly Submission[], kinds: Announced, heldBy?: string) {
    const entries = submissions.flatMap((one) => one.entries);
    const keys = new Set(entries.flatMap(claimKeys).map(toStoredKey));
    const reading = quotaReads(entries, this.#quotas);
    const lock = keys.size === 0 ? [] : [lockStep(keys)];
    const wait = heldBy === undefined ? [] : awaitLimit(toStoredKey(heldBy));
    const take = { sql: TAKE, params: this.#taking(entries.length) };
    const first = [...wait, NUMBER, ...lock, ...reading.steps, take];
    const second = (answers: Row[][]): SecondHalf<Flushed[]> => {
      const read = answers.slice(wait.length + 1);
      const limits = keys.size === 0 ? NO_LIMITS : toLocked(read.shift() as Row[]);
      const taken = read.at(-1)?.[0] as Row;
      const quotas = reading.load(limits.states, read);
      return this.#writeUnlocked(submissions, kinds, { ...limits, quotas, covers: reading.covers }, taken);
    };
    // Once a held limit is locked, `stoppedBy` finds what has become stale meanwhile.
    const terms = heldBy === undefined ? { unless: () => anyStale(submissions) } : { once: true };
    const done = await this.#db.exchange(first, second, terms);
    return done ?? submissions.map(() => 'stale' as const);
  }

  /** Writes the submissions that no held limit stops. */
  #writeUnlocked(
    submissions: readonly Submission[],
    kinds: Announced,
    limits: Locked & ReadQuotas,
    taken: Row,
  ): SecondHalf<Flushed[]> {
    const at = this.#given === undefined ? goOn(limits, submissions, taken) : (taken.at as number);
    // What is evaluated again has this time.
    this.#newestAt = Math.max(this.#newestAt, at);
    const stopped = submissions.map((one) => stoppedBy(one, limits) ?? this.#notOpen(one, limits, at));
    const going = submissions.filter((_, i) => stopped[i] === undefined);
    if (going.length === 0) return { steps: [], value: stopped as Flushed[] };
    const placed = this.#place(going, { ...taken, at });
    const flush = toFlush(placed, this.#ledgerNo, kinds);
    const outcome = workOut(flush, (key) => limits.states.get(toStoredKey(key)) ?? [], limits.quotas);
    const steps = outcomeSteps(outcome, limits.states);
    const recorded = toRecorded(placed, outcome.answers).values();
    return { steps, value: stopped.map((why) => why ?? (recorded.next().value as Recorded[])) };
  }

  /** Returns `stale` for a submission that claims a quota by other terms, in another period, or one not read whole. */
  #notOpen({ entries }: Submission, { quotas, covers }: ReadQuotas, at: number): 'stale' | undefined {
    for (const span of distinctSpans(entries.flatMap(({ quota }) => quota ?? []))) {
      const count = quotas.countOf(span);
      if (count !== undefined) this.#quotas.note(span.licenseId, count);
      const isOpen = count !== undefined && isCountOf(count, span) && at >= span.from && at < span.until;
      if (isOpen && covers(span.licenseId, count)) continue;
      if (!isOpen) this.#quotas.forget(entries);
      return 'stale';
    }
    return undefined;
  }

  #taking(count: number): Value[] {
    const at = this.now();
    const notBefore = this.#db.clock.figures().aheadMs > APART_MS ? at : this.#newestAt;
    return [this.#given === undefined ? null : at, notBefore, count];
  }

  /** Returns the submissions with the time and the numbers that the database gave, in order. */
  #place(submissions: readonly Submission[], taken: Row): PlacedSubmission[] {
    const at = taken.at as number;
    const seqs = parseNumbers(taken.seqs);
    let n = 0;
    this.#newestAt = Math.max(this.#newestAt, at);
    return place(submissions, { ledgerNo: this.#ledgerNo, atOf: () => at, next: () => seqs[n++] as number });
  }
}

const isSilent = (kinds: Announced): boolean => kinds === null || kinds.length === 0;

/** Returns whether one of them is, or will be after this wait. */
function anyStale(submissions: readonly Submission[], waitMs = 0): boolean {
  const then = monotonicMs() + waitMs;
  return submissions.some(({ freshUntil }) => freshUntil < then);
}

/** The quotas of a flush, as they were read. */
interface ReadQuotas extends Pick<QuotaReads, 'covers'> {
  quotas: QuotaStore;
}

/** Returns why a submission is not recorded with the others, now that the limits are locked. */
const stoppedBy = (submission: Submission, { held }: Locked): Flushed | undefined =>
  submission.freshUntil < monotonicMs() ? 'stale' : heldIn(submission, held);
