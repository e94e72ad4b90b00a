/** Decides a check by the candidate of its policy, on the same facts. Limits are left out: nothing is used up. */
import { toCandidateText } from '../ledger/candidate.ts';
import { reasonCode } from '../ledger/reason.ts';
import type { CompiledPolicy } from '../policies/compile.ts';
import type { Facts } from '../policies/facts.ts';
import { decide } from './decide.ts';

/** Returns the candidate's decision as the ledger keeps it; null without one, and for checks that are not recorded. */
export function decideByCandidate({ candidate }: CompiledPolicy, facts: Facts, recorded: boolean): string | null {
  if (candidate === null || !recorded) return null;
  const { reason, rule } = decide(candidate.policy, facts);
  return toCandidateText(candidate.no, reasonCode(reason), rule?.index ?? null);
}
