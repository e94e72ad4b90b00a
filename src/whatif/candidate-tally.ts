/** Counts where a candidate decided otherwise than its policy: by requester, crawler, item or URL, and reason. Pure. */
import { LIMIT_CODES, parseCandidate } from '../ledger/candidate.ts';
import { type Reason, reasonOf } from '../ledger/reason.ts';

/** Decisions that are alike, as the records count them. */
export interface CandidateGroup {
  count: number;
  /** null: the candidate agrees with the policy in all of them; then the fields below are null. */
  candidate: string | null;
  /** Code of the policy's reason. */
  reason: number | null;
  requesterId: string | null;
  crawler: string | null;
  /** 0: a URL without an item. */
  contentNo: number | null;
  url: string | null;
}

export interface Divergences {
  newlyDenied: number;
  newlyAllowed: number;
}

export interface CandidateTally extends Divergences {
  agreements: number;
  byRequester: ReadonlyMap<string | null, Divergences>;
  byCrawler: ReadonlyMap<string | null, Divergences>;
  /** By the number of an item in the store, or by URL. */
  byContent: ReadonlyMap<number | string, Divergences>;
  byReason: { from: Reason | null; to: Reason | null; count: number }[];
}

/** The policy's reason before its limits; null: its rules allow. */
export const ownReason = (code: number): Reason | null => (LIMIT_CODES.includes(code) ? null : reasonOf(code));

export class CandidateCounter {
  readonly #sums = { agreements: 0, newlyDenied: 0, newlyAllowed: 0 };
  readonly #byRequester = new Map<string | null, Divergences>();
  readonly #byCrawler = new Map<string | null, Divergences>();
  readonly #byContent = new Map<number | string, Divergences>();
  readonly #byReason = new Map<string, { from: Reason | null; to: Reason | null; count: number }>();

  add({ count, candidate, reason, requesterId, crawler, contentNo, url }: CandidateGroup): void {
    if (candidate === null) {
      this.#sums.agreements += count;
      return;
    }
    const from = ownReason(reason ?? 0);
    const to = parseCandidate(candidate).reason;
    const turn = from === null ? 'newlyDenied' : 'newlyAllowed';
    this.#sums[turn] += count;
    divergencesOf(this.#byRequester, requesterId)[turn] += count;
    divergencesOf(this.#byCrawler, crawler)[turn] += count;
    divergencesOf(this.#byContent, contentNo === 0 || contentNo === null ? (url ?? '') : contentNo)[turn] += count;
    const name = `${from} ${to}`;
    const reasons = this.#byReason.get(name) ?? { from, to, count: 0 };
    reasons.count += count;
    this.#byReason.set(name, reasons);
  }

  tally(): CandidateTally {
    return {
      ...this.#sums,
      byRequester: this.#byRequester,
      byCrawler: this.#byCrawler,
      byContent: this.#byContent,
      byReason: [...this.#byReason.values()].toSorted((a, b) => b.count - a.count),
    };
  }
}

function divergencesOf<K>(by: Map<K, Divergences>, key: K): Divergences {
  let found = by.get(key);
  if (found === undefined) {
    found = { newlyDenied: 0, newlyAllowed: 0 };
    by.set(key, found);
  }
  return found;
}
