/**
 * The ledger's part of the storage thread: one flush inside the writer's transaction. Writes the limits' new states,
 * the decisions, their events and the receipts.
 */

import type { StatementSync } from 'node:sqlite';
import { EVENT_COLUMNS } from '../../../api/changes/rows.ts';
import type { Value } from '../../../db/db.ts';
import { type Insert, insertColumns, insertSql } from '../../../db/query.ts';
import { RECEIPT_SQL, receiptParams } from '../../../db/receipt.ts';
import { type Connection, ExpectationFailed } from '../../../db/sqlite/connection.ts';
import type { Procedure } from '../../../db/sqlite/worker.ts';
import { Lru } from '../../../lib/cache/lru.ts';
import { monotonicMs } from '../../../lib/clock.ts';
import type { LimitState } from '../../../rules/limit.ts';
import { countedAfterSql } from '../../history/counted.ts';
import { COLUMNS, type FlushOutcome, type FlushRows, workOut } from '../flush.ts';
import { isCountOf, NotOpen, type QuotaStore, quotaKey, toCount } from '../quota/quota.ts';
import { CONTENT_COLUMNS, type StrayRow, toStray } from '../quota/store.ts';

const STATES_MAX = 50_000;

/** Rows of one statement: the table's AUTOINCREMENT is written with each. More rows take no less time. */
const AT_ONCE = 25;

/** Inserts rows given as one flat list of their values. `get` makes no object of what changed, which `run` does. */
function inserter(connection: Connection, insert: Insert): (values: readonly Value[]) => void {
  const one = connection.prepare(insertSql(insert, 1));
  const many = connection.prepare(insertSql(insert, AT_ONCE));
  const { width } = insert;
  const size = AT_ONCE * width;
  return (values) => {
    let i = 0;
    for (; i + size <= values.length; i += size) many.get(...values.slice(i, i + size));
    for (; i < values.length; i += width) one.get(...values.slice(i, i + width));
  };
}

/** Statements for rows with the same columns; most rows share a few. */
const SHAPES_MAX = 64;

/** Inserts rows as `inserter` does, without the columns that are null: most of a decision's are, and each costs. */
function sparseInserter(
  connection: Connection,
  table: string,
  columns: readonly string[],
): (values: readonly Value[]) => void {
  const shapes = new Lru<number, StatementSync>(SHAPES_MAX);
  const { length: width } = columns;
  const bits = columns.map((_, i) => 2 ** i);
  return (values) => {
    for (let from = 0; from < values.length; from += width) {
      const present: Value[] = [];
      let shape = 0;
      for (let i = 0; i < width; i++) {
        const value = values[from + i] as Value;
        if (value === null) continue;
        shape += bits[i] as number;
        present.push(value);
      }
      let statement = shapes.get(shape);
      if (statement === undefined) {
        const named = columns.filter((_, i) => values[from + i] !== null);
        statement = connection.prepare(insertSql(insertColumns(table, named), 1));
        shapes.set(shape, statement);
      }
      statement.get(...present);
    }
  };
}

interface StateRow {
  state: string;
}

/** `known`: states in memory; `read`: rows of `limits`. */
function quotaStore(
  connection: Connection,
  known: (key: string) => LimitState | undefined,
  read: (key: string) => StateRow | undefined,
): QuotaStore {
  const readContent = connection.prepare(
    'select 1 from quota_contents where license_id = $1 and opened = $2 and start = $3 and content = $4',
  );
  const readStrays = connection.prepare(countedAfterSql('$1', 'license_id = $2'));
  return {
    countOf(span) {
      const key = quotaKey(span.licenseId);
      const cached = known(key);
      const count = cached && toCount(cached);
      if (count !== undefined && isCountOf(count, span)) return count;
      // Counts are opened beside this procedure.
      const row = read(key);
      return row && toCount(JSON.parse(row.state) as number[]);
    },
    isCounted: ({ licenseId, start }, opened, content) =>
      readContent.get(licenseId, opened, start, content) !== undefined,
    straysOf: (licenseId, after) => (readStrays.all(after, licenseId) as unknown as StrayRow[]).map(toStray),
  };
}

/** Answers each claim with three numbers; null when a submission was stale, and nothing was written. */
export function procedure(connection: Connection): Procedure<FlushRows, number[] | null> {
  const insertDecisions = sparseInserter(connection, 'decisions', COLUMNS);
  const insertEvents = inserter(connection, insertColumns('events', EVENT_COLUMNS));
  const insertPayloads = inserter(connection, insertColumns('change_data', ['id', 'object']));
  const insertContents = inserter(connection, insertColumns('quota_contents', CONTENT_COLUMNS));
  const readLimit = connection.prepare('select state from limits where key = $1');
  const writeLimit = connection.prepare(
    `insert into limits (key, state, expires_at) values ($1, $2, $3)
     on conflict (key) do update set state = excluded.state, expires_at = excluded.expires_at`,
  );
  const insertReceipt = connection.prepare(RECEIPT_SQL);
  // As committed or about to be; `forget` empties it when a transaction fails.
  const states = new Lru<string, LimitState>(STATES_MAX);

  function readState(key: string): LimitState {
    const known = states.get(key);
    if (known !== undefined) return known;
    const row = readLimit.get(key) as { state: string } | undefined;
    return row === undefined ? [] : (JSON.parse(row.state) as number[]);
  }

  const quotas = quotaStore(
    connection,
    (key) => states.get(key),
    (key) => readLimit.get(key) as StateRow | undefined,
  );

  function work(flush: FlushRows): FlushOutcome | null {
    try {
      return workOut(flush, readState, quotas);
    } catch (error) {
      if (error instanceof NotOpen) return null;
      throw error;
    }
  }

  return {
    run(flush) {
      // Work ahead of it in the thread's queue, or a lock on the file, may have taken its time.
      if (monotonicMs() > flush.freshUntil) return null;
      const outcome = work(flush);
      if (outcome === null) return null;
      const { answers, touched, rows, events, receipts } = outcome;
      for (const [key, { state, expiresAt }] of touched) {
        writeLimit.run(key, JSON.stringify(state), expiresAt);
        states.set(key, state);
      }
      insertDecisions(rows);
      insertEvents(events);
      insertPayloads(outcome.payloads);
      insertContents(outcome.contents);
      for (const { receipt, now } of receipts) {
        if (Number(insertReceipt.run(...receiptParams(receipt, now)).changes) !== 1) {
          throw new ExpectationFailed('this request was answered already');
        }
      }
      return answers;
    },
    forget: () => states.clear(),
  };
}
