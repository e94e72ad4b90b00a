/**
 * Works out what one flush writes, from its submissions and the states of limits: the same for every engine, without a
 * clock or a store. Arguments are never changed, so that a retried flush has the same result. Arrays are flat, because
 * copying between threads costs by the object.
 */
import type { AccessKind } from '../changes/kinds.ts';
import type { Value } from '../db/db.ts';
import type { ReceiptRow } from '../db/receipt.ts';
import { bodyOf } from '../lib/id.ts';
import { type LimitState, type Period, peek, take } from '../limits/limit.ts';
import { decisionId, type Granted, settle } from './decision.ts';
import type { Entry, PeekedClaim, Receipt, Recorded } from './ledger.ts';
import { accessKind, REASONS } from './reason.ts';
import type { Submission } from './recorder.ts';

/** A submission with its time of recording and the numbers of its entries. */
export interface Placed extends Submission {
  /** For each entry, how it is recorded without a claim. */
  readonly places: readonly Recorded[];
}

export interface Flush {
  readonly ledgerNo: number;
  /** COLUMNS values for each entry, as if every claim were admitted. */
  readonly rows: readonly Value[];
  /** Four values for each claim: index of its entry, key, requests, period. */
  readonly claims: readonly (string | number)[];
  /** `at`: when it is recorded, epoch ms. */
  readonly receipts: readonly (Receipt & { firstEntry: number; at: number })[];
  /** Kinds of decision that become events. */
  readonly announced: readonly AccessKind[];
  /** When the first of its submissions becomes stale. */
  readonly freshUntil: number;
}

/** The rows and states that a flush writes. */
export interface Outcome {
  /** Three numbers for each claim: admitted, remaining, resetAt. */
  answers: number[];
  /** New states of the limits that were claimed. */
  touched: Map<string, Touched>;
  /** COLUMNS values for each entry. */
  rows: readonly Value[];
  /** EVENT_COLUMNS values for each event. */
  events: Value[];
  /** The receipts, each with its time. */
  receipts: { receipt: ReceiptRow; now: number }[];
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
  'url',
  'collection_id',
  'crawler',
  'verified',
  'claimed',
  'permission',
  'purpose',
  'enforced',
  'candidate',
  'wanted',
] as const;
export const WIDTH = COLUMNS.length;
const AT = COLUMNS.indexOf('at');
const CONTENT_NO = COLUMNS.indexOf('content_no');
const REASON = COLUMNS.indexOf('reason');
const REMAINING = COLUMNS.indexOf('limit_remaining');
const RESET_AT = COLUMNS.indexOf('limit_reset_at');

/** Gives the submissions their times and numbers; `next` returns ascending numbers. */
export function place(
  submissions: readonly Submission[],
  { ledgerNo, atOf, next }: { ledgerNo: number; atOf: (submission: Submission) => number; next: () => number },
): Placed[] {
  return submissions.map((submission) => {
    const { freshUntil, entries, receipt } = submission;
    const at = atOf(submission);
    const places = entries.map(() => {
      const seq = next();
      return { id: decisionId(ledgerNo, at, seq), seq, at, granted: null };
    });
    return { at, freshUntil, entries, receipt, places };
  });
}

export function toFlush(submissions: readonly Placed[], ledgerNo: number, announced: readonly AccessKind[]): Flush {
  const rows: Value[] = [];
  const claims: (string | number)[] = [];
  const receipts: Flush['receipts'][number][] = [];
  let index = 0;
  let first = Number.POSITIVE_INFINITY;
  for (const { at, entries, places, receipt, freshUntil } of submissions) {
    first = Math.min(first, freshUntil);
    if (receipt !== undefined) receipts.push({ ...receipt, firstEntry: index, at });
    for (let i = 0; i < entries.length; i++) {
      const entry = entries[i] as (typeof entries)[number];
      rows.push(
        (places[i] as Recorded).seq,
        at,
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
        entry.url,
        entry.collectionId,
        entry.crawler,
        entry.verified,
        entry.claimed,
        entry.permission,
        entry.purpose,
        entry.enforced,
        entry.candidate,
        entry.wanted,
      );
      if (entry.claim !== null) {
        claims.push(index, entry.claim.key, entry.claim.limit.requests, entry.claim.limit.period);
      }
      index++;
    }
  }
  return { ledgerNo, rows, claims, receipts, announced, freshUntil: first };
}

/** A limit's new state. */
export interface Touched {
  state: LimitState;
  expiresAt: number;
}

/** Works out the whole flush; `stateOf` returns a limit's state by its claim's key. */
export function workOut(flush: Flush, stateOf: (key: string) => LimitState): Outcome {
  const { answers, touched } = answerClaims(flush, stateOf);
  const rows = withAnswers(flush, answers);
  const answered = { ...flush, rows };
  return { answers, touched, rows, events: eventsOf(answered), receipts: settleReceipts(answered, answers) };
}

/** Answers the claims in their order. */
function answerClaims({ rows, claims }: Flush, stateOf: (key: string) => LimitState) {
  const answers: number[] = [];
  const touched = new Map<string, Touched>();
  for (let i = 0; i < claims.length; i += 4) {
    const key = claims[i + 1] as string;
    const limit = { requests: claims[i + 2] as number, period: claims[i + 3] as Period };
    const before = touched.get(key)?.state ?? stateOf(key);
    const use = take(before, limit, rows[(claims[i] as number) * WIDTH + AT] as number);
    touched.set(key, use);
    answers.push(use.admitted ? 1 : 0, use.remaining, use.resetAt);
  }
  return { answers, touched };
}

/** The rows with the answers to their claims; a refused one is a denial. */
function withAnswers({ rows, claims }: Flush, answers: readonly number[]): readonly Value[] {
  if (claims.length === 0) return rows;
  const answered = rows.slice();
  for (let claim = 0; claim * 4 < claims.length; claim++) {
    const row = (claims[claim * 4] as number) * WIDTH;
    const { admitted, remaining, resetAt } = grantedTo(answers, claim);
    if (!admitted) answered[row + REASON] = REASONS.rate_limit_exceeded.code;
    answered[row + REMAINING] = remaining;
    answered[row + RESET_AT] = resetAt;
  }
  return answered;
}

/** Answers claims in order, and updates `states` with what the claims that will be recorded use. */
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

/** The events of answered rows. Each shares the 26 characters of its decision's id. */
function eventsOf({ ledgerNo, rows, announced }: Flush): Value[] {
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

/** Settles the drafts in the receipts by the answers. */
function settleReceipts(
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
      return JSON.stringify(settle(part, { id, at, granted }));
    });
    return { receipt: { scope, bodyHash, status, body: body.join('') }, now };
  });
}

/** Returns the answer to the claim with this index. */
const grantedTo = (answers: readonly number[], claim: number): Granted => ({
  admitted: answers[claim * 3] === 1,
  remaining: answers[claim * 3 + 1] as number,
  resetAt: answers[claim * 3 + 2] as number,
});

/** Returns how each submission's entries are recorded, with the answers to their claims. */
export function recordedOf(submissions: readonly Placed[], answers: readonly number[]): Recorded[][] {
  let claim = 0;
  return submissions.map(({ entries, places }) =>
    places.map((own, i) =>
      (entries[i] as Entry).claim === null ? own : { ...own, granted: grantedTo(answers, claim++) },
    ),
  );
}
