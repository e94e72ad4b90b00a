/**
 * The ledger's part of the storage thread: one flush inside the writer's transaction. Answers each claim by the shared
 * arithmetic in limits/limit, writes the limits' new states, the decisions and the receipts.
 */
import type { AccessKind } from '../changes/kinds.ts';
import { EVENT_COLUMNS } from '../changes/rows.ts';
import type { Value } from '../db/db.ts';
import { RECEIPT_SQL, receiptParams } from '../db/receipt.ts';
import { type Connection, ExpectationFailed } from '../db/sqlite-connection.ts';
import type { Procedure } from '../db/sqlite-worker.ts';
import { bodyOf } from '../lib/id.ts';
import { stringifyOrdered } from '../lib/json.ts';
import { Lru } from '../lib/lru.ts';
import { type LimitState, type Period, take } from '../limits/limit.ts';
import { decisionId, settle } from './decision.ts';
import type { Receipt } from './ledger.ts';
import { accessKind, REASONS } from './reason.ts';

export interface LedgerPayload {
  ledgerNo: number;
  /** COLUMNS values for each entry. */
  rows: Value[];
  /** Four values for each claim: index of its entry, key, requests, period. */
  claims: (string | number)[];
  /** `at`: when the request was taken in, epoch ms. */
  receipts: (Receipt & { firstEntry: number; at: number })[];
  /** Kinds of decision that become events. */
  announced: readonly AccessKind[];
}

export const COLUMNS = [
  'seq',
  'at',
  'content_no',
  'requester_id',
  'policy_no',
  'policy_version',
  'reason',
  'rule_index',
  'rule_priority',
  'license_id',
  'limit_remaining',
  'limit_reset_at',
  'inputs',
] as const;
const WIDTH = COLUMNS.length;
const AT = COLUMNS.indexOf('at');
const CONTENT_NO = COLUMNS.indexOf('content_no');
const REASON = COLUMNS.indexOf('reason');
const REMAINING = COLUMNS.indexOf('limit_remaining');
const RESET_AT = COLUMNS.indexOf('limit_reset_at');

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

export function procedure(connection: Connection): Procedure<LedgerPayload, number[]> {
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

  function answerClaims({ rows, claims }: LedgerPayload): number[] {
    const answers: number[] = [];
    const touched = new Map<string, { state: LimitState; expiresAt: number }>();
    for (let i = 0; i < claims.length; i += 4) {
      const row = (claims[i] as number) * WIDTH;
      const key = claims[i + 1] as string;
      const limit = { requests: claims[i + 2] as number, period: claims[i + 3] as Period };
      const before = touched.get(key)?.state ?? stateOf(key);
      const use = take(before, limit, rows[row + AT] as number);
      touched.set(key, use);
      if (!use.admitted) rows[row + REASON] = REASONS.rate_limit_exceeded.code;
      rows[row + REMAINING] = use.remaining;
      rows[row + RESET_AT] = use.resetAt;
      answers.push(use.admitted ? 1 : 0, use.remaining, use.resetAt);
    }
    for (const [key, { state, expiresAt }] of touched) {
      writeLimit.run(key, JSON.stringify(state), expiresAt);
      states.set(key, state);
    }
    return answers;
  }

  /** An access event shares the 26 characters of its decision's id. */
  function announce({ ledgerNo, rows, announced }: LedgerPayload): void {
    if (announced.length === 0) return;
    const events: Value[] = [];
    for (let i = 0; i < rows.length; i += WIDTH) {
      const kind = accessKind(rows[i + REASON] as number);
      if (!announced.includes(kind)) continue;
      const at = rows[i + AT] as number;
      const id = decisionId(ledgerNo, at, rows[i] as number);
      events.push(bodyOf(id), at, kind, id, rows[i + CONTENT_NO] as number);
    }
    insertEvents(events);
  }

  function insertReceipts({ ledgerNo, rows, claims, receipts }: LedgerPayload, answers: number[]): void {
    for (const { scope, bodyHash, status, parts, firstEntry, at: takenAt } of receipts) {
      const claimOf = new Map<number, number>();
      for (let i = 0; i < claims.length; i += 4) claimOf.set(claims[i] as number, (i / 4) * 3);
      const body = parts.map((part) => {
        if (typeof part === 'string') return part;
        const index = firstEntry + part.entry;
        const at = rows[index * WIDTH + AT] as number;
        const answer = claimOf.get(index);
        const granted = answer === undefined ? null : grantedAt(answers, answer);
        const id = decisionId(ledgerNo, at, rows[index * WIDTH] as number);
        return stringifyOrdered(settle(part, { id, at, granted }));
      });
      const receipt = { scope, bodyHash, status, body: body.join('') };
      if (Number(insertReceipt.run(...receiptParams(receipt, takenAt)).changes) !== 1) {
        throw new ExpectationFailed('this request was answered already');
      }
    }
  }

  return {
    run(payload) {
      const answers = answerClaims(payload);
      insertDecisions(payload.rows);
      announce(payload);
      insertReceipts(payload, answers);
      return answers;
    },
    forget: () => states.clear(),
  };
}

const grantedAt = (answers: number[], i: number) => ({
  admitted: answers[i] === 1,
  remaining: answers[i + 1] as number,
  resetAt: answers[i + 2] as number,
});
