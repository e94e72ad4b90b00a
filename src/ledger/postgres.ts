/**
 * The ledger on PostgreSQL, for any number of nodes. A flush is one transaction: one round trip, or two when it claims
 * limits, leaves receipts or announces events. Its numbers and its time come from the database: the numbers from one
 * sequence for all nodes, the time from the database's clock, read once the limits are locked. So each node sees what
 * others admitted before, and the clocks of nodes do not matter.
 *
 * Limits that another transaction holds are passed over. Checks that claim one are set aside, and one flush of them at
 * a time waits for one such limit at a time. A deadlock is impossible. A flush that waits for a held limit holds
 * nothing yet. A limit that does not exist is inserted in the second half, which ends with the commit; a flush that
 * waits for such a row is in its own second half, and all insert in one order.
 */
import type { AccessKind } from '../changes/kinds.ts';
import { EVENT_COLUMNS } from '../changes/rows.ts';
import { type Row, type Step, Unavailable, UniqueViolation, type Value } from '../db/db.ts';
import { IN_ORDER, MOMENT_SQL, type PostgresDb, type SecondHalf, toArray } from '../db/postgres/db.ts';
import { receiptStep } from '../db/receipt.ts';
import { type Clock, goingOnFrom } from '../lib/clock.ts';
import { monotonicMs } from '../lib/monotonic.ts';
import { toStoredKey } from '../limits/key.ts';
import type { LimitState } from '../limits/limit.ts';
import { COLUMNS, type Placed, place, recordedOf, type Touched, toFlush, WIDTH, workOut } from './flush.ts';
import type { Entry, Ledger, Recorded } from './ledger.ts';
import { openLedger, type Start, startLedger, toStates } from './open.ts';
import { type Flushed, isStale, type Submission } from './recorder.ts';

/** The database's clock is sampled; its error is less than this. */
const CLOCK_ERROR_MS = 1_000;

/** After a longer wait for a lock, the flush is attempted again on what is true then. */
const LOCK_WITHIN_MS = 500;
/** The longest wait for one held limit before the next has its turn. */
const HELD_TURN_MS = 250;

/** Only a limit that another node has just inserted needs a new attempt, which finds it. */
const ATTEMPTS_MAX = 100;

/** A limit's expiry is rounded up to this: an update that leaves the indexed column alone needs no new index entry. */
const EXPIRY_STEP_MS = 600_000;

/**
 * The transaction gets its own number before it takes one from the sequence: followers of the ledger rely on it (see
 * usage/source). $1: a time, or null for the database's, but not before $2. $3: how many numbers.
 */
const NUMBER: Step = { sql: `select pg_current_xact_id(), set_config('lock_timeout', '${LOCK_WITHIN_MS}', true)` };
const TIME = `select coalesce($1::bigint, greatest($2::bigint, ${MOMENT_SQL})) as at`;
const SEQS = `select n, nextval('decisions_seq_seq') as seq from generate_series(1, $3::int) as n`;
const TAKE = `with taken as materialized (${TIME}), numbers as materialized (${SEQS})
  select at, (select array_agg(seq order by n)::text from numbers) as seqs from taken`;

const TYPES = COLUMNS.map((name) =>
  ['requester_id', 'license_id', 'inputs'].includes(name) ? 'text' : name === 'reason' ? 'smallint' : 'bigint',
);
const INSERT = `insert into decisions (${COLUMNS.join(', ')})
  select * from unnest(${TYPES.map((type, i) => `$${i + 1}::${type}[]`).join(', ')})`;

/** The columns of an entry without a claim that come from the entry itself. */
const OWN: Record<string, (entry: Entry) => Value> = {
  content_no: (entry) => entry.contentNo,
  requester_id: (entry) => entry.requesterId,
  policy_no: (entry) => entry.policyNo,
  policy_version: (entry) => entry.policyVersion,
  reason: (entry) => entry.reason,
  rule_index: (entry) => entry.ruleIndex,
  rule_priority: (entry) => entry.rulePriority,
  license_id: (entry) => entry.licenseId,
  inputs: (entry) => entry.inputs,
};
const OWN_NAMES = Object.keys(OWN).join(', ');
const OWN_ARRAYS = Object.keys(OWN).map((name, i) => `$${i + 4}::${TYPES[COLUMNS.indexOf(name as 'seq')]}[]`);
const TAKE_AND_INSERT = `with taken as materialized (${TIME}), numbers as materialized (${SEQS}),
  written as (
    insert into decisions (seq, at, ${OWN_NAMES})
    select seq, at, ${OWN_NAMES}
    from unnest(${OWN_ARRAYS.join(', ')}) with ordinality as entry (${OWN_NAMES}, n) join numbers using (n), taken
  )
  select at, (select array_agg(seq order by n)::text from numbers) as seqs from taken`;

/** Locks the limits that no other transaction holds. `state` is null for the others: `held`, or not existing yet. */
const LOCK_FREE_LIMITS = `with mine as materialized (
    select key, state from limits where key = any($1::text[]) order by key for update skip locked
  )
  select wanted.key, mine.state, mine.key is null and exists (select 1 from limits where limits.key = wanted.key) as held
  from unnest($1::text[]) as wanted (key) left join mine on mine.key = wanted.key`;
const AWAIT_LIMIT: readonly string[] = [
  `select set_config('lock_timeout', '${HELD_TURN_MS}', true)`,
  'select 1 from limits where key = $1 for update',
];
const MAKE_LIMITS = `insert into limits (key, state, expires_at)
  select * from unnest($1::text[], $2::text[], $3::bigint[]) as made (key, state, expires_at) order by key`;
const READ_LIMITS = 'select key, state from limits where key = any($1::text[])';
const WRITE_LIMITS = `update limits set state = touched.state, expires_at = touched.expires_at
  from unnest($1::text[], $2::text[], $3::bigint[]) as touched (key, state, expires_at) where limits.key = touched.key`;

const INSERT_EVENTS = `insert into events (${EVENT_COLUMNS.join(', ')})
  select * from unnest($1::text[], $2::bigint[], $3::text[], $4::text[], $5::bigint[])`;

/** With `clock` instead of the database's. `subscribed`: the kinds of decision that become events. */
export async function openPostgresLedger(
  db: PostgresDb,
  clock?: Clock,
  subscribed: () => readonly AccessKind[] = () => [],
): Promise<Ledger> {
  const start = await startLedger(db);
  const flusher = new Flusher(db, start, clock, subscribed);
  return openLedger(start, {
    now: () => flusher.now(),
    flush: (submissions, heldBy) => flusher.flush(submissions, heldBy),
    toStoredKey,
    readLimits: (keys) => db.read(READ_LIMITS, [toArray(keys)]),
  });
}

class Flusher {
  readonly #db: PostgresDb;
  readonly #ledgerNo: number;
  /** Instead of the database's. */
  readonly #given: Clock | undefined;
  readonly #time: Clock;
  readonly #subscribed: () => readonly AccessKind[];
  /** The newest time that this node knows the ledger has; 0 where the clock was set back before it on purpose. */
  #newestAt: number;

  constructor(
    db: PostgresDb,
    { ledgerNo, newest }: Start,
    given: Clock | undefined,
    subscribed: () => readonly AccessKind[],
  ) {
    this.#db = db;
    this.#ledgerNo = ledgerNo;
    this.#given = given;
    this.#time = goingOnFrom(given ?? db.clock, newest.at);
    this.#subscribed = subscribed;
    this.#newestAt = newest.at;
  }

  /** Returns a time that is not before the newest entry's, as on SQLite. */
  now(): number {
    const at = this.#time.now();
    if (this.#newestAt > at + CLOCK_ERROR_MS) this.#newestAt = 0;
    return Math.max(this.#newestAt, at);
  }

  async flush(submissions: readonly Submission[], heldBy?: string): Promise<readonly Flushed[]> {
    const kinds = this.#subscribed();
    if (kinds.length === 0 && submissions.every(isPlain)) return this.#flushPlain(submissions);
    for (let attempts = 1; ; attempts++) {
      try {
        return await this.#flushInTwo(submissions, kinds, heldBy);
      } catch (error) {
        // Another node inserted a limit that did not exist.
        const inserted = error instanceof UniqueViolation;
        const busy = error instanceof Unavailable && error.busy;
        if (heldBy !== undefined && (inserted || busy)) return submissions.map(() => ({ heldBy }));
        if (!inserted || attempts === ATTEMPTS_MAX) throw error;
      }
    }
  }

  async #flushPlain(submissions: readonly Submission[]): Promise<readonly Flushed[]> {
    const entries = submissions.flatMap((one) => one.entries);
    const columns = Object.values(OWN).map((value) => toArray(entries.map(value)));
    const steps = [NUMBER, { sql: TAKE_AND_INSERT, params: [...this.#taking(entries.length), ...columns] }];
    const answers = await this.#db.write(steps, { unless: () => anyStale(submissions) });
    if (answers === undefined) return submissions.map(() => 'stale');
    return recordedOf(this.#place(submissions, answers[1]?.[0] as Row), []);
  }

  async #flushInTwo(submissions: readonly Submission[], kinds: readonly AccessKind[], heldBy?: string) {
    const entries = submissions.flatMap((one) => one.entries);
    const keys = new Set(entries.flatMap(({ claim }) => (claim === null ? [] : [toStoredKey(claim.key)])));
    const lock = keys.size === 0 ? [] : [{ sql: LOCK_FREE_LIMITS, params: [toArray([...keys].toSorted())] }];
    const wait = heldBy === undefined ? [] : awaitLimit(toStoredKey(heldBy));
    const first = [...wait, NUMBER, ...lock, { sql: TAKE, params: this.#taking(entries.length) }];
    const second = (answers: Row[][]): SecondHalf<Flushed[]> => {
      const limits = keys.size === 0 ? NO_LIMITS : toLocked(answers.at(-2) as Row[]);
      return this.#writeUnlocked(submissions, kinds, limits, answers.at(-1)?.[0] as Row);
    };
    // Once a held limit is locked, `stoppedBy` finds what has become stale meanwhile.
    const terms = heldBy === undefined ? { unless: () => anyStale(submissions) } : { once: true };
    const done = await this.#db.exchange(first, second, terms);
    return done ?? submissions.map(() => 'stale' as const);
  }

  /** Writes the submissions that no held limit stops. */
  #writeUnlocked(
    submissions: readonly Submission[],
    kinds: readonly AccessKind[],
    limits: Locked,
    taken: Row,
  ): SecondHalf<Flushed[]> {
    const stopped = submissions.map((one) => stoppedBy(one, limits));
    const going = submissions.filter((_, i) => stopped[i] === undefined);
    if (going.length === 0) return { steps: [], value: stopped as Flushed[] };
    const placed = this.#place(going, taken);
    const flush = toFlush(placed, this.#ledgerNo, kinds);
    const outcome = workOut(flush, (key) => limits.states.get(toStoredKey(key)) ?? []);
    const written = writeLimits(outcome.touched, limits.states);
    const steps = [insertStep(outcome.rows), ...written, ...announce(outcome.events)];
    for (const { receipt, now: at } of outcome.receipts) steps.push(receiptStep(receipt, at));
    const recorded = recordedOf(placed, outcome.answers).values();
    return { steps, value: stopped.map((why) => why ?? (recorded.next().value as Recorded[])) };
  }

  #taking(count: number): Value[] {
    const at = this.now();
    // Where the database's clock was set back, time goes on without it.
    const notBefore = this.#db.clock.figures().aheadMs > CLOCK_ERROR_MS ? at : this.#newestAt;
    return [this.#given === undefined ? null : at, notBefore, count];
  }

  /** Returns the submissions with the time and the numbers that the database gave, in order. */
  #place(submissions: readonly Submission[], taken: Row): Placed[] {
    const at = taken.at as number;
    const seqs = (taken.seqs as string).slice(1, -1).split(',');
    let n = 0;
    this.#newestAt = Math.max(this.#newestAt, at);
    return place(submissions, { ledgerNo: this.#ledgerNo, atOf: () => at, next: () => Number(seqs[n++]) });
  }
}

const insertStep = (rows: readonly Value[]): Step => ({
  sql: INSERT,
  params: COLUMNS.map((_, column) => columnOf(rows, column, WIDTH)),
});

const isPlain = ({ entries, receipt }: Submission): boolean =>
  receipt === undefined && entries.every(({ claim }) => claim === null);

function anyStale(submissions: readonly Submission[]): boolean {
  const now = monotonicMs();
  return submissions.some((one) => isStale(one, now));
}

const awaitLimit = (key: string): Step[] =>
  AWAIT_LIMIT.map((sql) => ({ sql, ...(sql.includes('$1') ? { params: [key] } : {}) }));

/** The limits of a flush by stored key: locked by it, or held by another transaction. The rest do not exist yet. */
interface Locked {
  states: ReadonlyMap<string, LimitState>;
  held: ReadonlySet<string>;
}
const NO_LIMITS: Locked = { states: new Map(), held: new Set() };

const toLocked = (rows: readonly Row[]): Locked => ({
  states: toStates(rows.filter(({ state }) => state !== null)),
  held: new Set(rows.filter(({ held }) => held === 1).map(({ key }) => key as string)),
});

/** Returns why a submission is not recorded with the others, now that the limits are locked. */
function stoppedBy(submission: Submission, { held }: Locked): Flushed | undefined {
  if (isStale(submission, monotonicMs())) return 'stale';
  if (held.size === 0) return undefined;
  const entry = submission.entries.find(({ claim }) => claim !== null && held.has(toStoredKey(claim.key)));
  return entry?.claim == null ? undefined : { heldBy: entry.claim.key };
}

function writeLimits(touched: ReadonlyMap<string, Touched>, states: ReadonlyMap<string, LimitState>): Step[] {
  const there = [...touched].filter(([key]) => states.has(toStoredKey(key)));
  const made = [...touched].filter(([key]) => !states.has(toStoredKey(key)));
  const steps = [
    { sql: WRITE_LIMITS, limits: there },
    { sql: MAKE_LIMITS, limits: made },
  ];
  return steps.flatMap(({ sql, limits }) => (limits.length === 0 ? [] : [{ sql, params: limitColumns(limits) }]));
}

function limitColumns(limits: readonly (readonly [string, Touched])[]): string[] {
  const keys = toArray(limits.map(([key]) => toStoredKey(key)));
  const states = toArray(limits.map(([, { state }]) => JSON.stringify(state)));
  const expiries = toArray(limits.map(([, { expiresAt }]) => Math.ceil(expiresAt / EXPIRY_STEP_MS) * EXPIRY_STEP_MS));
  return [keys, states, expiries];
}

/**
 * Waits its turn behind edits, whose events share the log, because the log is followed in the order of its numbers.
 */
function announce(events: readonly Value[]): Step[] {
  if (events.length === 0) return [];
  const params = EVENT_COLUMNS.map((_, column) => columnOf(events, column, EVENT_COLUMNS.length));
  return [IN_ORDER, { sql: INSERT_EVENTS, params }];
}

function columnOf(rows: readonly Value[], column: number, width: number): string {
  const values: Value[] = [];
  for (let i = column; i < rows.length; i += width) values.push(rows[i] as Value);
  return toArray(values);
}
