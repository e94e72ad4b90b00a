/**
 * The ledger on PostgreSQL, for any number of nodes. A flush is one transaction: one round trip, or two when it claims
 * limits, leaves receipts or announces events. Its place and its moment come from the database: places from one sequence for all nodes, the
 * moment from the database's clock, read once the limits are locked. So what one node admitted the next one has seen, and
 * the clocks of nodes do not matter.
 *
 * Why nodes never wait for each other in a circle. All limits of a flush are first inserted where absent, in one order,
 * then locked, in one order. A flush that waits in its first part holds only rows it has just inserted itself, and
 * whoever needs one of those is stopped at it in its own first part.
 */
import { randomInt } from 'node:crypto';
import type { AccessKind } from '../changes/kinds.ts';
import { EVENT_COLUMNS } from '../changes/rows.ts';
import type { Row, Step, Value } from '../db/db.ts';
import { IN_ORDER, MOMENT_SQL, type PostgresDb, toArray } from '../db/postgres.ts';
import { receiptStep } from '../db/receipt.ts';
import type { Clock } from '../lib/clock.ts';
import { toStoredKey } from '../limits/key.ts';
import type { LimitState } from '../limits/limit.ts';
import { decisionId, type Granted } from './decision.ts';
import {
  answerClaims,
  COLUMNS,
  eventsOf,
  type Flush,
  grantedToAll,
  peekInOrder,
  settleReceipts,
  type Touched,
  toFlush,
  WIDTH,
} from './flush.ts';
import type { Ledger } from './ledger.ts';
import { recorder, type Submission } from './recorder.ts';

/** A clock set back by more than this was wrong before: waiting for it to catch up would stamp new decisions wrongly. */
const CLOCK_AHEAD_MAX_MS = 3_600_000;

/** A limit's expiry is rounded up to this: while the indexed column stays the same, an update needs no new index entry. */
const EXPIRY_STEP_MS = 600_000;

/**
 * The transaction's number is given before its first place: who follows the ledger relies on it (see usage/source). $1:
 * a moment, or null for the database's, but not before $2. $3: how many places.
 */
const NUMBER: Step = { sql: 'select pg_current_xact_id()' };
const MOMENT = `select coalesce($1::bigint, greatest($2::bigint, ${MOMENT_SQL})) as at`;
const PLACES = `select n, nextval('decisions_seq_seq') as seq from generate_series(1, $3::int) as n`;
const TAKE = `with moment as materialized (${MOMENT}), places as materialized (${PLACES})
  select at, (select array_agg(seq order by n)::text from places) as seqs from moment`;

const TYPES = COLUMNS.map((name) =>
  ['requester_id', 'license_id', 'inputs'].includes(name) ? 'text' : name === 'reason' ? 'smallint' : 'bigint',
);
const INSERT = `insert into decisions (${COLUMNS.join(', ')})
  select * from unnest(${TYPES.map((type, i) => `$${i + 1}::${type}[]`).join(', ')})`;

/** Of an entry without a claim: the columns that neither the database nor a limit gives. */
const OWN = COLUMNS.filter((name) => !['seq', 'at', 'limit_remaining', 'limit_reset_at'].includes(name));
const OWN_ARRAYS = OWN.map((name, i) => `$${i + 4}::${TYPES[COLUMNS.indexOf(name)]}[]`);
const TAKE_AND_INSERT = `with moment as materialized (${MOMENT}), places as materialized (${PLACES}),
  written as (
    insert into decisions (seq, at, ${OWN.join(', ')})
    select seq, at, ${OWN.join(', ')}
    from unnest(${OWN_ARRAYS.join(', ')}) with ordinality as entry (${OWN.join(', ')}, n) join places using (n), moment
  )
  select at, (select array_agg(seq order by n)::text from places) as seqs from moment`;

const ENSURE_LIMITS = `insert into limits (key, state, expires_at)
  select key, '[]', 0 from unnest($1::text[]) with ordinality as wanted (key, n) order by n
  on conflict (key) do nothing`;
const LOCK_LIMITS = 'select key, state from limits where key = any($1::text[]) order by key for update';
const READ_LIMITS = 'select key, state from limits where key = any($1::text[])';
const WRITE_LIMITS = `update limits set state = touched.state, expires_at = touched.expires_at
  from unnest($1::text[], $2::text[], $3::bigint[]) as touched (key, state, expires_at) where limits.key = touched.key`;

const INSERT_EVENTS = `insert into events (${EVENT_COLUMNS.join(', ')})
  select * from unnest($1::text[], $2::bigint[], $3::text[], $4::text[], $5::bigint[])`;

/**
 * With `clock` instead of the database's. `subscribed`: the kinds of decision that are announced as events. Like on SQLite,
 * the moment is not before the newest entry's.
 */
export async function openPostgresLedger(
  db: PostgresDb,
  clock?: Clock,
  subscribed: () => readonly AccessKind[] = () => [],
): Promise<Ledger> {
  await db.atomic([
    {
      sql: `insert into settings (name, value) values ('ledger_no', $1) on conflict (name) do nothing`,
      params: [String(randomInt(2 ** 30))],
    },
  ]);
  const [setting] = await db.read<{ value: string }>(`select value from settings where name = 'ledger_no'`);
  const [newest] = await db.read<{ seq: number; at: number }>(
    'select seq, at from decisions order by seq desc limit 1',
  );
  const ledgerNo = Number(setting?.value);
  const own = clock ?? db.clock;
  const newestAt = newest?.at ?? 0;
  let floor = newestAt - own.now() <= CLOCK_AHEAD_MAX_MS ? newestAt : 0;
  const now = (): number => Math.max(floor, own.now());

  /** Gives the submissions the moment and the places the database gave, in order. */
  function place(submissions: readonly Submission[], taken: Row): void {
    const at = taken.at as number;
    const seqs = (taken.seqs as string).slice(1, -1).split(',');
    let next = 0;
    for (const submission of submissions) {
      submission.at = at;
      for (const one of submission.recorded) {
        one.at = at;
        one.seq = Number(seqs[next++]);
        one.id = decisionId(ledgerNo, at, one.seq);
      }
    }
    floor = Math.max(floor, at);
  }

  const taking = (count: number): Value[] => [clock === undefined ? null : now(), floor, count];

  async function flushPlain(submissions: readonly Submission[], { rows }: Flush): Promise<Granted[]> {
    const params = [...taking(rows.length / WIDTH), ...OWN.map((name) => columnOf(rows, COLUMNS.indexOf(name), WIDTH))];
    const answers = await db.write([NUMBER, { sql: TAKE_AND_INSERT, params }]);
    place(submissions, answers[1]?.[0] as Row);
    return [];
  }

  function flushInTwo(submissions: readonly Submission[], { rows, claims, announced }: Flush): Promise<Granted[]> {
    const keys = [...new Set(claims.filter((_, i) => i % 4 === 1) as string[])].sort();
    const list = toArray(keys.map(toStoredKey));
    const first: Step[] = [NUMBER];
    if (keys.length > 0) first.push({ sql: ENSURE_LIMITS, params: [list] }, { sql: LOCK_LIMITS, params: [list] });
    first.push({ sql: TAKE, params: taking(rows.length / WIDTH) });
    return db.exchange(first, (answers) => {
      const locked = keys.length > 0 ? (answers[2] as Row[]) : [];
      // An old limit was swept away between the two statements.
      if (locked.length < keys.length) return undefined;
      const states = statesOf(locked);
      place(submissions, answers.at(-1)?.[0] as Row);
      const flush = toFlush(submissions, ledgerNo, announced);
      const { answers: granted, touched } = answerClaims(flush, (key) => states.get(toStoredKey(key)) ?? []);
      const steps = [insertStep(flush.rows), ...writeLimits(touched), ...announce(eventsOf(flush))];
      for (const { receipt, now: at } of settleReceipts(flush, granted)) steps.push(receiptStep(receipt, at));
      return { steps, value: grantedToAll(granted) };
    });
  }

  const record = recorder({
    now,
    places: (count) => Array.from({ length: count }, () => ({ id: '', seq: 0, at: 0, granted: null })),
    flush(submissions) {
      const flush = toFlush(submissions, ledgerNo, subscribed());
      const plain = [flush.claims, flush.receipts, flush.announced].every((list) => list.length === 0);
      return plain ? flushPlain(submissions, flush) : flushInTwo(submissions, flush);
    },
  });
  record.startAt(newest?.seq ?? 0);

  return {
    ledgerNo,
    record: record.record,
    head: record.head,
    figures: record.figures,
    now,
    async peek(claims) {
      const keys = [...new Set(claims.map((claim) => toStoredKey(claim.key)))];
      const states = statesOf(await db.read(READ_LIMITS, [toArray(keys)]));
      return peekInOrder(claims, states, toStoredKey, now());
    },
    close: record.drained,
  };
}

const insertStep = (rows: readonly Value[]): Step => ({
  sql: INSERT,
  params: COLUMNS.map((_, column) => columnOf(rows, column, WIDTH)),
});

function writeLimits(touched: ReadonlyMap<string, Touched>): Step[] {
  if (touched.size === 0) return [];
  const limits = [...touched];
  const keys = toArray(limits.map(([key]) => toStoredKey(key)));
  const states = toArray(limits.map(([, { state }]) => JSON.stringify(state)));
  const expiries = toArray(limits.map(([, { expiresAt }]) => Math.ceil(expiresAt / EXPIRY_STEP_MS) * EXPIRY_STEP_MS));
  return [{ sql: WRITE_LIMITS, params: [keys, states, expiries] }];
}

/** In line with the edits, whose events share the log: it is followed in the order of its places. */
function announce(events: readonly Value[]): Step[] {
  if (events.length === 0) return [];
  const params = EVENT_COLUMNS.map((_, column) => columnOf(events, column, EVENT_COLUMNS.length));
  return [IN_ORDER, { sql: INSERT_EVENTS, params }];
}

const statesOf = (rows: readonly Row[]): Map<string, LimitState> =>
  new Map(rows.map((row) => [row.key as string, JSON.parse(row.state as string) as number[]]));

function columnOf(rows: readonly Value[], column: number, width: number): string {
  const values: Value[] = [];
  for (let i = column; i < rows.length; i += width) values.push(rows[i] as Value);
  return toArray(values);
}
