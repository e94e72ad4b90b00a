/**
 * Works out what one flush writes, from its submissions and the states of limits: the same for every engine, without a
 * clock or a store. Arguments are never changed, so that a retried flush has the same result. Arrays are flat, because
 * copying between threads costs by the object.
 */
import type { Value } from '../../db/db.ts';
import type { ReceiptRow } from '../../db/receipt.ts';
import { idBody } from '../../lib/id.ts';
import type { LimitState } from '../../rules/limit.ts';
import { accessKind } from '../../rules/reason.ts';
import { answerClaims, grantedTo, takenBy, withAnswers } from './answers.ts';
import { decisionId, settle } from './decision.ts';
import type { Entry, LedgerReceipt, Recorded } from './ledger.ts';
import { quotaEventBody, toQuotaNotice } from './quota/events.ts';
import { countExpiry, type QuotaClaim, QuotaCounts, type QuotaStore, toGrant, toNumbers } from './quota/quota.ts';
import { type Announced, AT, CONTENT_NO, type FlushRows, type QuotaAsk, REASON, type Touched, WIDTH } from './row.ts';

/** The entries of one request. Never changed: a flush returns what it works out. */
export interface Submission {
  /** Time of arrival, epoch ms. */
  readonly at: number;
  /** The latest time to begin recording it as it is; see monotonicMs. */
  readonly freshUntil: number;
  readonly entries: readonly Entry[];
  readonly receipt: LedgerReceipt | undefined;
}

/** The outcome of a submission: recorded, begun too late, or one of its limits, by its key, is held elsewhere. */
export type Flushed = readonly Recorded[] | 'stale' | { readonly heldBy: string };

/**
 * Commits submissions in one transaction and returns the outcome of each; where it rejects, nothing of them was
 * written. With `heldBy` it waits a while for that limit; without, for none.
 */
export type Flush = (submissions: readonly Submission[], heldBy?: string) => Promise<readonly Flushed[]>;

/** A submission with its time of recording and the numbers of its entries. */
export interface PlacedSubmission extends Submission {
  /** For each entry, how it is recorded without a claim. */
  readonly places: readonly Recorded[];
}

/** The rows and states that a flush writes. */
export interface FlushOutcome {
  /**
   * Three numbers for each claim of a limit: admitted, remaining, resetAt. Then three for each claim on a quota: an
   * outcome, the number of the offer, units used.
   */
  answers: number[];
  /** New states of the limits that were claimed. */
  touched: Map<string, Touched>;
  /** COLUMNS values for each entry. */
  rows: readonly Value[];
  /** EVENT_COLUMNS values for each event. */
  events: Value[];
  /** The id and the body of each event of a quota. */
  payloads: Value[];
  /** The contents that quotas count from now on, each with its license, count, period and expiry. */
  contents: Value[];
  /** The receipts, each with its time. */
  receipts: { receipt: ReceiptRow; now: number }[];
}

export { COLUMNS, type FlushRows, type Touched, WIDTH } from './row.ts';

/** Gives the submissions their times and numbers; `next` returns ascending numbers. */
export function place(
  submissions: readonly Submission[],
  { ledgerNo, atOf, next }: { ledgerNo: number; atOf: (submission: Submission) => number; next: () => number },
): PlacedSubmission[] {
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

let nulls: null[] = [];

/**
 * Returns rows to be filled, as one flat list. One that grows is copied several times, and one with holes takes longer
 * to cross to the storage thread.
 */
function emptyRows(count: number): Value[] {
  if (nulls.length < count * WIDTH) nulls = Array.from({ length: count * WIDTH }, () => null);
  return nulls.slice(0, count * WIDTH);
}

export function toFlush(submissions: readonly PlacedSubmission[], ledgerNo: number, announced: Announced): FlushRows {
  let count = 0;
  for (const { entries } of submissions) count += entries.length;
  const rows = emptyRows(count);
  const claims: (string | number)[] = [];
  const quotas: QuotaAsk[] = [];
  const receipts: FlushRows['receipts'][number][] = [];
  let index = 0;
  let first = Number.POSITIVE_INFINITY;
  for (const { at, entries, places, receipt, freshUntil } of submissions) {
    first = Math.min(first, freshUntil);
    if (receipt !== undefined) receipts.push({ ...receipt, firstEntry: index, at });
    for (let i = 0; i < entries.length; i++) {
      const entry = entries[i] as (typeof entries)[number];
      let to = index * WIDTH;
      rows[to++] = (places[i] as Recorded).seq;
      rows[to++] = at;
      rows[to++] = entry.contentNo;
      rows[to++] = entry.requesterId;
      rows[to++] = entry.policyNo;
      rows[to++] = entry.policyVersion;
      rows[to++] = entry.reason;
      rows[to++] = entry.ruleIndex;
      rows[to++] = entry.rulePriority;
      rows[to++] = entry.licenseId;
      rows[to++] = null;
      rows[to++] = null;
      rows[to++] = entry.inputs;
      rows[to++] = entry.url;
      rows[to++] = entry.file;
      rows[to++] = entry.collectionId;
      rows[to++] = entry.crawler;
      rows[to++] = entry.verified;
      rows[to++] = entry.claimed;
      rows[to++] = entry.permission;
      rows[to++] = entry.purpose;
      rows[to++] = entry.enforced;
      rows[to++] = entry.candidate;
      rows[to++] = entry.wanted;
      rows[to++] = null;
      if (entry.claim !== null) {
        claims.push(index, entry.claim.key, entry.claim.limit.requests, entry.claim.limit.period);
      }
      if (entry.quota !== null) quotas.push({ ...entry.quota, entry: index });
      index++;
    }
  }
  return { ledgerNo, rows, claims, quotas, receipts, announced, freshUntil: first };
}

/** Without a count: claims on quotas throw NotOpen. */
const NO_QUOTAS: QuotaStore = { countOf: () => undefined, isCounted: () => false, straysOf: () => [] };

/** Works out the whole flush; `stateOf` returns a limit's state by its claim's key. Throws NotOpen. */
export function workOut(
  flush: FlushRows,
  stateOf: (key: string) => LimitState,
  quotas: QuotaStore = NO_QUOTAS,
): FlushOutcome {
  if (flush.claims.length + flush.quotas.length === 0) {
    const receipts = settleReceipts(flush, []);
    const { rows } = flush;
    return { answers: [], touched: new Map(), rows, events: toEvents(flush), payloads: [], contents: [], receipts };
  }
  const counts = new QuotaCounts(quotas);
  const { answers, touched } = answerClaims(flush, stateOf, counts);
  const rows = withAnswers(flush, answers);
  const answered = { ...flush, rows };
  const events = toEvents(answered);
  const payloads: Value[] = [];
  for (const event of flush.announced === null ? [] : counts.events) {
    const id = quotaEventBody(event);
    events.push(id, event.at, event.kind, event.span.licenseId, null);
    payloads.push(id, JSON.stringify(toQuotaNotice(event)));
  }
  const last = rows[rows.length - WIDTH + AT] as number;
  for (const [key, count, span] of counts.changed(last)) {
    touched.set(key, { state: toNumbers(count), expiresAt: countExpiry(span, last) });
  }
  const contents = counts.contents.flatMap(({ span, opened, content }) => [
    span.licenseId,
    opened,
    span.start,
    content,
    countExpiry(span, last),
  ]);
  return { answers, touched, rows, events, payloads, contents, receipts: settleReceipts(answered, answers) };
}

/** The events of answered rows. Each shares the 26 characters of its decision's id. */
function toEvents({ ledgerNo, rows, announced }: FlushRows): Value[] {
  const events: Value[] = [];
  if (announced === null || announced.length === 0) return events;
  for (let i = 0; i < rows.length; i += WIDTH) {
    const kind = accessKind(rows[i + REASON] as number);
    if (!announced.includes(kind)) continue;
    const at = rows[i + AT] as number;
    const id = decisionId(ledgerNo, at, rows[i] as number);
    events.push(idBody(id), at, kind, id, rows[i + CONTENT_NO] as number);
  }
  return events;
}

/** Settles the drafts in the receipts by the answers. */
function settleReceipts(flush: FlushRows, answers: readonly number[]): { receipt: ReceiptRow; now: number }[] {
  const { ledgerNo, rows, claims, quotas, receipts } = flush;
  if (receipts.length === 0) return [];
  const claimByEntry = new Map<number, number>();
  const quotaByEntry = new Map<number, number>();
  for (let i = 0; i < claims.length; i += 4) claimByEntry.set(claims[i] as number, i / 4);
  for (const [i, { entry }] of quotas.entries()) quotaByEntry.set(entry, i);
  return receipts.map(({ scope, bodyHash, status, parts, firstEntry, at: now }) => {
    const body = parts.map((part) => {
      if (typeof part === 'string') return part;
      const index = firstEntry + part.entry;
      const at = rows[index * WIDTH + AT] as number;
      const claim = claimByEntry.get(index);
      const quota = quotaByEntry.get(index);
      const granted = claim === undefined ? null : grantedTo(answers, claim);
      const taken = quota === undefined ? undefined : takenBy(answers, claims.length / 4 + quota);
      const grant = taken && { quota: toGrant(quotas[quota as number] as QuotaAsk, taken) };
      const id = decisionId(ledgerNo, at, rows[index * WIDTH] as number);
      return JSON.stringify(settle(part, { id, at, granted, ...grant }));
    });
    return { receipt: { scope, bodyHash, status, body: body.join('') }, now };
  });
}

/** Returns how each submission's entries are recorded, with the answers to their claims. */
export function toRecorded(
  submissions: readonly PlacedSubmission[],
  answers: readonly number[],
): (readonly Recorded[])[] {
  if (answers.length === 0) return submissions.map(({ places }) => places);
  let claim = 0;
  let quotaClaim = 0;
  for (const { entries } of submissions) for (const entry of entries) if (entry.claim !== null) quotaClaim++;
  return submissions.map(({ entries, places }) =>
    places.map((own, i) => {
      const entry = entries[i] as Entry;
      if (entry.claim === null && entry.quota === null) return own;
      const granted = entry.claim === null ? null : grantedTo(answers, claim++);
      const taken = entry.quota === null ? undefined : takenBy(answers, quotaClaim++);
      return taken === undefined
        ? { ...own, granted }
        : { ...own, granted, quota: toGrant(entry.quota as QuotaClaim, taken) };
    }),
  );
}
