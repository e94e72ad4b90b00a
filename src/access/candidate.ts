/** Decides a check by the candidate of its policy, on the same facts. Limits are left out: nothing is used up. */
import { toCandidateText } from '../ledger/candidate.ts';
import { reasonCode } from '../ledger/reason.ts';
import type { CompiledPolicy } from '../policies/compile.ts';
import type { Facts } from '../policies/facts.ts';
import { decide, type Verdict } from './decide.ts';

/**
 * Returns the candidate's decision as the ledger keeps it; null without one, and for checks that are not recorded. Of a
 * URL with several readings, a reading that is denied counts.
 */
export function decideByCandidate(
  { candidate }: CompiledPolicy,
  readings: readonly Facts[],
  recorded: boolean,
): string | null {
  if (candidate === null || !recorded) return null;
  const verdicts = readings.map((facts) => decide(candidate.policy, facts));
  const { reason, rule } = (verdicts.find((one) => one.reason !== null) ?? verdicts[0]) as Verdict;
  return toCandidateText(candidate.no, reasonCode(reason), rule?.index ?? null);
}
