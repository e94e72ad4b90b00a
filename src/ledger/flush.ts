/**
 * What one flush writes, worked out from its submissions and the limits as they are: the same for every engine, without a clock or a store.
 * Flat, because the copy between threads costs by the object.
 */
import type { AccessKind } from '../changes/kinds.ts';
import type { Value } from '../db/db.ts';
import type { ReceiptRow } from '../db/receipt.ts';
import { bodyOf } from '../lib/id.ts';
import { stringifyOrdered } from '../lib/json.ts';
import { type LimitState, type Period, peek, take } from '../limits/limit.ts';
import { decisionId, type Granted, settle } from './decision.ts';
import type { PeekedClaim, Receipt } from './ledger.ts';
import { accessKind, REASONS } from './reason.ts';
import type { Submission } from './recorder.ts';

export interface Flush {
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
export const WIDTH = COLUMNS.length;
const AT = COLUMNS.indexOf('at');
const CONTENT_NO = COLUMNS.indexOf('content_no');
const REASON = COLUMNS.indexOf('reason');
const REMAINING = COLUMNS.indexOf('limit_remaining');
const RESET_AT = COLUMNS.indexOf('limit_reset_at');

export function toFlush(submissions: readonly Submission[], ledgerNo: number, announced: readonly AccessKind[]): Flush {
  const rows: Flush['rows'] = [];
  const claims: Flush['claims'] = [];
  const receipts: Flush['receipts'] = [];
  let index = 0;
  for (const { at, entries, recorded, receipt } of submissions) {
    if (receipt !== undefined) receipts.push({ ...receipt, firstEntry: index, at });
    for (let i = 0; i < entries.length; i++) {
      const entry = entries[i] as (typeof entries)[number];
      const place = recorded[i] as (typeof recorded)[number];
      rows.push(
        place.seq,
        place.at,
        entry.contentNo,
        entry.requesterId,
        entry.policyNo,
        entry.policyVersion,
        entry.reason,
        entry.ruleIndex,
        entry.rulePriority,
        entry.licenseId,
        null,
        null,
        entry.inputs,
      );
      if (entry.claim !== null) {
        claims.push(index, entry.claim.key, entry.claim.limit.requests, entry.claim.limit.period);
      }
      index++;
    }
  }
  return { ledgerNo, rows, claims, receipts, announced };
}

/** A limit's new state. */
export interface Touched {
  state: LimitState;
  expiresAt: number;
}

/**
 * Answers the claims in their order and writes the answers into the rows. Three numbers for each claim: admitted,
 * remaining, resetAt.
 */
export function answerClaims(
  { rows, claims }: Flush,
  stateOf: (key: string) => LimitState,
): { answers: number[]; touched: Map<string, Touched> } {
  const answers: number[] = [];
  const touched = new Map<string, Touched>();
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
  return { answers, touched };
}

/** Answers the claims in their order on these states, which end up as they would be if the claims that use were recorded. */
export function peekInOrder(
  claims: readonly PeekedClaim[],
  states: Map<string, LimitState>,
  stateKey: (key: string) => string,
  at: number,
): Granted[] {
  return claims.map(({ key, limit, uses }) => {
    const before = states.get(stateKey(key)) ?? [];
    if (uses !== true) return peek(before, limit, at);
    const use = take(before, limit, at);
    states.set(stateKey(key), use.state);
    return use;
  });
}

/** EVENT_COLUMNS values for each event, once the claims are answered. It shares the 26 characters of its decision's id. */
export function eventsOf({ ledgerNo, rows, announced }: Flush): Value[] {
  const events: Value[] = [];
  if (announced.length === 0) return events;
  for (let i = 0; i < rows.length; i += WIDTH) {
    const kind = accessKind(rows[i + REASON] as number);
    if (!announced.includes(kind)) continue;
    const at = rows[i + AT] as number;
    const id = decisionId(ledgerNo, at, rows[i] as number);
    events.push(bodyOf(id), at, kind, id, rows[i + CONTENT_NO] as number);
  }
  return events;
}

/** The receipts with the moment each was taken in; drafts are settled by the answers. */
export function settleReceipts(
  { ledgerNo, rows, claims, receipts }: Flush,
  answers: readonly number[],
): { receipt: ReceiptRow; now: number }[] {
  const claimOf = new Map<number, number>();
  if (receipts.length > 0) for (let i = 0; i < claims.length; i += 4) claimOf.set(claims[i] as number, i / 4);
  return receipts.map(({ scope, bodyHash, status, parts, firstEntry, at: now }) => {
    const body = parts.map((part) => {
      if (typeof part === 'string') return part;
      const index = firstEntry + part.entry;
      const at = rows[index * WIDTH + AT] as number;
      const claim = claimOf.get(index);
      const granted = claim === undefined ? null : grantedTo(answers, claim);
      const id = decisionId(ledgerNo, at, rows[index * WIDTH] as number);
      return stringifyOrdered(settle(part, { id, at, granted }));
    });
    return { receipt: { scope, bodyHash, status, body: body.join('') }, now };
  });
}

/** To one claim, by its index. */
const grantedTo = (answers: readonly number[], claim: number): Granted => ({
  admitted: answers[claim * 3] === 1,
  remaining: answers[claim * 3 + 1] as number,
  resetAt: answers[claim * 3 + 2] as number,
});

export const grantedToAll = (answers: readonly number[]): Granted[] =>
  Array.from({ length: answers.length / 3 }, (_, claim) => grantedTo(answers, claim));
