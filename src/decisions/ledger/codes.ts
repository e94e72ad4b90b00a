/** Codes and short texts under which the ledger stores parts of a decision; they never change their meaning. */
import { VERIFIED_KINDS, type VerifiedKind } from '../../rules/facts.ts';
import { decodeReason, REASONS, type Reason } from '../../rules/reason.ts';

/** The code of a way to verify a requester. */
export const verifiedCode = (kind: VerifiedKind | null): number | null =>
  kind === null ? null : VERIFIED_KINDS.indexOf(kind) + 1;

/** `true`: verified in any way; `false`: not at all. */
export const VERIFIED_FILTERS = ['true', 'false', ...VERIFIED_KINDS] as const;

/** Returns the code, or whether there is one. */
export function verifiedFilter(text: (typeof VERIFIED_FILTERS)[number]): number | boolean {
  if (text === 'true' || text === 'false') return text === 'true';
  return VERIFIED_KINDS.indexOf(text) + 1;
}

export const toVerified = (code: number | null): VerifiedKind | null =>
  code === null ? null : (VERIFIED_KINDS[code - 1] ?? null);

/** Types of one denial; more are not recorded. */
const TYPES_MAX = 8;

const ANY = '*';

/**
 * The license that a denial lacked: `*` for any license, else the types of which any one would have turned the denial,
 * as JSON. An empty list: no license alone would have. `types`: null for any type.
 */
export const toWanted = (types: readonly string[] | null): string =>
  types === null ? ANY : JSON.stringify([...new Set(types)].toSorted().slice(0, TYPES_MAX));

/** The license types that would have turned a denial; `types` null: any type. */
export interface Wanted {
  types: string[] | null;
}

export const parseWanted = (stored: string): Wanted => ({
  types: stored === ANY ? null : (JSON.parse(stored) as string[]),
});

/**
 * The decision of a candidate beside the policy's own: JSON, `[candidate's number, code of the reason, index of the
 * rule]`. Rules are compared, not limits and quotas: a decision that one of these denied counts as allowed.
 */
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
