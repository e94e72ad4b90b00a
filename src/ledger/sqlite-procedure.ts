/**
 * The ledger's part of the storage thread: one flush inside the writer's transaction. Writes the limits' new states, the
 * decisions, their events and the receipts.
 */
import { EVENT_COLUMNS } from '../changes/rows.ts';
import type { Value } from '../db/db.ts';
import { RECEIPT_SQL, receiptParams } from '../db/receipt.ts';
import { type Connection, ExpectationFailed } from '../db/sqlite-connection.ts';
import type { Procedure } from '../db/sqlite-worker.ts';
import { Lru } from '../lib/lru.ts';
import type { LimitState } from '../limits/limit.ts';
import { answerClaims, COLUMNS, eventsOf, type Flush, settleReceipts } from './flush.ts';

/** Statements with this many rows at once: a fifth faster than one by one; more gained nothing. */
const ROWS_AT_ONCE = 10;
const STATES_MAX = 50_000;

const insertSql = (table: string, columns: readonly string[], rows: number): string => {
  const places = columns.map(() => '?').join(', ');
  return `insert into ${table} (${columns.join(', ')}) values ${Array.from({ length: rows }, () => `(${places})`).join(', ')}`;
};

/** Inserts rows given as one flat list of their values. */
function inserter(connection: Connection, table: string, columns: readonly string[]): (values: Value[]) => void {
  const one = connection.prepare(insertSql(table, columns, 1));
  const many = connection.prepare(insertSql(table, columns, ROWS_AT_ONCE));
  const width = columns.length;
  return (values) => {
    let i = 0;
    for (; i + width * ROWS_AT_ONCE <= values.length; i += width * ROWS_AT_ONCE) {
      many.run(...values.slice(i, i + width * ROWS_AT_ONCE));
    }
    for (; i < values.length; i += width) one.run(...values.slice(i, i + width));
  };
}

export function procedure(connection: Connection): Procedure<Flush, number[]> {
  const insertDecisions = inserter(connection, 'decisions', COLUMNS);
  const insertEvents = inserter(connection, 'events', EVENT_COLUMNS);
  const readLimit = connection.prepare('select state from limits where key = $1');
  const writeLimit = connection.prepare(
    `insert into limits (key, state, expires_at) values ($1, $2, $3)
     on conflict (key) do update set state = excluded.state, expires_at = excluded.expires_at`,
  );
  const insertReceipt = connection.prepare(RECEIPT_SQL);
  // As committed or about to be; `forget` empties it when a transaction did not come to its end.
  const states = new Lru<string, LimitState>(STATES_MAX);

  function stateOf(key: string): LimitState {
    const known = states.get(key);
    if (known !== undefined) return known;
    const row = readLimit.get(key) as { state: string } | undefined;
    return row === undefined ? [] : (JSON.parse(row.state) as number[]);
  }

  return {
    run(flush) {
      const { answers, touched } = answerClaims(flush, stateOf);
      for (const [key, { state, expiresAt }] of touched) {
        writeLimit.run(key, JSON.stringify(state), expiresAt);
        states.set(key, state);
      }
      insertDecisions(flush.rows);
      insertEvents(eventsOf(flush));
      for (const { receipt, now } of settleReceipts(flush, answers)) {
        if (Number(insertReceipt.run(...receiptParams(receipt, now)).changes) !== 1) {
          throw new ExpectationFailed('this request was answered already');
        }
      }
      return answers;
    },
    forget: () => states.clear(),
  };
}
