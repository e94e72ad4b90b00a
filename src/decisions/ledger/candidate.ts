/**
 * The decision of a candidate as the ledger keeps it beside the policy's own: JSON, `[candidate's number, code of the
 * reason, index of the rule]`. Rules are compared, not limits and quotas: a decision that one of these denied counts as
 * allowed.
 */
import { decodeReason, REASONS, type Reason } from '../../rules/reason.ts';

export interface CandidateDecision {
  candidateNo: number;
  /** null: allowed, unless the rule's limit refuses. */
  reason: Reason | null;
  /** null: the default action decided, or no rule was evaluated. */
  ruleIndex: number | null;
}

/** Denials by a limit or a quota, after the rules had allowed. */
export const LIMIT_CODES: readonly number[] = [REASONS.rate_limit_exceeded.code, REASONS.quota_exceeded.code];

/** `reason`: its code. */
export const toCandidateText = (candidateNo: number, reason: number, ruleIndex: number | null): string =>
  `[${candidateNo},${reason},${ruleIndex}]`;

export function parseCandidate(text: string): CandidateDecision {
  const [candidateNo, reason, ruleIndex] = JSON.parse(text) as [number, number, number | null];
  return { candidateNo, reason: decodeReason(reason), ruleIndex };
}
