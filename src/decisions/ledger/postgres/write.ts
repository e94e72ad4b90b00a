/** The steps of a flush whose limits are locked, for PostgreSQL. */
import { EVENT_COLUMNS } from '../../../api/changes/rows.ts';
import type { Step, Value } from '../../../db/db.ts';
import { IN_ORDER, toArray } from '../../../db/postgres/db.ts';
import { receiptStep } from '../../../db/receipt.ts';
import type { LimitState } from '../../../rules/limit.ts';
import { COLUMNS, type FlushOutcome, type Touched, WIDTH } from '../flush.ts';
import { CONTENT_COLUMNS } from '../quota/store.ts';
import { columnType, EXPIRY_STEP_MS } from './entries.ts';
import { toStoredKey } from './limit-key.ts';

const INSERT = `insert into decisions (${COLUMNS.join(', ')})
  select * from unnest(${COLUMNS.map((name, i) => `$${i + 1}::${columnType(name)}[]`).join(', ')})`;

const MAKE_LIMITS = `insert into limits (key, state, expires_at)
  select * from unnest($1::text[], $2::text[], $3::bigint[]) as made (key, state, expires_at) order by key`;
const WRITE_LIMITS = `update limits set state = touched.state, expires_at = touched.expires_at
  from unnest($1::text[], $2::text[], $3::bigint[]) as touched (key, state, expires_at) where limits.key = touched.key`;

const INSERT_EVENTS = `insert into events (${EVENT_COLUMNS.join(', ')})
  select * from unnest($1::text[], $2::bigint[], $3::text[], $4::text[], $5::bigint[])`;

const INSERT_PAYLOADS = 'insert into change_data (id, object) select * from unnest($1::text[], $2::text[])';
/** A stray decision may have been counted for the same content. */
const INSERT_CONTENTS = `insert into quota_contents (${CONTENT_COLUMNS.join(', ')})
  select * from unnest($1::text[], $2::bigint[], $3::bigint[], $4::text[], $5::bigint[]) on conflict do nothing`;

/** `states`: the locked limits by stored key. */
export function outcomeSteps(outcome: FlushOutcome, states: ReadonlyMap<string, LimitState>): Step[] {
  const { rows, touched, events, payloads, contents, receipts } = outcome;
  return [
    rowsStep(rows),
    ...writeLimits(touched, states),
    ...columnsStep(INSERT_CONTENTS, contents, CONTENT_COLUMNS.length),
    ...columnsStep(INSERT_PAYLOADS, payloads, 2),
    ...announce(events),
    ...receipts.map(({ receipt, now: at }) => receiptStep(receipt, at)),
  ];
}

const rowsStep = (rows: readonly Value[]): Step => ({
  sql: INSERT,
  params: COLUMNS.map((_, column) => toColumnArray(rows, column, WIDTH)),
});

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
  return events.length === 0 ? [] : [IN_ORDER, ...columnsStep(INSERT_EVENTS, events, EVENT_COLUMNS.length)];
}

/** `values`: rows of so many columns, one after another. */
function columnsStep(sql: string, values: readonly Value[], width: number): Step[] {
  if (values.length === 0) return [];
  return [{ sql, params: Array.from({ length: width }, (_, column) => toColumnArray(values, column, width)) }];
}

function toColumnArray(rows: readonly Value[], column: number, width: number): string {
  const values: Value[] = [];
  for (let i = column; i < rows.length; i += width) values.push(rows[i] as Value);
  return toArray(values);
}
