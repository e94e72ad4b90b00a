/** Answers the claims of a flush in their order, and those that are only peeked at, pure. */
import type { Value } from '../../db/db.ts';
import { type LimitPeriod, type LimitState, peek, take } from '../../rules/limit.ts';
import { REASONS } from '../../rules/reason.ts';
import type { Granted } from './decision.ts';
import type { PeekedClaim, PeekedEntry, Recorded } from './ledger.ts';
import { QuotaCounts, type QuotaGrant, type QuotaStore, type QuotaTaken, toGrant, toQuotaText } from './quota/quota.ts';
import {
  AT,
  type FlushRows,
  LICENSE_ID,
  QUOTA,
  type QuotaAsk,
  REASON,
  REMAINING,
  RESET_AT,
  type Touched,
  WIDTH,
} from './row.ts';

/** Outcomes of a claim on a quota; `unasked`: the limit of its entry refused. */
const UNASKED = 0;
export const SERVED = 1;
export const REFUSED = 2;

/** Answers the claims in the order of their entries. An entry with both uses both or neither. */
export function answerClaims(
  { rows, claims, quotas }: FlushRows,
  stateOf: (key: string) => LimitState,
  counts: QuotaCounts,
): { answers: number[]; touched: Map<string, Touched> } {
  const answers: number[] = [];
  const quotaAnswers: number[] = [];
  const touched = new Map<string, Touched>();
  const timeAt = (entry: number): number => rows[entry * WIDTH + AT] as number;
  let next = 0;

  /** Answers the claims on quotas before an entry, and returns its own. */
  function nextQuota(entry: number): QuotaAsk | undefined {
    while (next < quotas.length && (quotas[next] as QuotaAsk).entry < entry) takeQuota(quotas[next++] as QuotaAsk);
    return quotas[next]?.entry === entry ? quotas[next++] : undefined;
  }
  /** Returns whether it serves. */
  function takeQuota(ask: QuotaAsk): boolean {
    const { refused, offer, used } = counts.take(ask, timeAt(ask.entry));
    quotaAnswers.push(refused ? REFUSED : SERVED, offer, used);
    return !refused;
  }
  function isServed(ask: QuotaAsk, hasRoom: boolean): boolean {
    if (hasRoom) return takeQuota(ask);
    quotaAnswers.push(UNASKED, 0, 0);
    return false;
  }

  for (let i = 0; i < claims.length; i += 4) {
    const entry = claims[i] as number;
    const own = nextQuota(entry);
    const key = claims[i + 1] as string;
    const limit = { requests: claims[i + 2] as number, period: claims[i + 3] as LimitPeriod };
    const before = touched.get(key)?.state ?? stateOf(key);
    const takes = own === undefined || isServed(own, peek(before, limit, timeAt(entry)).admitted);
    const use = (takes ? take : peek)(before, limit, timeAt(entry));
    touched.set(key, use);
    answers.push(use.admitted ? 1 : 0, use.remaining, use.resetAt);
  }
  nextQuota(Infinity);
  return { answers: quotas.length === 0 ? answers : [...answers, ...quotaAnswers], touched };
}

/** The rows with the answers to their claims; a refused one is a denial. */
export function withAnswers({ rows, claims, quotas }: FlushRows, answers: readonly number[]): readonly Value[] {
  if (claims.length + quotas.length === 0) return rows;
  const answered = rows.slice();
  for (let claim = 0; claim * 4 < claims.length; claim++) {
    const row = (claims[claim * 4] as number) * WIDTH;
    const { admitted, remaining, resetAt } = grantedTo(answers, claim);
    if (!admitted) answered[row + REASON] = REASONS.rate_limit_exceeded.code;
    answered[row + REMAINING] = remaining;
    answered[row + RESET_AT] = resetAt;
  }
  for (const [i, ask] of quotas.entries()) {
    const taken = takenBy(answers, claims.length / 4 + i);
    if (taken === undefined) continue;
    const row = ask.entry * WIDTH;
    const { licenseId, quota } = toGrant(ask, taken);
    answered[row + LICENSE_ID] = licenseId;
    answered[row + QUOTA] = quota && toQuotaText(quota);
    if (!taken.refused) continue;
    answered[row + REASON] = REASONS.quota_exceeded.code;
    answered[row + REMAINING] = null;
    answered[row + RESET_AT] = null;
  }
  return answered;
}

/** Returns the answer to a claim on a quota, by its number among all claims; undefined where the limit refused. */
export function takenBy(answers: readonly number[], number: number): QuotaTaken | undefined {
  const outcome = answers[number * 3];
  if (outcome === UNASKED) return undefined;
  return {
    refused: outcome === REFUSED,
    offer: answers[number * 3 + 1] as number,
    used: answers[number * 3 + 2] as number,
  };
}

/** Returns the answer to the claim with this index. */
export const grantedTo = (answers: readonly number[], claim: number): Granted => ({
  admitted: answers[claim * 3] === 1,
  remaining: answers[claim * 3 + 1] as number,
  resetAt: answers[claim * 3 + 2] as number,
});

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

/** Peeks at limits and quotas in order. Claims that will be recorded use both or neither. Throws NotOpen. */
export function peekAllInOrder(
  entries: readonly PeekedEntry[],
  states: Map<string, LimitState>,
  { stateKey, at, quotas }: { stateKey: (key: string) => string; at: number; quotas: QuotaStore },
): Pick<Recorded, 'granted' | 'quota'>[] {
  const counts = new QuotaCounts(quotas);
  const peekQuota = ({ quota, uses }: PeekedEntry) => {
    const grant = quota && toGrant(quota, counts.take(uses ? quota : { ...quota, spends: false }, at));
    return grant === null ? {} : { quota: grant };
  };
  return entries.map((entry) => {
    const { claim, uses } = entry;
    if (claim === null) return { granted: null, ...peekQuota(entry) };
    const key = stateKey(claim.key);
    const before = states.get(key) ?? [];
    const granted = peek(before, claim.limit, at);
    if (!granted.admitted) return { granted };
    const seen: { quota?: QuotaGrant } = peekQuota(entry);
    if (!uses || seen.quota?.refused === true) return { granted, ...seen };
    const use = take(before, claim.limit, at);
    states.set(key, use.state);
    return { granted: use, ...seen };
  });
}
